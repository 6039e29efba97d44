/** The public interface of the verdict. */
export type { AnomalyKind } from './anomaly-kind.ts';
export type { BandPoint, Confidence } from './explain.ts';
export { type JudgeInput, judge } from './judge.ts';
export type { CategoryChange, MovedCategory } from './moved-categories.ts';
export { BARS, RULE, ruleInWords, type Sensitivity } from './rule.ts';
export type { EarlierDay, Totals } from './series.ts';
export type { Drop, Level, Reference, UsualRange, Verdict } from './verdict.ts';
