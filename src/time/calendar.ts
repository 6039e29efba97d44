/** Whole units of the calendar as spans of days. Weeks are ISO weeks: they start on Monday. */
import type { CivilSpan } from './model.ts';
import type { CalendarUnit } from './vocabulary.ts';

type PlainDate = Temporal.PlainDate;

export const dateOf = (year: number, month: number, day: number): PlainDate => new Temporal.PlainDate(year, month, day);

/** Only where such a day exists: there is no February 30. */
export function dateIfReal(year: number, month: number, day: number): PlainDate | null {
  const daysInMonth =
    month === 2 ? (isLeap(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth ? dateOf(year, month, day) : null;
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Within a month the day is plain arithmetic, which is three times as fast as the calendar. */
export function plusDays(date: PlainDate, days: number): PlainDate {
  if (days === 0) return date;
  const day = date.day + days;
  return day >= 1 && day <= 28 ? dateOf(date.year, date.month, day) : date.add({ days });
}

export const spanOfDays = (start: PlainDate, days = 1): CivilSpan => ({ start, end: plusDays(start, days) });

/** Months counted from January of year 0, so that carrying over years is arithmetic. */
export function spanOfMonths(year: number, month: number, months: number): CivilSpan {
  const first = year * 12 + month - 1;
  return { start: monthStart(first), end: monthStart(first + months) };
}

const monthStart = (index: number): PlainDate => dateOf(Math.floor(index / 12), (((index % 12) + 12) % 12) + 1, 1);

export const mondayOf = (date: PlainDate): PlainDate => plusDays(date, 1 - date.dayOfWeek);

const MONTHS_IN: Partial<Record<CalendarUnit, number>> = { month: 1, quarter: 3, half: 6, year: 12, decade: 120 };

/** `count` whole units, the first of them `offset` units from the one that holds `date`. */
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

/** Working days, Monday to Friday, whole, before the given day. */
export function businessDaysBefore(date: PlainDate, count: number): CivilSpan {
  let start = date;
  for (let left = count; left > 0; ) {
    start = plusDays(start, -1);
    if (start.dayOfWeek <= 5) left -= 1;
  }
  return { start, end: date };
}

const order = (date: PlainDate): number => (date.year * 16 + date.month) * 32 + date.day;

export const isBefore = (a: PlainDate, b: PlainDate): boolean => order(a) < order(b);
