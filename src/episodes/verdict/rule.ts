/** The verdict's thresholds, all of them, and the rule in words, built from the same numbers. */
import { formatCount, formatShare } from '../../statistics/format.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';

/** Who asks decides how rare something must be to be called. */
export type Sensitivity = 'check' | 'sensitive' | 'normal' | 'quiet';

/** The thresholds: strengths from which something is called, for answers and for what a watch can be set to. */
export const BARS: Readonly<Record<Sensitivity, number>> = { check: 1.5, sensitive: 1.8, normal: 2.2, quiet: 2.6 };

export const RULE = {
  /** The time before the window that is requested with it. */
  trailingMs: 6 * HOUR_MS,
} as const;

/** A rise has so many times the expected, so many more, and so much of a usual hour more. */
export const RISE = { ratio: 1.5, excess: 8, hourShare: 0.2 };

/** The lengths of the stretches that are compared. */
export const SCALES: readonly number[] = [10, 20, 30, 60, 240].map((minutes) => minutes * MINUTE_MS);

/** What all lengths and positions in an hour are worth as independent tries. */
export const TRIES = 3;

/** A surge has 10 or 15 minutes with so many times the expected, and so many more. */
export const SURGE = { ratio: 3, excess: 60 };

/**
 * A category has so many events in half a day, and so many whole days of history to be compared with. With less than this
 * part of a usual hour's events, only answers and the most sensitive watches name it.
 */
export const CATEGORY = { minEvents: 20, minDays: 3, hourShare: 0.1 };

/**
 * A category takes over in half an hour with so many times its usual, and so many more, while all others fall. Looked for
 * where it has this part of an hour's events more than its share of the half day so far. It must have had a little more by
 * then, so that what was found isn't lost later in the day.
 */
export const TAKEOVER = { times: 2.5, excess: 20, hourShare: 0.3, hourShareThen: 0.35 };

/** What must be missing, so that it is no chance, and for how long. */
interface DropRule {
  readonly attacks: number;
  readonly attacksMs: number;
  readonly requests: number;
  readonly requestsMs: number;
  /** The share of the expected attacks that may be left. */
  readonly attacksLeft: number;
}

/** A watch needs more than a check before it alerts. `left`: the share of the expected that still counts as gone. */
export const DROPS: Readonly<Record<'check' | 'watch', DropRule>> & { readonly left: number } = {
  left: 0.1,
  check: {
    attacks: 22,
    attacksMs: 15 * MINUTE_MS,
    requests: 60,
    requestsMs: 8 * MINUTE_MS,
    attacksLeft: 0.1,
  },
  watch: {
    attacks: 40,
    attacksMs: 20 * MINUTE_MS,
    requests: 100,
    requestsMs: 10 * MINUTE_MS,
    attacksLeft: 0.03,
  },
};

/** The chance that a strength stands for: `about once in 200 hours`. */
export function chanceInWords(strength: number): string {
  const hours = 10 ** strength;
  const rounded = hours < 10 ? Math.max(1, Math.round(hours)) : Number(hours.toPrecision(2));
  return hours > 10_000 ? 'less than once in 10,000 hours' : `about once in ${formatCount(rounded)} hours`;
}

/** The rule in words, from its own numbers. */
export function ruleInWords(): string {
  return [
    `A rise: ${RISE.ratio}× the expected and ${RISE.excess} extra attacks, rarer than ${chanceInWords(BARS.check).replace('about ', '')}.`,
    `A surge: ${SURGE.ratio}× and ${SURGE.excess} extra within 15 minutes.`,
    `A category: ${CATEGORY.minEvents} events in half a day, more than on any day of 4 weeks, or ${TAKEOVER.times}× for half an hour while others fall.`,
    `A drop: at most ${formatShare(DROPS.left)} of usual attacks or visitors.`,
  ].join(' ');
}
