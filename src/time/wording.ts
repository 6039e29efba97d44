/** Days and times in words and numbers, as short as they can be without a second meaning. */
import { plusDays } from './calendar.ts';
import { abbreviationFor } from './zone-abbreviations.ts';

const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export const monthName = (month: number): string => MONTH_NAMES[month - 1] ?? '';

/** `yesterday`, `Jun 5`, `Jun 5, 2024`. */
export function dayWords(date: Temporal.PlainDate, today: Temporal.PlainDate): string {
  if (date.equals(today)) return 'today';
  if (date.equals(plusDays(today, -1))) return 'yesterday';
  const day = `${monthName(date.month)} ${date.day}`;
  return date.year === today.year ? day : `${day}, ${date.year}`;
}

/** `14:00`, `14:00:05`, `14:00:05.250`: no more than is needed to be exact. */
export function clockWords(time: Temporal.PlainTime): string {
  const isWhole = time.second === 0 && time.millisecond === 0 && time.microsecond === 0 && time.nanosecond === 0;
  return time.toString(isWhole ? { smallestUnit: 'minute' } : {});
}

/** `CET` where everybody says so, else `UTC+05:45`. */
export function zoneWords(zone: string, instant: Temporal.Instant): string {
  const offset = instant.toZonedDateTimeISO(zone).offset.slice(0, 6);
  if (offset === '+00:00') return 'UTC';
  return abbreviationFor(zone, offset) ?? `UTC${offset}`;
}

/** `hour`, `2 hours`. */
export const counted = (count: number, unit: string): string => (count === 1 ? unit : `${count} ${unit}s`);
