/** The public interface of the verdict. */

export {
  type CountedTime,
  categoriesAboveTheirShare,
  countedTime,
  isBusy,
  knownDays,
  othersOf,
  pauseOf,
  ratioGrowth,
  suspectCategories,
  takeoverStrength,
  type UnusualCategory,
  type UnusualTime,
  unusualCategories,
  unusualTimes,
  usualPerHour,
  usualShare,
} from './categories.ts';
export { describeWindow } from './describe-window.ts';
export { type FoundDrop, findDrops } from './drops.ts';
export { type HeldTimes, type Present, readPresent } from './present.ts';
export { type FoundRise, findRises, rising, type StrengthStep } from './rises.ts';
export { BARS, CATEGORY, DROPS, FEEDBACK, MIX, RISE, RULE, SURGE, TAKEOVER } from './rule.ts';
export { finishedPoints, totalsBetween } from './series.ts';
export { learnSite, type Site, sumsBetween, tailFor } from './site.ts';
export type { CategoryChange, DropKind, Level, Verdict, WindowFinding } from './verdict.ts';
export { DROP_KINDS } from './verdict.ts';
