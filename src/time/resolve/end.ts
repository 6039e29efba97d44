/** One end on the time line, in its zone: a range of instants, or a point where both are the same. */
import { isBefore, type PlainDate, partOfPeriod, plusDays } from '../calendar.ts';
import { addDuration } from '../grammar/duration.ts';
import { refuse } from '../lexer/reader.ts';
import type { CivilSpan, ClockTime, DateFields, Env, PartOfDay, Range, RangeEnd } from '../model.ts';
import { type DateBound, resolveDate } from './date.ts';

export interface ResolvedEnd extends Range {
  /** The first day, where it was needed on the way. */
  readonly day?: PlainDate;
  readonly clock?: ClockTime;
}

/** The first day, for what follows from it. */
export const dayOf = ({ day, from }: ResolvedEnd, { zone }: Env): PlainDate =>
  day ?? from.toZonedDateTimeISO(zone).toPlainDate();

export function envOf(now: Temporal.Instant, zone: string): Env {
  // Rolling lengths never ask what day it is, and asking costs more than they do.
  let local: Temporal.ZonedDateTime | undefined;
  let today: PlainDate | undefined;
  return {
    now,
    zone,
    get local() {
      local ??= now.toZonedDateTimeISO(zone);
      return local;
    },
    get today() {
      today ??= this.local.toPlainDate();
      return today;
    },
    daysOf(date) {
      return resolveDate(date, this, { by: this.today });
    },
  };
}

/** What is known beside the end itself. */
export interface EndOptions {
  readonly text: string;
  readonly env: Env;
  readonly bound?: DateBound;
  /** Which edge of a partial period counts, if the end is one of two. */
  readonly edge?: 'from' | 'to';
  /** `N ago` is a moment here. */
  readonly moment?: boolean;
}

const startOfDay = (date: PlainDate, zone: string): Temporal.Instant => date.toZonedDateTime(zone).toInstant();

/** Wall-clock time on a day; one that a clock change skipped is as much later as the change. */
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
  if (end.future) refuse(text, end.span, 'That lies in the future.');
  if (end.number) refuse(text, end.span, 'I cannot tell whether that is an hour, a day or something else.');
  if (end.clock && !isPossible(end.clock)) refuse(text, end.clock.span, 'There is no such time of day.');
  if (end.ago && (options.moment || !end.date) && !end.clock) return resolveAgo(end, options);
  if (end.instants) return end.instants.at(env);
  const clock = end.clock ? settleInPart(end.clock, end.part) : undefined;
  const start = clock ?? (end.part ? atHour(end.part.from, end) : undefined);
  const bound = options.bound ?? { by: end.date?.fixed ? env.today : latestDay(env, start) };
  const span = end.date ? daysOf(end, options, bound) : dayFor(bound);
  // `last week 9-5` does not say on which day.
  if (start && isBefore(plusDays(span.start, 1), span.end)) refuse(text, end.span, 'A time of day needs one day.');
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

const dayFor = (bound: DateBound): CivilSpan => {
  const start = 'by' in bound ? bound.by : bound.from;
  return { start, end: plusDays(start, 1) };
};

/** The latest day on which something that begins at that time has begun. */
export function latestDay({ local, today }: Env, clock: ClockTime | undefined): PlainDate {
  const { hour, minute, second, millisecond } = local;
  const now = { hour, minute, second, ns: millisecond * 1e6, sure: true, span: { start: 0, end: 0 } };
  const begun = clock ? isEarlier(clock, now) : hour + minute + second + millisecond > 0;
  return begun ? today : plusDays(today, -1);
}

function resolveAgo({ ago, span }: RangeEnd, { text, env }: EndOptions): ResolvedEnd {
  if (!ago || ago.fault) refuse(text, span, ago?.fault?.message ?? 'That is not a time.');
  const at = addDuration(env.now, ago, env.zone, -1);
  return { from: at, to: at };
}

/** `25/12/2024` was meant the other way round. */
function swapped(fields: DateFields | undefined): { suggestion?: string } {
  const { day = 0, month = 0, year } = fields ?? {};
  const isSwapped = month > 12 && day >= 1 && day <= 12;
  return isSwapped ? { suggestion: [day, month, ...(year === undefined ? [] : [year])].join('/') } : {};
}

function daysOf(end: RangeEnd, { text, env, edge }: EndOptions, bound: DateBound): CivilSpan {
  const { date } = end;
  const span = date && resolveDate(date, env, bound);
  if (!date || !span) refuse(text, end.span, 'There is no such date.', swapped(date?.fields));
  if (span.start.year < 1900) refuse(text, end.span, 'That is too long ago.');
  if (!date.part) return span;
  if (edge !== undefined && date.part !== 'middle') {
    const day = date.part === 'start' ? span.start : span.end;
    return { start: day, end: day };
  }
  return partOfPeriod(span, date.part) ?? refuse(text, end.span, 'I cannot tell which part of it that is.');
}

/** ClockTime times as minutes and hours of a day: what the missing am or pm of one end of a pair must have been. */

export function isPossible({ hour, minute, second, meridian, settled }: ClockTime): boolean {
  if (settled) return true;
  if (minute > 59 || second > 59) return false;
  if (meridian !== undefined) return hour >= 1 && hour <= 12;
  return hour < 24 || (hour === 24 && minute === 0 && second === 0);
}

function withMeridian(clock: ClockTime, meridian: 'am' | 'pm'): ClockTime {
  const { meridian: _, ...rest } = clock;
  if (clock.hour > 12 || clock.hour === 0) return { ...rest, sure: true, settled: true };
  return { ...rest, hour: (clock.hour % 12) + (meridian === 'pm' ? 12 : 0), sure: true, settled: true };
}

export const settle = (clock: ClockTime): ClockTime => (clock.meridian ? withMeridian(clock, clock.meridian) : clock);

const secondsOf = ({ hour, minute, second, ns }: ClockTime): number => hour * 3600 + minute * 60 + second + ns / 1e9;
export const isEarlier = (a: ClockTime, b: ClockTime): boolean => secondsOf(a) < secondsOf(b);

/** `between 7 and 9 last night`: the part of the day says which half of the clock. */
export function settleInPart(clock: ClockTime, part: PartOfDay | undefined): ClockTime {
  if (!part || clock.settled) return settle(clock);
  // After midnight it is still last night.
  const small = clock.hour < 6 || (clock.hour === 12 && !clock.sure);
  if (part.name === 'night' && clock.meridian !== 'pm' && small) {
    const { meridian: _, ...rest } = clock;
    return { ...rest, hour: 24 + (clock.hour % 12), sure: true, settled: true };
  }
  if (clock.meridian || clock.sure) return settle(clock);
  return withMeridian(clock, part.name === 'morning' ? 'am' : 'pm');
}

const other = (meridian: 'am' | 'pm'): 'am' | 'pm' => (meridian === 'am' ? 'pm' : 'am');

/**
 * One meridian serves both where that leaves them in order (`3:30 to 6 PM`), else the opposite one (`9.30-4.30pm`,
 * `11 am to 3`). Without any, the 24-hour reading holds unless it runs backwards before noon (`10-4`).
 */
export function settlePair(from: ClockTime, to: ClockTime): readonly [from: ClockTime, to: ClockTime] {
  if (from.meridian && to.meridian) return [settle(from), settle(to)];
  if (to.meridian && !from.sure) {
    const end = settle(to);
    const same = withMeridian(from, to.meridian);
    return [isEarlier(same, end) ? same : withMeridian(from, other(to.meridian)), end];
  }
  if (from.meridian && !to.sure) {
    const start = settle(from);
    const same = withMeridian(to, from.meridian);
    return [start, isEarlier(start, same) ? same : withMeridian(to, other(from.meridian))];
  }
  const [start, end] = [settle(from), settle(to)];
  const backwards = isEarlier(end, start) && !end.sure && !start.sure && end.hour > 0;
  const later = { ...end, hour: end.hour + 12 };
  return [start, backwards && end.hour < 12 && isEarlier(start, later) ? later : end];
}

/** Order of instants. Milliseconds decide nearly always and are an order of magnitude cheaper than a full comparison. */
export function compareInstants(a: Temporal.Instant, b: Temporal.Instant): number {
  return a.epochMilliseconds - b.epochMilliseconds || Temporal.Instant.compare(a, b);
}

export const isSameInstant = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  a === b || compareInstants(a, b) === 0;
