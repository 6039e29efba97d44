/** Days and units named from now: `today`, `this week so far`, `last month`, `month to date`, `3 days ago`, `next week`. */
import { businessDaysBefore, plusDays, spanOfDays, unitSpan } from '../calendar.ts';
import {
  attempt,
  type GrammarRule,
  isTight,
  readNumber,
  refuse,
  spanSince,
  type TokenReader,
  take,
  takeOne,
  textAt,
  tryRule,
} from '../lexer/reader.ts';
import {
  type CalendarUnit,
  LAST_WORDS,
  NEXT_WORDS,
  ROLLING_WORDS,
  SPELLED_UNITS,
  THIS_WORDS,
  UNITS,
  type Unit,
} from '../lexer/words.ts';
import type { DateExpr, Env, FixedUnit, ParsedDuration, RangeEnd } from '../model.ts';
import { readPartName } from './clock.ts';
import { addDuration, durationOf, readDuration, readMore } from './duration.ts';
import { HOLIDAY } from './holidays.ts';
import { NAMED_DATE } from './named-date.ts';

/** The parts of an end that these rules can name; the reader of ends adds the span. */
export type EndParts = Pick<RangeEnd, 'date' | 'part' | 'instants' | 'ago' | 'future' | 'dateMath'>;

const ELAPSED: ReadonlySet<Unit> = new Set(['millisecond', 'second', 'minute', 'hour']);
const isCalendar = (unit: Unit): unit is CalendarUnit => !ELAPSED.has(unit);
const WHOLE_WORDS: ReadonlySet<string> = new Set('full complete completed whole calendar entire'.split(' '));
const WORKING_WORDS: ReadonlySet<string> = new Set('business working work week'.split(' '));

const fixed = (unit: CalendarUnit, at: FixedUnit['at']): EndParts => ({ date: { fixed: { unit, at } } });
const day = (offset: number): EndParts => fixed('day', ({ today }) => spanOfDays(plusDays(today, offset)));
export const thisUnit = (unit: CalendarUnit): EndParts => fixed(unit, ({ today }) => unitSpan(unit, today, 0));

/** The last weekend that has begun. */
const latestWeekend = fixed('weekend', ({ today }) => unitSpan('weekend', today, today.dayOfWeek >= 6 ? 0 : -1));

const TO_DATE: ReadonlyMap<string, CalendarUnit> = new Map([
  ['wtd', 'week'],
  ['mtd', 'month'],
  ['qtd', 'quarter'],
  ['ytd', 'year'],
]);

export const RELATIVE_DATE: GrammarRule<EndParts> = {
  words: new Set([
    ...'same day yesterday yday today current so earlier weekend week tomorrow later most rest remainder'.split(' '),
    ...LAST_WORDS,
    ...THIS_WORDS,
    ...NEXT_WORDS,
    ...TO_DATE.keys(),
    ...SPELLED_UNITS,
  ]),
  read: (r) =>
    attempt(r, readBeforeLast) ??
    attempt(r, readDayWord) ??
    attempt(r, readToDate) ??
    attempt(r, readThis) ??
    attempt(r, readLast) ??
    attempt(r, readNext),
};

function readDayWord(r: TokenReader): EndParts | null {
  if (take(r, 'day', 'before', 'yesterday')) return day(-2);
  if (take(r, 'yesterday') || take(r, 'yday')) return day(-1);
  if (take(r, 'today') || take(r, 'current', 'date') || take(r, 'current', 'day')) return takeSoFar(r, day(0));
  if (take(r, 'so', 'far', 'today') || take(r, 'earlier', 'today')) return day(0);
  if (take(r, 'this', 'day', 'last') || take(r, 'same', 'day', 'last')) return readDayOfLast(r);
  if (take(r, 'weekend') || take(r, 'week', '-', 'end')) return latestWeekend;
  if (take(r, 'tomorrow') || take(r, 'day', 'after', 'tomorrow') || take(r, 'later', 'today')) return { future: true };
  return null;
}

/** `this day last week`, as dashboards offer it. */
function readDayOfLast(r: TokenReader): EndParts | null {
  const unit = readSpelledUnit(r);
  if (unit === 'week') return day(-7);
  if (unit !== 'month' && unit !== 'year') return null;
  return fixed('day', ({ today }) => spanOfDays(today.subtract({ [`${unit}s`]: 1 })));
}

function takeSoFar(r: TokenReader, bit: EndParts): EndParts {
  take(r, 'so', 'far') || take(r, 'to', 'date') || take(r, 'until', 'now') || take(r, 'till', 'now');
  return bit;
}

/** `month to date`, `YTD`. */
function readToDate(r: TokenReader): EndParts | null {
  const short = TO_DATE.get(textAt(r));
  if (short) {
    r.at += 1;
    return thisUnit(short);
  }
  const unit = readSpelledUnit(r);
  if (unit === null || !isCalendar(unit)) return null;
  return takeToDate(r) || take(r, 'so', 'far') ? thisUnit(unit) : null;
}

const takeToDate = (r: TokenReader): boolean =>
  take(r, 'to', 'date') || take(r, '-', 'to', '-', 'date') || take(r, 'till', 'date') || take(r, 'until', 'date');

/** `the week before last`; `the week before last monday` is something else. */
function readBeforeLast(r: TokenReader): EndParts | null {
  if (textAt(r, 1) !== 'before') return null;
  const unit = readSpelledUnit(r);
  if (unit === null || !isCalendar(unit) || !take(r, 'before') || attempt(r, readLast) || !take(r, 'last')) return null;
  return fixed(unit, ({ today }) => unitSpan(unit, today, -2));
}

function readSpelledUnit(r: TokenReader): Unit | null {
  if (take(r, 'week', '-', 'end')) return 'weekend';
  const word = textAt(r);
  if (!SPELLED_UNITS.has(word)) return null;
  r.at += 1;
  return UNITS.get(word) ?? null;
}

function readThis(r: TokenReader): EndParts | null {
  take(r, 'so', 'far') || take(r, 'earlier');
  const later = take(r, 'later');
  if (takeOne(r, THIS_WORDS) === null) return null;
  skipHyphen(r);
  if (later) return { future: true, ...readWhat(r) };
  takeOne(r, WHOLE_WORDS);
  const unit = readSpelledUnit(r);
  if (unit !== null) return takeSoFar(r, isCalendar(unit) ? thisUnit(unit) : thisClockUnit(unit));
  const part = readPartName(r);
  if (part) return { ...day(0), part };
  return chosen(tryRule(r, NAMED_DATE) ?? tryRule(r, HOLIDAY), 'this');
}

function chosen(date: DateExpr | null, which: 'last' | 'this'): EndParts | null {
  const year = date?.fields?.year;
  return date && year === undefined ? { date: { ...date, which } } : null;
}

/** The running hour or minute. */
function thisClockUnit(unit: Unit): EndParts {
  const smallest = unit === 'hour' || unit === 'minute' ? unit : 'second';
  const at = ({ now, zone }: Env) => {
    const from = now.toZonedDateTimeISO(zone).round({ smallestUnit: smallest, roundingMode: 'floor' });
    return { from: from.toInstant(), to: from.add({ [`${smallest}s`]: 1 }).toInstant() };
  };
  return { instants: { kind: 'calendar', at } };
}

function readLast(r: TokenReader): EndParts | null {
  const first = r.at;
  takeOne(r, THIS_WORDS);
  take(r, 'most');
  const word = takeOne(r, LAST_WORDS);
  if (word === null) return null;
  skipHyphen(r);
  return readWholeUnits(r) ?? readRolling(r, first) ?? readPrevious(r, ROLLING_WORDS.has(word));
}

/** `last-7-days`, as menus and addresses write it. */
function skipHyphen(r: TokenReader): void {
  if ((textAt(r) === '-' || textAt(r) === '.') && isTight(r) && isTight(r, 1)) r.at += 1;
}

/** `last 3 full days`, `previous 4 business days`, `last full hour`. */
function readWholeUnits(r: TokenReader): EndParts | null {
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

function wholeClockUnits(unit: Unit, count: number): EndParts {
  const running = thisClockUnit(unit).instants;
  const at = (env: Env) => {
    const to = running?.at(env).from ?? env.now;
    return { from: to.subtract({ [`${unit}s`]: count }), to };
  };
  return { instants: { kind: 'calendar', at } };
}

function readRolling(r: TokenReader, first: number): EndParts | null {
  const duration = readDuration(r);
  if (duration) take(r, 'period') || take(r, 'window');
  return duration && rolling(r, first, duration);
}

/** A length that ends now. */
export function rolling(r: TokenReader, first: number, duration: ParsedDuration): EndParts {
  const span = spanSince(r, first);
  const at = ({ now, zone }: Env) => {
    if (duration.fault) refuse(r.text, span, duration.fault.message, suggest(duration.fault.suggestion));
    return { from: addDuration(now, duration, zone, -1), to: now };
  };
  return { instants: { kind: 'rolling', at } };
}

const suggest = (suggestion: string | undefined) => (suggestion === undefined ? {} : { suggestion });

/** Without a number: the unit before this one. Hours and shorter roll. */
function readPrevious(r: TokenReader, rolls: boolean): EndParts | null {
  const first = r.at;
  const unit = readSpelledUnit(r);
  const more = unit === null || unit === 'weekend' ? null : readMore(r, unit);
  if (more) return rolling(r, first, more);
  if (rolls) return unit === null || unit === 'weekend' ? null : rolling(r, first, durationOf(1, unit));
  if (unit === 'weekend') return fixed(unit, ({ today }) => unitSpan(unit, today, -1));
  if (unit === 'fortnight') return fixed(unit, ({ today }) => unitSpan('week', today, -2, 2));
  const half = unit !== null && take(r, 'and', 'a', 'half') ? 0.5 : 0;
  if (unit !== null && isCalendar(unit) && !half) return fixed(unit, ({ today }) => unitSpan(unit, today, -1));
  if (unit !== null) return rolling(r, r.at - 1, durationOf(1 + half, unit));
  const part = readPartName(r);
  if (part) return { ...day(-1), part };
  return chosen(tryRule(r, NAMED_DATE) ?? tryRule(r, HOLIDAY), 'last');
}

/** Whatever is next lies ahead; what exactly does not matter, only where it ends in the text. */
function readNext(r: TokenReader): EndParts | null {
  const rest = take(r, 'rest', 'of') || take(r, 'remainder', 'of');
  if (!rest && takeOne(r, NEXT_WORDS) === null) return null;
  if (rest && !take(r, 'the')) takeOne(r, THIS_WORDS);
  const known = readDuration(r) !== null || readSpelledUnit(r) !== null || readWhat(r) !== null;
  return known ? { future: true } : null;
}

function readWhat(r: TokenReader): Pick<EndParts, 'future'> | null {
  const known =
    readSpelledUnit(r) !== null ||
    readPartName(r) !== null ||
    tryRule(r, NAMED_DATE) !== null ||
    tryRule(r, HOLIDAY) !== null;
  return known ? { future: true } : null;
}

/** `3 days ago`, `a week ago`, `3.days.ago`, `2h back`; `3 days from now` lies ahead. */
export function readAgo(r: TokenReader): EndParts | null {
  return attempt(r, () => {
    const duration = readDuration(r);
    if (!duration) return null;
    if (textAt(r) === '.' && isTight(r)) r.at += 1;
    if (take(r, 'from', 'now') || take(r, 'from', 'today') || take(r, 'hence')) return { future: true };
    if (!take(r, 'ago') && !take(r, 'back') && !take(r, 'earlier')) return null;
    if (duration.calendar) take(r, 'today');
    return agoParts(duration);
  });
}

export function agoParts(duration: ParsedDuration): EndParts {
  if (!duration.calendar || duration.fault) return { ago: duration };
  const { unit, count } = duration;
  const whole = unit === 'month' || unit === 'quarter' || unit === 'year' || unit === 'decade' ? unit : 'day';
  const at = ({ today }: Env) => {
    if (whole !== 'day' && count !== undefined && Number.isInteger(count)) return unitSpan(whole, today, -count);
    return spanOfDays(today.toPlainDateTime().subtract(duration.amount).toPlainDate());
  };
  return { ago: duration, date: { fixed: { unit: whole, at } } };
}
