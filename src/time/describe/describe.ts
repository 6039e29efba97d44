/**
 * Says a range back: `last 24 hours`, `last month`, `yesterday, 14:00–16:00 CET`. A description means exactly the range it
 * describes: words that depend on how they are read are read again before they are used, and where no short ones do, exact
 * ones are given.
 */
import { plusDays, unitSpan } from '../calendar.ts';
import type { CalendarUnit } from '../lexer/words.ts';
import type { Range, TimeContext } from '../model.ts';
import { parseRange } from '../parse.ts';
import { isSameInstant } from '../resolve/end.ts';
import { abbreviationFor, isMidnight, type Zoned } from '../zones/zones.ts';

const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const monthName = (month: number): string => MONTH_NAMES[month - 1] ?? '';

/** `yesterday`, `Jun 5`, `Jun 5, 2024`. */
function dayWords(date: Temporal.PlainDate, today: Temporal.PlainDate): string {
  if (date.equals(today)) return 'today';
  if (date.equals(plusDays(today, -1))) return 'yesterday';
  const day = `${monthName(date.month)} ${date.day}`;
  return date.year === today.year ? day : `${day}, ${date.year}`;
}

/** `14:00`, `14:00:05`, `14:00:05.250`: no more than is needed to be exact. */
function clockWords(time: Temporal.PlainTime): string {
  const isWhole = time.second === 0 && time.millisecond === 0 && time.microsecond === 0 && time.nanosecond === 0;
  return time.toString(isWhole ? { smallestUnit: 'minute' } : {});
}

/** `CET` where everybody says so, else `UTC+05:45`. */
function zoneWords(zone: string, instant: Temporal.Instant): string {
  const offset = instant.toZonedDateTimeISO(zone).offset.slice(0, 6);
  if (offset === '+00:00') return 'UTC';
  return abbreviationFor(zone, offset) ?? `UTC${offset}`;
}

/** `hour`, `2 hours`. */
const counted = (count: number, unit: string): string => (count === 1 ? unit : `${count} ${unit}s`);

interface LocalEnds {
  readonly from: Zoned;
  readonly to: Zoned;
  readonly now: Zoned;
}

const UNITS: readonly CalendarUnit[] = ['day', 'week', 'month', 'quarter', 'year'];

export function describeRange(range: Range, context: TimeContext): string {
  const { now, zone } = context;
  const [from, to] = [range.from.toZonedDateTimeISO(zone), range.to.toZonedDateTimeISO(zone)];
  const ends: LocalEnds = { from, to, now: now.toZonedDateTimeISO(zone) };
  const [first] = isSettledPast(ends) ? candidates(ends) : [];
  if (first !== undefined) return first;
  for (const words of candidates(ends)) if (means(words, range, context)) return words;
  return `${range.from} to ${range.to}`;
}

/**
 * A window of this year that ended before now, with one offset at both ends and at now: dates, clock times and named units
 * say it without a doubt, so there is no need to read them again.
 */
function isSettledPast({ from, to, now }: LocalEnds): boolean {
  if (from.year !== now.year || to.epochMilliseconds >= now.epochMilliseconds) return false;
  return from.offset === to.offset && to.offset === now.offset;
}

function means(words: string, range: Range, context: TimeContext): boolean {
  try {
    const read = parseRange(words, context);
    return isSameInstant(read.from, range.from) && isSameInstant(read.to, range.to);
  } catch {
    return false;
  }
}

function* candidates(ends: LocalEnds): Generator<string> {
  const endsNow = ends.to.epochMilliseconds === ends.now.epochMilliseconds;
  if (endsNow) yield* untilNow(ends);
  if (isMidnight(ends.from) && isMidnight(ends.to)) yield* wholeDays(ends);
  const zone = sharedZone(ends);
  if (endsNow) yield* sinceWords(ends, zone);
  yield* betweenWords(ends, zone);
}

/** Round lengths first, then units that have begun. */
function* untilNow({ from, to, now }: LocalEnds): Generator<string> {
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
function* wholeDays({ from, to, now }: LocalEnds): Generator<string> {
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
function sharedZone({ from, to }: LocalEnds): string | null {
  return from.offset === to.offset ? zoneWords(from.timeZoneId, from.toInstant()) : null;
}

const withZone = (words: string, zone: string | null): string => (zone === null ? words : `${words} ${zone}`);

function* sinceWords({ from, now }: LocalEnds, zone: string | null): Generator<string> {
  const [day, today] = [from.toPlainDate(), now.toPlainDate()];
  const clock = clockWords(from.toPlainTime());
  if (isMidnight(from)) yield `since ${dayWords(day, today)}`;
  const words = day.equals(today) ? `since ${clock}` : `since ${dayWords(day, today)}, ${clock}`;
  yield withZone(words, zone);
  yield words;
}

function* betweenWords({ from, to, now }: LocalEnds, zone: string | null): Generator<string> {
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
