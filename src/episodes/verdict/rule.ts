/** The numbers the verdict goes by: the thresholds from which something is called, and the sentence that states the rule. */
import { formatCount } from '../../statistics/format.ts';

/** Who asks decides how rare something must be to be called. */
export type Sensitivity = 'check' | 'sensitive' | 'normal' | 'quiet';

/** The thresholds: strengths from which something is called, for answers and for what a watch can be set to. */
export const BARS: Readonly<Record<Sensitivity, number>> = { check: 1.6, sensitive: 1.7, normal: 2, quiet: 2.4 };

export const RULE = {
  /** The time before the window that is requested with it. */
  trailingMs: 6 * 3_600_000,
  /** A surge has 10 or 15 minutes with so many times the expected, and so many more. */
  surgeRatio: 3,
  surgeExcess: 60,
} as const;

/** The chance that a strength stands for: `about once in 200 hours`. */
export function chanceInWords(strength: number): string {
  const hours = 10 ** strength;
  const rounded = hours < 10 ? Math.max(1, Math.round(hours)) : Number(hours.toPrecision(2));
  return hours > 10_000 ? 'less than once in 10,000 hours' : `about once in ${formatCount(rounded)} hours`;
}
