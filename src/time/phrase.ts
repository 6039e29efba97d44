/** The shapes of a range: one period, a pair, since, a length from or up to a moment, around a moment. */
import type { Span } from '../errors.ts';
import { readEnd } from './end.ts';
import { asClock } from './inherit.ts';
import { LENGTH_STARTS, type Length, lengthOf, readLength } from './length.ts';
import type { End } from './model.ts';
import { readNumber } from './number.ts';
import { type Opener, readOpener } from './opener.ts';
import { attempt, isTight, peek, type Reader, spanSince, take, takeOne, textAt } from './reader.ts';
import { agoBit } from './relative.ts';
import { PLAIN, readSeparator, type Separator } from './separator.ts';
import { canStart, LEADS } from './starts.ts';
import { isSpelledUnit, UNITS } from './vocabulary.ts';

export type Phrase = { readonly span: Span } & (
  | { readonly shape: 'single' | 'since' | 'after' | 'around'; readonly end: End }
  | {
      readonly shape: 'pair';
      readonly from: End;
      readonly to: End;
      /** A date said once for both. */
      readonly shared?: End;
      /** `after … and before …`: the named units themselves are left out. */
      readonly after: boolean;
      readonly before: boolean;
      /** Only a dash joins them. */
      readonly dashed: boolean;
      /** `yesterday and today`: only what touches is one range. */
      readonly joined: boolean;
      /** `since 2h until 1h`: lengths back from now, not hours of the clock. */
      readonly back: boolean;
    }
  | {
      readonly shape: 'for' | 'until';
      readonly end: End;
      readonly length: Length;
      readonly shared?: End;
      /** A whole day will do: it begins where the length begins (`2025-06-01/PT2H`), or ends where it ends. */
      readonly wholeDays?: boolean;
    }
  /** Has no beginning: `before 2010`. */
  | { readonly shape: 'open'; readonly end: End }
  /** Lies ahead, or is a length that points nowhere. */
  | { readonly shape: 'ahead' }
  | { readonly shape: 'length'; readonly length: Length }
);

type WithoutSpan<Shape> = Shape extends Shape ? Omit<Shape, 'span'> : never;
type Shape = WithoutSpan<Phrase>;

export function readPhrase(r: Reader): Phrase | null {
  const token = peek(r);
  if (!token || !canStart(token)) return null;
  return attempt(r, () => {
    const first = r.at;
    const shape = readShape(r);
    return shape && { ...shape, span: spanSince(r, first) };
  });
}

const MOST_LEADS = 4;

/** What a length or the first number of `2 to 4 hours ago` can begin with, a word before it included. */
const COUNTED_STARTS: ReadonlySet<string> = new Set([...LENGTH_STARTS, 'the', 'for', 'from', 'between']);

function readShape(r: Reader): Shape | null {
  const type = peek(r)?.type;
  const isCounted = type === 'number' || type === 'span' || COUNTED_STARTS.has(textAt(r));
  const counted = isCounted ? (attempt(r, readForFirst) ?? attempt(r, readLengthOf) ?? attempt(r, readAgoPair)) : null;
  return (
    counted ??
    attempt(r, readBody) ??
    attempt(r, () => {
      const lead = takeOne(r, LEADS);
      if (lead === null) return null;
      const unanchored =
        lead === 'in' || lead === 'within' || lead === 'for' ? attempt(r, () => readUnanchored(r, lead)) : null;
      // `all day yesterday`, `the whole of last week`.
      if (lead === 'all' || lead === 'whole') take(r, 'day');
      for (let more = 0; more < MOST_LEADS && unanchored === null && takeOne(r, LEADS) !== null; more++);
      return unanchored ?? (LEADS.has(textAt(r)) ? null : readShape(r));
    })
  );
}

/** `in 2 hours` lies ahead; `within 2 hours` and `for 2 hours` do not say from when. */
function readUnanchored(r: Reader, lead: string): Shape | null {
  const length = readLength(r);
  if (!length || textAt(r) === 'ago' || textAt(r) === 'back') return null;
  return lead === 'in' ? { shape: 'ahead' } : { shape: 'length', length };
}

/** `for 3 hours from 10 am`. */
const readForFirst = (r: Reader): Shape | null => (take(r, 'for') ? readLengthOf(r) : null);

const FROM_WORDS: ReadonlySet<string> = new Set('from starting beginning commencing since'.split(' '));
const UNTIL_WORDS: ReadonlySet<string> = new Set('before until till ending'.split(' '));

/** `2 weeks starting may 20th`, `90m from 14:00`, `2 hours before 14:30`, `the hour after noon`, `7 days ending june 5`. */
function readLengthOf(r: Reader): Shape | null {
  const the = take(r, 'the');
  const unit = the ? UNITS.get(textAt(r)) : undefined;
  const one = unit && isSpelledUnit(textAt(r)) ? lengthOf(1, unit) : null;
  if (one) r.at += 1;
  const length = one ?? readLength(r);
  if (!length || textAt(r, 1) === 'now') return null;
  // Without the article, `2 hours after noon` is a moment to many.
  const after = the && take(r, 'after');
  const from = after || takeOne(r, FROM_WORDS) !== null;
  const wholeDays = length.calendar && textAt(r) === 'ending';
  if (!from && takeOne(r, UNTIL_WORDS) === null && !take(r, 'leading', 'up', 'to') && !take(r, 'up', 'to')) return null;
  take(r, 'from') || take(r, 'at') || take(r, 'on');
  const end = readEnd(r, false);
  if (!end || end.plain || (after && !end.clock)) return null;
  if (!from && !end.clock && !end.math && !end.ago && !(wholeDays && end.date)) return null;
  return { shape: from ? 'for' : 'until', length, end, ...(wholeDays && !end.clock ? { wholeDays } : {}) };
}

/** `between 12 and 24 hours ago`, `2-4 hours ago`. */
function readAgoPair(r: Reader): Shape | null {
  const first = r.at;
  take(r, 'from') || take(r, 'between');
  const near = readNumber(r);
  if (!near || near.ordinal || !(take(r, 'and') || readSeparator(r))) return null;
  const length = readLength(r);
  const { unit, count } = length ?? {};
  if (!unit || count === undefined || !(take(r, 'ago') || take(r, 'back'))) return null;
  const span = spanSince(r, first);
  const ago = (value: number): End => ({ ...agoBit(lengthOf(value, unit)), span });
  const [from, to] = [ago(Math.max(near.value, count)), ago(Math.min(near.value, count))];
  return { shape: 'pair', from, to, after: false, before: false, dashed: false, joined: false, back: false };
}

function readBody(r: Reader): Shape | null {
  const mark = r.at;
  const opener = readOpener(r);
  const opened = opener && readOpened(r, opener);
  if (opened) return opened;
  // `beginning of the month` opens nothing.
  r.at = mark;
  return readUnopened(r);
}

function readOpened(r: Reader, opener: Opener): Shape | null {
  const { role } = opener;
  if (role === 'around') return readAround(r, {});
  if (role !== 'before') takeOne(r, ABOUT_WORDS);
  const end = readEnd(r, role !== 'before');
  if (!end || (opener.key && end.number)) return null;
  if (role === 'before') return { shape: 'open', end };
  const pair = readRestOfPair(r, end, opener);
  if (pair || role === 'between') return pair;
  takeLater(r) || (r.at === r.tokens.length - 1 && take(r, 'on'));
  if (isYearOrHour(end) && !end.clock) return isYear(end) ? null : { shape: 'since', end };
  const start = end.number && HOUR_OPENERS.has(opener.word) ? (asClock(end) ?? end) : end;
  return start.number ? null : { shape: role === 'after' ? 'after' : 'since', end: start };
}

/** After these a bare number is an hour. */
const HOUR_OPENERS: ReadonlySet<string> = new Set(['since', 'after', 'starting at']);
/** `since about 9am` begins at nine all the same. */
const ABOUT_WORDS: ReadonlySet<string> = new Set('about around approximately approx roughly'.split(' '));

/** `around 14:30`, `around 2`; with the date before it, `yesterday around 2pm`. */
function readAround(r: Reader, on: Pick<End, 'date' | 'part'>): Shape | null {
  const end = readEnd(r, true);
  const at = end && (end.number && !end.date ? (asClock(end) ?? end) : end);
  if (!at || at.number || (on.date && (at.date || !at.clock))) return null;
  return { shape: 'around', end: { ...on, ...at } };
}

function readUnopened(r: Reader): Shape | null {
  const mark = r.at;
  const end = readEnd(r, true);
  if (!end) return null;
  const shape = readRestOfPair(r, end, null) ?? readTail(r, end);
  const isMore = end.date ?? end.part ?? end.clock;
  if (shape || !end.number || !isMore) return shape;
  r.at = mark;
  const without = readEnd(r, false);
  return without && readTail(r, without);
}

/** What may follow one end that nothing opened. */
function readTail(r: Reader, end: End): Shape | null {
  if (end.ahead || (r.at >= r.tokens.length && !end.number)) return { shape: 'single', end };
  const shared = attempt(r, () => readSharedDate(r, end));
  if (shared || end.number) return shared;
  return takeLater(r) ? { shape: 'since', end } : { shape: 'single', end };
}

/** The other end, or a length, after the first. */
function readRestOfPair(r: Reader, from: End, opener: Opener | null): Shape | null {
  if (r.at >= r.tokens.length) return null;
  return (
    attempt(r, () => readForLength(r, from)) ??
    attempt(r, () => (isMoment(from) && isSigned(r) ? readOther(r, from, opener, PLAIN) : null)) ??
    attempt(r, () => {
      const separator = readSeparator(r, opener);
      return separator && readOther(r, from, opener, separator);
    })
  );
}

function readOther(r: Reader, from: End, opener: Opener | null, separator: Separator): Shape | null {
  if (take(r, 'date')) return { shape: 'since', end: from };
  const to = readEnd(r, true);
  if (!to || (separator.dashed && !separatesWell(r, from, to))) return null;
  if (isYearOrHour(to) || (isYearOrHour(from) && (from.clock || to.date || to.stretch))) return null;
  if (opener?.key && (from.number || to.number)) return null;
  if (separator.joined && !(isWholeDays(from) && isWholeDays(to))) return null;
  if (separator.slash && to.plain && !from.plain) return { shape: 'for', end: from, length: to.plain, wholeDays: true };
  if (separator.slash && from.plain && !to.plain) return { shape: 'until', end: to, length: from.plain };
  const { dashed, before, joined } = separator;
  const [after, back] = [opener?.role === 'after', opener?.word === 'since'];
  return { shape: 'pair', from, to, after, back, dashed, before, joined };
}

/** `17 aug 24`: after a day and month two digits may be the hour or the year. */
function isYearOrHour({ number, date }: End): boolean {
  const { day, month, year } = date?.fields ?? {};
  const isFull = day !== undefined && month !== undefined && year === undefined;
  return isFull && number !== undefined && !number.ordinal && !number.isTime && number.digits.length === 2;
}

const isYear = ({ number }: End): boolean => (number?.value ?? 0) >= 24;

const isWholeDays = ({ date, clock, part, number, ago }: End): boolean =>
  date !== undefined && !clock && !part && !number && !ago;

const isMoment = (end: End): boolean => end.stretch !== undefined && end.plain === undefined;
/** `-12h -60m`, `-1d@d @d`: the sign alone begins the second. */
const isSigned = (r: Reader): boolean =>
  (textAt(r) === '-' || textAt(r) === '@') && peek(r)?.spaced === true && isTight(r, 1);

/** After `19 dec 2015-2045` nobody knows whether years or hours were meant. */
function separatesWell(r: Reader, from: End, to: End): boolean {
  const fields = to.date?.fields;
  const yearOnly = fields?.year !== undefined && fields.month === undefined && fields.quarter === undefined;
  const hasDay = from.date?.fields?.day !== undefined;
  // `june 5-9, 2025` has a day beside its year.
  return !(yearOnly && !to.number && hasDay && r.text.charAt(to.span.start - 1) !== ' ');
}

/** `thursday from 9 to 11`, `last week between friday and sunday`, `the 17 between 2 and 4pm`. */
function readSharedDate(r: Reader, end: End): Shape | null {
  const day = end.number?.value;
  const date = end.date ?? (day === undefined || !Number.isInteger(day) || day < 1 ? undefined : { fields: { day } });
  if (!date || end.clock || (end.number && end.date)) return null;
  take(r, ',');
  const opener = readOpener(r);
  const { part } = end;
  if (opener?.role === 'around' && !end.number) return readAround(r, part ? { date, part } : { date });
  if (opener?.role !== 'since' && opener?.role !== 'between' && opener?.role !== 'after') return null;
  const from = readEnd(r, true);
  const pair = from && readRestOfPair(r, from, opener);
  if (pair?.shape !== 'pair' && pair?.shape !== 'for') return null;
  const { number: _, ...rest } = end;
  return { ...pair, shared: { ...rest, date } };
}

/** `4pm for 30 mins`, and `14th feb for 7 hours from 9:30am`. */
function readForLength(r: Reader, end: End): Shape | null {
  if (isYearOrHour(end) || !take(r, 'for')) return null;
  const length = readLength(r);
  if (!length) return null;
  const start = attempt(r, () => {
    if (!take(r, 'from') && !take(r, 'starting', 'at') && !take(r, 'at')) return null;
    const clock = readEnd(r, false);
    return clock?.clock ? clock : null;
  });
  return start ? { shape: 'for', end: start, length, shared: end } : { shape: 'for', end, length };
}

/** `2018 or later`, `1/1/2016 and later`, `monday onwards`. */
function takeLater(r: Reader): boolean {
  const joined = (take(r, 'or') || take(r, 'and')) && (take(r, 'later') || take(r, 'after') || take(r, 'onwards'));
  if (joined) return true;
  if (textAt(r, -1) === 'or' || textAt(r, -1) === 'and') r.at -= 1;
  return take(r, 'onwards') || take(r, 'onward') || take(r, 'forward');
}
