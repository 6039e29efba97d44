/**
 * Fills in what one end of a pair leaves out from the other: `July 13-15`, `3 to 4pm`, `9:30-11:00 on thursday`. A day named
 * once for two times stays with the first, which decides when the second is.
 */
import { asClock, hourClock, isDayAndMonth } from '../grammar/clock-time.ts';
import { mergeDates } from '../grammar/merge-dates.ts';
import { refuse } from '../lexer/lexer.ts';
import type { DateExpr, PairShape, RangeEnd, RangePhrase } from '../model.ts';
import { isOutsidePart, isPossible, settleInPart, settlePair } from './time-of-day.ts';
import { yearsOrClocks } from './years-or-clocks.ts';

export type PairPhrase = PairShape & Pick<RangePhrase, 'span'>;
type EndPair = readonly [from: RangeEnd, to: RangeEnd];

export function completePair(pair: PairPhrase, now: Temporal.Instant): EndPair {
  // `7d to 1d ago`: one `ago` applies to both.
  const back = pair.back || (pair.from.duration && pair.to.ago && !pair.to.clock);
  const { shared } = pair;
  const [from, to] = yearsOrClocks({ ...pair, to: atDayEnd(pair.to) }, now);
  const [first, last] = back ? [asBack(from), asBack(to)] : [from, to];
  let ends: EndPair = shared ? [withShared(first, shared), withShared(last, shared)] : clockHours(first, last);
  refuseDayOrTime(pair, ...ends);
  ends = numbers(...ends);
  refuseHalfless(pair, ...ends);
  ends = dates(pair, ...ends);
  return settleClocks(...zones(...ends, shared));
}

/** `end of day` is the end of the day the start names, not of today. */
function atDayEnd(end: RangeEnd): RangeEnd {
  const { date, ...rest } = end;
  if (!date?.dayEnd || end.clock) return end;
  return { ...rest, clock: { ...hourClock(24, '', end), settled: true } };
}

/** `5.10 - 9.10` could be days of October. */
function refuseDayOrTime(pair: PairPhrase, from: RangeEnd, to: RangeEnd): void {
  if (!pair.shared && !from.date && !to.date && isDayAndMonth(from) && isDayAndMonth(to))
    refuse(pair.span, 'Those could be dates or times: type 5.10. or 5:10.');
}

/** `9 to midnight` could start in the morning or the evening. */
function refuseHalfless({ from: { number } }: PairPhrase, from: RangeEnd, { clock: to }: RangeEnd): void {
  const { hour = 0, sure = true } = from.clock ?? {};
  if (!number || sure || from.part || hour < 1 || hour > 11 || !to?.named || to.meridian !== 'am') return;
  refuse(from.span, "I can't tell whether that's in the morning or the evening.");
}

/** Turns a duration into the moment that long ago. */
function asBack(end: RangeEnd): RangeEnd {
  const { duration, instants: _, ...rest } = end;
  return duration ? { ...rest, ago: duration } : end;
}

/** A day next to a moment or to another day is a contradiction. */
function withShared(end: RangeEnd, shared: RangeEnd): RangeEnd {
  const { date, part } = shared;
  const hour = asHour(end) ?? end;
  if (!date) return part && !hour.part ? { part, ...hour } : hour;
  if (hour.instants || (hour.ago && !hour.date)) refuse(shared.span, 'Those are two different times.');
  if (!hour.date) return { ...(part && !hour.part ? { part } : {}), ...hour, date };
  const merged = mergeDates(hour.date, date);
  return merged ? { ...hour, date: merged } : refuse(shared.span, 'Those are two different days.');
}

/** `8h to 13h`, `15h30-18h`: clock times if neither end counts back from now. */
function clockHours(from: RangeEnd, to: RangeEnd): EndPair {
  const isHour = (end: RangeEnd): boolean =>
    asHour(end) !== null || end.clock !== undefined || end.number !== undefined;
  if (!isHour(from) || !isHour(to)) return [from, to];
  return [asHour(from) ?? from, asHour(to) ?? to];
}

/** `an hour` is no time of day. */
const HOUR = /^\d{1,2} ?h$/i;

function asHour(end: RangeEnd): RangeEnd | null {
  const { duration: { unit, count = 25 } = {}, instants: _, ...rest } = end;
  const isHour = unit === 'hour' && count <= 24 && HOUR.test(end.typed ?? '');
  return isHour ? { ...rest, clock: hourClock(count, '', end) } : null;
}

function asDay(end: RangeEnd): RangeEnd | null {
  const { number, date, ...rest } = end;
  if (!number || !Number.isInteger(number.value) || number.value < 1 || number.digits.length > 2) return null;
  // Only a year may come with it here (`June 10 - 31, 2022`); its month comes from the other end.
  if (date && (date.fields?.year === undefined || date.fields.month)) return null;
  return { ...rest, date: { fields: { ...date?.fields, day: number.value } } };
}

/** Days next to a day and month, hours next to anything else. */
function numbers(from: RangeEnd, to: RangeEnd): EndPair {
  if (!from.number && !to.number) return [from, to];
  if (isLong(from) && to.number) return [from, asWeek(to, from) ?? to];
  if (isLong(to) && from.number) return [from, to];
  const namesDay = ({ date, clock, number }: RangeEnd): boolean =>
    date?.fields?.day !== undefined && clock === undefined && number === undefined;
  if (from.number && !from.number.isTime && namesDay(to)) return [asDay(from) ?? from, to];
  if (to.number && !to.number.isTime && namesDay(from)) return [from, asDay(to) ?? to];
  if (from.number && to.number) {
    const [a, b] = [asClock(from), asClock(to)];
    return a && b ? [a, b] : [from, to];
  }
  // `tuesday until monday 5`: with a date on both sides, the number need not be an hour.
  const [numbered, other] = from.number ? [from, to] : [to, from];
  const isTime = numbered.number?.isTime || /\.|^\d{4}$/.test(numbered.number?.digits ?? '');
  if (numbered.date && other.date && !isTimeOfDay(other) && !isTime) return [from, to];
  const isHalved = other.clock?.meridian !== undefined;
  return [asClock(from, isHalved) ?? from, asClock(to, isHalved) ?? to];
}

/** A month or a week: a bare number next to it is no hour. */
function isLong({ date, clock, part, number }: RangeEnd): boolean {
  if (!date || clock || part || number) return false;
  const { day, weekday } = date.fields ?? {};
  if (date.fields) return day === undefined && weekday === undefined && !date.inside;
  return date.fixed !== undefined && date.fixed.unit !== 'day';
}

/** `weeks 10-12`, `week 10 to 12 of 2024`. */
function asWeek(end: RangeEnd, { date: other }: RangeEnd): RangeEnd | null {
  const { number, date, ...rest } = end;
  const isWeek = number && !number.ordinal && Number.isInteger(number.value) && number.digits.length <= 2;
  if (other?.fields?.week === undefined || !isWeek) return null;
  return { ...rest, date: { ...date, fields: { ...date?.fields, week: number.value } } };
}

const isTimeOfDay = ({ clock, part }: RangeEnd): boolean => clock !== undefined || part !== undefined;

function dates(pair: PairPhrase, from: RangeEnd, to: RangeEnd): EndPair {
  const [a, b] = [from.date, to.date];
  if (a && b && a === b) return withOneDay(from, to, a);
  if (!a && b && isTimeOfDay(from)) {
    if (!isTimeOfDay(to)) refuse(from.span, "I can't tell which day that starts on.");
    return withOneDay(from, to, b);
  }
  if (a && !b && from.part && to.clock && !to.part) return [from, { ...to, part: from.part }];
  if (!a || !b) return [from, to];
  // A year named once at the end applies to both; the resolver decides which side of new year the first is on.
  // `nov 30 to the 1st`, `the 31st to nov 2` cross the end of a month. Bare numbers that run backwards are a mistake.
  const [first, last] = [a.fields?.day ?? 0, b.fields?.day ?? 0];
  if (first > last && last > 0 && !pair.from.number && !pair.to.number) return [from, to];
  return [
    { ...from, date: inheritFrom(a, b) },
    { ...to, date: inheritFrom(b, a) },
  ];
}

/** `9:30-11:00 on thursday`, `yesterday from 10pm to 2am`. */
function withOneDay(from: RangeEnd, to: RangeEnd, date: DateExpr): EndPair {
  if (!isTimeOfDay(from) || !isTimeOfDay(to)) return [{ ...from, date }, to];
  const { date: _, ...last } = to;
  const first = to.part && !from.part ? { ...from, part: to.part } : from;
  return [{ ...first, date }, last];
}

/** A day inherits the month, a weekday the week; the year is never inherited. */
function inheritFrom(date: DateExpr, other: DateExpr): DateExpr {
  const { fields, fixed } = date;
  if (!fields || fixed) return date;
  const needsMonth = fields.day !== undefined && fields.month === undefined;
  const month = other.fields?.month;
  if (needsMonth && month !== undefined) {
    const year = fields.year ?? other.fields?.year;
    return { ...date, fields: { ...fields, month, year } };
  }
  const unit = other.fixed?.unit;
  const inside = (needsMonth && unit === 'month') || (isWeekdayOnly(date) && unit === 'week');
  return inside && other.fixed && !date.which ? { ...date, fixed: other.fixed } : date;
}

/** `friday` without anything that says which. */
export const isWeekdayOnly = ({ fields, fixed, which }: DateExpr): boolean =>
  !fixed && !which && fields?.weekday !== undefined && fields.day === undefined && fields.week === undefined;

function zones(from: RangeEnd, to: RangeEnd, shared: RangeEnd | undefined): EndPair {
  const one = from.zone ?? to.zone ?? shared?.zone;
  if (one === undefined) return [from, to];
  return [
    { zone: one, ...from },
    { zone: one, ...to },
  ];
}

function settleClocks(from: RangeEnd, to: RangeEnd): EndPair {
  for (const { clock } of [from, to]) if (clock && !isPossible(clock)) refuse(clock.span, "There's no such time.");
  // With two dates, am or pm of one end says nothing about the other.
  if (!from.clock || !to.clock || (from.date && to.date)) return [settled(from), settled(to)];
  const part = from.part ?? to.part;
  const [start, end] = part
    ? [settleInPart(from.clock, part), settleInPart(to.clock, to.part ?? part)]
    : settlePair(from.clock, to.clock);
  if (part && isOutsidePart(start, part)) refuse(from.span, `That isn't in the ${part.name}.`);
  return [
    { ...from, clock: start },
    { ...to, clock: end },
  ];
}

const settled = (end: RangeEnd): RangeEnd => (end.clock ? { ...end, clock: settleInPart(end.clock, end.part) } : end);
