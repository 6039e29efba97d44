/** What a verdict says. */
import type { BandPoint } from '../../statistics/timeline.ts';
import type { AnomalyKind } from './anomaly-kind.ts';
import type { CategoryChange, MovedCategory } from './moved-categories.ts';
import type { Totals } from './series.ts';

export type Level = 'calm' | 'elevated' | 'surge' | 'not_enough_data';

/** A part of the window, and what would be expected in it. */
export interface StrongestPart {
  readonly fromMs: number;
  readonly toMs: number;
  readonly observed: number;
  readonly expected: number;
  readonly ratio: number;
}

/** How often such a verdict is wrong: one in so many. */
export interface Confidence {
  readonly wrongOneIn: number;
  /** The same as a sentence. */
  readonly says: string;
}

/** Windows that were compared with: the hours before, then the same hours of earlier days, the nearest first. */
export interface Reference {
  /** `the 6 hours before`, `the same hours the day before`, `the same hours 2 weeks before`. */
  readonly name: string;
  /** How much earlier it lies; `null` for the hours before. */
  readonly shiftMs: number | null;
  readonly totals: Totals;
}

/** What nine in ten windows like this hold. */
export interface UsualRange {
  readonly low: number;
  readonly high: number;
}

/** Something that should be there has stopped. */
export interface Drop {
  /** Attacks while visitors go on, or all requests. */
  readonly what: 'attacks' | 'requests';
  readonly sinceMs: number;
  /** The end of what was counted: of the last numbers, or of the drop. */
  readonly untilMs: number;
  /** When it was over; `null` while it goes on. */
  readonly endedMs: number | null;
  readonly observed: number;
  readonly expected: number;
}

export interface Verdict {
  readonly level: Level;
  /**
   * How odd it is: the chance that anything as odd shows in a normal window, as the power of ten with its sign changed.
   * 3 is one in 1,000. `null` where nothing can be compared.
   */
  readonly score: number | null;
  /** The score from which it is called. */
  readonly bar: number;
  /** What was judged: the finished part of the window. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly totals: Totals;
  /** Attacks in the judged part. */
  readonly observed: number;
  /** Attacks to expect in the judged part, and the range that is usual; `null` where there is no reference. */
  readonly expected: number | null;
  /** What is expected is told in whole steps back from the end: from here on. */
  readonly expectedFromMs?: number;
  readonly usual: UsualRange | null;
  readonly references: readonly Reference[];
  readonly strongest: StrongestPart | null;
  /** The stretch whose kinds of attacks would tell more about how rare it is; `null` where there is none. */
  readonly telling?: { readonly fromMs: number; readonly toMs: number } | null;
  /** Bursts of the past whose kinds of attacks would tell more about that too. */
  readonly wanted?: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** When it began, also before the window; `null` when nothing did, or when that of a category alone was not found out. */
  readonly onsetMs: number | null;
  /** Still so at the end of what was judged; `null` when that cannot be seen. */
  readonly ongoing: boolean | null;
  readonly endedMs: number | null;
  /** Until when it has stood out so far; when it was over, that is its end. */
  readonly seenUntilMs: number | null;
  /** Attacks in proportion to requests, in the window and in the hours before. */
  readonly share: number | null;
  readonly shareBefore: number | null;
  /** Visitors as a multiple of those expected. */
  readonly visitorFactor: number;
  /** Every category of the window; empty where the service gave none. */
  readonly categories: readonly CategoryChange[];
  /** Those that are new or have grown, the most surprising first. */
  readonly moved: readonly MovedCategory[];
  readonly drops: readonly Drop[];
  readonly kind: AnomalyKind | null;
  /** How often such a verdict is wrong, by the evaluation; `null` where it was never measured. */
  readonly confidence: Confidence | null;
  /** What of the data is missing, whole sentences; empty unless it matters. */
  readonly completeness: readonly string[];
  /** The finding in one sentence; then why, in whole sentences with their numbers. */
  readonly sentence: string;
  readonly reasons: readonly string[];
  /** The rule that was applied, without a full stop. */
  readonly rule: string;
  readonly band: readonly BandPoint[];
}
