/** Requests and attacks over time and events by category, in the shape every folder uses. */

/**
 * Limits of the data that an answer has to mention.
 * `largest`: the ten largest categories only. `groups`: four groups instead of categories. `steps`: cut from a longer
 * window in steps that do not fit its edges. `rates`: counts made of rounded rates.
 */
export type AnswerLimit = 'largest' | 'groups' | 'steps' | 'rates';

/**
 * A part of a window that the service can't report: unknown, never zero. `retention`: older than the service keeps.
 * `steps`: an interval of the service that the window's edge cuts.
 */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'retention' | 'steps';
  /** Where the service's data begins, if that is known. */
  readonly keptSinceMs?: number | undefined;
}

/** One interval `[endMs - intervalMs, endMs)`. `null` means unknown, not zero. */
export interface TimelinePoint {
  readonly endMs: number;
  readonly requests: number | null;
  readonly attacks: number | null;
}

/** The requested window, half-open, and how old the answer for it is. */
export interface AnsweredWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** When the service returned this data. */
  readonly asOfMs: number;
  /** The service was unreachable and earlier data is used instead. */
  readonly stale: boolean;
}

interface LimitedAnswer extends AnsweredWindow {
  /** What ends after this instant may still grow: shown as unfinished and never judged. */
  readonly settledUntilMs: number;
  readonly limits?: readonly AnswerLimit[];
  readonly gaps?: readonly Gap[];
}

export interface Timeline extends LimitedAnswer {
  /** Length of every interval, derived from the points. */
  readonly intervalMs: number;
  /** Sorted by `endMs`, unique. Missing intervals are absent. */
  readonly points: readonly TimelinePoint[];
  /** The totals of the window, where a service gives rates that its points can't be counted from. */
  readonly totals?: { readonly requests: number | null; readonly attacks: number | null } | undefined;
}

/** Events by attack category in a window. */
export interface Distribution extends LimitedAnswer {
  /**
   * All thirteen known categories in the order of the specification, then unknown ones under their own name. If the service
   * lists only some, the others are absent, not zero.
   */
  readonly counts: readonly CategoryCount[];
  /** Categories whose count the service doesn't know; none of them is in `counts`. */
  readonly unknownCategories?: readonly string[] | undefined;
}

export interface CategoryCount {
  readonly category: string;
  readonly count: number;
}

/** The usual range of one interval. */
export interface BandPoint {
  readonly endMs: number;
  readonly low: number;
  readonly high: number;
}
