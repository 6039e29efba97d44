/** The public interface of the verdict. */

export type { AnomalyKind } from './anomaly-kind.ts';
export type { KnownDrop } from './drops.ts';
export { withDrops } from './explain.ts';
export type { Lags } from './forecast.ts';
export { type JudgeInput, judge } from './judge.ts';
export type { CategoryChange, CategoryCounts, MovedCategory } from './moved-categories.ts';
export { BARS, RULE, ruleInWords, type Sensitivity } from './rule.ts';
export type { Totals } from './series.ts';
export type { Confidence, Drop, Level, Reference, StrongestPart, UsualRange, Verdict } from './verdict.ts';
