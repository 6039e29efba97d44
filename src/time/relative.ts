/** Days and units named from now: `today`, `this week so far`, `last month`, `month to date`, `3 days ago`, `next week`. */
import { businessDaysBefore, plusDays, spanOfDays, unitSpan } from './calendar.ts';
import { readNamedDate } from './date.ts';
import { readHoliday } from './holidays.ts';
import { addLength, type Length, lengthOf, readLength, readMore } from './length.ts';
import type { DateExpr, End, Env, FixedUnit } from './model.ts';
import { readNumber } from './number.ts';
import { readPartName } from './part-of-day.ts';
import { attempt, isTight, type Reader, refuse, spanSince, take, takeOne, textAt } from './reader.ts';
import {
  type CalendarUnit,
  isSpelledUnit,
  LAST_WORDS,
  NEXT_WORDS,
  ROLLING_WORDS,
  THIS_WORDS,
  UNITS,
  type Unit,
} from './vocabulary.ts';

/** What an end can get from here; the reader of ends adds the span. */
export type Bit = Pick<End, 'date' | 'part' | 'stretch' | 'ago' | 'ahead' | 'math'>;

const ELAPSED: ReadonlySet<Unit> = new Set(['millisecond', 'second', 'minute', 'hour']);
const isCalendar = (unit: Unit): unit is CalendarUnit => !ELAPSED.has(unit);
const WHOLE_WORDS: ReadonlySet<string> = new Set('full complete completed whole calendar entire'.split(' '));
const WORKING_WORDS: ReadonlySet<string> = new Set('business working work week'.split(' '));

const fixed = (unit: CalendarUnit, at: FixedUnit['at']): Bit => ({ date: { fixed: { unit, at } } });
const day = (offset: number): Bit => fixed('day', ({ today }) => spanOfDays(plusDays(today, offset)));
export const thisUnit = (unit: CalendarUnit): Bit => fixed(unit, ({ today }) => unitSpan(unit, today, 0));

/** The last weekend that has begun. */
const latestWeekend = fixed('weekend', ({ today }) => unitSpan('weekend', today, today.dayOfWeek >= 6 ? 0 : -1));

const TO_DATE: ReadonlyMap<string, CalendarUnit> = new Map([
  ['wtd', 'week'],
  ['mtd', 'month'],
  ['qtd', 'quarter'],
  ['ytd', 'year'],
]);

/** Every word that can begin one of these. */
export const RELATIVE_STARTS: ReadonlySet<string> = new Set([
  ...'same day yesterday yday today current so earlier weekend week tomorrow later most rest remainder'.split(' '),
  ...LAST_WORDS,
  ...THIS_WORDS,
  ...NEXT_WORDS,
  ...TO_DATE.keys(),
  ...[...UNITS.keys()].filter(isSpelledUnit),
]);

export function readRelative(r: Reader): Bit | null {
  if (!RELATIVE_STARTS.has(textAt(r))) return null;
  return (
    attempt(r, readBeforeLast) ??
    attempt(r, readDayWord) ??
    attempt(r, readToDate) ??
    attempt(r, readThis) ??
    attempt(r, readLast) ??
    attempt(r, readNext)
  );
}

function readDayWord(r: Reader): Bit | null {
  if (take(r, 'day', 'before', 'yesterday')) return day(-2);
  if (take(r, 'yesterday') || take(r, 'yday')) return day(-1);
  if (take(r, 'today') || take(r, 'current', 'date') || take(r, 'current', 'day')) return takeSoFar(r, day(0));
  if (take(r, 'so', 'far', 'today') || take(r, 'earlier', 'today')) return day(0);
  if (take(r, 'this', 'day', 'last') || take(r, 'same', 'day', 'last')) return readDayOfLast(r);
  if (take(r, 'weekend') || take(r, 'week', '-', 'end')) return latestWeekend;
  if (take(r, 'tomorrow') || take(r, 'day', 'after', 'tomorrow') || take(r, 'later', 'today')) return { ahead: true };
  return null;
}

/** `this day last week`, as dashboards offer it. */
function readDayOfLast(r: Reader): Bit | null {
  const unit = readSpelledUnit(r);
  if (unit === 'week') return day(-7);
  if (unit !== 'month' && unit !== 'year') return null;
  return fixed('day', ({ today }) => spanOfDays(today.subtract({ [`${unit}s`]: 1 })));
}

function takeSoFar(r: Reader, bit: Bit): Bit {
  take(r, 'so', 'far') || take(r, 'to', 'date') || take(r, 'until', 'now') || take(r, 'till', 'now');
  return bit;
}

/** `month to date`, `YTD`. */
function readToDate(r: Reader): Bit | null {
  const short = TO_DATE.get(textAt(r));
  if (short) {
    r.at += 1;
    return thisUnit(short);
  }
  const unit = readSpelledUnit(r);
  if (unit === null || !isCalendar(unit)) return null;
  return takeToDate(r) || take(r, 'so', 'far') ? thisUnit(unit) : null;
}

const takeToDate = (r: Reader): boolean =>
  take(r, 'to', 'date') || take(r, '-', 'to', '-', 'date') || take(r, 'till', 'date') || take(r, 'until', 'date');

/** `the week before last`; `the week before last monday` is something else. */
function readBeforeLast(r: Reader): Bit | null {
  if (textAt(r, 1) !== 'before') return null;
  const unit = readSpelledUnit(r);
  if (unit === null || !isCalendar(unit) || !take(r, 'before') || attempt(r, readLast) || !take(r, 'last')) return null;
  return fixed(unit, ({ today }) => unitSpan(unit, today, -2));
}

function readSpelledUnit(r: Reader): Unit | null {
  if (take(r, 'week', '-', 'end')) return 'weekend';
  const word = textAt(r);
  if (!isSpelledUnit(word)) return null;
  r.at += 1;
  return UNITS.get(word) ?? null;
}

function readThis(r: Reader): Bit | null {
  take(r, 'so', 'far') || take(r, 'earlier');
  const later = take(r, 'later');
  if (takeOne(r, THIS_WORDS) === null) return null;
  skipHyphen(r);
  if (later) return { ahead: true, ...readWhat(r) };
  takeOne(r, WHOLE_WORDS);
  const unit = readSpelledUnit(r);
  if (unit !== null) return takeSoFar(r, isCalendar(unit) ? thisUnit(unit) : thisClockUnit(unit));
  const part = readPartName(r);
  if (part) return { ...day(0), part };
  return chosen(readNamedDate(r) ?? readHoliday(r), 'this');
}

function chosen(date: DateExpr | null, which: 'last' | 'this'): Bit | null {
  const year = date?.fields?.year;
  return date && year === undefined ? { date: { ...date, which } } : null;
}

/** The running hour or minute. */
function thisClockUnit(unit: Unit): Bit {
  const smallest = unit === 'hour' || unit === 'minute' ? unit : 'second';
  const at = ({ now, zone }: Env) => {
    const from = now.toZonedDateTimeISO(zone).round({ smallestUnit: smallest, roundingMode: 'floor' });
    return { from: from.toInstant(), to: from.add({ [`${smallest}s`]: 1 }).toInstant() };
  };
  return { stretch: { kind: 'calendar', at } };
}

function readLast(r: Reader): Bit | null {
  const first = r.at;
  takeOne(r, THIS_WORDS);
  take(r, 'most');
  const word = takeOne(r, LAST_WORDS);
  if (word === null) return null;
  skipHyphen(r);
  return readWholeUnits(r) ?? readRolling(r, first) ?? readPrevious(r, ROLLING_WORDS.has(word));
}

/** `last-7-days`, as menus and addresses write it. */
function skipHyphen(r: Reader): void {
  if ((textAt(r) === '-' || textAt(r) === '.') && isTight(r) && isTight(r, 1)) r.at += 1;
}

/** `last 3 full days`, `previous 4 business days`, `last full hour`. */
function readWholeUnits(r: Reader): Bit | null {
  return attempt(r, () => {
    const count = readNumber(r)?.value ?? 1;
    if (!Number.isInteger(count) || count < 1 || count > 1000) return null;
    if (takeOne(r, WORKING_WORDS)) {
      const isDays = take(r, 'days') || take(r, 'day');
      return isDays ? fixed('day', ({ today }) => businessDaysBefore(today, count)) : null;
    }
    if (take(r, 'weekdays') || take(r, 'weekday')) return fixed('day', ({ today }) => businessDaysBefore(today, count));
    if (takeOne(r, WHOLE_WORDS) === null) return null;
    const unit = readSpelledUnit(r);
    if (unit === null) return null;
    if (isCalendar(unit)) return fixed(unit, ({ today }) => unitSpan(unit, today, -count, count));
    return wholeClockUnits(unit, count);
  });
}

function wholeClockUnits(unit: Unit, count: number): Bit {
  const running = thisClockUnit(unit).stretch;
  const at = (env: Env) => {
    const to = running?.at(env).from ?? env.now;
    return { from: to.subtract({ [`${unit}s`]: count }), to };
  };
  return { stretch: { kind: 'calendar', at } };
}

function readRolling(r: Reader, first: number): Bit | null {
  const length = readLength(r);
  if (length) take(r, 'period') || take(r, 'window');
  return length && rolling(r, first, length);
}

/** A length that ends now. */
export function rolling(r: Reader, first: number, length: Length): Bit {
  const span = spanSince(r, first);
  const at = ({ now, zone }: Env) => {
    if (length.fault) refuse(r.text, span, length.fault.message, suggest(length.fault.suggestion));
    return { from: addLength(now, length, zone, -1), to: now };
  };
  return { stretch: { kind: 'rolling', at } };
}

const suggest = (suggestion: string | undefined) => (suggestion === undefined ? {} : { suggestion });

/** Without a number: the unit before this one. Hours and shorter roll. */
function readPrevious(r: Reader, rolls: boolean): Bit | null {
  const first = r.at;
  const unit = readSpelledUnit(r);
  const more = unit === null || unit === 'weekend' ? null : readMore(r, unit);
  if (more) return rolling(r, first, more);
  if (rolls) return unit === null || unit === 'weekend' ? null : rolling(r, first, lengthOf(1, unit));
  if (unit === 'weekend') return fixed(unit, ({ today }) => unitSpan(unit, today, -1));
  if (unit === 'fortnight') return fixed(unit, ({ today }) => unitSpan('week', today, -2, 2));
  const half = unit !== null && take(r, 'and', 'a', 'half') ? 0.5 : 0;
  if (unit !== null && isCalendar(unit) && !half) return fixed(unit, ({ today }) => unitSpan(unit, today, -1));
  if (unit !== null) return rolling(r, r.at - 1, lengthOf(1 + half, unit));
  const part = readPartName(r);
  if (part) return { ...day(-1), part };
  return chosen(readNamedDate(r) ?? readHoliday(r), 'last');
}

/** Whatever is next lies ahead; what exactly does not matter, only where it ends in the text. */
function readNext(r: Reader): Bit | null {
  const rest = take(r, 'rest', 'of') || take(r, 'remainder', 'of');
  if (!rest && takeOne(r, NEXT_WORDS) === null) return null;
  if (rest && !take(r, 'the')) takeOne(r, THIS_WORDS);
  const known = readLength(r) !== null || readSpelledUnit(r) !== null || readWhat(r) !== null;
  return known ? { ahead: true } : null;
}

function readWhat(r: Reader): Pick<Bit, 'ahead'> | null {
  const known =
    readSpelledUnit(r) !== null || readPartName(r) !== null || readNamedDate(r) !== null || readHoliday(r) !== null;
  return known ? { ahead: true } : null;
}

/** `3 days ago`, `a week ago`, `3.days.ago`, `2h back`; `3 days from now` lies ahead. */
export function readAgo(r: Reader): Bit | null {
  return attempt(r, () => {
    const length = readLength(r);
    if (!length) return null;
    if (textAt(r) === '.' && isTight(r)) r.at += 1;
    if (take(r, 'from', 'now') || take(r, 'from', 'today') || take(r, 'hence')) return { ahead: true };
    if (!take(r, 'ago') && !take(r, 'back') && !take(r, 'earlier')) return null;
    if (length.calendar) take(r, 'today');
    return agoBit(length);
  });
}

export function agoBit(length: Length): Bit {
  if (!length.calendar || length.fault) return { ago: length };
  const { unit, count } = length;
  const whole = unit === 'month' || unit === 'quarter' || unit === 'year' || unit === 'decade' ? unit : 'day';
  const at = ({ today }: Env) => {
    if (whole !== 'day' && count !== undefined && Number.isInteger(count)) return unitSpan(whole, today, -count);
    return spanOfDays(today.toPlainDateTime().subtract(length.duration).toPlainDate());
  };
  return { ago: length, date: { fixed: { unit: whole, at } } };
}
