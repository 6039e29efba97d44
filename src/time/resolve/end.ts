/** Resolves one end in its zone to a range of instants, or to a single instant. */
import { isBefore, type PlainDate, partOfPeriod, plusDays } from '../calendar.ts';
import { addDuration } from '../grammar/duration.ts';
import { LOCAL_ZONE } from '../grammar/end.ts';
import { refuse, refuseFuture } from '../lexer/lexer.ts';
import type { CivilSpan, ClockTime, Env, Range, RangeEnd } from '../model.ts';
import { type DateBound, resolveDate } from './date.ts';
import { isOutsidePart, isPossible, settleInPart } from './time-of-day.ts';

export interface ResolvedEnd extends Range {
  /** The first day, if it is already known. */
  readonly day?: PlainDate;
  readonly clock?: ClockTime;
}

export const dayOf = ({ day, from }: ResolvedEnd, { zone }: Env): PlainDate =>
  day ?? from.toZonedDateTimeISO(zone).toPlainDate();

export function envOf(now: Temporal.Instant, named: string | undefined, own: string, previous?: Range): Env {
  const zone = named === undefined || named === LOCAL_ZONE ? own : named;
  const today = now.toZonedDateTimeISO(zone).toPlainDate();
  const env: Env = { now, zone, today, previous, daysOf: (date) => resolveDate(date, env, { by: today }) };
  return env;
}

export interface EndOptions {
  readonly text: string;
  readonly env: Env;
  readonly bound?: DateBound;
  /** Which edge of a partial period counts if the end is one of two. */
  readonly edge?: 'from' | 'to';
  /** `N ago` is a moment here. */
  readonly moment?: boolean;
}

const startOfDay = (date: PlainDate, zone: string): Temporal.Instant => date.toZonedDateTime(zone).toInstant();

/** Wall-clock time on a day. A time skipped by a clock change moves forward by the length of the change. */
export function instantOf(date: PlainDate, { hour, minute, second, ns }: ClockTime, zone: string): Temporal.Instant {
  const day = plusDays(date, Math.floor(hour / 24));
  const time = new Temporal.PlainTime(
    hour % 24,
    minute,
    second,
    Math.floor(ns / 1e6),
    Math.floor(ns / 1e3) % 1000,
    ns % 1000,
  );
  return day.toZonedDateTime({ timeZone: zone, plainTime: time }).toInstant();
}

const atHour = (hour: number, end: RangeEnd): ClockTime => ({
  hour,
  minute: 0,
  second: 0,
  ns: 0,
  sure: true,
  span: end.span,
});

export function resolveEnd(end: RangeEnd, options: EndOptions): ResolvedEnd {
  const { text, env } = options;
  if (end.future) refuseFuture(text, end.span);
  if (end.number) refuse(text, end.span, "I can't tell whether that's an hour or a day.");
  if (end.clock && !isPossible(end.clock)) refuse(text, end.clock.span, "There's no such time.");
  if (end.ago && (options.moment || !end.date) && !end.clock) return resolveAgo(end, options);
  if (end.instants) return end.instants.at(env);
  const clock = end.clock ? settleInPart(end.clock, end.part) : undefined;
  if (clock && end.part && isOutsidePart(clock, end.part))
    refuse(text, end.span, `That isn't in the ${end.part.name}.`);
  const start = clock ?? (end.part ? atHour(end.part.from, end) : undefined);
  const bound = options.bound ?? latest(end, start, env);
  const span = end.date ? daysOf(end, options, bound) : dayFor(bound);
  // `last week 9-5` does not say on which day.
  if (start && isBefore(plusDays(span.start, 1), span.end)) refuse(text, end.span, 'A time needs a single day.');
  if (clock) {
    const at = instantOf(span.start, clock, env.zone);
    return { from: at, to: at, day: span.start, clock };
  }
  if (end.part && start) {
    const to = instantOf(span.start, atHour(end.part.to, end), env.zone);
    return { from: instantOf(span.start, start, env.zone), to, day: span.start, clock: start };
  }
  return { from: startOfDay(span.start, env.zone), to: startOfDay(span.end, env.zone), day: span.start };
}

const latest = (end: RangeEnd, start: ClockTime | undefined, env: Env): DateBound => ({
  by: latestFor(end, start, env),
});

/** A date is today's even if its time is still ahead; a weekday or a time alone is then the one before. */
export const latestFor = ({ date }: RangeEnd, start: ClockTime | undefined, env: Env): PlainDate =>
  date?.fixed || date?.fields?.day !== undefined ? env.today : latestDay(env, start);

const dayFor = (bound: DateBound): CivilSpan => {
  const start = 'by' in bound ? bound.by : bound.from;
  return { start, end: plusDays(start, 1) };
};

/** The latest day on which that time has already passed. */
function latestDay({ now, zone, today }: Env, clock: ClockTime | undefined): PlainDate {
  const start = clock ? instantOf(today, clock, zone) : startOfDay(today, zone);
  return compareInstants(start, now) < 0 ? today : plusDays(today, -1);
}

function resolveAgo({ ago, span }: RangeEnd, { text, env }: EndOptions): ResolvedEnd {
  if (!ago || ago.fault) refuse(text, span, ago?.fault?.message ?? "That isn't a time.");
  const at = addDuration(env.now, ago, env.zone, -1);
  return { from: at, to: at };
}

function daysOf(end: RangeEnd, { text, env, edge }: EndOptions, bound: DateBound): CivilSpan {
  const { date } = end;
  const span = date && resolveDate(date, env, bound);
  if (!date || !span) refuse(text, end.span, "That date doesn't exist.");
  if (span.start.year < 1900) refuse(text, end.span, "That's too long ago.");
  if (!date.part) return span;
  if (edge !== undefined && (date.part === 'start' || date.part === 'end')) {
    const day = date.part === 'start' ? span.start : span.end;
    return { start: day, end: day };
  }
  return partOfPeriod(span, date.part) ?? refuse(text, end.span, "I can't tell which part you mean.");
}

export const compareInstants = Temporal.Instant.compare;

export const isSameInstant = (a: Temporal.Instant, b: Temporal.Instant): boolean => a.equals(b);
