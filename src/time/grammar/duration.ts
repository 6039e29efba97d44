/** Lengths of time (`2h30m`, `half an hour`, `PT6H`), those that end now, and moments or days that long ago. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time-units.ts';
import { spanOfDays, unitSpan } from '../calendar.ts';
import { refuse, type TokenReader } from '../lexer/lexer.ts';
import { LAST_WORDS, UNITS } from '../lexer/words.ts';
import type { CalendarUnit, Env, ParsedDuration, RangeEnd, RuleGroup, Unit } from '../model.ts';

interface Amount {
  readonly value: number;
  readonly unit: Unit;
}

const MS_OF: Partial<Record<Unit, number>> = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS };
const MONTHS_OF: Partial<Record<Unit, number>> = { month: 1, quarter: 3, half: 6, year: 12 };
const DAYS_OF: Partial<Record<Unit, number>> = { day: 1, week: 7, fortnight: 14 };
/** Longer durations are typos. */
const MAX_DAYS = 150 * 366;

export function readDuration(r: TokenReader): ParsedDuration | null {
  const token = r.peek();
  if (token?.type === 'span') {
    r.at += 1;
    return ofDuration(token.duration);
  }
  const amounts: Amount[] = [];
  const isNew = (next: Amount): boolean => amounts.every(({ unit }) => unit !== next.unit);
  const readNext = () => (amounts.length === 0 ? readAmount(r) : r.attempt(() => readFurther(r, isNew)));
  for (let next = readNext(); next; next = readNext()) amounts.push(next);
  const minutes = amounts.length === 1 && amounts[0]?.unit === 'hour' ? readMinutesAfterHours(r) : null;
  if (minutes !== null) amounts.push({ value: minutes, unit: 'minute' });
  return amounts.length === 0 ? null : sum(amounts);
}

/** `last 3h30`. */
function readMinutesAfterHours(r: TokenReader): number | null {
  const [number, after] = [r.peek(), r.peek(1)];
  if (number?.type !== 'number' || number.spaced || r.textAt(-1) !== 'h' || !/^[0-5]\d$/.test(number.text)) return null;
  if (after?.spaced === false && after.type === 'word') return null;
  r.at += 1;
  return number.value;
}

/** The same unit twice is not one duration: `2h 3h`. */
function readFurther(r: TokenReader, isNew: (next: Amount) => boolean): Amount | null {
  if (!r.take(', and|and')) r.take(',');
  const next = readAmount(r);
  return next && isNew(next) ? next : null;
}

function readAmount(r: TokenReader): Amount | null {
  return r.attempt(() => {
    // A single letter right after the number may belong to what follows it.
    if (r.textAt(1).length === 1 && (isDecade(r) || isYearOf(r))) return null;
    // `1400 day before yesterday` begins with a time.
    if (r.textAt(1) === 'day' && r.textAt(2) === 'before' && r.peek()?.text.length === 4) return null;
    const value = readQuantity(r);
    if (value === null) return null;
    if (r.isTight()) r.take('.|-');
    // `2017 q1`, `2001-Q1`: the letter belongs to the number after it.
    const numbered = r.peek(1)?.type === 'number' && r.isTight(1) && (!r.isTight() || r.textAt(-1) === '-');
    const unit = numbered ? null : readUnit(r);
    if (unit === null || unit === 'weekend') return null;
    const half = r.take('and a half') ? 0.5 : 0;
    return { value: value + half, unit };
  });
}

const FULL_DECADE = /^(?:19|20)\d0$/;
const SHORT_DECADE = /^\d0$/;

/** `1990s`, and after the article `the 90s`: `90s` and `last 2000s` are seconds. */
export function isDecade(r: TokenReader): boolean {
  const number = r.peek();
  if (number?.type !== 'number' || !number.spaced || r.textAt(1) !== 's' || !r.isTight(1)) return false;
  if (LAST_WORDS.has(r.textAt(-1))) return false;
  return FULL_DECADE.test(number.text) || (SHORT_DECADE.test(number.text) && r.textAt(-1) === 'the');
}

/** `2024Q1`, `2024H1`. */
function isYearOf(r: TokenReader): boolean {
  const [year, word] = [r.peek(), r.textAt(1)];
  if (year?.type !== 'number' || !/^(?:19|20)\d\d$/.test(year.text) || (word !== 'q' && word !== 'h')) return false;
  return r.isTight(1) && r.isTight(2) && r.peek(2)?.type === 'number';
}

const MAX_DIGITS_OF_MONTHS = 2;

/** After a number `mon` is Splunk's month; anywhere else, and after a time such as `0930`, it is Monday. */
function readUnit(r: TokenReader): Unit | null {
  const word = r.textAt();
  const isCount = (r.peek(-1)?.text.length ?? 0) <= MAX_DIGITS_OF_MONTHS;
  const unit = UNITS.get(word) ?? (isCount && (word === 'mon' || word === 'mons') ? 'month' : undefined);
  if (unit === undefined) return null;
  r.at += 1;
  return unit;
}

/** `NaN` for an unknown number: `a few`. */
function readQuantity(r: TokenReader): number | null {
  if (r.take('half an|half a|half')) return 0.5;
  const one = r.take('a|an');
  if (r.take('half')) return 0.5;
  if (r.take('couple of|couple')) return 2;
  if (r.take('few|several|some')) return Number.NaN;
  if (one) return 1;
  const num = r.readNumber();
  if (!num || num.ordinal) return null;
  return r.take('and a half') ? num.value + 0.5 : num.value;
}

export const durationOf = (value: number, unit: Unit): ParsedDuration => sum([{ value, unit }]);

function sum(amounts: readonly Amount[]): ParsedDuration {
  let months = 0;
  let days = 0;
  let ms = 0;
  for (const { value, unit } of amounts) {
    months += value * (MONTHS_OF[unit] ?? 0);
    days += value * (DAYS_OF[unit] ?? 0);
    ms += Math.round(value * (MS_OF[unit] ?? 0));
  }
  const [only] = amounts;
  const single = amounts.length === 1 && only ? { count: only.value, unit: only.unit } : {};
  const calendar = months + days > 0;
  const total = months * 30 + days + ms / DAY_MS;
  if (Number.isNaN(total)) return faulty("I can't tell how many you mean.", `last 3 ${only?.unit ?? 'hour'}s`);
  if (!Number.isInteger(months)) return faulty('Part of a month has no fixed length.');
  if (total === 0) return { ...faulty('That range is empty.'), zero: true };
  if (total > MAX_DAYS) return faulty("That's too long ago.");
  const milliseconds = ms + Math.round((days % 1) * DAY_MS);
  const wholeDays = months === 0 && milliseconds === 0 ? { wholeDays: days } : {};
  return { amount: { months, days: Math.floor(days), milliseconds }, calendar, ...single, ...wholeDays };
}

const UNITS_OF = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

const ofDuration = (duration: Temporal.Duration): ParsedDuration =>
  sum(UNITS_OF.map((unit) => ({ unit, value: duration[`${unit}s`] })));

const faulty = (message: string, suggestion?: string): ParsedDuration => ({
  amount: {},
  calendar: false,
  fault: { message, suggestion },
});

/** Days and longer follow the calendar of the zone, hours and shorter are elapsed time. */
export function addDuration(from: Temporal.Instant, duration: ParsedDuration, zone: string, sign: 1 | -1) {
  const amount = Temporal.Duration.from(duration.amount);
  const signed = sign > 0 ? amount : amount.negated();
  return duration.calendar ? from.toZonedDateTimeISO(zone).add(signed).toInstant() : from.add(signed);
}

export const ROLLING: RuleGroup = {
  title: 'Rolling',
  about: `A duration that ends now. Hours and shorter are elapsed time; days and longer follow the calendar of the zone, so
    \`last 2 days\` starts at the same time of day two days ago. \`3 days ago\` alone is that whole day; with hours
    it is a moment.`,
  examples: `
last 24h                                 => 2025-06-17 16:25:40 .. now
past hour                                => 2025-06-18 15:25:40 .. now
4h                                       => 2025-06-18 12:25:40 .. now
6 weeks                                  => 2025-05-07 16:25:40 .. now
1.5 hours                                => 2025-06-18 14:55:40 .. now
2h30m                                    => 2025-06-18 13:55:40 .. now
1d12h                                    => 2025-06-17 04:25:40 .. now
an hour and a half                       => 2025-06-18 14:55:40 .. now
last couple of weeks                     => 2025-06-04 16:25:40 .. now
over the past two weeks                  => 2025-06-04 16:25:40 .. now
last 90 mins or so                       => 2025-06-18 14:55:40 .. now
last 3h30                                => 2025-06-18 12:55:40 .. now
13 last minutes                          => 2025-06-18 16:12:40 .. now
last ~2h                                 => 2025-06-18 14:25:40 .. now
-90m                                     => 2025-06-18 14:55:40 .. now
PT6H                                     => 2025-06-18 10:25:40 .. now
36 hours ago to 12 hours ago             => 2025-06-17 04:25:40 .. 2025-06-18 04:25:40
since 1 day 2 hours ago                  => 2025-06-17 14:25:40 .. now
3 days ago                               => 2025-06-15 .. 2025-06-16
a month ago                              => 2025-05-01 .. 2025-06-01
`,
};

/** An end without its span. */
export type EndParts = Pick<RangeEnd, 'date' | 'part' | 'instants' | 'ago' | 'dateMath'>;

export const isCalendar = (unit: Unit): unit is CalendarUnit => !(unit in MS_OF);

/** A duration that ends now. */
export function rolling(r: TokenReader, first: number, duration: ParsedDuration): EndParts {
  const span = r.spanSince(first);
  const { fault } = duration;
  const at = ({ now, zone }: Env) => {
    if (fault) refuse(span, fault.message, fault);
    return { from: addDuration(now, duration, zone, -1), to: now };
  };
  return { instants: { kind: 'rolling', at } };
}

/** `3 days ago`, `a week ago`, `3.days.ago`, `2h back`. */
export function readAgo(r: TokenReader): EndParts | null {
  return r.attempt(() => {
    const duration = readDuration(r);
    if (!duration) return null;
    if (r.isTight()) r.take('.');
    if (!r.take('ago|back|earlier')) return null;
    if (duration.calendar) r.take('today');
    return agoParts(duration);
  });
}

const WHOLE_UNITS: ReadonlySet<Unit> = new Set(['month', 'quarter', 'year']);

/** A whole count of days or longer names a day or a unit; `1 day 2 hours ago` and `2.5 days ago` are moments. */
export function agoParts(duration: ParsedDuration): EndParts {
  const { unit, count = Number.NaN, fault, wholeDays } = duration;
  if (unit && isCalendar(unit) && WHOLE_UNITS.has(unit) && Number.isInteger(count))
    return { ago: duration, date: { fixed: { unit, at: ({ today }: Env) => unitSpan(unit, today, -count) } } };
  if (fault || wholeDays === undefined) return { ago: duration };
  const at = ({ today }: Env) => spanOfDays(today.subtract({ days: wholeDays }));
  return { ago: duration, date: { fixed: { unit: 'day', at } } };
}
