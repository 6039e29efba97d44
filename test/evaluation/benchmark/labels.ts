/** What the benchmark knows about its questions, and what a method may answer. */

/** A mix is a category that takes over, or is new, at an unchanged total. A slow burn takes hours to its height. */
export const GROUPS = ['rise', 'mix', 'slow burn', 'drop'] as const;
export type Group = (typeof GROUPS)[number];

export interface EventLabel {
  readonly group: Group;
  readonly kind: string;
  /** More than the site itself produces once in 40 windows. */
  readonly detectable: boolean;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface WindowLabel {
  readonly id: string;
  readonly generator: string;
  readonly seed: number;
  /** Windows of the same world share a site and its weeks, so they aren't independent. */
  readonly world: string;
  readonly site: string;
  /** What makes it hard, and what a false alarm is blamed on. */
  readonly cause: string;
  /** `null` if all is as usual. */
  readonly group: Group | null;
  readonly kind: string | null;
  readonly detectable: boolean;
  readonly onsetMs: number | null;
}

export interface WeekLabel {
  readonly id: string;
  readonly generator: string;
  readonly seed: number;
  readonly site: string;
  readonly cause: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: readonly EventLabel[];
  /** Single scanners of a category that the site has never seen: rare, but normal. */
  readonly unknownScanners: readonly (readonly [fromMs: number, toMs: number])[];
}

/** With `alarm` and `drop`, or the `level` and `drops` of `judge`, the method has decided; otherwise the scorer chooses a threshold. */
export interface WindowAnswer {
  readonly id: string;
  readonly score?: number | null;
  readonly dropScore?: number | null;
  readonly alarm?: boolean;
  readonly drop?: boolean;
  readonly level?: string;
  readonly drops?: readonly unknown[];
}

/** Either the messages that were sent, or a score for every five minutes from `watchFromMs`. */
export interface WeekAnswer {
  readonly id: string;
  readonly messages?: readonly { readonly atMs: number; readonly drop?: unknown; readonly kind?: string }[];
  readonly scores?: readonly (number | null)[];
  readonly dropScores?: readonly (number | null)[];
}

export interface Labels {
  readonly windows: readonly WindowLabel[];
  readonly weeks: readonly WeekLabel[];
}

export interface Answers {
  readonly windows: ReadonlyMap<string, WindowAnswer>;
  readonly weeks: ReadonlyMap<string, WeekAnswer>;
}
