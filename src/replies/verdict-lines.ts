/** Levels and lengths in words, as every answer about a verdict or an episode writes them. */

import type { Level } from '../episodes/verdict/index.ts';
import { type DurationStyle, duration } from '../statistics/format.ts';
import { MINUTE_MS } from '../time-units.ts';

export const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  calm: 'Calm',
  elevated: 'Elevated',
  surge: 'Surge',
  not_enough_data: 'Not enough data',
};

/** Measured durations: `56 minutes`, `2.5 hours`, `3 days`. */
export const MEASURED: DurationStyle = { units: ['day', 'hour', 'minute'], rounding: 'tenths' };

export const lasting = (ms: number): string => duration(Math.max(MINUTE_MS, ms), MEASURED);
