/** How dates and times are written: English names and the 24-hour clock, whatever the machine's locale. */
import { DAY_MS } from '../../time-units.ts';
import type { Range } from '../model.ts';
import { isMidnight, type Zoned } from '../zones/zones.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

export const zoned = (ms: number, zone: string): Zoned =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);

/** `14:05` */
export const clock = (at: Zoned): string => at.toPlainTime().toString({ smallestUnit: 'minute' });

/** `14:05`, with the day if it isn't today: `Sat 15 Nov 14:05`. */
export function clockOrDay(at: Zoned, now: Temporal.Instant): string {
  const today = now.toZonedDateTimeISO(at.timeZoneId).toPlainDate();
  return at.toPlainDate().equals(today) ? clock(at) : `${dayInWords(at)} ${clock(at)}`;
}

/** `Nov` */
export const monthName = ({ month }: { readonly month: number }): string => MONTHS[month - 1] ?? '';

/** `15 Nov` */
export const dayAndMonth = (at: Zoned): string => `${at.day} ${monthName(at)}`;

/** `Sat 15 Nov` */
export const dayInWords = (at: Zoned): string => `${DAYS[at.dayOfWeek - 1] ?? ''} ${dayAndMonth(at)}`;

/** `UTC+2`, `UTC−3:30`: the offset from UTC at that instant. */
export function offsetName(at: Zoned): string {
  const minutes = Math.round(at.offsetNanoseconds / 60e9);
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  const rest = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `UTC${minutes > 0 ? '+' : '−'}${Math.floor(size / 60)}${rest}`;
}

/**
 * `Fri 14 Nov 14:00 – Sat 15 Nov 14:00`. Whole days have no clock time, a single day is named once, and years appear only
 * if they differ from each other or from the year of `asOfMs`.
 */
export function windowInWords(fromMs: number, toMs: number, zone: string, asOfMs = fromMs): string {
  const from = zoned(fromMs, zone);
  const to = zoned(toMs, zone);
  // The end of a year's last day belongs to it.
  const lastYear = zoned(toMs - 1, zone).year;
  const isThisYear = from.year === lastYear && from.year === zoned(asOfMs, zone).year;
  const day = (at: Temporal.ZonedDateTime) => (isThisYear ? dayInWords(at) : `${dayAndMonth(at)} ${at.year}`);
  if (isMidnight(from) && isMidnight(to)) {
    const last = to.subtract({ days: 1 });
    return from.toPlainDate().equals(last.toPlainDate()) ? day(from) : `${day(from)} – ${day(last)}`;
  }
  const sameDay = from.toPlainDate().equals(to.toPlainDate());
  return sameDay ? `${day(from)} ${clock(from)}–${clock(to)}` : `${day(from)} ${clock(from)} – ${day(to)} ${clock(to)}`;
}

/** `UTC+1`, or both offsets if the clocks change in between. */
export function offsetsInWords(fromMs: number, toMs: number, zone: string): string {
  const [first, last] = [offsetName(zoned(fromMs, zone)), offsetName(zoned(toMs, zone))];
  return first === last ? first : `${first}, then ${last}`;
}

/** One interval: `14:05–14:10`, with the day if `withDay` says so; `Sat 15 Nov` for a whole day. */
export function intervalInWords(startMs: number, endMs: number, zone: string, withDay: boolean): string {
  const start = zoned(startMs, zone);
  if (endMs - startMs >= DAY_MS * 0.9) return windowInWords(startMs, endMs, zone);
  const clocks = `${clock(start)}–${clock(zoned(endMs, zone))}`;
  return withDay ? `${dayInWords(start)}, ${clocks}` : clocks;
}

/** Writes an instant. */
export type Times = (ms: number) => string;

/** `14:57`, with the day if it isn't today. */
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
  const isNight = toMs - fromMs < DAY_MS / 2 && clock(to) < clock(from);
  const end = isSameDay ? clock(to) : isNight ? times(toMs) : `${dayAndMonth(to)} ${clock(to)}`;
  return `${times(fromMs)} – ${end}`;
}

/** `14:27`, with its day if the window has several. */
export function timeWords(ms: number, { from, to }: Range, zone: string): string {
  const at = zoned(ms, zone);
  const [first, last] = [zoned(from.epochMilliseconds, zone), zoned(to.epochMilliseconds - 1, zone)];
  return first.toPlainDate().equals(last.toPlainDate()) ? clock(at) : `${dayInWords(at)} ${clock(at)}`;
}
