/** Local time at a site, and what happens there daily or weekly. */
import { DAY } from '../world.ts';
import { MINUTE_MS, MINUTES } from './columns.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  formats.set(zone, format);
  return format;
}

/** Minutes ahead of UTC. */
export function offsetAt(zone: string, ms: number): number {
  const parts = formatOf(zone).formatToParts(ms);
  const numberOf = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(
    numberOf('year'),
    numberOf('month') - 1,
    numberOf('day'),
    numberOf('hour'),
    numberOf('minute'),
  );
  return Math.round((local - ms) / MINUTE_MS);
}

/** What the clock shows at each minute, as minutes since 1970. */
export function clockIn(zone: string, startMs: number): Float64Array {
  const clock = new Float64Array(MINUTES);
  // No zone changes its clock within half an hour of UTC.
  for (let at = 0; at < MINUTES; at += 30) {
    const ms = startMs + at * MINUTE_MS;
    const first = ms / MINUTE_MS + offsetAt(zone, ms);
    for (let more = 0; more < 30; more++) clock[at + more] = first + more;
  }
  return clock;
}

export const dayOf = (minute: number): number => Math.floor(minute / DAY);

/** 0 is Sunday. */
export const weekdayOf = (day: number): number => (day + 4) % 7;

export interface Schedule {
  readonly period: 'every 6 hours' | 'daily' | 'weekly' | 'monthly';
  readonly weekday: number;
  readonly minuteOfDay: number;
}

/** The minutes at which something is due by a clock; what comes monthly is not due by a clock. */
export function timesOf(clock: Float64Array, { period, weekday, minuteOfDay }: Schedule): number[] {
  const isDue = (minute: number): boolean => {
    const time = minute % DAY;
    if (period === 'every 6 hours') return time % 360 === minuteOfDay % 360;
    return (
      time === minuteOfDay && (period === 'daily' || (period === 'weekly' && weekdayOf(dayOf(minute)) === weekday))
    );
  };
  const times: number[] = [];
  clock.forEach((minute, at) => {
    // An hour that the clock shows twice counts once.
    if (isDue(minute) && at - (times.at(-1) ?? Number.NEGATIVE_INFINITY) > 120) times.push(at);
  });
  return times;
}
