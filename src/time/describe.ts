/**
 * Says a range back: `last 24 hours`, `last month`, `yesterday, 14:00–16:00 CET`. Each wording is read again before it
 * is used, so a description means exactly the range it describes; where no short one does, an exact one is given.
 */
import { plusDays, unitSpan } from './calendar.ts';
import { isSameInstant } from './instants.ts';
import type { TimeContext } from './parsed-range.ts';
import type { Range } from './range.ts';
import { parseRange } from './read.ts';
import type { CalendarUnit } from './vocabulary.ts';
import { clockWords, counted, dayWords, monthName, zoneWords } from './wording.ts';

type Zoned = Temporal.ZonedDateTime;

interface Ends {
  readonly from: Zoned;
  readonly to: Zoned;
  readonly now: Zoned;
}

const UNITS: readonly CalendarUnit[] = ['day', 'week', 'month', 'quarter', 'year'];

export function describeRange(range: Range, context: TimeContext): string {
  const { now, zone } = context;
  const [from, to] = [range.from.toZonedDateTimeISO(zone), range.to.toZonedDateTimeISO(zone)];
  const ends: Ends = { from, to, now: now.toZonedDateTimeISO(zone) };
  for (const words of wordings(ends)) if (means(words, range, context)) return words;
  return `${range.from} to ${range.to}`;
}

function means(words: string, range: Range, context: TimeContext): boolean {
  try {
    const read = parseRange(words, context);
    return isSameInstant(read.from, range.from) && isSameInstant(read.to, range.to);
  } catch {
    return false;
  }
}

function* wordings(ends: Ends): Generator<string> {
  const endsNow = ends.to.epochMilliseconds === ends.now.epochMilliseconds;
  if (endsNow) yield* untilNow(ends);
  if (isMidnight(ends.from) && isMidnight(ends.to)) yield* wholeDays(ends);
  const zone = sharedZone(ends);
  if (endsNow) yield* sinceWords(ends, zone);
  yield* betweenWords(ends, zone);
}

const isMidnight = (time: Zoned): boolean => time.equals(time.startOfDay());

/** Round lengths first, then units that have begun. */
function* untilNow({ from, to, now }: Ends): Generator<string> {
  const today = now.toPlainDate();
  for (const unit of isMidnight(from) ? UNITS : []) {
    if (from.toPlainDate().equals(unitSpan(unit, today, 0).start)) yield unit === 'day' ? 'today' : `this ${unit}`;
  }
  const seconds = (to.epochMilliseconds - from.epochMilliseconds) / 1000;
  const days = Math.round(seconds / 86_400);
  if (days > 2) yield `last ${counted(days, 'day')}`;
  if (seconds % 3600 === 0) yield `last ${counted(seconds / 3600, 'hour')}`;
  if (seconds % 60 === 0 && seconds < 86_400) yield `last ${counted(seconds / 60, 'minute')}`;
  if (Number.isInteger(seconds) && seconds < 3600) yield `last ${counted(seconds, 'second')}`;
}

/** Named units, then dates. The last day named is part of it. */
function* wholeDays({ from, to, now }: Ends): Generator<string> {
  const [today, start, end] = [now.toPlainDate(), from.toPlainDate(), to.toPlainDate()];
  const last = plusDays(end, -1);
  for (const unit of UNITS) {
    const previous = unitSpan(unit, today, -1);
    if (start.equals(previous.start) && end.equals(previous.end)) yield unit === 'day' ? 'yesterday' : `last ${unit}`;
  }
  if (start.equals(last)) yield dayWords(start, today);
  if (isUnit('year', start, end)) yield `${start.year}`;
  if (isUnit('quarter', start, end)) yield `Q${(start.month + 2) / 3} ${start.year}`;
  if (isUnit('month', start, end)) yield `${monthName(start.month)} ${start.year}`;
  yield `${dayWords(start, today)} – ${dayWords(last, today)}`;
}

function isUnit(unit: CalendarUnit, start: Temporal.PlainDate, end: Temporal.PlainDate): boolean {
  const span = unitSpan(unit, start, 0);
  return start.equals(span.start) && end.equals(span.end);
}

/** One abbreviation can only serve both ends where no clock change lies between. */
function sharedZone({ from, to }: Ends): string | null {
  return from.offset === to.offset ? zoneWords(from.timeZoneId, from.toInstant()) : null;
}

const withZone = (words: string, zone: string | null): string => (zone === null ? words : `${words} ${zone}`);

function* sinceWords({ from, now }: Ends, zone: string | null): Generator<string> {
  const [day, today] = [from.toPlainDate(), now.toPlainDate()];
  const clock = clockWords(from.toPlainTime());
  if (isMidnight(from)) yield `since ${dayWords(day, today)}`;
  const words = day.equals(today) ? `since ${clock}` : `since ${dayWords(day, today)}, ${clock}`;
  yield withZone(words, zone);
  yield words;
}

function* betweenWords({ from, to, now }: Ends, zone: string | null): Generator<string> {
  const today = now.toPlainDate();
  const start = `${dayWords(from.toPlainDate(), today)}, ${clockWords(from.toPlainTime())}`;
  const nextMidnight = isMidnight(to) && plusDays(from.toPlainDate(), 1).equals(to.toPlainDate());
  const sameDay = from.toPlainDate().equals(to.toPlainDate());
  const short = `${start}–${nextMidnight ? '24:00' : clockWords(to.toPlainTime())}`;
  const long = `${start} – ${dayWords(to.toPlainDate(), today)}, ${clockWords(to.toPlainTime())}`;
  const words = sameDay || nextMidnight ? short : long;
  yield withZone(words, zone);
  yield words;
  // Across a clock change, or at an hour that happens twice, each end says its own offset.
  yield `${exact(from)} to ${exact(to)}`;
}

const exact = (time: Zoned): string =>
  `${time.toPlainDate()} ${clockWords(time.toPlainTime())} ${zoneWords(time.timeZoneId, time.toInstant())}`;
