/** Calendar units as spans of days. Weeks are ISO weeks: they start on Monday. */
import type { CalendarUnit, CivilSpan, DateExpr, Range } from './model.ts';

export type PlainDate = Temporal.PlainDate;

export const dateOf = (year: number, month: number, day: number): PlainDate => new Temporal.PlainDate(year, month, day);

/** `null` if there is no such day, such as February 30. */
export function dateIfReal(year: number, month: number, day: number): PlainDate | null {
  try {
    return dateOf(year, month, day);
  } catch {
    return null;
  }
}

export const plusDays = (date: PlainDate, days: number): PlainDate => date.add({ days });

export const spanOfDays = (start: PlainDate, days = 1): CivilSpan => ({ start, end: plusDays(start, days) });

/** Counts months from January of year 0, so that they carry over years. */
export function spanOfMonths(year: number, month: number, months: number): CivilSpan {
  const first = year * 12 + month - 1;
  return { start: monthStart(first), end: monthStart(first + months) };
}

const monthStart = (index: number): PlainDate => dateOf(Math.floor(index / 12), (((index % 12) + 12) % 12) + 1, 1);

/** Number of months a span touches: 1 if both days are in the same month. */
export const monthsBetween = (first: PlainDate, last: PlainDate): number =>
  (last.year - first.year) * 12 + last.month - first.month + 1;

/** The first such weekday on or after a day. */
export const weekdayFrom = (date: PlainDate, weekday: number): PlainDate =>
  plusDays(date, (weekday - date.dayOfWeek + 7) % 7);

/** The latest such weekday on or before a day. */
export const weekdayBy = (date: PlainDate, weekday: number): PlainDate =>
  plusDays(date, -((date.dayOfWeek - weekday + 7) % 7));

const mondayOf = (date: PlainDate): PlainDate => weekdayBy(date, 1);

export const startOfDay = (date: PlainDate, zone: string): Temporal.Instant => date.toZonedDateTime(zone).toInstant();

export const rangeOf = ({ start, end }: CivilSpan, zone: string): Range => ({
  from: startOfDay(start, zone),
  to: startOfDay(end, zone),
});

const MONTHS_IN: Partial<Record<CalendarUnit, number>> = { month: 1, quarter: 3, half: 6, year: 12, decade: 120 };

/** `count` whole units; the first is `offset` units from the one that contains `date`. */
export function unitSpan(unit: CalendarUnit, date: PlainDate, offset: number, count = 1): CivilSpan {
  const months = MONTHS_IN[unit];
  if (months !== undefined) {
    const index = date.year * 12 + date.month - 1;
    const first = (Math.floor(index / months) + offset) * months;
    return { start: monthStart(first), end: monthStart(first + months * count) };
  }
  if (unit === 'day') return spanOfDays(plusDays(date, offset), count);
  if (unit === 'weekend') return spanOfDays(plusDays(mondayOf(date), 5 + 7 * offset), 2);
  const weeks = unit === 'fortnight' ? 2 : 1;
  return spanOfDays(plusDays(mondayOf(date), 7 * weeks * offset), 7 * weeks * count);
}

/** Monday of an ISO week; week 53 only in the years that have one. */
export function isoWeek(year: number, week: number): CivilSpan | null {
  const first = mondayOf(dateOf(year, 1, 4));
  const monday = plusDays(first, 7 * (week - 1));
  const exists = week >= 1 && week <= 53 && plusDays(monday, 3).year === year;
  return exists ? spanOfDays(monday, 7) : null;
}

/** The last `count` working days (Monday to Friday) before the given day. */
export function businessDaysBefore(date: PlainDate, count: number): CivilSpan {
  let start = date;
  let end: PlainDate | undefined;
  for (let left = count; left > 0; ) {
    start = plusDays(start, -1);
    if (start.dayOfWeek > 5) continue;
    end ??= plusDays(start, 1);
    left -= 1;
  }
  return { start, end: end ?? date };
}

export const isBefore = (a: PlainDate, b: PlainDate): boolean => Temporal.PlainDate.compare(a, b) < 0;

export function partOf({ start, end }: CivilSpan, part: NonNullable<DateExpr['part']>): CivilSpan | null {
  const { days } = start.until(end, { largestUnit: 'days' });
  const third = part === 'start' || part === 'early' ? 0 : part === 'middle' ? 1 : 2;
  if (days === 7) return spanOfDays(plusDays(start, 2 * third), 3);
  if (days >= 28 && days <= 31)
    return { start: plusDays(start, 10 * third), end: third === 2 ? end : plusDays(start, 10 * third + 10) };
  if (days >= 365 && days <= 366) return spanOfMonths(start.year, 1 + 4 * third, third === 0 ? 3 : 4);
  return null;
}
