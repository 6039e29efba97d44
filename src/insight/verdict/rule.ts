/** The numbers the verdict goes by, and the sentence that states them, which is built from the same numbers. */
import { duration } from '../format.ts';

export interface VerdictRule {
  /** Length of the steps in which windows are judged. */
  readonly stepMs: number;
  /** The time before the window whose level is the first reference. */
  readonly trailingMs: number;
  /** A long window is judged against the trailing hours that end this long before each step. */
  readonly lagMs: number;
  /** Standard deviations above the usual. */
  readonly deviations: number;
  /** The same when a category has moved as well. */
  readonly deviationsWithCategory: number;
  /** Multiples of the usual. */
  readonly elevatedRatio: number;
  readonly surgeRatio: number;
  /** Attacks above the usual at least: 3 instead of 0 is no surge. */
  readonly elevatedExcess: number;
  readonly surgeExcess: number;
  /** Limits of the relative error that the usual itself may have. */
  readonly leastDoubt: number;
  readonly mostDoubt: number;
  /** A category on its own: events at least, and multiples of its usual. */
  readonly categoryCount: number;
  readonly categoryRatio: number;
}

/** Who asks decides how odd something must be to be called. */
export type Sensitivity = 'check' | 'sensitive' | 'normal' | 'quiet';

/** The scores from which something is called: that of a check, and those that a watch can be set to. */
export const BARS: Readonly<Record<Sensitivity, number>> = { check: 2, sensitive: 2.4, normal: 3, quiet: 3.7 };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const RULE: VerdictRule = {
  stepMs: 5 * MINUTE_MS,
  trailingMs: 6 * HOUR_MS,
  lagMs: 2 * HOUR_MS,
  deviations: 3.75,
  deviationsWithCategory: 2.75,
  elevatedRatio: 1.5,
  surgeRatio: 3,
  elevatedExcess: 15,
  surgeExcess: 60,
  leastDoubt: 0.1,
  mostDoubt: 0.2,
  categoryCount: 15,
  categoryRatio: 4,
};

export function ruleInWords(rule: VerdictRule, stepMs: number): string {
  const step = duration(stepMs, { units: ['hour', 'minute', 'second'], form: 'compound' });
  return (
    `elevated when a run of ${step} intervals has over ${rule.elevatedRatio} times the usual attacks, ` +
    `${rule.deviations} standard deviations (${rule.deviationsWithCategory} where a category has moved too) and ${rule.elevatedExcess} attacks above it, ` +
    `or one category ${rule.categoryRatio} times its usual and at least ${rule.categoryCount} events; ` +
    `surge from ${rule.surgeRatio} times and ${rule.surgeExcess} attacks above. ` +
    `Usual is the median of the ${duration(rule.trailingMs)} before, ` +
    `moved by what the same hours did the day and the week before and by how many visitors there are`
  );
}
