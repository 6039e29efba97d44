/** Is this normal? The verdict and everything it rests on. */
import type { BandPoint } from './band.ts';
import type { Confidence } from './confidence.ts';
import type { MovedCategory } from './moved-categories.ts';
import type { Shape } from './shape.ts';

export type Level = 'calm' | 'elevated' | 'surge' | 'not_enough_data';

/** The part of the window that stands out most, or would if anything did. */
export interface StrongestStretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly attacks: number;
  readonly usual: number;
  readonly ratio: number;
  /** Standard deviations above the usual. */
  readonly score: number;
}

export interface Totals {
  readonly requests: number;
  readonly attacks: number;
  /** Length of the intervals that have numbers. */
  readonly knownMs: number;
}

export interface Verdict {
  readonly level: Level;
  readonly confidence: Confidence;
  /** What stands against it, whole sentences. */
  readonly doubts: readonly string[];
  /** Why, whole sentences with their numbers. */
  readonly reasons: readonly string[];
  /** The rule that was applied, without a full stop. */
  readonly rule: string;
  /** What was judged: the finished part of the window. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly totals: Totals;
  /** Attacks that would have been usual in the judged part; `null` where there is nothing to go by. */
  readonly usual: number | null;
  /** What the service counted in the hours before, and in the same hours of earlier days. */
  readonly trailing: Totals | null;
  readonly dayBefore: Totals | null;
  readonly weekBefore: Totals | null;
  readonly strongest: StrongestStretch | null;
  /** When it began, also before the window; `null` when nothing did, or when only the mix of categories is odd. */
  readonly onsetMs: number | null;
  /** Still so at the end of what was judged; `null` when that cannot be seen. */
  readonly ongoing: boolean | null;
  readonly endedMs: number | null;
  /** Attacks in proportion to requests, in the window and in the hours before. */
  readonly share: number | null;
  readonly shareBefore: number | null;
  /** Visitors as a multiple of those expected. */
  readonly crowd: number;
  readonly moved: readonly MovedCategory[];
  readonly shape: Shape | null;
  readonly band: readonly BandPoint[];
}
