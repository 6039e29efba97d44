/** One end on the time line, in its zone: a stretch of instants, or a point where both are the same. */
import { isBefore, plusDays } from './calendar.ts';
import { isEarlier, isPossible, settleInPart } from './clock-time.ts';
import { addLength } from './length.ts';
import type { CivilSpan, Clock, DateFields, End, Env, Stretch } from './model.ts';
import { partOf } from './partial.ts';
import { type Bound, placeDate } from './place-date.ts';
import { refuse } from './reader.ts';

type PlainDate = Temporal.PlainDate;

export interface Placed extends Stretch {
  /** The first day, where it was needed on the way. */
  readonly day?: PlainDate;
  readonly clock?: Clock;
}

/** The first day, for what follows from it. */
export const dayOf = ({ day, from }: Placed, { zone }: Env): PlainDate =>
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
  };
}

/** What is not said about the day: nothing, or that it comes after another end. */
export interface Place {
  readonly text: string;
  readonly env: Env;
  readonly bound?: Bound;
  /** Which edge of a partial period counts, if the end is one of two. */
  readonly edge?: 'from' | 'to';
  /** `N ago` is a moment here. */
  readonly moment?: boolean;
}

const startOfDay = (date: PlainDate, zone: string): Temporal.Instant => date.toZonedDateTime(zone).toInstant();

/** Wall-clock time on a day; one that a clock change skipped is as much later as the change. */
export function instantOf(date: PlainDate, { hour, minute, second, ns }: Clock, zone: string): Temporal.Instant {
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

const atHour = (hour: number, end: End): Clock => ({ hour, minute: 0, second: 0, ns: 0, sure: true, span: end.span });

export function placeEnd(end: End, place: Place): Placed {
  const { text, env } = place;
  if (end.ahead) refuse(text, end.span, 'That lies in the future.');
  if (end.number) refuse(text, end.span, 'I cannot tell whether that is an hour, a day or something else.');
  if (end.clock && !isPossible(end.clock)) refuse(text, end.clock.span, 'There is no such time of day.');
  if (end.ago && (place.moment || !end.date) && !end.clock) return placeAgo(end, place);
  if (end.stretch) return end.stretch.at(env);
  const clock = end.clock ? settleInPart(end.clock, end.part) : undefined;
  const start = clock ?? (end.part ? atHour(end.part.from, end) : undefined);
  const bound = place.bound ?? { by: end.date?.fixed ? env.today : latestDay(env, start) };
  const span = end.date ? daysOf(end, place, bound) : dayFor(bound);
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

const dayFor = (bound: Bound): CivilSpan => {
  const start = 'by' in bound ? bound.by : bound.from;
  return { start, end: plusDays(start, 1) };
};

/** The latest day on which something that begins at that time has begun. */
export function latestDay({ local, today }: Env, clock: Clock | undefined): PlainDate {
  const { hour, minute, second, millisecond } = local;
  const now = { hour, minute, second, ns: millisecond * 1e6, sure: true, span: { start: 0, end: 0 } };
  const begun = clock ? isEarlier(clock, now) : hour + minute + second + millisecond > 0;
  return begun ? today : plusDays(today, -1);
}

function placeAgo({ ago, span }: End, { text, env }: Place): Placed {
  if (!ago || ago.fault) refuse(text, span, ago?.fault?.message ?? 'That is not a time.');
  const at = addLength(env.now, ago, env.zone, -1);
  return { from: at, to: at };
}

/** `25/12/2024` was meant the other way round. */
function swapped(fields: DateFields | undefined): { suggestion?: string } {
  const { day = 0, month = 0, year } = fields ?? {};
  const isSwapped = month > 12 && day >= 1 && day <= 12;
  return isSwapped ? { suggestion: [day, month, ...(year === undefined ? [] : [year])].join('/') } : {};
}

function daysOf(end: End, { text, env, edge }: Place, bound: Bound): CivilSpan {
  const { date } = end;
  const span = date && placeDate(date, env, bound);
  if (!date || !span) refuse(text, end.span, 'There is no such date.', swapped(date?.fields));
  if (span.start.year < 1900) refuse(text, end.span, 'That is too long ago.');
  if (!date.part) return span;
  if (edge !== undefined && date.part !== 'middle') {
    const day = date.part === 'start' ? span.start : span.end;
    return { start: day, end: day };
  }
  return partOf(span, date.part) ?? refuse(text, end.span, 'I cannot tell which part of it that is.');
}
