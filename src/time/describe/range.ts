/** Describes a range by the first wording that is parsed to exactly the same one; the last resort is two ISO instants. */
import { plusDays, unitSpan } from '../calendar.ts';
import type { CalendarUnit, Range, TimeContext } from '../model.ts';
import { isSameRange, parseRange, unlessRefused } from '../parse.ts';
import { abbreviationAt, isMidnight, type Zoned } from '../zones/zones.ts';
import { monthName } from './dates.ts';

/** `yesterday`, `Jun 5`, `Jun 5, 2024`. */
function dayWords(date: Temporal.PlainDate, today: Temporal.PlainDate): string {
  if (date.equals(today)) return 'today';
  if (date.equals(plusDays(today, -1))) return 'yesterday';
  const day = `${monthName(date)} ${date.day}`;
  return date.year === today.year ? day : `${day}, ${date.year}`;
}

/** `14:00`, `14:00:05`, `14:00:05.250`: as many digits as needed to be exact. */
function clockWords(time: Temporal.PlainTime): string {
  const isWhole = time.second === 0 && time.millisecond === 0 && time.microsecond === 0 && time.nanosecond === 0;
  return time.toString(isWhole ? { smallestUnit: 'minute' } : {});
}

/** `CET` if the zone has a common abbreviation, else `UTC+05:45`. */
const zoneWords = (at: Zoned): string => (at.offset === '+00:00' ? 'UTC' : (abbreviationAt(at) ?? `UTC${at.offset}`));

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
  return candidates(ends).find((words) => means(words, range, context)) ?? `${range.from} to ${range.to}`;
}

function means(words: string, range: Range, context: TimeContext): boolean {
  const read = unlessRefused(() => parseRange(words, context));
  return read !== null && isSameRange(read, range);
}

function* candidates(ends: LocalEnds): Generator<string> {
  const endsNow = ends.to.epochMilliseconds === ends.now.epochMilliseconds;
  if (endsNow) yield* untilNow(ends);
  if (isMidnight(ends.from) && isMidnight(ends.to)) yield* wholeDays(ends);
  // One abbreviation covers both ends only if the clocks do not change in between.
  const zone = ends.from.offset === ends.to.offset ? zoneWords(ends.from) : null;
  if (endsNow) yield* sinceWords(ends, zone);
  yield* betweenWords(ends, zone);
}

/** Current units first, then round lengths. */
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

/** Named units, then dates. The last day named is included. */
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
  if (isUnit('month', start, end)) yield `${monthName(start)} ${start.year}`;
  yield `${dayWords(start, today)} – ${dayWords(last, today)}`;
}

function isUnit(unit: CalendarUnit, start: Temporal.PlainDate, end: Temporal.PlainDate): boolean {
  const span = unitSpan(unit, start, 0);
  return start.equals(span.start) && end.equals(span.end);
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
  // Across a clock change, or in an hour that occurs twice, each end needs its own offset.
  yield `${exact(from)} to ${exact(to)}`;
}

const exact = (time: Zoned): string => `${time.toPlainDate()} ${clockWords(time.toPlainTime())} ${zoneWords(time)}`;
