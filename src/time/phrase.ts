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
      /** `since 2h until 1h`: lengths back from now, not hours of the clock. */
      readonly back: boolean;
    }
  | { readonly shape: 'for' | 'until'; readonly end: End; readonly length: Length; readonly shared?: End }
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

/** `2 weeks starting may 20th`, `90m from 14:00`, `2 hours before 14:30`. */
function readLengthOf(r: Reader): Shape | null {
  const unit = take(r, 'the') ? UNITS.get(textAt(r)) : undefined;
  const one = unit && isSpelledUnit(textAt(r)) ? lengthOf(1, unit) : null;
  if (one) r.at += 1;
  const length = one ?? readLength(r);
  if (!length || textAt(r, 1) === 'now') return null;
  const from = takeOne(r, FROM_WORDS) !== null;
  if (!from && takeOne(r, UNTIL_WORDS) === null && !take(r, 'leading', 'up', 'to') && !take(r, 'up', 'to')) return null;
  take(r, 'from') || take(r, 'at') || take(r, 'on');
  const end = readEnd(r, false);
  if (!end || end.plain || (!from && !end.clock && !end.math && !end.ago)) return null;
  return { shape: from ? 'for' : 'until', length, end };
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
  return { shape: 'pair', from, to, after: false, before: false, dashed: false, back: false };
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
  const isOneEnd = role === 'around' || role === 'before';
  const end = readEnd(r, !isOneEnd);
  if (!end) return null;
  if (isOneEnd) return { shape: role === 'around' ? 'around' : 'open', end };
  const pair = readRestOfPair(r, end, opener);
  if (pair || role === 'between') return pair;
  takeLater(r) || (r.at === r.tokens.length - 1 && take(r, 'on'));
  const start = end.number && opener.word === 'since' ? (asClock(end) ?? end) : end;
  return start.number ? null : { shape: role === 'after' ? 'after' : 'since', end: start };
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
  if (separator.slash && to.plain && !from.plain) return { shape: 'for', end: from, length: to.plain };
  if (separator.slash && from.plain && !to.plain) return { shape: 'until', end: to, length: from.plain };
  const { dashed, before } = separator;
  return { shape: 'pair', from, to, after: opener?.role === 'after', back: opener?.word === 'since', dashed, before };
}

const isMoment = (end: End): boolean => end.stretch !== undefined && end.plain === undefined;
/** `-12h -60m`: the sign alone begins the second. */
const isSigned = (r: Reader): boolean => textAt(r) === '-' && peek(r)?.spaced === true && isTight(r, 1);

/** After `19 dec 2015-2045` nobody knows whether years or hours were meant. */
function separatesWell(r: Reader, from: End, to: End): boolean {
  const fields = to.date?.fields;
  const yearOnly = fields?.year !== undefined && fields.month === undefined && fields.quarter === undefined;
  const hasDay = from.date?.fields?.day !== undefined;
  return !(yearOnly && hasDay && r.text.charAt(to.span.start - 1) !== ' ');
}

/** `thursday from 9 to 11`, `last week between friday and sunday`, `the 17 between 2 and 4pm`. */
function readSharedDate(r: Reader, end: End): Shape | null {
  const day = end.number?.value;
  const date = end.date ?? (day === undefined || !Number.isInteger(day) || day < 1 ? undefined : { fields: { day } });
  if (!date || end.clock || (end.number && end.date)) return null;
  take(r, ',');
  const opener = readOpener(r);
  if (opener?.role !== 'since' && opener?.role !== 'between' && opener?.role !== 'after') return null;
  const from = readEnd(r, true);
  const pair = from && readRestOfPair(r, from, opener);
  if (pair?.shape !== 'pair' && pair?.shape !== 'for') return null;
  const { number: _, ...rest } = end;
  return { ...pair, shared: { ...rest, date } };
}

/** `4pm for 30 mins`, and `14th feb for 7 hours from 9:30am`. */
function readForLength(r: Reader, end: End): Shape | null {
  if (!take(r, 'for')) return null;
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
