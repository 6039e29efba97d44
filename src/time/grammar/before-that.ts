/**
 * What is relative to another window, the one compared with or the last one in a conversation: `the week before`, `the 2h before`,
 * `the night before`, `the hour after`, `the monday before`; `the whole day`; `same time last week`.
 */
import { plusDays, unitSpan } from '../calendar.ts';
import { attempt, refuse, spanSince, type TokenReader, take, takeOne, textAt } from '../lexer/lexer.ts';
import { LAST_WORDS, SINGULAR_UNITS, TODAY_WORDS, UNITS, WEEKDAYS, YESTERDAY_WORDS } from '../lexer/words.ts';
import type { CalendarUnit, Env, ParsedDuration, Range, Unit } from '../model.ts';
import { isMidnight } from '../zones/zones.ts';
import { addDuration, durationOf, type EndParts, isCalendar, readDuration } from './duration.ts';

export const readBeforeThat = (r: TokenReader): EndParts | null =>
  attempt(r, readBesides) ?? attempt(r, readWholeUnit) ?? attempt(r, readSameTime);

/** Which way from the other window. */
type Direction = 1 | -1;
const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ['before', -1],
  ['after', 1],
  ['later', 1],
]);

/** Only at the end: `the week before last`, `2 hours before 14:30` say what they are before. */
function readBesides(r: TokenReader): EndParts | null {
  const first = r.at;
  const isThe = take(r, 'the');
  if (!isThe && DIRECTIONS.has(textAt(r, 2))) take(r, 'a');
  const isNext = take(r, 'next') || take(r, 'following');
  const isNight = take(r, 'night');
  const weekday = isNight ? undefined : WEEKDAYS.get(textAt(r));
  const unit = isNight ? undefined : SINGULAR_UNITS.has(textAt(r)) ? UNITS.get(textAt(r)) : undefined;
  if (unit || weekday) r.at += 1;
  const duration =
    isNight || weekday ? null : unit ? durationOf(1, unit === 'weekend' ? 'week' : unit) : readDuration(r);
  if (!isNight && !weekday && !duration) return null;
  const direction = isNext ? 1 : DIRECTIONS.get(textAt(r));
  if (!direction) return null;
  if (!isNext) r.at += 1;
  if (!take(r, 'that')) take(r, 'it');
  if (r.at < r.tokens.length) return null;
  const span = spanSince(r, first);
  const at = (env: Env): Range => {
    const { previous, zone } = env;
    if (!previous || duration?.fault) return refuse(r.text, span, isNext ? FUTURE : NO_WINDOW[direction]);
    if (weekday) return weekdayBesides(weekday, direction, previous, zone);
    if (!duration)
      return nightBesides(previous, direction, zone) ?? refuse(r.text, span, "I can't tell which night you mean.");
    if (!unit && !isThe && duration.calendar) return shifted(previous, duration, zone, direction);
    return besides(duration, unit, direction, previous, env);
  };
  return { instants: { kind: 'between', at } };
}

const FUTURE = "That's in the future.";
const NO_WINDOW = {
  [-1]: 'Before what? Name that window first, such as last week.',
  1: 'After what? Name that window first, such as last week.',
} as const;

/** Of a whole week the one beside it, of anything shorter the same hours a week from it. */
function besides(
  duration: ParsedDuration,
  unit: Unit | undefined,
  direction: Direction,
  previous: Range,
  { now, zone }: Env,
): Range {
  const beside: Range =
    direction < 0
      ? { from: addDuration(previous.from, duration, zone, -1), to: previous.from }
      : { from: previous.to, to: addDuration(previous.to, duration, zone, 1) };
  if (!unit || !isCalendar(unit)) return beside;
  const own = unitAround(unit, previous, zone);
  const isCut = previous.to.equals(now) && Temporal.Instant.compare(now, own.to) < 0;
  const isWhole = own.from.equals(previous.from) && (previous.to.equals(own.to) || isCut);
  if (isWhole) return unitAround(unit, previous, zone, direction);
  const isLonger = Temporal.Instant.compare(addDuration(previous.from, duration, zone, 1), previous.to) < 0;
  return isLonger ? beside : shifted(previous, duration, zone, direction);
}

const startOf = (date: Temporal.PlainDate, zone: string): Temporal.Instant => date.toZonedDateTime(zone).toInstant();
const dayOf = ({ from }: Range, zone: string): Temporal.PlainDate => from.toZonedDateTimeISO(zone).toPlainDate();

/** The unit that a window starts in, or one further. */
function unitAround(unit: CalendarUnit, previous: Range, zone: string, offset = 0): Range {
  const { start, end } = unitSpan(unit, dayOf(previous, zone), offset);
  return { from: startOf(start, zone), to: startOf(end, zone) };
}

const shifted = ({ from, to }: Range, duration: ParsedDuration, zone: string, direction: Direction = -1): Range => ({
  from: addDuration(from, duration, zone, direction),
  to: addDuration(to, duration, zone, direction),
});

/** Of a window on that weekday the same hours a week from it, otherwise that whole day. */
function weekdayBesides(weekday: number, direction: Direction, previous: Range, zone: string): Range {
  const day = dayOf(previous, zone);
  const days = (direction * (weekday - day.dayOfWeek) + DAYS_PER_WEEK) % DAYS_PER_WEEK;
  if (days === 0) return shifted(previous, durationOf(1, 'week'), zone, direction);
  const date = plusDays(day, direction * days);
  return { from: startOf(date, zone), to: startOf(plusDays(date, 1), zone) };
}
const DAYS_PER_WEEK = 7;

/** The night that ended or began on the day of the window; of something at night nobody can tell. */
function nightBesides(previous: Range, direction: Direction, zone: string): Range | null {
  const start = previous.from.toZonedDateTimeISO(zone);
  if (start.hour < 8 && !isMidnight(start)) return null;
  const isNight = start.hour >= 18;
  const day = plusDays(start.toPlainDate(), direction < 0 ? -1 : isNight ? 1 : 0);
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone: zone, plainTime: time }).toInstant();
  return { from: at(day, '18:00'), to: at(plusDays(day, 1), '08:00') };
}

const WHOLE_WORDS: ReadonlySet<string> = new Set('whole full entire all'.split(' '));

/** `the whole day`: that the other window is in. */
function readWholeUnit(r: TokenReader): EndParts | null {
  if (r.at > 0) return null;
  take(r, 'the');
  const unit = takeOne(r, WHOLE_WORDS) === null ? undefined : UNITS.get(textAt(r));
  if (!unit || !isCalendar(unit) || r.at + 1 < r.tokens.length) return null;
  r.at += 1;
  const span = spanSince(r, 0);
  const at = ({ previous, zone }: Env): Range =>
    previous ? unitAround(unit, previous, zone) : refuse(r.text, span, `Which ${unit}? Name it, such as this ${unit}.`);
  return { instants: { kind: 'between', at } };
}

const SAME_WORDS: ReadonlySet<string> = new Set('time times hour hours period window'.split(' '));

/** `same time last week`, `this time yesterday`: that window; without one, or next to `since`, that moment. */
function readSameTime(r: TokenReader): EndParts | null {
  const first = r.at;
  take(r, 'the');
  const isSame = take(r, 'same');
  if (!(isSame ? takeOne(r, SAME_WORDS) : take(r, 'this', 'time'))) return null;
  const duration = attempt(r, readDistance);
  const weekday = duration ? undefined : readWeekday(r);
  if (!duration && weekday === undefined) return null;
  const isAlone = first === 0 && r.at === r.tokens.length;
  const at = ({ now, today, zone, previous }: Env): Range => {
    const window = isAlone && previous ? previous : { from: now, to: now };
    if (duration) return shifted(window, duration, zone);
    const date = weekday
      ? plusDays(today, -((today.dayOfWeek - (weekday ?? 0) + DAYS_PER_WEEK) % DAYS_PER_WEEK))
      : today;
    return shifted(window, { amount: { days: date.until(dayOf(window, zone)).days }, calendar: true }, zone);
  };
  return { instants: { kind: 'between', at } };
}

/** `today`, `on monday`; 0 for today. */
function readWeekday(r: TokenReader): number | undefined {
  if (takeOne(r, TODAY_WORDS)) return 0;
  take(r, 'on');
  takeOne(r, LAST_WORDS);
  const weekday = WEEKDAYS.get(textAt(r));
  if (weekday) r.at += 1;
  return weekday;
}

/** `yesterday`, `last week`, `the day before`, `2 days ago`. */
function readDistance(r: TokenReader): ParsedDuration | null {
  if (takeOne(r, YESTERDAY_WORDS)) return durationOf(1, 'day');
  take(r, 'the');
  const isLastUnit = takeOne(r, LAST_WORDS) !== null;
  const unit = SINGULAR_UNITS.has(textAt(r)) ? UNITS.get(textAt(r)) : undefined;
  if (unit && isCalendar(unit) && unit !== 'weekend') {
    r.at += 1;
    return isLastUnit || take(r, 'before') ? durationOf(1, unit) : null;
  }
  const duration = isLastUnit ? null : readDuration(r);
  return duration && !duration.fault && (take(r, 'ago') || take(r, 'before') || take(r, 'earlier')) ? duration : null;
}
