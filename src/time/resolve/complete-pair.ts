/**
 * What one end of a pair leaves out, the other says: `July 13-15`, `5 to 16 Aug`, `9:30-11:00 on thursday`,
 * `3 to 4pm`, `from 4 to 22 this month`, `monday to friday last week`.
 */
import { asClock, hourClock } from '../grammar/clock.ts';
import { mergeDates } from '../grammar/merge-dates.ts';
import type { DateExpr, RangeEnd } from '../model.ts';

type EndPair = readonly [from: RangeEnd, to: RangeEnd];

export function completePair(from: RangeEnd, to: RangeEnd, shared: RangeEnd | undefined): EndPair {
  let pair: EndPair = [withShared(from, shared), withShared(to, shared)];
  pair = plainHours(...pair);
  pair = numbers(...pair);
  pair = dates(...pair);
  return zones(...pair, shared);
}

function withShared(end: RangeEnd, shared: RangeEnd | undefined): RangeEnd {
  const { date, part } = shared ?? {};
  if (!date) return end;
  if (!end.date) return end.instants ? end : { ...(part && !end.part ? { part } : {}), ...end, date };
  return { ...end, date: mergeDates(end.date, date) ?? end.date };
}

/** `8h to 13h`, `15h30-18h`: hours of the clock, where neither is a duration back from now. */
function plainHours(from: RangeEnd, to: RangeEnd): EndPair {
  const hourish = (end: RangeEnd): boolean =>
    asHour(end) !== null || end.clock !== undefined || end.number !== undefined;
  if (!hourish(from) || !hourish(to)) return [from, to];
  return [asHour(from) ?? from, asHour(to) ?? to];
}

function asHour(end: RangeEnd): RangeEnd | null {
  const { duration, instants: _, ...rest } = end;
  const { unit, count } = duration ?? {};
  if (unit !== 'hour' || count === undefined || !Number.isInteger(count) || count > 24) return null;
  return { ...rest, clock: hourClock(count, '', end) };
}

function asDay(end: RangeEnd): RangeEnd | null {
  const { number, date, ...rest } = end;
  if (!number || !Number.isInteger(number.value) || number.value < 1 || number.digits.length > 2) return null;
  const day: DateExpr = { fields: { day: number.value } };
  // Only a year may stand beside it here (`June 10 - 31, 2022`); its month comes from the other end.
  const merged =
    date?.fields?.year !== undefined && !date.fields.month ? { fields: { ...date.fields, day: number.value } } : day;
  return date && merged === day ? null : { ...rest, date: merged };
}

/** Days next to a day and month, hours next to anything else. */
function numbers(from: RangeEnd, to: RangeEnd): EndPair {
  if (!from.number && !to.number) return [from, to];
  if (isLong(from) && to.number) return [from, asWeek(to, from) ?? to];
  if (isLong(to) && from.number) return [from, to];
  const namesDay = (end: RangeEnd): boolean => {
    const fields = end.date?.fields;
    return fields?.day !== undefined && end.clock === undefined && end.number === undefined;
  };
  const [a, b] = from.number && to.number ? [asClock(from), asClock(to)] : [asClock(from) ?? from, asClock(to) ?? to];
  if (from.number && namesDay(to)) return [asDay(from) ?? from, to];
  if (to.number && namesDay(from)) return [from, asDay(to) ?? to];
  return a && b ? [a, b] : [from, to];
}

/** A month or a week, next to which a bare number is no hour. */
function isLong({ date, clock, part, number }: RangeEnd): boolean {
  if (!date || clock || part || number) return false;
  const { day, weekday, dayOfYear } = date.fields ?? {};
  if (date.fields) return day === undefined && weekday === undefined && dayOfYear === undefined && !date.inside;
  return date.fixed !== undefined && date.fixed.unit !== 'day';
}

/** `weeks 10-12`, `week 10 to 12 of 2024`. */
function asWeek(end: RangeEnd, { date: other }: RangeEnd): RangeEnd | null {
  const { number, date, ...rest } = end;
  const isWeek = number && !number.ordinal && Number.isInteger(number.value) && number.digits.length <= 2;
  if (other?.fields?.week === undefined || !isWeek) return null;
  return { ...rest, date: { ...date, fields: { ...date?.fields, week: number.value } } };
}

function dates(from: RangeEnd, to: RangeEnd): EndPair {
  const [a, b] = [from.date, to.date];
  if (!a && b && from.clock) return [{ ...from, date: b, ...(to.part && !from.part ? { part: to.part } : {}) }, to];
  if (a && !b && from.part && to.clock && !to.part) return [from, { ...to, part: from.part }];
  if (!a && !b && to.part && from.clock && !from.part) return [{ ...from, part: to.part }, to];
  if (!a || !b) return [from, to];
  const next = inheritFrom(a, b);
  const second = inheritFrom(b, a);
  // A year said once at the end serves both, but which side of new year the first is on, the resolver decides.
  return [
    { ...from, date: next },
    { ...to, date: second },
  ];
}

/** Month for a day, month or week for what lies within; never the year. */
function inheritFrom(date: DateExpr, other: DateExpr): DateExpr {
  const { fields, fixed } = date;
  if (!fields || fixed) return date;
  const needsMonth = fields.day !== undefined && fields.month === undefined;
  const month = other.fields?.month;
  if (needsMonth && month !== undefined) {
    const year = fields.year ?? other.fields?.year;
    return { ...date, fields: { ...fields, month, ...(year === undefined ? {} : { year }) } };
  }
  const unit = other.fixed?.unit;
  const inside = (needsMonth && unit === 'month') || (isWeekdayOnly(fields) && unit === 'week');
  return inside && other.fixed && !date.which ? { ...date, fixed: other.fixed } : date;
}

const isWeekdayOnly = (fields: NonNullable<DateExpr['fields']>): boolean =>
  fields.weekday !== undefined && fields.day === undefined;

function zones(from: RangeEnd, to: RangeEnd, shared: RangeEnd | undefined): EndPair {
  const one = from.zone ?? to.zone ?? shared?.zone;
  if (one === undefined) return [from, to];
  return [
    { zone: one, ...from },
    { zone: one, ...to },
  ];
}
