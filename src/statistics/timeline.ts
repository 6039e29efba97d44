/** Requests and attacks over time, and events by category, in the uniform shape that every folder works with. */

/**
 * What a service cannot tell exactly, and every answer from it has to say.
 * `largest`: the ten largest categories only. `groups`: four groups instead of categories. `steps`: cut from a longer
 * window in steps that do not fit its edges. `rates`: counts made of rounded rates.
 */
export type AnswerLimit = 'largest' | 'groups' | 'steps' | 'rates';

/** One interval `[endMs - intervalMs, endMs)`. `null` means the service gave no number, which is not zero. */
export interface TimelinePoint {
  readonly endMs: number;
  readonly requests: number | null;
  readonly attacks: number | null;
}

export interface Timeline {
  /** The window that was asked for, half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Length of every interval; inferred from the points, never assumed. */
  readonly intervalMs: number;
  /** Sorted by `endMs`, unique. A missing interval is simply absent. */
  readonly points: readonly TimelinePoint[];
  /** Points that end after this instant may still grow: they are shown as unfinished and never judged. */
  readonly settledUntilMs: number;
  /** When the service gave this answer; older than usual when `stale`. */
  readonly asOfMs: number;
  /** True when the service could not be reached and an earlier answer is used instead. */
  readonly stale: boolean;
  readonly limits?: readonly AnswerLimit[];
}

/** Events by attack category in a window. */
export interface Distribution {
  readonly fromMs: number;
  readonly toMs: number;
  /**
   * All thirteen known categories in the order of the specification, then unknown ones under their own name. Where the
   * service names only some, the others are absent, which is not zero.
   */
  readonly counts: readonly CategoryCount[];
  readonly settledUntilMs: number;
  readonly asOfMs: number;
  readonly stale: boolean;
  readonly limits?: readonly AnswerLimit[];
}

export interface CategoryCount {
  readonly category: string;
  readonly count: number;
}

/** The events of a category; `null` where the service does not name all of them, and not this one. */
export function countOf({ counts, limits = [] }: Distribution, category: string): number | null {
  const found = counts.find((one) => one.category === category);
  return found?.count ?? (limits.length === 0 ? 0 : null);
}

/** As many as there can be of it: one that is not among the largest has no more than the least of those. */
export function mostOf(distribution: Distribution, category: string): number | null {
  const { counts, limits = [] } = distribution;
  const count = countOf(distribution, category);
  if (count !== null || limits.some((limit) => limit !== 'largest')) return count;
  return Math.min(...counts.map((named) => named.count));
}

/** The usual range of one interval. */
export interface BandPoint {
  readonly endMs: number;
  readonly low: number;
  readonly high: number;
}
