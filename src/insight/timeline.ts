/** Requests and attacks over time, and events by category, in the uniform shape that every folder works with. */

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
}

/** Events by attack category in a window. */
export interface Distribution {
  readonly fromMs: number;
  readonly toMs: number;
  /** All thirteen known categories in the order of the specification, then unknown ones under their own name. */
  readonly counts: readonly CategoryCount[];
  readonly settledUntilMs: number;
  readonly asOfMs: number;
  readonly stale: boolean;
}

export interface CategoryCount {
  readonly category: string;
  readonly count: number;
}
