/** Resolves a pair: two dates, or a start and a time on the same day. */
import { plusDays } from '../calendar.ts';
import { refuse, refuseFuture } from '../lexer/lexer.ts';
import type { ClockTime, Env, Range, RangeEnd } from '../model.ts';
import { completePair, type PairPhrase } from './complete-pair.ts';
import { BACKWARDS, type ResolvedPair, resolveDates } from './date-pair.ts';
import { compareInstants, dayOf, type EndOptions, envOf, instantOf, type ResolvedEnd, resolveEnd } from './end.ts';
import { isEarlier, isOvernight } from './time-of-day.ts';

interface ZonedRange extends Range {
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

function refuseUnclear(pair: PairPhrase, first: RangeEnd, last: RangeEnd, text: string): void {
  for (const end of [first, last]) {
    if (end.number) refuse(text, end.span, "I can't tell whether that's an hour or a day.");
    if (end.future) refuseFuture(text, end.span);
  }
  if (pair.before && first.instants?.kind === 'rolling' && !first.dateMath && !first.duration) {
    refuse(text, first.span, 'That range already ends now.');
  }
  const isRolling = last.instants?.kind === 'rolling' && !last.dateMath;
  if (last.duration || isRolling) refuse(text, last.span, "I can't tell when that is.");
  if (first.duration && !isMoment(last)) refuse(text, first.span, "I can't tell when that is.");
  if (pair.dashed && isBareHours(pair)) {
    refuse(text, pair.span, "I can't tell whether those are hours or days.", suggestHours(first, last));
  }
}

function edges(pair: PairPhrase, first: RangeEnd, from: ResolvedEnd, to: ResolvedEnd): Range {
  const start = pair.after ? from.to : from.from;
  const stop = pair.before ? to.from : to.to;
  return first.duration && to.from === to.to ? { from: from.from, to: stop } : { from: start, to: stop };
}

/** Two bare numbers and a dash could be anything. */
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

/** The end is a time or part of the day, on the day of the start. */
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
  if (!clock) refuse(text, last.span, "I can't tell when that is.");
  const isWholeDay = first.date !== undefined && !first.clock && !first.part;
  if (isWholeDay) return [from, endOfDays(pair, from, dayForEnd(pair, first, from, env, text), clock, env)];
  const start = from.clock ?? clockOf(from.from, env, first);
  // `1:30am EDT to 1:30am EST`: in two zones, clock times alone don't say which comes first.
  const isLater =
    env.zone === fromOptions.env.zone
      ? isEarlier(start, clock)
      : compareInstants(from.from, instantOf(dayOf(from, env), clock, env.zone)) < 0;
  // `yesterday noon before 11am`: `before` stays on the same day unless both ends have a preposition.
  const mayWrap = isOvernight(start, clock) && (!pair.before || pair.after || pair.since);
  if (!isLater && !mayWrap) refuse(text, pair.span, BACKWARDS);
  const day = plusDays(dayOf(from, env), isLater ? 0 : 1);
  const at = instantOf(day, clock, env.zone);
  // `1h ago to 9am`: a past moment up to a future time across midnight is a mistake.
  if (isMoment(first) && !isLater && compareInstants(at, env.now) > 0) refuse(text, pair.span, BACKWARDS);
  // `11pm to 3am today`: a pair that hasn't started yet ends today. Midnight ends the day it is named with.
  const endsToday = pair.to.date !== undefined && isEarlier(MIDNIGHT, clock);
  const isAhead = !isLater && endsToday && isFixedDay(first) && compareInstants(from.from, env.now) >= 0;
  return isAhead ? dayEarlier(from, day, start, clock, env) : [from, { from: at, to: at, day, clock }];
}

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
  if (pair.before || !(pair.since || isOneDay || isRunning)) refuse(text, first.span, 'A time needs a single day.');
  return env.today;
}

const instantOfDay = (day: Temporal.PlainDate, { zone }: Env): Temporal.Instant =>
  day.toZonedDateTime(zone).toInstant();

/** Midnight as an end is the one after the day. */
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
