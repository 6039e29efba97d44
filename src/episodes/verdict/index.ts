/** The public interface of the verdict. */

export type { AnomalyKind } from './anomaly-kind.ts';
export type { KnownDrop } from './drops.ts';
export { withDrops } from './explain.ts';
export type { Lags } from './forecast.ts';
export { type JudgeInput, judge } from './judge.ts';
export type { CategoryChange } from './moved-categories.ts';
export { BARS, RULE, ruleInWords } from './rule.ts';
export type { Drop, Level, Verdict } from './verdict.ts';
