/** Two ends on the time line. The first is the latest that fits before now, the second the first that follows it. */
import { isBefore, plusDays } from '../calendar.ts';
import { refuse, refuseFuture } from '../lexer/reader.ts';
import type { ClockTime, DateFields, Env, Range, RangeEnd } from '../model.ts';
import { isEarlier, isOvernight } from './clock.ts';
import { completePair, isWeekdayOnly, type PairPhrase } from './complete-pair.ts';
import {
  compareInstants,
  dayOf,
  type EndOptions,
  envOf,
  instantOf,
  isSameInstant,
  latestDay,
  type ResolvedEnd,
  resolveEnd,
} from './end.ts';

export interface ZonedRange extends Range {
  readonly zone: string;
}

export function resolvePair(pair: PairPhrase, text: string, now: Temporal.Instant, zone: string): ZonedRange {
  const [first, last] = completePair(pair, text, now);
  refuseUnclear(pair, first, last, text);
  const fromEnv = envOf(now, first.zone, zone);
  const toEnv = first.zone === last.zone ? fromEnv : envOf(now, last.zone, zone);
  const from: EndOptions = { text, env: fromEnv, edge: 'from', moment: isMoment(last) };
  const to: EndOptions = { text, env: toEnv, edge: 'to', moment: isMoment(first) };
  const ends =
    last.date || isMoment(last) ? resolveDates(pair, first, last, from, to) : resolveTimes(pair, first, last, from, to);
  return { ...edges(pair, first, ...ends), zone: fromEnv.zone };
}

type ResolvedPair = readonly [from: ResolvedEnd, to: ResolvedEnd];

function refuseUnclear(pair: PairPhrase, first: RangeEnd, last: RangeEnd, text: string): void {
  for (const end of [first, last]) {
    if (end.number) refuse(text, end.span, 'I cannot tell whether that is an hour, a day or something else.');
    if (end.future) refuseFuture(text, end.span);
  }
  if (pair.before && first.instants?.kind === 'rolling' && !first.dateMath && !first.duration) {
    refuse(text, first.span, 'That ends now, not before something else.');
  }
  if (last.duration) refuse(text, last.span, 'I cannot tell when that is.');
  if (first.duration && !isMoment(last)) refuse(text, first.span, 'I cannot tell when that is.');
  if (pair.dashed && isBareHours(pair)) {
    refuse(text, pair.span, 'I cannot tell whether these are hours or days.', suggestHours(first, last));
  }
}

function edges(pair: PairPhrase, first: RangeEnd, from: ResolvedEnd, to: ResolvedEnd): Range {
  const start = pair.after ? from.to : from.from;
  const stop = pair.before ? to.from : to.to;
  return first.duration && to.from === to.to ? { from: from.from, to: stop } : { from: start, to: stop };
}

/** Two naked numbers and a dash could be anything. */
function isBareHours({ from, to, shared }: PairPhrase): boolean {
  const bare = (end: RangeEnd): boolean => end.number !== undefined && !end.date && !end.clock && !end.part;
  return !shared && bare(from) && bare(to) && [from, to].every(({ number }) => (number?.digits.length ?? 0) <= 2);
}

function suggestHours(first: RangeEnd, last: RangeEnd) {
  const [a, b] = [first.clock?.hour, last.clock?.hour];
  return a === undefined || b === undefined ? {} : { suggestion: `${a}:00-${b}:00` };
}

/** An instant rather than a calendar unit: now, an epoch, `2 hours ago`. */
const isMoment = (end: RangeEnd): boolean =>
  (end.instants !== undefined && !end.duration) || (end.ago !== undefined && !end.clock);

/** The end is a time of day or a part of one, and hangs on the day of the beginning. */
function resolveTimes(
  pair: PairPhrase,
  first: RangeEnd,
  last: RangeEnd,
  fromOptions: EndOptions,
  { text, env }: EndOptions,
): ResolvedPair {
  const from = resolveEnd(first, fromOptions);
  const { clock = last.part && { hour: last.part.to, minute: 0, second: 0, ns: 0, sure: true, span: last.span } } =
    last;
  if (!clock) refuse(text, last.span, 'I cannot tell when that is.');
  const isWholeDay = first.date !== undefined && !first.clock && !first.part;
  if (isWholeDay) return [from, endOfDays(pair, from, dayForEnd(pair, first, from, env, text), clock, env)];
  const start = from.clock ?? clockOf(from.from, env, first);
  // `1:30am EDT to 1:30am EST`: in two zones the clocks alone do not say which comes first.
  const isLater =
    env.zone === fromOptions.env.zone
      ? isEarlier(start, clock)
      : compareInstants(from.from, instantOf(dayOf(from, env), clock, env.zone)) < 0;
  // `yesterday noon before 11am`: what one asks to be before lies on the same day, unless both ends have their word.
  const mayWrap = isOvernight(start, clock) && (!pair.before || pair.after || pair.since);
  if (!isLater && !mayWrap) refuse(text, pair.span, BACKWARDS);
  const day = plusDays(dayOf(from, env), isLater ? 0 : 1);
  const at = instantOf(day, clock, env.zone);
  // `1h ago to 9am`: from a moment over midnight to a time that has not been yet, nobody looks back.
  if (isMoment(first) && !isLater && compareInstants(at, env.now) > 0) refuse(text, pair.span, BACKWARDS);
  // `11pm to 3am today`: what has not begun yet was meant to end today. Midnight ends the day it is said of.
  const endsToday = pair.to.date !== undefined && isEarlier(MIDNIGHT, clock);
  const isAhead = !isLater && endsToday && isFixedDay(first) && compareInstants(from.from, env.now) >= 0;
  return isAhead ? dayEarlier(from, day, start, clock, env) : [from, { from: at, to: at, day, clock }];
}

const BACKWARDS = 'That ends before it begins.';
const MIDNIGHT = { hour: 0, minute: 0, second: 0, ns: 0 };
const isFixedDay = ({ date }: RangeEnd): boolean => date?.fixed?.unit === 'day' && !date.fields;

function dayEarlier(
  from: ResolvedEnd,
  day: Temporal.PlainDate,
  start: ClockTime,
  clock: ClockTime,
  env: Env,
): ResolvedPair {
  const [earlier, later] = [plusDays(dayOf(from, env), -1), plusDays(day, -1)];
  const [at, to] = [instantOf(earlier, start, env.zone), instantOf(later, clock, env.zone)];
  return [
    { from: at, to: at, day: earlier, clock: start },
    { from: to, to, day: later, clock },
  ];
}

function clockOf(instant: Temporal.Instant, { zone }: Env, { span }: RangeEnd): ClockTime {
  const { hour, minute, second } = instant.toZonedDateTimeISO(zone);
  return { hour, minute, second, ns: 0, sure: true, span };
}

/** `yesterday until 1pm` ends that day; `since monday until 1pm`, `this week until 1pm`, `2 days ago until 1pm` today. */
function dayForEnd(pair: PairPhrase, first: RangeEnd, from: ResolvedEnd, env: Env, text: string): Temporal.PlainDate {
  const day = dayOf(from, env);
  const isOneDay = compareInstants(instantOfDay(plusDays(day, 1), env), from.to) >= 0;
  if (isOneDay && !pair.since && (!first.ago || pair.before)) return day;
  const isRunning = compareInstants(from.to, env.now) >= 0;
  if (pair.before || !(pair.since || isOneDay || isRunning)) refuse(text, first.span, 'A time of day needs one day.');
  return env.today;
}

const instantOfDay = (day: Temporal.PlainDate, { zone }: Env): Temporal.Instant =>
  day.toZonedDateTime(zone).toInstant();

/** Midnight at the end of a day is the next one. */
function endOfDays(
  pair: PairPhrase,
  from: ResolvedEnd,
  day: Temporal.PlainDate,
  clock: ClockTime,
  env: Env,
): ResolvedEnd {
  const at = instantOf(day, clock, env.zone);
  const start = pair.since ? from.from : instantOfDay(day, env);
  const isOver = compareInstants(at, start) > 0;
  const end = isOver ? at : instantOf(plusDays(day, 1), clock, env.zone);
  return { from: end, to: end, day, clock };
}

/** Fully said: does not hang on the other end. */
function isAnchor({ date, instants, ago }: RangeEnd): boolean {
  if (instants || ago) return true;
  if (!date) return false;
  if (date.fixed || date.which) return true;
  return date.fields?.year !== undefined;
}

function anchorOf(first: RangeEnd, last: RangeEnd, options: EndOptions): ResolvedEnd | null {
  if (isAnchor(last)) return resolveEnd(last, options);
  // `the 27th to april 1`: the month decides, and it may end later today.
  const isNamed = isNth(first.date?.fields) && last.date?.fields?.month !== undefined;
  return isNamed ? resolveEnd(last, { ...options, bound: { by: options.env.today } }) : null;
}

/** `the 27th`, of whatever month the other end leaves. */
const isNth = (fields: DateFields | undefined): boolean => fields?.day !== undefined && fields.month === undefined;

function resolveDates(
  pair: PairPhrase,
  first: RangeEnd,
  last: RangeEnd,
  fromOptions: EndOptions,
  toOptions: EndOptions,
): ResolvedPair {
  const { text, env } = toOptions;
  const anchor = anchorOf(first, last, toOptions);
  const from = resolveFrom(first, last, anchor, fromOptions);
  if (isBackwards(first, last)) refuse(text, pair.span, BACKWARDS);
  const to = anchor ?? resolveTo(first, last, from, toOptions);
  // `yesterday to monday` runs backwards; only a weekday after a weekday, or a date after a date, may be cut at now.
  const isAhead = !anchor && compareInstants(to.from, env.now) > 0 && isBefore(env.today, dayOf(to, env));
  if (isAhead && first.date?.fixed) refuseFuture(text, last.span);
  if (isAhead && (!first.date || isLoneWeekday(first, last) || isReversed(first, last)))
    refuse(text, pair.span, BACKWARDS);
  if (pair.joined && isSameInstant(from.from, to.to)) return [to, from];
  if (pair.joined && !isSameInstant(from.to, to.from)) refuse(text, pair.span, 'That is more than one range.');
  return [from, to];
}

/** `june 20 to june 10` would be nearly a year: days of one month do not wrap around. */
function isBackwards({ date: a }: RangeEnd, { date: b }: RangeEnd): boolean {
  const [from, to] = [a?.fields ?? {}, b?.fields ?? {}];
  if (from.month === undefined || from.month !== to.month || from.day === undefined || to.day === undefined)
    return false;
  return from.day > to.day && (from.year === undefined || to.year === undefined);
}

/** `nov 17 to monday`: the latest Monday was before. */
const isLoneWeekday = (first: RangeEnd, last: RangeEnd): boolean =>
  last.date !== undefined && isWeekdayOnly(last.date) && first.date?.fields?.weekday === undefined;

const orderInYear = ({ month, quarter, half, day = 0 }: DateFields): number =>
  (month ?? (quarter ? quarter * 3 - 2 : half ? half * 6 - 5 : 0)) * 32 + day;

/** `november 10 to october 5`: around new year only if it has been since. */
function isReversed({ date: a }: RangeEnd, { date: b }: RangeEnd): boolean {
  const [from, to] = [orderInYear(a?.fields ?? {}), orderInYear(b?.fields ?? {})];
  return from > 0 && to > 0 && from > to;
}

function resolveFrom(first: RangeEnd, last: RangeEnd, to: ResolvedEnd | null, options: EndOptions): ResolvedEnd {
  const { env } = options;
  const fields = first.date?.fields;
  const year = last.date?.fields?.year;
  const lacksYear = fields && fields.year === undefined && !first.date?.fixed && !first.date?.which;
  if (lacksYear && year !== undefined && !isNth(fields) && !isWeekdayOnly(first.date ?? {})) {
    return notLongBefore(resolveEnd(withYear(first, fields, last, year), options), to, options, first, last);
  }
  if (!to || isAnchor(first)) return resolveEnd(first, options);
  const latest = latestDay(env, first.clock);
  const toDay = dayOf(to, env);
  // `sunday 3am to 4am today` on a Sunday: two names of one day.
  const isSameDay = fields?.weekday === toDay.dayOfWeek && first.clock && last.clock && fields.day === undefined;
  const by = isBefore(toDay, latest) || (isSameDay && isEarlier(first.clock, last.clock)) ? toDay : latest;
  const from = resolveEnd(first, { ...options, bound: { by } });
  return isBefore(toDay, latest) ? notLongBefore(from, to, options, first, last) : from;
}

/** Half a year and a month: `december to may 2022` runs over new year, `nov 3 to oct 31 2026` runs backwards. */
const LONGEST_WRAP = 214;

/** A date that had to go to the year before to lie before the other end. */
function notLongBefore(
  from: ResolvedEnd,
  to: ResolvedEnd | null,
  options: EndOptions,
  first: RangeEnd,
  last: RangeEnd,
): ResolvedEnd {
  const { text, env } = options;
  if (!to || first.date?.fields?.month === undefined) return from;
  const toDay = dayOf(to, env);
  if (!isBefore(dayOf(from, env), plusDays(toDay, -LONGEST_WRAP))) return from;
  // Said alone, it would lie after the other end.
  const isMoved = isBefore(toDay, dayOf(resolveEnd(first, options), env));
  if (isMoved) refuse(text, { start: first.span.start, end: last.span.end }, BACKWARDS);
  return from;
}

/** `December to May 2022` begins in 2021. */
function withYear(first: RangeEnd, fields: DateFields, last: RangeEnd, year: number): RangeEnd {
  const short = last.date?.fields?.shortYear ? { shortYear: true } : {};
  const isLater = orderInYear(fields) > orderInYear(last.date?.fields ?? {}) && last.date?.fields?.month !== undefined;
  const { weekday: _, ...rest } = fields;
  const own = orderInYear(fields) === 0 ? fields : rest;
  return { ...first, date: { ...first.date, fields: { ...own, ...short, year: isLater ? year - 1 : year } } };
}

function resolveTo(first: RangeEnd, last: RangeEnd, from: ResolvedEnd, options: EndOptions): ResolvedEnd {
  const { env } = options;
  const { weekday, day, ...rest } = last.date?.fields ?? {};
  const fromDay = dayOf(from, env);
  if (last.date && isWeekdayOnly(last.date) && first.date?.fields?.weekday === undefined) {
    // After a date, the latest such weekday; if that lies before it, there is none yet.
    const latest = resolveEnd(last, options);
    return isBefore(dayOf(latest, env), fromDay) ? resolveEnd(last, { ...options, bound: { from: fromDay } }) : latest;
  }
  // The weekday beside a date cannot choose the year once the first end has.
  const date = weekday !== undefined && day !== undefined ? { ...last.date, fields: { ...rest, day } } : last.date;
  const sameWeekday = weekday !== undefined && day === undefined && weekday === first.date?.fields?.weekday;
  const again = sameWeekday && !(first.clock && last.clock && isEarlier(first.clock, last.clock));
  const end = date ? { ...last, date } : last;
  const to = resolveEnd(end, { ...options, bound: { from: plusDays(fromDay, again ? 1 : 0) } });
  // `march 25 to the 22nd`, said in June: the one after March 25, or the latest.
  if (isNth(date?.fields) && first.date?.fields?.month !== undefined) {
    const latest = resolveEnd(end, { ...options, bound: { by: env.today } });
    if (isBefore(dayOf(to, env), dayOf(latest, env)))
      refuse(options.text, last.span, 'I cannot tell of which month that is.');
  }
  return to;
}
