/** What a phrase was read as: the range itself, how it was read, and in which zone. */
import type { Range } from './range.ts';

/**
 * - `rolling`: a length that ends now (`last 24h`)
 * - `calendar`: whole named units, cut at now (`today`, `last month`, `Q1 2025`, `monday morning`)
 * - `since`: from a moment until now (`since 9am`)
 * - `between`: two ends, both said (`9:30-11:00 on thursday`)
 * - `around`: half an hour each side of a moment (`around 14:30`)
 */
export type RangeKind = 'rolling' | 'calendar' | 'since' | 'between' | 'around';

export interface ParsedRange extends Range {
  readonly kind: RangeKind;
  /** IANA name or fixed offset the phrase was read in: the one it names, or else the asker's. */
  readonly zone: string;
  /** The phrase reached past now and was cut there. */
  readonly cut: boolean;
}

/** From where a phrase is read. */
export interface TimeContext {
  readonly now: Temporal.Instant;
  /** IANA name or fixed offset `+HH:MM`. */
  readonly zone: string;
}
