/** Which data is settled: the service takes about three minutes to log an attack, so newer intervals are still filling in. */
import type { Range } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';

/** Intervals that ended less than this ago may still grow. */
export const SETTLE_MS = 3 * MINUTE_MS;

/** Logging can take longer than usual: what a digest or a cached answer counted of this last part is counted again. */
export const LATE_LOGGING_MS = 15 * MINUTE_MS;

/** The last whole minute before which everything is settled. */
export function lastSettledMinute(now: Temporal.Instant): Temporal.Instant {
  return now.subtract({ milliseconds: SETTLE_MS }).round({ smallestUnit: 'minute', roundingMode: 'floor' });
}

/** The window without what is still filling in, in whole minutes; `null` if nothing is left. */
export function completePart({ from, to }: Range, now: Temporal.Instant): Range | null {
  const settled = lastSettledMinute(now);
  const end = Temporal.Instant.compare(settled, to) < 0 ? settled : to;
  return Temporal.Instant.compare(from, end) < 0 ? { from, to: end } : null;
}
