/**
 * What one end of a pair leaves out, the other says: `July 13-15`, `5 to 16 Aug`, `9:30-11:00 on thursday`,
 * `3 to 4pm`, `from 4 to 22 this month`, `monday to friday last week`.
 */
import { mergeDates } from './merge.ts';
import type { Clock, DateExpr, End } from './model.ts';

type Pair = readonly [from: End, to: End];

export function inherit(from: End, to: End, shared: End | undefined): Pair {
  let pair: Pair = [withShared(from, shared), withShared(to, shared)];
  pair = plainHours(...pair);
  pair = numbers(...pair);
  pair = dates(...pair);
  return zones(...pair, shared);
}

function withShared(end: End, shared: End | undefined): End {
  const { date, part } = shared ?? {};
  if (!date) return end;
  if (!end.date) return end.stretch ? end : { ...(part && !end.part ? { part } : {}), ...end, date };
  return { ...end, date: mergeDates(end.date, date) ?? end.date };
}

/** `8h to 13h`, `15h30-18h`: hours of the clock, where neither is a length back from now. */
function plainHours(from: End, to: End): Pair {
  const hourish = (end: End): boolean => asHour(end) !== null || end.clock !== undefined || end.number !== undefined;
  if (!hourish(from) || !hourish(to)) return [from, to];
  return [asHour(from) ?? from, asHour(to) ?? to];
}

function asHour(end: End): End | null {
  const { plain, stretch: _, ...rest } = end;
  const { unit, count } = plain ?? {};
  if (unit !== 'hour' || count === undefined || !Number.isInteger(count) || count > 24) return null;
  return { ...rest, clock: hourClock(count, '', end) };
}

const hourClock = (hour: number, digits: string, { span }: End): Clock => ({
  hour,
  minute: 0,
  second: 0,
  ns: 0,
  sure: hour > 12 || (digits.length === 2 && digits.startsWith('0')),
  span,
});

const DOTTED = /^(\d{1,2})\.(\d{2})$/;
const COMPACT = /^([01]\d|2[0-4])([0-5]\d)$/;

/** A bare number as a time of day: `9`, `9.30`, `0930`. */
export function asClock(end: End): End | null {
  const { number, ...rest } = end;
  if (!number || number.ordinal) return null;
  const parts = DOTTED.exec(number.digits) ?? COMPACT.exec(number.digits);
  if (parts) {
    const clock = hourClock(
      Number(parts[1]),
      number.digits.length === 4 && !number.digits.includes('.') ? '00' : '',
      end,
    );
    return { ...rest, clock: { ...clock, minute: Number(parts[2]) } };
  }
  const isHour = Number.isInteger(number.value) && number.digits.length <= 2 && number.value <= 24;
  return isHour ? { ...rest, clock: hourClock(number.value, number.digits, end) } : null;
}

function asDay(end: End): End | null {
  const { number, date, ...rest } = end;
  if (!number || !Number.isInteger(number.value) || number.value < 1 || number.digits.length > 2) return null;
  const day: DateExpr = { fields: { day: number.value } };
  // Only a year may stand beside it here (`June 10 - 31, 2022`); its month comes from the other end.
  const merged =
    date?.fields?.year !== undefined && !date.fields.month ? { fields: { ...date.fields, day: number.value } } : day;
  return date && merged === day ? null : { ...rest, date: merged };
}

/** Days next to a day and month, hours next to anything else. */
function numbers(from: End, to: End): Pair {
  if (!from.number && !to.number) return [from, to];
  if (isLong(from) && to.number) return [from, asWeek(to, from) ?? to];
  if (isLong(to) && from.number) return [from, to];
  const namesDay = (end: End): boolean => {
    const fields = end.date?.fields;
    return fields?.day !== undefined && end.clock === undefined && end.number === undefined;
  };
  const [a, b] = from.number && to.number ? [asClock(from), asClock(to)] : [asClock(from) ?? from, asClock(to) ?? to];
  if (from.number && namesDay(to)) return [asDay(from) ?? from, to];
  if (to.number && namesDay(from)) return [from, asDay(to) ?? to];
  return a && b ? [a, b] : [from, to];
}

/** A month or a week, next to which a bare number is no hour. */
function isLong({ date, clock, part, number }: End): boolean {
  if (!date || clock || part || number) return false;
  const { day, weekday, dayOfYear } = date.fields ?? {};
  if (date.fields) return day === undefined && weekday === undefined && dayOfYear === undefined && !date.inside;
  return date.fixed !== undefined && date.fixed.unit !== 'day';
}

/** `weeks 10-12`, `week 10 to 12 of 2024`. */
function asWeek(end: End, { date: other }: End): End | null {
  const { number, date, ...rest } = end;
  const isWeek = number && !number.ordinal && Number.isInteger(number.value) && number.digits.length <= 2;
  if (other?.fields?.week === undefined || !isWeek) return null;
  return { ...rest, date: { ...date, fields: { ...date?.fields, week: number.value } } };
}

function dates(from: End, to: End): Pair {
  const [a, b] = [from.date, to.date];
  if (!a && b && from.clock) return [{ ...from, date: b, ...(to.part && !from.part ? { part: to.part } : {}) }, to];
  if (a && !b && from.part && to.clock && !to.part) return [from, { ...to, part: from.part }];
  if (!a && !b && to.part && from.clock && !from.part) return [{ ...from, part: to.part }, to];
  if (!a || !b) return [from, to];
  const next = borrow(a, b);
  const other = borrow(b, a);
  // A year said once at the end serves both, but which side of new year the first is on, the placing decides.
  return [
    { ...from, date: next },
    { ...to, date: other },
  ];
}

/** Month for a day, month or week for what lies within; never the year. */
function borrow(date: DateExpr, lender: DateExpr): DateExpr {
  const { fields, fixed } = date;
  if (!fields || fixed) return date;
  const needsMonth = fields.day !== undefined && fields.month === undefined;
  const month = lender.fields?.month;
  if (needsMonth && month !== undefined) {
    const year = fields.year ?? lender.fields?.year;
    return { ...date, fields: { ...fields, month, ...(year === undefined ? {} : { year }) } };
  }
  const unit = lender.fixed?.unit;
  const inside = (needsMonth && unit === 'month') || (isWeekdayOnly(fields) && unit === 'week');
  return inside && lender.fixed && !date.which ? { ...date, fixed: lender.fixed } : date;
}

const isWeekdayOnly = (fields: NonNullable<DateExpr['fields']>): boolean =>
  fields.weekday !== undefined && fields.day === undefined;

function zones(from: End, to: End, shared: End | undefined): Pair {
  const one = from.zone ?? to.zone ?? shared?.zone;
  if (one === undefined) return [from, to];
  return [
    { zone: one, ...from },
    { zone: one, ...to },
  ];
}
