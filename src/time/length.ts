/** Lengths of time: `24h`, `2h30m`, `1.5 hours`, `half an hour`, `a couple of weeks`, `an hour and a half`, `PT6H`. */
import { isCountedPeriod } from './date.ts';
import { isDecade } from './decade.ts';
import { readNumber } from './number.ts';
import { attempt, isTight, peek, type Reader, take, textAt } from './reader.ts';
import { NUMBER_WORDS, UNITS, type Unit } from './vocabulary.ts';

export interface Length {
  readonly duration: Temporal.DurationLike;
  /** Set where it is a single count of a single unit: `2 quarters`. */
  readonly count?: number;
  readonly unit?: Unit;
  /** Has days or longer units, whose length the calendar decides. */
  readonly calendar: boolean;
  /** Why it cannot be answered, said only when the phrase turns out to use it. */
  readonly fault?: { readonly message: string; readonly suggestion?: string };
  /** Nothing at all, which date math may add: `-0d@d`. */
  readonly zero?: true;
}

interface Amount {
  readonly value: number;
  readonly unit: Unit;
}

const MS_OF: Partial<Record<Unit, number>> = { millisecond: 1, second: 1000, minute: 60_000, hour: 3_600_000 };
const MONTHS_OF: Partial<Record<Unit, number>> = { month: 1, quarter: 3, half: 6, year: 12, decade: 120 };
const MS_OF_DAY = 86_400_000;
const DAYS_OF: Partial<Record<Unit, number>> = { day: 1, week: 7, fortnight: 14 };
/** Longer than this is a slip of the finger. */
const LONGEST_DAYS = 150 * 366;

/** The words a length can begin with; most words are turned away here. */
export const LENGTH_STARTS: ReadonlySet<string> = new Set([
  ...'a an half quarter couple few several some dozen hundred'.split(' '),
  ...NUMBER_WORDS.keys(),
  ...'½¼¾',
]);

const FRACTIONS: ReadonlyMap<string, number> = new Map([
  ['1/2', 0.5],
  ['1/4', 0.25],
  ['3/4', 0.75],
  ['½', 0.5],
  ['¼', 0.25],
  ['¾', 0.75],
]);
const fractionAt = (r: Reader, ahead = 0): number | undefined => FRACTIONS.get(peek(r, ahead)?.text ?? '');

/** Several rules begin with a length; at one place it is read once. */
export function readLength(r: Reader): Length | null {
  const known = r.lengths[r.at];
  if (known) {
    r.at = known.after;
    return known.length;
  }
  const first = r.at;
  const length = readNew(r);
  if (r.at > first || length === null) r.lengths[first] = { length, after: r.at };
  return length;
}

function readNew(r: Reader): Length | null {
  const token = peek(r);
  if (token?.type === 'span') {
    r.at += 1;
    return ofDuration(token.duration);
  }
  if (token?.type !== 'number' && !LENGTH_STARTS.has(textAt(r)) && fractionAt(r) === undefined) return null;
  return readAmounts(r, []);
}

/** `last hour and 30 minutes`: what follows a unit said without a number, if anything does. */
export function readMore(r: Reader, unit: Unit): Length | null {
  const isMore = textAt(r) === 'and' && textAt(r, 1) !== '';
  const first = r.at;
  const length = isMore || peek(r, 1)?.type === 'number' ? readAmounts(r, [{ value: 1, unit }]) : null;
  return r.at > first ? length : null;
}

function readAmounts(r: Reader, amounts: Amount[]): Length | null {
  const isNew = (next: Amount): boolean => amounts.every(({ unit }) => unit !== next.unit);
  const readNext = () => (amounts.length === 0 ? readAmount(r) : attempt(r, () => readFurther(r, isNew)));
  for (let next = readNext(); next; next = readNext()) amounts.push(next);
  return amounts.length === 0 ? null : sum(amounts);
}

/** The same unit twice is not one length: `2h 3h`. */
function readFurther(r: Reader, isNew: (next: Amount) => boolean): Amount | null {
  if (!take(r, ',', 'and') && !take(r, 'and')) take(r, ',');
  const next = readAmount(r);
  return next && isNew(next) ? next : null;
}

function readAmount(r: Reader): Amount | null {
  return attempt(r, () => {
    // A single letter right after the number may belong to what follows it.
    if (textAt(r, 1).length === 1 && (isDecade(r) || isCountedPeriod(r) || isYearOf(r))) return null;
    const value = readQuantity(r);
    if (value === null) return null;
    if (textAt(r) === '.' || textAt(r) === '-') r.at += 1;
    // `2017 q1`, `2001-Q1`: the letter belongs to the number after it.
    const numbered = peek(r, 1)?.type === 'number' && isTight(r, 1) && (!isTight(r) || textAt(r, -1) === '-');
    const unit = numbered ? null : readUnit(r);
    if (unit === null || unit === 'weekend') return null;
    const half = take(r, 'and', 'a', 'half') ? 0.5 : 0;
    return { value: value + half, unit };
  });
}

/** `2024Q1`, `2024H1`. */
function isYearOf(r: Reader): boolean {
  const [year, word] = [peek(r), textAt(r, 1)];
  if (year?.type !== 'number' || !/^(?:19|20)\d\d$/.test(year.text) || (word !== 'q' && word !== 'h')) return false;
  return isTight(r, 1) && isTight(r, 2) && peek(r, 2)?.type === 'number';
}

/** After a number `mon` is Splunk's month; anywhere else it is Monday. */
function readUnit(r: Reader): Unit | null {
  const word = textAt(r);
  const unit = UNITS.get(word) ?? (word === 'mon' || word === 'mons' ? 'month' : undefined);
  if (unit === undefined) return null;
  r.at += 1;
  return unit;
}

/** NaN stands for a number that was not said: `a few`. */
function readQuantity(r: Reader): number | null {
  const fraction = fractionAt(r);
  if (fraction !== undefined) {
    // `1/2 mon` is a date and its weekday.
    if (textAt(r, 1) === 'mon') return null;
    r.at += 1;
    take(r, 'an') || take(r, 'a') || take(r, 'of', 'an') || take(r, 'of', 'a');
    return fraction;
  }
  if (take(r, 'three', 'quarters', 'of', 'an') || take(r, 'three', '-', 'quarters', 'of', 'an')) return 0.75;
  if (take(r, 'half', 'an') || take(r, 'half', 'a') || take(r, 'half', 'of', 'an') || take(r, 'half')) return 0.5;
  if (textAt(r) === 'quarter' && take(r, 'quarter', 'of', 'an')) return 0.25;
  if (textAt(r) === 'quarter' && textAt(r, 1) === 'hour') return take(r, 'quarter') ? 0.25 : null;
  const one = take(r, 'a') || take(r, 'an');
  if (take(r, 'half')) return 0.5;
  if (take(r, 'quarter', 'of', 'an')) return 0.25;
  if (take(r, 'couple', 'of') || take(r, 'couple')) return 2;
  if (take(r, 'few') || take(r, 'several') || take(r, 'some')) return Number.NaN;
  if (take(r, 'dozen')) return 12;
  if (take(r, 'hundred')) return 100;
  if (one) return 1;
  const num = readNumber(r);
  if (!num || num.ordinal) return null;
  const more = Number.isInteger(num.value) ? fractionAt(r) : undefined;
  if (more !== undefined) {
    r.at += 1;
    return num.value + more;
  }
  return take(r, 'and', 'a', 'half') ? num.value + 0.5 : num.value;
}

export const lengthOf = (value: number, unit: Unit): Length => sum([{ value, unit }]);

function sum(amounts: readonly Amount[]): Length {
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
  const total = months * 30 + days + ms / MS_OF_DAY;
  if (Number.isNaN(total)) {
    return faulty('How many that is, I would have to guess.', `last 3 ${only?.unit ?? 'hour'}s`);
  }
  if (!Number.isInteger(months)) return faulty('A part of a month has no certain length.');
  if (total === 0) return { ...faulty('A range must be longer than nothing.'), zero: true };
  if (total > LONGEST_DAYS) return faulty('That is too long ago.');
  const milliseconds = ms + Math.round((days % 1) * MS_OF_DAY);
  return { duration: { months, days: Math.floor(days), milliseconds }, calendar, ...single };
}

function ofDuration(duration: Temporal.Duration): Length {
  const { years, months, weeks, days, hours, minutes, seconds } = duration;
  const total = years * 365 + months * 30 + weeks * 7 + days + hours / 24 + minutes / 1440 + seconds / 86_400;
  if (duration.sign === 0) return faulty('A range must be longer than nothing.');
  if (total > LONGEST_DAYS) return faulty('That is too long ago.');
  return { duration, calendar: years + months + weeks + days > 0 };
}

const faulty = (message: string, suggestion?: string): Length => ({
  duration: {},
  calendar: false,
  fault: { message, ...(suggestion === undefined ? {} : { suggestion }) },
});

/** Days and longer go by the calendar of the zone, hours and shorter by elapsed time. */
export function addLength(from: Temporal.Instant, length: Length, zone: string, sign: 1 | -1): Temporal.Instant {
  if (!length.calendar) return sign > 0 ? from.add(length.duration) : from.subtract(length.duration);
  const local = from.toZonedDateTimeISO(zone);
  return (sign > 0 ? local.add(length.duration) : local.subtract(length.duration)).toInstant();
}
