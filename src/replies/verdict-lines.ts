/** Levels, times and lengths in words, as every answer about a verdict or an episode writes them. */

import type { Level } from '../episodes/verdict/index.ts';
import { type DurationStyle, duration } from '../statistics/format.ts';
import { clock, dayAndMonth, zoned } from '../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';

export const LEVEL_NAMES: Readonly<Record<Level, string>> = {
  calm: 'Calm',
  elevated: 'Elevated',
  surge: 'Surge',
  not_enough_data: 'Not enough data',
};

/** Measured durations: `56 minutes`, `2.5 hours`, `3 days`. */
export const MEASURED: DurationStyle = { units: ['day', 'hour', 'minute'], rounding: 'tenths' };

export type Times = (ms: number) => string;

/** `14:57`, with the day where it is another than today. */
export function clockOf(zone: string, now: Temporal.Instant): Times {
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  return (ms) => {
    const at = zoned(ms, zone);
    return at.toPlainDate().equals(today) ? clock(at) : `${dayAndMonth(at)} ${clock(at)}`;
  };
}

/** `14:40 – 15:15`, with the day only once; `3 Mar 23:40 – 00:10` can only mean the night. */
export function spanInWords(fromMs: number, toMs: number, zone: string, now: Temporal.Instant): string {
  const [from, to] = [zoned(fromMs, zone), zoned(toMs, zone)];
  const times = clockOf(zone, now);
  const isSameDay = from.toPlainDate().equals(to.toPlainDate());
  const isNight = toMs - fromMs < DAY_MS && clock(to) < clock(from);
  const end = isSameDay ? clock(to) : isNight ? times(toMs) : `${dayAndMonth(to)} ${clock(to)}`;
  return `${times(fromMs)} – ${end}`;
}

export const lasting = (ms: number): string => duration(Math.max(MINUTE_MS, ms), MEASURED);
