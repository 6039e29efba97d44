/** The face of the verdict. */
export type { BandPoint } from './band.ts';
export type { Confidence } from './confidence.ts';
export { type JudgeInput, judge } from './judge.ts';
export type { MovedCategory } from './moved-categories.ts';
export { RULE, ruleInWords, type VerdictRule } from './rule.ts';
export type { EarlierDay } from './scene.ts';
export type { Shape } from './shape.ts';
export type { Level, StrongestStretch, Totals, Verdict } from './verdict.ts';
