/** Which data is settled: the service takes about three minutes to log an attack, so newer intervals are still filling in. */
import type { Range } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';

/** Intervals that ended less than this ago may still grow. */
export const SETTLE_MS = 3 * MINUTE_MS;

/** The window without what is still filling in, in whole minutes; `null` if nothing is left. */
export function completePart({ from, to }: Range, now: Temporal.Instant): Range | null {
  const settled = now.subtract({ milliseconds: SETTLE_MS }).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const end = Temporal.Instant.compare(settled, to) < 0 ? settled : to;
  return Temporal.Instant.compare(from, end) < 0 ? { from, to: end } : null;
}
