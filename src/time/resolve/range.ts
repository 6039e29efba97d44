import { isBefore, type PlainDate, partOf, plusDays, rangeOf, spanOfDays, startOfDay, unitSpan } from '../calendar.ts';
import { hourClock } from '../grammar/clock-time.ts';
import { addDuration, durationOf } from '../grammar/duration.ts';
import { LOCAL_ZONE } from '../grammar/end.ts';
import { refuse, refuseFuture } from '../lexer/lexer.ts';
import type {
  CivilSpan,
  ClockTime,
  DateFields,
  Env,
  ParsedDuration,
  ParsedRange,
  Range,
  RangeEnd,
  RangePhrase,
  TimeContext,
} from '../model.ts';
import { completePair, isWeekdayOnly, type PairPhrase } from './complete-pair.ts';
import { type DateBound, grainOf, resolveDate } from './date.ts';
import { isEarlier, isOutsidePart, isOvernight, isPossible, settleInPart } from './time-of-day.ts';
import { refuseClockLikeYear } from './years-or-clocks.ts';

interface ResolvedEnd extends Range {
  /** The first day, if it is already known. */
  readonly day?: PlainDate;
  readonly clock?: ClockTime;
}

const dayOf = ({ day, from }: ResolvedEnd, { zone }: Env): PlainDate =>
  day ?? from.toZonedDateTimeISO(zone).toPlainDate();

function envOf(now: Temporal.Instant, named: string | undefined, own: string, previous?: Range): Env {
  const zone = named === undefined || named === LOCAL_ZONE ? own : named;
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  const env: Env = { now, zone, today, previous, daysOf: (date) => resolveDate(date, env, { by: today }) };
  return env;
}

interface EndOptions {
  readonly env: Env;
  readonly bound?: DateBound;
  /** Which edge of a partial period counts if the end is one of two. */
  readonly edge?: 'from' | 'to';
  /** `N ago` is a moment here. */
  readonly moment?: boolean;
}

/** Wall-clock time on a day. A time skipped by a clock change moves forward by the length of the change. */
function instantOf(date: PlainDate, { hour, minute, second, ns }: ClockTime, zone: string): Temporal.Instant {
  const day = plusDays(date, Math.floor(hour / 24));
  const plainTime = new Temporal.PlainTime(hour % 24, minute, second).add({ nanoseconds: ns });
  return day.toZonedDateTime({ timeZone: zone, plainTime }).toInstant();
}

const atHour = (hour: number, end: RangeEnd): ClockTime => ({ ...hourClock(hour, '', end), sure: true });

function resolveEnd(end: RangeEnd, options: EndOptions): ResolvedEnd {
  const { env } = options;
  if (end.number) refuse(end.span, HOUR_OR_DAY);
  if (end.clock && !isPossible(end.clock)) refuse(end.clock.span, "There's no such time.");
  if (end.ago && (options.moment || !end.date) && !end.clock) return resolveAgo(end, options);
  if (end.instants) return end.instants.at(env);
  const clock = end.clock ? settleInPart(end.clock, end.part) : undefined;
  if (clock && end.part && isOutsidePart(clock, end.part)) refuse(end.span, `That isn't in the ${end.part.name}.`);
  const start = clock ?? (end.part ? atHour(end.part.from, end) : undefined);
  const bound = options.bound ?? { by: latestFor(end, start, env) };
  const span = end.date ? daysOf(end, options, bound) : spanOfDays('by' in bound ? bound.by : bound.from);
  // `last week 9-5` does not say on which day.
  if (start && isBefore(plusDays(span.start, 1), span.end)) refuse(end.span, 'A time needs a single day.');
  if (clock) {
    const at = instantOf(span.start, clock, env.zone);
    return { from: at, to: at, day: span.start, clock };
  }
  if (end.part && start) {
    const to = instantOf(span.start, atHour(end.part.to, end), env.zone);
    return { from: instantOf(span.start, start, env.zone), to, day: span.start, clock: start };
  }
  return { ...rangeOf(span, env.zone), day: span.start };
}

/** A date is today's even if its time is still ahead; a weekday or a time alone is then the one before. */
const latestFor = ({ date }: RangeEnd, start: ClockTime | undefined, env: Env): PlainDate =>
  date?.fixed || date?.fields?.day !== undefined ? env.today : latestDay(env, start);

/** The latest day on which that time has already passed. */
function latestDay({ now, zone, today }: Env, clock: ClockTime | undefined): PlainDate {
  const start = clock ? instantOf(today, clock, zone) : startOfDay(today, zone);
  return compareInstants(start, now) < 0 ? today : plusDays(today, -1);
}

function resolveAgo({ ago, span }: RangeEnd, { env }: EndOptions): ResolvedEnd {
  if (!ago || ago.fault) refuse(span, ago?.fault?.message ?? "That isn't a time.");
  const at = addDuration(env.now, ago, env.zone, -1);
  return { from: at, to: at };
}

function daysOf(end: RangeEnd, { env, edge }: EndOptions, bound: DateBound): CivilSpan {
  const { date } = end;
  const span = date && resolveDate(date, env, bound);
  if (!date || !span) refuse(end.span, "That date doesn't exist.");
  if (span.start.year < 1900) refuse(end.span, "That's too long ago.");
  if (!date.part) return span;
  if (edge !== undefined && (date.part === 'start' || date.part === 'end')) return spanOfDays(span[date.part], 0);
  return partOf(span, date.part) ?? refuse(end.span, "I can't tell which part you mean.");
}

const compareInstants = Temporal.Instant.compare;

type ResolvedPair = readonly [from: ResolvedEnd, to: ResolvedEnd];

/** Both ends, completed, and how each is resolved. */
interface Pair {
  readonly phrase: PairPhrase;
  readonly first: RangeEnd;
  readonly last: RangeEnd;
  readonly fromOptions: EndOptions;
  readonly toOptions: EndOptions;
}

const BACKWARDS = 'That range ends before it starts.';
const HOUR_OR_DAY = "I can't tell whether that's an hour or a day.";

/** Complete by itself, independent of the other end. */
const isAnchor = ({ date, instants, ago }: RangeEnd): boolean =>
  Boolean(instants || ago || date?.fixed || date?.which) || date?.fields?.year !== undefined;

function anchorOf({ first, last, toOptions: options }: Pair): ResolvedEnd | null {
  if (isAnchor(last)) return resolveEnd(last, options);
  // `the 27th to april 1`: the month decides, and it may end later today.
  const isNamed = isNth(first.date?.fields) && last.date?.fields?.month !== undefined;
  return isNamed ? resolveEnd(last, { ...options, bound: { by: options.env.today } }) : null;
}

/** `the 27th`, of a month that the other end decides. */
const isNth = (fields: DateFields | undefined): boolean => fields?.day !== undefined && fields.month === undefined;

/** Two dates or moments: the first is the latest one before now, the second the next one after it. */
function resolveDates(pair: Pair): ResolvedPair {
  const { phrase, first, last } = pair;
  const { env } = pair.toOptions;
  const anchor = anchorOf(pair);
  const from = resolveFrom(pair, anchor);
  if (isBackwards(first, last)) refuse(phrase.span, BACKWARDS);
  const to = anchor ?? resolveTo(pair, from);
  if (first.date?.which === 'last' && last.date && isWeekdayOnly(last.date) && !isBefore(dayOf(to, env), env.today))
    return resolveLastWeekdays(pair, from, to);
  // `yesterday to monday` runs backwards; only a weekday after a weekday, or a date after a date, may be cut at now.
  const isLater = !anchor && isBefore(env.today, dayOf(to, env));
  const isAhead = isLater && compareInstants(begins(pair, from, to), env.now) > 0;
  if (isAhead && first.date?.fixed) refuseFuture(last.span);
  if (isAhead && (!first.date || isLoneWeekday(first, last) || isReversed(first, last))) refuse(phrase.span, BACKWARDS);
  if (phrase.joined && from.from.equals(to.to)) return [to, from];
  if (phrase.joined && !from.to.equals(to.from)) refuse(phrase.span, "That's more than one range.");
  return [from, to];
}

/** `last mon-fri` on a Wednesday was last week; `last mon-wed` could be either. */
function resolveLastWeekdays(pair: Pair, from: ResolvedEnd, to: ResolvedEnd): ResolvedPair {
  const { env } = pair.toOptions;
  if (dayOf(to, env).equals(env.today)) refuse(pair.last.span, "I can't tell which week you mean.");
  const { which: _, ...date } = pair.first.date ?? {};
  const first = { ...pair.first, date };
  const by = plusDays(dayOf(from, env), -7);
  const earlier = resolveEnd(first, { ...pair.fromOptions, bound: { by } });
  return [earlier, resolveTo({ ...pair, first }, earlier)];
}

/** Where the unit of the last end begins, even if it is named by its end: `to the end of june`. */
function begins(pair: Pair, from: ResolvedEnd, to: ResolvedEnd): Temporal.Instant {
  if (pair.last.date?.part === undefined) return to.from;
  const { part: _, ...date } = pair.last.date;
  return resolveTo({ ...pair, last: { ...pair.last, date } }, from).from;
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

/** `november 10 to october 5` crosses new year only if both dates are in the past. */
function isReversed({ date: a }: RangeEnd, { date: b }: RangeEnd): boolean {
  const [from, to] = [orderInYear(a?.fields ?? {}), orderInYear(b?.fields ?? {})];
  return from > to && to > 0;
}

function resolveFrom(pair: Pair, to: ResolvedEnd | null): ResolvedEnd {
  const { first, last, fromOptions: options } = pair;
  const { env } = options;
  const fields = first.date?.fields;
  const year = last.date?.fields?.year;
  const lacksYear = fields && fields.year === undefined && !first.date?.fixed && !first.date?.which;
  if (lacksYear && year !== undefined && !isNth(fields) && !isWeekdayOnly(first.date ?? {})) {
    return notLongBefore(pair, resolveEnd(withYear(first, fields, last, year), options), to);
  }
  if (!to || isAnchor(first)) return resolveEnd(first, options);
  const latest = latestFor(first, first.clock, env);
  const toDay = dayOf(to, env);
  // `sunday 3am to 4am today` on a Sunday names one day twice.
  const isSameDay = fields?.weekday === toDay.dayOfWeek && first.clock && last.clock && fields.day === undefined;
  const by = isBefore(toDay, latest) || (isSameDay && isEarlier(first.clock, last.clock)) ? toDay : latest;
  const from = resolveEnd(first, { ...options, bound: { by } });
  return isBefore(toDay, latest) ? notLongBefore(pair, from, to) : from;
}

/** Half a year and a month: `december to may 2022` runs over new year, `nov 3 to oct 31 2026` runs backwards. */
const MAX_WRAP = 214;

/** Refuses a date that was moved to the year before just to come before the other end. */
function notLongBefore({ first, last, fromOptions }: Pair, from: ResolvedEnd, to: ResolvedEnd | null): ResolvedEnd {
  const { env } = fromOptions;
  if (!to || first.date?.fields?.month === undefined) return from;
  const toDay = dayOf(to, env);
  if (!isBefore(dayOf(from, env), plusDays(toDay, -MAX_WRAP))) return from;
  // On its own it would come after the other end.
  const isMoved = isBefore(toDay, dayOf(resolveEnd(first, fromOptions), env));
  if (isMoved) refuse({ start: first.span.start, end: last.span.end }, BACKWARDS);
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

function resolveTo({ first, last, toOptions: options }: Pair, from: ResolvedEnd): ResolvedEnd {
  const { env } = options;
  const { weekday, day, ...rest } = last.date?.fields ?? {};
  const fromDay = dayOf(from, env);
  if (last.date && isWeekdayOnly(last.date) && first.date?.fields?.weekday === undefined) {
    // After a date, the latest such weekday, or the next one if that comes before the date.
    const latest = resolveEnd(last, options);
    return isBefore(dayOf(latest, env), fromDay) ? resolveEnd(last, { ...options, bound: { from: fromDay } }) : latest;
  }
  // The weekday next to a date must not choose the year once the first end has.
  const date = weekday !== undefined && day !== undefined ? { ...last.date, fields: { ...rest, day } } : last.date;
  const sameWeekday = weekday !== undefined && day === undefined && weekday === first.date?.fields?.weekday;
  const again = sameWeekday && !(first.clock && last.clock && isEarlier(first.clock, last.clock));
  const end = date ? { ...last, date } : last;
  // `march 4 to end of march`: the unit that contains the first day counts.
  const earliest = again ? plusDays(fromDay, 1) : unitSpan(grainOf(last.date?.fields ?? {}), fromDay, 0).start;
  const to = resolveEnd(end, { ...options, bound: { from: earliest } });
  // `march 25 to the 22nd` in June could be April 22 or the latest one.
  if (isNth(date?.fields) && first.date?.fields?.month !== undefined) {
    const latest = resolveEnd(end, { ...options, bound: { by: env.today } });
    if (isBefore(dayOf(to, env), dayOf(latest, env))) refuse(last.span, "I can't tell which month you mean.");
  }
  return to;
}

function resolvePair(phrase: PairPhrase, { now, zone }: TimeContext): LocatedRange {
  const [first, last] = completePair(phrase, now);
  refuseUnclear(phrase, first, last);
  const fromEnv = envOf(now, first.zone, zone);
  const toEnv = first.zone === last.zone ? fromEnv : envOf(now, last.zone, zone);
  const fromOptions: EndOptions = { env: fromEnv, edge: 'from', moment: isMoment(last) };
  const toOptions: EndOptions = { env: toEnv, edge: 'to', moment: isMoment(first) };
  const pair = { phrase, first, last, fromOptions, toOptions };
  const ends = last.date || isMoment(last) ? resolveDates(pair) : resolveTimes(pair);
  return { ...edges(phrase, first, ...ends), kind: 'between', zone: fromEnv.zone };
}

function refuseUnclear(pair: PairPhrase, first: RangeEnd, last: RangeEnd): void {
  for (const end of [first, last]) if (end.number) refuse(end.span, HOUR_OR_DAY);
  if (pair.before && first.instants?.kind === 'rolling' && !first.dateMath && !first.duration)
    refuse(first.span, 'That range already ends now.');
  const isRolling = last.instants?.kind === 'rolling' && !last.dateMath;
  if (last.duration || isRolling) refuse(last.span, "I can't tell when that is.");
  if (first.duration && !isMoment(last)) refuse(first.span, "I can't tell when that is.");
  // Two bare numbers and a dash could be anything.
  if (pair.dashed && isBareHours(pair)) {
    const [from, to] = [first.clock?.hour, last.clock?.hour];
    const suggestion = from === undefined || to === undefined ? undefined : `${from}:00-${to}:00`;
    refuse(pair.span, "I can't tell whether those are hours or days.", { suggestion });
  }
}

function edges(pair: PairPhrase, first: RangeEnd, from: ResolvedEnd, to: ResolvedEnd): Range {
  const start = pair.after ? from.to : from.from;
  const stop = pair.before ? to.from : to.to;
  return first.duration && to.from === to.to ? { from: from.from, to: stop } : { from: start, to: stop };
}

function isBareHours({ from, to, shared }: PairPhrase): boolean {
  const bare = (end: RangeEnd): boolean => end.number !== undefined && !end.date && !end.clock && !end.part;
  return !shared && bare(from) && bare(to) && [from, to].every(({ number }) => (number?.digits.length ?? 0) <= 2);
}

/** An instant rather than a calendar unit: now, an epoch, `2 hours ago`. */
const isMoment = (end: RangeEnd): boolean =>
  (end.instants !== undefined && !end.duration) || (end.ago !== undefined && !end.clock);

/** The end is a time or part of the day, on the day of the start. */
function resolveTimes({ phrase: pair, first, last, fromOptions, toOptions: { env } }: Pair): ResolvedPair {
  const from = resolveEnd(first, fromOptions);
  const { clock = last.part && atHour(last.part.to, last) } = last;
  if (!clock) refuse(last.span, "I can't tell when that is.");
  const isWholeDay = first.date !== undefined && !first.clock && !first.part;
  if (isWholeDay) return [from, endOfDays(pair, from, dayForEnd(pair, first, from, env), clock, env)];
  const start = from.clock ?? clockOf(from.from, env, first);
  // `1:30am EDT to 1:30am EST`: in two zones, clock times alone don't say which comes first.
  const isLater =
    env.zone === fromOptions.env.zone
      ? isEarlier(start, clock)
      : compareInstants(from.from, instantOf(dayOf(from, env), clock, env.zone)) < 0;
  // `yesterday noon before 11am`: `before` stays on the same day unless both ends have a preposition.
  const mayWrap = isOvernight(start, clock) && (!pair.before || pair.after || pair.since);
  if (!isLater && !mayWrap) refuse(pair.span, BACKWARDS);
  const day = plusDays(dayOf(from, env), isLater ? 0 : 1);
  const at = instantOf(day, clock, env.zone);
  // `1h ago to 9am`: a past moment up to a future time across midnight is a mistake.
  if (isMoment(first) && !isLater && compareInstants(at, env.now) > 0) refuse(pair.span, BACKWARDS);
  const to = { from: at, to: at, day, clock };
  // `11pm to 3am today`: a pair that hasn't started yet ends today. Midnight ends the day it is named with.
  const endsToday = pair.to.date !== undefined && clock.hour + clock.minute > 0;
  const isFixedDay = first.date?.fixed?.unit === 'day' && !first.date.fields;
  if (isLater || !endsToday || !isFixedDay || compareInstants(from.from, env.now) < 0) return [from, to];
  const dayBefore = (instant: Temporal.Instant): ResolvedEnd => {
    const moved = addDuration(instant, durationOf(1, 'day'), env.zone, -1);
    return { from: moved, to: moved };
  };
  return [dayBefore(from.from), dayBefore(at)];
}

function clockOf(instant: Temporal.Instant, { zone }: Env, end: RangeEnd): ClockTime {
  const { hour, minute, second } = instant.toZonedDateTimeISO(zone);
  return { ...atHour(hour, end), minute, second };
}

/** `yesterday until 1pm` ends that day; `since monday until 1pm`, `this week until 1pm`, `2 days ago until 1pm` today. */
function dayForEnd(pair: PairPhrase, first: RangeEnd, from: ResolvedEnd, env: Env): PlainDate {
  const day = dayOf(from, env);
  const isOneDay = compareInstants(startOfDay(plusDays(day, 1), env.zone), from.to) >= 0;
  if (isOneDay && !pair.since && (!first.ago || pair.before)) return day;
  const isRunning = compareInstants(from.to, env.now) >= 0;
  if (pair.before || !(pair.since || isOneDay || isRunning)) refuse(first.span, 'A time needs a single day.');
  return env.today;
}

/** Midnight as an end is the one after the day. */
function endOfDays(pair: PairPhrase, from: ResolvedEnd, day: PlainDate, clock: ClockTime, { zone }: Env): ResolvedEnd {
  const at = instantOf(day, clock, zone);
  const start = pair.since ? from.from : startOfDay(day, zone);
  const end = compareInstants(at, start) > 0 ? at : instantOf(plusDays(day, 1), clock, zone);
  return { from: end, to: end, day, clock };
}

const HALF_HOUR: ParsedDuration = { amount: { minutes: 30 }, calendar: false };

type LocatedRange = Pick<ParsedRange, 'from' | 'to' | 'kind' | 'zone'>;

export function resolve(phrase: RangePhrase, context: TimeContext): ParsedRange {
  const { now } = context;
  const found = locate(phrase, context);
  const { from, to } = found;
  if (compareInstants(from, now) >= 0) refuseFuture(phrase.span);
  if (compareInstants(from, to) >= 0) refuse(phrase.span, BACKWARDS);
  const cut = compareInstants(to, now) > 0;
  return { ...found, to: cut ? now : to, cut };
}

function locate(phrase: RangePhrase, context: TimeContext): LocatedRange {
  switch (phrase.shape) {
    case 'pair':
      return resolvePair(phrase, context);
    case 'single':
      return single(phrase.end, context);
    case 'since':
    case 'after': {
      refuseClockLikeYear(phrase.end, phrase.shape === 'since', context.now);
      const { resolved, zone } = resolveIn(phrase.end, context, { edge: 'from', moment: true });
      return { from: phrase.shape === 'after' ? resolved.to : resolved.from, to: context.now, kind: 'since', zone };
    }
    case 'around':
      return around(phrase, context);
    case 'for':
    case 'until':
      return resolveWithDuration(phrase, context);
    case 'open':
      return refuse(phrase.span, 'That range has an end but no start.');
    case 'duration':
      return refuse(phrase.span, "That doesn't say when it starts.", { suggestion: phrase.suggestion });
    case 'future':
      return refuseFuture(phrase.span);
  }
}

function resolveIn(end: RangeEnd, { now, zone, previous }: TimeContext, options: Omit<EndOptions, 'env'> = {}) {
  const env = envOf(now, end.zone, zone, previous);
  return { resolved: resolveEnd(end, { env, ...options }), zone: env.zone };
}

const isPoint = ({ from, to }: Range): boolean => from.equals(to);

function single(end: RangeEnd, context: TimeContext): LocatedRange {
  const { resolved, zone } = resolveIn(end, context);
  const { instants, span } = end;
  // Date math alone is a start, as on a dashboard; any other moment could be the middle or either end.
  const isMath = end.dateMath === true && compareInstants(resolved.from, context.now) < 0;
  if (end.dateMath && compareInstants(resolved.from, context.now) > 0) refuseFuture(span);
  if (isMath) return { from: resolved.from, to: context.now, kind: instants?.kind ?? 'since', zone };
  if (!isPoint(resolved)) return { from: resolved.from, to: resolved.to, kind: instants?.kind ?? 'calendar', zone };
  return refuse(span, "That's a moment, not a range.", { suggestion: `around ${said(end)}` });
}

/** The end as typed, without a preposition that wouldn't fit after another. */
const said = ({ typed = '' }: RangeEnd): string => typed.replace(/^(?:(?:at|on|in|the|um|am)\s+)+/i, '');

function around({ end, margin }: Extract<RangePhrase, { shape: 'around' }>, context: TimeContext): LocatedRange {
  if (margin?.fault) refuse(end.span, margin.fault.message);
  const { resolved, zone } = resolveIn(end, context, { moment: true });
  if (!isPoint(resolved)) refuse(end.span, 'Around needs a time, such as around 14:30.', { suggestion: said(end) });
  const each = margin ?? HALF_HOUR;
  const from = addDuration(resolved.from, each, zone, -1);
  return { from, to: addDuration(resolved.from, each, zone, 1), kind: 'around', zone };
}

function resolveWithDuration(
  phrase: Extract<RangePhrase, { duration: ParsedDuration; end: RangeEnd }>,
  context: TimeContext,
): LocatedRange {
  const { duration, shared } = phrase;
  if (duration.fault) refuse(phrase.span, duration.fault.message);
  const date = phrase.end.date ?? shared?.date;
  const end = date ? { ...phrase.end, date } : phrase.end;
  const { resolved, zone } = resolveIn(end, context, { edge: 'from', moment: true });
  if (phrase.shape === 'for') {
    // Two hours of a whole day could be any two.
    if (!isPoint(resolved) && !duration.calendar && !phrase.wholeDays) refuse(end.span, 'That needs a time of day.');
    return { from: resolved.from, to: addDuration(resolved.from, duration, zone, 1), kind: 'between', zone };
  }
  if (!isPoint(resolved) && !phrase.wholeDays) refuse(end.span, 'That needs a time of day.');
  return { from: addDuration(resolved.to, duration, zone, -1), to: resolved.to, kind: 'between', zone };
}

/** Questions asked within one minute share a window. Both edges move back, which keeps the length; at least a minute is left. */
export function wholeMinutes<R extends Range>(range: R): R {
  const round = (instant: Temporal.Instant, roundingMode: 'floor' | 'ceil') =>
    instant.round({ smallestUnit: 'minute', roundingMode });
  const [from, to] = [round(range.from, 'floor'), round(range.to, 'floor')];
  return { ...range, from, to: Temporal.Instant.compare(from, to) < 0 ? to : round(range.to, 'ceil') };
}
