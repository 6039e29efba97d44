/** Which data is settled: the service takes about three minutes to log an attack, so newer intervals are still filling in. */
import { MINUTE_MS } from '../time-units.ts';

/** Intervals that ended less than this ago may still grow. */
export const SETTLE_MS = 3 * MINUTE_MS;
