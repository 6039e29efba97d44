/** What a verdict says about a window. */
import type { BandPoint } from '../../statistics/timeline.ts';
import type { MeasuredFinding } from './calibration.ts';
import type { Totals } from './series.ts';

export type Level = 'calm' | 'elevated' | 'surge' | 'not_enough_data';

/** Windows that were compared with: the hours before, then the same hours of earlier days, the nearest first. */
export interface Reference {
  /** How much earlier the same hours lie; `null` for the hours before. */
  readonly shiftMs: number | null;
  readonly totals: Totals;
  /** Intervals that cross its edges were counted in proportion. */
  readonly isEstimate: boolean;
}

/** What can stop: visitors, so all requests, or attacks while visitors go on. */
export const DROP_KINDS = ['requests', 'attacks'] as const;

export type DropKind = (typeof DROP_KINDS)[number];

/** A category, and the events to expect of it. */
export interface CategoryChange {
  readonly name: string;
  readonly observed: number;
  readonly expected: number;
}

export interface Verdict {
  readonly level: Level;
  /** The strength of the leading episode; `null` if nothing can be compared, 0 if there is none. */
  readonly score: number | null;
  /** What was judged: the settled part of the window. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly totals: Totals;
  /** Attacks to expect in the judged part, and what nine in ten like it hold, ordinary ones too; `null` where there is no reference. */
  readonly expected: number | null;
  readonly usual: Pick<BandPoint, 'low' | 'high'> | null;
  readonly references: readonly Reference[];
  /** When the leading rise began and ended, also before or after the window; `null` if there is none. */
  readonly onsetMs: number | null;
  readonly endedMs: number | null;
  /** Visitors as a multiple of those expected. */
  readonly visitorFactor: number;
  /** The categories of the leading episode, or else of the window; what is expected adds up. Empty if unknown. */
  readonly categories: readonly CategoryChange[];
  /** Those that are new or have grown in the leading episode, the most surprising first. */
  readonly moved: readonly CategoryChange[];
  /** What has stopped, also beside a rise, as far as it isn't minor. */
  readonly drops: readonly { readonly what: DropKind; readonly sinceMs: number }[];
  /** Whether there are more visitors and no more attacks than these bring. */
  readonly kind: 'more visitors' | null;
  /** How often such a verdict is wrong, by the evaluation: a whole sentence, `null` where it was never measured. */
  readonly confidence: string | null;
  /** What of the data is missing, whole sentences; empty unless it matters. */
  readonly completeness: readonly string[];
  /** Why it couldn't be judged, in a sentence; `null` if it could. */
  readonly unjudged: string | null;
  readonly band: readonly BandPoint[];
}

/** The finding of a window: its leading episode. */
export interface WindowFinding extends Pick<Verdict, 'onsetMs' | 'endedMs' | 'moved' | 'drops'> {
  readonly level: 'calm' | 'elevated' | 'surge';
  readonly says: MeasuredFinding;
  readonly score: number;
}
