/** Days and units named from now (`this week so far`, `last month`), also as dashboards write them (`now-1d/d`, `-24h@h`). */
import { businessDaysBefore, plusDays, rangeOf, spanOfDays, unitSpan } from '../calendar.ts';
import { refuse, type TokenReader } from '../lexer/lexer.ts';
import { ABOUT, LAST_WORDS, SINGULAR_UNITS, SPELLED_UNITS, UNITS } from '../lexer/words.ts';
import type { CalendarUnit, DateExpr, Env, FixedUnit, ParsedDuration, Range, RuleGroup, Unit } from '../model.ts';
import { HALVES_OF_DAY, NIGHT, readPartName } from './clock-time.ts';
import { addDuration, durationOf, type EndParts, isCalendar, readDuration, rolling } from './duration.ts';
import { readHoliday } from './holidays.ts';
import { readNamedDate } from './named-date.ts';

export const RELATIVE_DATES: RuleGroup = {
  title: 'Relative to now',
  about: `\`last week\`, \`last month\` without a number is the whole unit before this one; \`this week\` and \`week to
    date\` run from its start to now. Weeks start on Monday. \`last hour\` and \`last minute\` roll. A night is one night, from
    18:00 to 08:00.`,
  examples: `
today                                    => 2025-06-18 .. now
yday                                     => 2025-06-17 .. 2025-06-18
the day before yesterday                 => 2025-06-16 .. 2025-06-17
this week so far                         => 2025-06-16 .. now
last week                                => 2025-06-09 .. 2025-06-16
previous quarter                         => 2025-01-01 .. 2025-04-01
the week before last                     => 2025-06-02 .. 2025-06-09
last weekend                             => 2025-06-14 .. 2025-06-16
month to date                            => 2025-06-01 .. now
YTD                                      => 2025-01-01 .. now
last 3 full days                         => 2025-06-15 .. 2025-06-18
last business day                        => 2025-06-17 .. 2025-06-18
last 4 working days                      => 2025-06-12 .. 2025-06-18
this morning                             => 2025-06-18 .. 2025-06-18 12:00
last night                               => 2025-06-17 18:00 .. 2025-06-18 08:00
overnight                                => 2025-06-17 18:00 .. 2025-06-18 08:00
monday night                             => 2025-06-16 18:00 .. 2025-06-17 08:00
last friday                              => 2025-06-13 .. 2025-06-14
this tuesday                             => 2025-06-17 .. 2025-06-18
monday of last week                      => 2025-06-09 .. 2025-06-10
same day last week                       => 2025-06-11 .. 2025-06-12
this hour                                => 2025-06-18 16:00 .. now
`,
};

const WHOLE = 'full|complete|calendar';

const fixed = (unit: CalendarUnit, at: FixedUnit['at']): EndParts => ({ date: { fixed: { unit, at } } });
const day = (offset: number): EndParts => fixed('day', ({ today }) => spanOfDays(plusDays(today, offset)));
export const thisUnit = (unit: CalendarUnit): EndParts => fixed(unit, ({ today }) => unitSpan(unit, today, 0));

/** The latest weekend that has started. */
const latestWeekend = fixed('weekend', ({ today }) => unitSpan('weekend', today, today.dayOfWeek >= 6 ? 0 : -1));

const TO_DATE: ReadonlyMap<string, CalendarUnit> = new Map([
  ['wtd', 'week'],
  ['mtd', 'month'],
  ['qtd', 'quarter'],
  ['ytd', 'year'],
]);

export const readRelativeDate = (r: TokenReader): EndParts | null =>
  r.first(readNight, readBeforeLast, readDayWord, readToDate, readThis, readLast, readCountedLast);

/** Only expressions for whole days in the past. */
export function readRelativeDays(r: TokenReader): DateExpr | null {
  return r.attempt(() => {
    const parts = r.attempt(readRelativeDate);
    return parts?.part ? null : (parts?.date ?? null);
  });
}

/** Until its end at 8 it's the night that began the day before. */
const tonight: EndParts = {
  ...fixed('day', ({ now, zone, today }) =>
    spanOfDays(plusDays(today, now.toZonedDateTimeISO(zone).hour < NIGHT.to - 24 ? -1 : 0)),
  ),
  part: NIGHT,
};

/** `tonight`; `overnight` is last night, but from the evening on it could also be this one. */
function readNight(r: TokenReader): EndParts | null {
  const first = r.at;
  if (r.take('tonight')) return tonight;
  if (!r.take('overnight')) return null;
  const span = r.spanSince(first);
  const overnight = fixed('day', ({ now, zone, today }) => {
    if (now.toZonedDateTimeISO(zone).hour >= NIGHT.from)
      refuse(span, "I can't tell which night you mean. Try last night or tonight.");
    return spanOfDays(plusDays(today, -1));
  });
  return { ...overnight, part: NIGHT };
}

function readDayWord(r: TokenReader): EndParts | null {
  if (r.take('day before')) return r.take('yesterday') ? day(-2) : null;
  if (r.take('yesterday')) return day(-1);
  if (r.take('today|this date')) return soFar(r, day(0));
  if (r.take('so far|earlier')) return r.take('today') ? day(0) : null;
  if (r.take('this day last')) return readDayOfLast(r, false);
  if (r.take('same day last')) return readDayOfLast(r, true);
  return r.take('weekend') ? latestWeekend : null;
}

/** `this day last week`, as on dashboards; relative to another window, `same day last week` counts from its day. */
function readDayOfLast(r: TokenReader, isSame: boolean): EndParts | null {
  const unit = r.takeFrom(SINGULAR_UNITS);
  if (unit !== 'week' && unit !== 'month' && unit !== 'year') return null;
  return fixed('day', ({ today, previous, zone }) => {
    const from = isSame && previous ? previous.from.toZonedDateTimeISO(zone).toPlainDate() : today;
    return spanOfDays(from.subtract({ [`${unit}s`]: 1 }));
  });
}

function soFar(r: TokenReader, parts: EndParts): EndParts {
  r.take('so far|to date');
  return parts;
}

/** `month to date`, `YTD`. */
function readToDate(r: TokenReader): EndParts | null {
  const short = r.takeFrom(TO_DATE);
  if (short) return thisUnit(short);
  const unit = r.takeFrom(SINGULAR_UNITS);
  return unit && isCalendar(unit) && r.take('to date|- to - date|so far') ? thisUnit(unit) : null;
}

/** `the week before last`; `the week before last monday` is something else. */
function readBeforeLast(r: TokenReader): EndParts | null {
  if (r.textAt(1) !== 'before') return null;
  const unit = r.takeFrom(SINGULAR_UNITS);
  if (!unit || !isCalendar(unit) || !r.take('before') || r.attempt(readLast) || !r.take('last')) return null;
  return fixed(unit, ({ today }) => unitSpan(unit, today, -2));
}

function readThis(r: TokenReader): EndParts | null {
  r.take('so far|earlier');
  if (!r.take('this')) return null;
  r.take(WHOLE);
  const unit = r.takeFrom(SINGULAR_UNITS);
  const thisHour = ({ now, zone }: Env) => floor(now, zone, unit ?? 'hour');
  if (unit) return soFar(r, isCalendar(unit) ? thisUnit(unit) : { instants: { kind: 'calendar', at: thisHour } });
  const part = readPartName(r) ?? r.takeFrom(HALVES_OF_DAY);
  if (part) return part === NIGHT ? tonight : { ...day(0), part };
  return chosen(r.first(readHoliday, readNamedDate), 'this');
}

function chosen(date: DateExpr | null, which: 'last' | 'this'): EndParts | null {
  const year = date?.fields?.year;
  return date && year === undefined ? { date: { ...date, which } } : null;
}

function readLast(r: TokenReader): EndParts | null {
  const first = r.at;
  r.take('this|these');
  r.take('most');
  const word = r.takeOne(LAST_WORDS);
  if (word === null) return null;
  return readWholeUnits(r) ?? readRolling(r, first) ?? readPrevious(r, word === 'rolling' || word === 'trailing');
}

/** `13 last minutes`. */
function readCountedLast(r: TokenReader): EndParts | null {
  const first = r.at;
  const count = r.readNumber();
  const isLast = r.takeOne(LAST_WORDS) !== null && !SINGULAR_UNITS.has(r.textAt());
  const unit = isLast ? r.takeFrom(SPELLED_UNITS) : undefined;
  return count && !count.ordinal && unit ? rolling(r, first, durationOf(count.value, unit)) : null;
}

/** `last 3 full days`, `previous 4 business days`. */
function readWholeUnits(r: TokenReader): EndParts | null {
  return r.attempt(() => {
    const said = r.readNumber()?.value;
    const count = said ?? 1;
    if (!Number.isInteger(count) || count < 1 || count > 1000) return null;
    const units = said === undefined ? SINGULAR_UNITS : SPELLED_UNITS;
    const isWorking = r.take('business|working')
      ? r.takeFrom(units) === 'day'
      : r.take(said ? 'weekdays|weekday' : 'weekday');
    if (isWorking) return fixed('day', ({ today }) => businessDaysBefore(today, count));
    if (!r.take(WHOLE)) return null;
    const unit = r.takeFrom(units);
    return unit && isCalendar(unit) ? fixed(unit, ({ today }) => unitSpan(unit, today, -count, count)) : null;
  });
}

function readRolling(r: TokenReader, first: number): EndParts | null {
  r.take(ABOUT);
  const duration = readDuration(r);
  if (duration) r.take('or so');
  return duration && rolling(r, first, duration);
}

/** Without a number: the unit before this one. Hours and shorter roll. */
function readPrevious(r: TokenReader, rolls: boolean): EndParts | null {
  const first = r.at;
  const unit = r.takeFrom(SINGULAR_UNITS);
  if (rolls) return !unit || unit === 'weekend' ? null : rolling(r, first, durationOf(1, unit));
  if (unit === 'fortnight') return fixed(unit, ({ today }) => unitSpan('week', today, -2, 2));
  const half = unit && r.take('and a half') ? 0.5 : 0;
  if (unit && isCalendar(unit) && !half) return fixed(unit, ({ today }) => unitSpan(unit, today, -1));
  if (unit) {
    r.take('or so');
    return rolling(r, first, durationOf(1 + half, unit));
  }
  const part = readPartName(r);
  if (part) return { ...day(-1), part };
  return chosen(r.first(readHoliday, readNamedDate), 'last');
}

export const DASHBOARDS: RuleGroup = {
  title: 'Dashboards and query languages',
  about: `After \`now\`, a capital \`M\` is a month and \`/d\` as an end covers the whole day; Splunk’s \`@d\` is the
    moment the day begins. Epochs have 10 digits (seconds, perhaps with a fraction), 13, 16 or 19.`,
  examples: `
now-6h                                   => 2025-06-18 10:25:40 .. now
now-6h to now-3h                         => 2025-06-18 10:25:40 .. 2025-06-18 13:25:40
now-1d/d                                 => 2025-06-17 .. now
now-7d/d to now/d                        => 2025-06-11 .. now
now/w to now                             => 2025-06-16 .. now
now-1M/M to now-1M/M                     => 2025-05-01 .. 2025-06-01
-24h@h                                   => 2025-06-17 16:00 .. now
@d                                       => 2025-06-18 .. now
-1mon@mon                                => 2025-05-01 .. now
-12h -60m                                => 2025-06-18 04:25:40 .. 2025-06-18 15:25:40
earliest=-1d@d latest=@d                 => 2025-06-17 .. 2025-06-18
from=now-6h&to=now                       => 2025-06-18 10:25:40 .. now
1750240000 to 1750243600                 => 2025-06-18 11:46:40 .. 2025-06-18 12:46:40
since 1750240000.5                       => 2025-06-18 11:46:40.5 .. now
1750240000000000 to 1750243600000000     => 2025-06-18 11:46:40 .. 2025-06-18 12:46:40
`,
};

interface MathStep {
  /** Rounds to the edge of a unit instead of moving by a duration. */
  readonly snaps: boolean;
  readonly run: (moment: Range, env: Env) => Range;
}

/** Seconds, perhaps with a fraction, milliseconds, microseconds, nanoseconds. */
const EPOCH_DIGITS = /^(\d{10})(?:\.(\d{1,9})|(\d{3}|\d{6}|\d{9}))?$/;

export const readDateMath = (r: TokenReader): EndParts | null => r.first(readEpoch, readNow, readSigned);

const point = (at: Temporal.Instant): Range => ({ from: at, to: at });

/** The number of digits gives the unit; a leading `@` is shell syntax. */
function readEpoch(r: TokenReader): EndParts | null {
  r.take('@');
  const token = r.peek();
  const found = token?.type === 'number' ? EPOCH_DIGITS.exec(token.text) : null;
  if (!found) return null;
  r.at += 1;
  const fraction = (found[2] ?? found[3] ?? '').padEnd(9, '0');
  const instant = Temporal.Instant.fromEpochNanoseconds(BigInt(`${found[1]}${fraction}`));
  return { instants: { kind: 'since', at: () => point(instant) } };
}

function readNow(r: TokenReader): EndParts | null {
  if (r.take('right now')) return chain([]);
  const typed = r.peek();
  if (!typed || !r.take('now')) return null;
  // All in capitals, minutes and months look the same.
  const allCaps = r.text.slice(typed.start, typed.end) === 'NOW';
  return chain(readSteps(r, allCaps));
}

/** `-24h`, `-24h@h`, `@d`, `@d-2h`. */
function readSigned(r: TokenReader): EndParts | null {
  const isSign = /^[-+@]$/.test(r.textAt());
  const step = isSign ? (readSnap(r) ?? readStep(r, false)) : null;
  return step && chain([step, ...readSteps(r, false)]);
}

function chain(steps: readonly MathStep[]): EndParts {
  const at = (env: Env) => steps.reduce((moment, step) => step.run(moment, env), point(env.now));
  return { dateMath: true, instants: { kind: steps.some((step) => step.snaps) ? 'since' : 'rolling', at } };
}

function readSteps(r: TokenReader, allCaps: boolean): MathStep[] {
  const steps: MathStep[] = [];
  for (let step = readAnyStep(r, allCaps); step; step = readAnyStep(r, allCaps)) steps.push(step);
  return steps;
}

const readAnyStep = (r: TokenReader, allCaps: boolean): MathStep | null =>
  r.attempt(() => (clings(r) ? readStep(r, allCaps) : null)) ??
  r.attempt(() => readRound(r, allCaps)) ??
  r.attempt(() => (r.isTight() ? readSnap(r) : null));

/** A step must touch the token before it: `-12h -60m` are two moments. */
const clings = (r: TokenReader): boolean => r.isTight() || r.textAt(-1) === 'now';

function readStep(r: TokenReader, allCaps: boolean): MathStep | null {
  const first = r.at;
  const sign = r.take('-|minus') ? -1 : r.take('+|plus') ? 1 : null;
  if (sign === null) return null;
  const duration = readMonths(r, allCaps) ?? readDuration(r);
  if (!duration) return null;
  const span = r.spanSince(first);
  const run: MathStep['run'] = ({ from }, { zone }) => {
    if (duration.zero) return point(from);
    if (duration.fault) refuse(span, duration.fault.message);
    return point(addDuration(from, duration, zone, sign));
  };
  return { snaps: false, run };
}

/** A capital M after `now` is a month: `now-1M`. */
function readMonths(r: TokenReader, allCaps: boolean): ParsedDuration | null {
  const number = r.peek();
  if (number?.type !== 'number' || !isCapitalM(r, 1, allCaps)) return null;
  const months = Math.min(number.value, 1200);
  r.at += 2;
  return { amount: { months }, calendar: true };
}

function isCapitalM(r: TokenReader, ahead: number, allCaps: boolean): boolean {
  const unit = r.peek(ahead);
  if (!unit || r.text.slice(unit.start, unit.end) !== 'M') return false;
  const afterNow = r.tokens.some(({ text }, index) => index < r.at && text === 'now');
  if (allCaps) refuse(unit, 'In capitals, M could mean minutes or months.', { suggestion: r.text.toLowerCase() });
  return afterNow;
}

function readUnit(r: TokenReader): Unit | null {
  const word = r.textAt();
  const unit = word === 'mon' ? 'month' : UNITS.get(word);
  if (unit === undefined || unit === 'weekend' || unit === 'fortnight') return null;
  r.at += 1;
  return unit;
}

/** `/d`: the start of the unit, or its end if it is the end of a range. */
function readRound(r: TokenReader, allCaps: boolean): MathStep | null {
  if (!r.isTight() || !r.take('/')) return null;
  const month = isCapitalM(r, 0, allCaps);
  const unit = readUnit(r);
  return unit && { snaps: true, run: ({ from }, { zone }) => floor(from, zone, month ? 'month' : unit) };
}

/** `@d`: the moment the unit begins. */
function readSnap(r: TokenReader): MathStep | null {
  const unit = r.take('@') ? readUnit(r) : null;
  return unit && { snaps: true, run: ({ from }, { zone }) => point(floor(from, zone, unit).from) };
}

function floor(from: Temporal.Instant, zone: string, unit: Unit): Range {
  const local = from.toZonedDateTimeISO(zone);
  if (!isCalendar(unit)) {
    const start = local.round({ smallestUnit: unit, roundingMode: 'floor' });
    return { from: start.toInstant(), to: start.add({ [`${unit}s`]: 1 }).toInstant() };
  }
  return rangeOf(unitSpan(unit, local.toPlainDate(), 0), zone);
}
