/** Ranges relative to another window: the one compared with, or the last one in a conversation. */
import { plusDays, rangeOf, spanOfDays, unitSpan, weekdayBy, weekdayFrom } from '../calendar.ts';
import { refuse, type TokenReader } from '../lexer/lexer.ts';
import { LAST_WORDS, SINGULAR_UNITS, UNITS, WEEKDAYS } from '../lexer/words.ts';
import type { CalendarUnit, Env, ParsedDuration, Range, Unit } from '../model.ts';
import { isMidnight } from '../zones/zones.ts';
import { addDuration, durationOf, type EndParts, isCalendar, readDuration } from './duration.ts';

export const readBeforeThat = (r: TokenReader): EndParts | null => r.first(readBesides, readWholeUnit, readSameTime);

/** Which way from the other window. */
type Direction = 1 | -1;

/** `the week before`, `the 2h before`, `the hour after`, `the monday before`. Only at the end: `the week before last`, `2 hours before 14:30` say what they are before. */
function readBesides(r: TokenReader): EndParts | null {
  const first = r.at;
  const isThe = r.take('the');
  if (!isThe && /^(?:before|after|later)$/.test(r.textAt(2))) r.take('a');
  const isNext = r.take('next|following');
  const isNight = r.take('night');
  const weekday = isNight ? undefined : r.takeFrom(WEEKDAYS);
  const unit = isNight || weekday ? undefined : r.takeFrom(SINGULAR_UNITS);
  const one = unit && durationOf(1, unit === 'weekend' ? 'week' : unit);
  const duration = isNight || weekday ? null : (one ?? readDuration(r));
  const direction = isNext || r.take('after|later') ? 1 : r.take('before') ? -1 : null;
  r.take('that|it');
  if ((!isNight && !weekday && !duration) || !direction || r.at < r.tokens.length) return null;
  const span = r.spanSince(first);
  const at = (env: Env): Range => {
    const { previous, zone } = env;
    if (!previous || duration?.fault) return refuse(span, isNext ? FUTURE : NO_WINDOW[direction]);
    if (weekday) return weekdayBesides(weekday, direction, previous, zone);
    if (!duration) return nightBesides(previous, direction, zone) ?? refuse(span, "I can't tell which night you mean.");
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

/** For a whole week, the adjacent one; for anything shorter, the same hours a week away. */
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

const dayOf = ({ from }: Range, zone: string): Temporal.PlainDate => from.toZonedDateTimeISO(zone).toPlainDate();

/** The unit that a window starts in, or the next one. */
const unitAround = (unit: CalendarUnit, previous: Range, zone: string, offset = 0): Range =>
  rangeOf(unitSpan(unit, dayOf(previous, zone), offset), zone);

const shifted = ({ from, to }: Range, duration: ParsedDuration, zone: string, direction: Direction = -1): Range => ({
  from: addDuration(from, duration, zone, direction),
  to: addDuration(to, duration, zone, direction),
});

/** For a window on that weekday, the same hours a week away; otherwise that whole day. */
function weekdayBesides(weekday: number, direction: Direction, previous: Range, zone: string): Range {
  const day = dayOf(previous, zone);
  const date = direction < 0 ? weekdayBy(day, weekday) : weekdayFrom(day, weekday);
  return date.equals(day) ? shifted(previous, durationOf(1, 'week'), zone, direction) : rangeOf(spanOfDays(date), zone);
}

/** The night that ended or began on the day of the window; ambiguous for a window at night. */
function nightBesides(previous: Range, direction: Direction, zone: string): Range | null {
  const start = previous.from.toZonedDateTimeISO(zone);
  if (start.hour < 8 && !isMidnight(start)) return null;
  const isNight = start.hour >= 18;
  const day = plusDays(start.toPlainDate(), direction < 0 ? -1 : isNight ? 1 : 0);
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone: zone, plainTime: time }).toInstant();
  return { from: at(day, '18:00'), to: at(plusDays(day, 1), '08:00') };
}

/** `the whole day`: that the other window is in. */
function readWholeUnit(r: TokenReader): EndParts | null {
  if (r.at > 0) return null;
  r.take('the');
  const unit = r.take('whole|full|entire|all') ? UNITS.get(r.textAt()) : undefined;
  if (!unit || !isCalendar(unit) || r.at + 1 < r.tokens.length) return null;
  r.at += 1;
  const span = r.spanSince(0);
  const at = ({ previous, zone }: Env): Range =>
    previous ? unitAround(unit, previous, zone) : refuse(span, `Which ${unit}? Name it, such as this ${unit}.`);
  return { instants: { kind: 'between', at } };
}

/** `same time last week`, `this time yesterday`: that window; without one, or next to `since`, that moment. */
function readSameTime(r: TokenReader): EndParts | null {
  const first = r.at;
  r.take('the');
  const isSame = r.take('same');
  if (!(isSame ? r.take('time|times|hour|hours|period|window') : r.take('this time'))) return null;
  const duration = r.attempt(readDistance);
  const weekday = duration ? undefined : readWeekday(r);
  if (!duration && weekday === undefined) return null;
  const isAlone = first === 0 && r.at === r.tokens.length;
  const at = ({ now, today, zone, previous }: Env): Range => {
    const window = isAlone && previous ? previous : { from: now, to: now };
    if (duration) return shifted(window, duration, zone);
    const date = weekday ? weekdayBy(today, weekday) : today;
    return shifted(window, { amount: { days: date.until(dayOf(window, zone)).days }, calendar: true }, zone);
  };
  return { instants: { kind: 'between', at } };
}

/** `today`, `on monday`; 0 for today. */
function readWeekday(r: TokenReader): number | undefined {
  if (r.take('today')) return 0;
  r.take('on');
  r.takeOne(LAST_WORDS);
  return r.takeFrom(WEEKDAYS);
}

/** `yesterday`, `last week`, `the day before`, `2 days ago`. */
function readDistance(r: TokenReader): ParsedDuration | null {
  if (r.take('yesterday')) return durationOf(1, 'day');
  r.take('the');
  const isLastUnit = r.takeOne(LAST_WORDS) !== null;
  const unit = r.takeFrom(SINGULAR_UNITS);
  if (unit)
    return isCalendar(unit) && unit !== 'weekend' && (isLastUnit || r.take('before')) ? durationOf(1, unit) : null;
  const duration = isLastUnit ? null : readDuration(r);
  return duration && !duration.fault && r.take('ago|before|earlier') ? duration : null;
}
