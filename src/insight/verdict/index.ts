/** The public interface of the verdict. */
export type { AnomalyKind } from './anomaly-kind.ts';
export type { BandPoint } from './explain.ts';
export { type JudgeInput, judge, type Level, type Verdict } from './judge.ts';
export type { MovedCategory } from './moved-categories.ts';
export { RULE, ruleInWords } from './rule.ts';
export type { EarlierDay, Totals } from './series.ts';
