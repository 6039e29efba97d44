/** The shapes of a range: one period, a pair, since, a duration from or up to a moment, around a moment. */
import {
  attempt,
  isTight,
  peek,
  readNumber,
  spanSince,
  type TokenReader,
  take,
  takeOne,
  textAt,
} from '../lexer/reader.ts';
import { SPELLED_UNITS, UNITS } from '../lexer/words.ts';
import type { RangeEnd, RangePhrase } from '../model.ts';
import { asClock } from './clock.ts';
import {
  FILLER_WORDS,
  PLAIN_SEPARATOR,
  PREPOSITION_STARTS,
  type Preposition,
  readPreposition,
  readSeparator,
  type Separator,
} from './connectives.ts';
import { DURATION_STARTS, durationOf, readDuration } from './duration.ts';
import { readEnd } from './end.ts';
import { agoParts } from './relative-date.ts';

type WithoutSpan<RangeShape> = RangeShape extends RangeShape ? Omit<RangeShape, 'span'> : never;
type RangeShape = WithoutSpan<RangePhrase>;

/** Marks that a range can begin with: `-24h`, `@d`, `~14:00`, `½ hour`. */
const FIRST_MARKS: ReadonlySet<string> = new Set(['-', '+', '@', '~', '½', '¼', '¾']);

export function readPhrase(r: TokenReader): RangePhrase | null {
  const token = peek(r);
  if (!token || (token.type === 'mark' && !FIRST_MARKS.has(token.text))) return null;
  return attempt(r, () => {
    const first = r.at;
    const shape = readShape(r);
    return shape && { ...shape, span: spanSince(r, first) };
  });
}

const MOST_FILLERS = 4;

/** What a length or the first number of `2 to 4 hours ago` can begin with, a word before it included. */
const COUNTED_STARTS: ReadonlySet<string> = new Set([...DURATION_STARTS, 'the', 'for', 'from', 'between']);

function readShape(r: TokenReader): RangeShape | null {
  const type = peek(r)?.type;
  const isCounted = type === 'number' || type === 'span' || COUNTED_STARTS.has(textAt(r));
  const counted = isCounted
    ? (attempt(r, readForFirst) ?? attempt(r, readDurationOf) ?? attempt(r, readAgoPair))
    : null;
  return (
    counted ??
    attempt(r, readBody) ??
    attempt(r, () => {
      const filler = takeOne(r, FILLER_WORDS);
      if (filler === null) return null;
      const unanchored =
        filler === 'in' || filler === 'within' || filler === 'for' ? attempt(r, () => readUnanchored(r, filler)) : null;
      // `all day yesterday`, `the whole of last week`.
      if (filler === 'all' || filler === 'whole') take(r, 'day');
      for (let more = 0; more < MOST_FILLERS && unanchored === null && takeOne(r, FILLER_WORDS) !== null; more++);
      return unanchored ?? (FILLER_WORDS.has(textAt(r)) ? null : readShape(r));
    })
  );
}

/** `in 2 hours` lies ahead; `within 2 hours` and `for 2 hours` do not say from when. */
function readUnanchored(r: TokenReader, filler: string): RangeShape | null {
  const duration = readDuration(r);
  if (!duration || textAt(r) === 'ago' || textAt(r) === 'back') return null;
  return filler === 'in' ? { shape: 'future' } : { shape: 'duration', duration };
}

/** `for 3 hours from 10 am`. */
const readForFirst = (r: TokenReader): RangeShape | null => (take(r, 'for') ? readDurationOf(r) : null);

const FROM_WORDS: ReadonlySet<string> = new Set('from starting beginning commencing since'.split(' '));
const UNTIL_WORDS: ReadonlySet<string> = new Set('before until till ending'.split(' '));

/** `2 weeks starting may 20th`, `90m from 14:00`, `2 hours before 14:30`, `the hour after noon`, `7 days ending june 5`. */
function readDurationOf(r: TokenReader): RangeShape | null {
  const the = take(r, 'the');
  const unit = the ? UNITS.get(textAt(r)) : undefined;
  const one = unit && SPELLED_UNITS.has(textAt(r)) ? durationOf(1, unit) : null;
  if (one) r.at += 1;
  const duration = one ?? readDuration(r);
  if (!duration || textAt(r, 1) === 'now') return null;
  // Without the article, `2 hours after noon` is a moment to many.
  const after = the && take(r, 'after');
  const from = after || takeOne(r, FROM_WORDS) !== null;
  const wholeDays = duration.calendar && textAt(r) === 'ending';
  if (!from && takeOne(r, UNTIL_WORDS) === null && !take(r, 'leading', 'up', 'to') && !take(r, 'up', 'to')) return null;
  take(r, 'from') || take(r, 'at') || take(r, 'on');
  const end = readEnd(r, false);
  if (!end || end.duration || (after && !end.clock)) return null;
  if (!from && !end.clock && !end.dateMath && !end.ago && !(wholeDays && end.date)) return null;
  return { shape: from ? 'for' : 'until', duration, end, ...(wholeDays && !end.clock ? { wholeDays } : {}) };
}

/** `between 12 and 24 hours ago`, `2-4 hours ago`. */
function readAgoPair(r: TokenReader): RangeShape | null {
  const first = r.at;
  take(r, 'from') || take(r, 'between');
  const near = readNumber(r);
  if (!near || near.ordinal || !(take(r, 'and') || readSeparator(r))) return null;
  const duration = readDuration(r);
  const { unit, count } = duration ?? {};
  if (!unit || count === undefined || !(take(r, 'ago') || take(r, 'back'))) return null;
  const span = spanSince(r, first);
  const ago = (value: number): RangeEnd => ({ ...agoParts(durationOf(value, unit)), span });
  const [from, to] = [ago(Math.max(near.value, count)), ago(Math.min(near.value, count))];
  return { shape: 'pair', from, to, after: false, before: false, dashed: false, joined: false, back: false };
}

function readBody(r: TokenReader): RangeShape | null {
  const mark = r.at;
  const preposition = PREPOSITION_STARTS.has(textAt(r)) ? readPreposition(r) : null;
  const prefixed = preposition && readAfterPreposition(r, preposition);
  if (prefixed) return prefixed;
  // `beginning of the month` opens nothing.
  r.at = mark;
  return readWithoutPreposition(r);
}

function readAfterPreposition(r: TokenReader, preposition: Preposition): RangeShape | null {
  const { role } = preposition;
  if (role === 'around') return readAround(r, {});
  if (role !== 'before') takeOne(r, ABOUT_WORDS);
  const end = readEnd(r, role !== 'before');
  if (!end || (preposition.key && end.number)) return null;
  if (role === 'before') return { shape: 'open', end };
  const pair = readRestOfPair(r, end, preposition);
  if (pair || role === 'between') return pair;
  takeLater(r) || (r.at === r.tokens.length - 1 && take(r, 'on'));
  if (isYearOrHour(end) && !end.clock) return isYear(end) ? null : { shape: 'since', end };
  const start = end.number && HOUR_PREPOSITIONS.has(preposition.word) ? (asClock(end) ?? end) : end;
  return start.number ? null : { shape: role === 'after' ? 'after' : 'since', end: start };
}

/** After these a bare number is an hour. */
const HOUR_PREPOSITIONS: ReadonlySet<string> = new Set(['since', 'after', 'starting at']);
/** `since about 9am` begins at nine all the same. */
const ABOUT_WORDS: ReadonlySet<string> = new Set('about around approximately approx roughly'.split(' '));

/** `around 14:30`, `around 2`; with the date before it, `yesterday around 2pm`. */
function readAround(r: TokenReader, on: Pick<RangeEnd, 'date' | 'part'>): RangeShape | null {
  const end = readEnd(r, true);
  const at = end && (end.number && !end.date ? (asClock(end) ?? end) : end);
  if (!at || at.number || (on.date && (at.date || !at.clock))) return null;
  return { shape: 'around', end: { ...on, ...at } };
}

function readWithoutPreposition(r: TokenReader): RangeShape | null {
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

/** What may follow one end that nothing prefixed. */
function readTail(r: TokenReader, end: RangeEnd): RangeShape | null {
  if (end.future || (r.at >= r.tokens.length && !end.number)) return { shape: 'single', end };
  const shared = attempt(r, () => readSharedDate(r, end));
  if (shared || end.number) return shared;
  return takeLater(r) ? { shape: 'since', end } : { shape: 'single', end };
}

/** The other end, or a duration, after the first. */
function readRestOfPair(r: TokenReader, from: RangeEnd, preposition: Preposition | null): RangeShape | null {
  if (r.at >= r.tokens.length) return null;
  return (
    attempt(r, () => readForDuration(r, from)) ??
    attempt(r, () => (isMoment(from) && isSigned(r) ? readOther(r, from, preposition, PLAIN_SEPARATOR) : null)) ??
    attempt(r, () => {
      const separator = readSeparator(r, preposition);
      return separator && readOther(r, from, preposition, separator);
    })
  );
}

function readOther(
  r: TokenReader,
  from: RangeEnd,
  preposition: Preposition | null,
  separator: Separator,
): RangeShape | null {
  if (take(r, 'date')) return { shape: 'since', end: from };
  const to = readEnd(r, true);
  if (!to || (separator.dashed && !separatesWell(r, from, to))) return null;
  if (isYearOrHour(to) || (isYearOrHour(from) && (from.clock || to.date || to.instants))) return null;
  if (preposition?.key && (from.number || to.number)) return null;
  if (separator.joined && !(isWholeDays(from) && isWholeDays(to))) return null;
  if (separator.slash && to.duration && !from.duration)
    return { shape: 'for', end: from, duration: to.duration, wholeDays: true };
  if (separator.slash && from.duration && !to.duration) return { shape: 'until', end: to, duration: from.duration };
  const { dashed, before, joined } = separator;
  const [after, back] = [preposition?.role === 'after', preposition?.word === 'since'];
  return { shape: 'pair', from, to, after, back, dashed, before, joined };
}

/** `17 aug 24`: after a day and month two digits may be the hour or the year. */
function isYearOrHour({ number, date }: RangeEnd): boolean {
  const { day, month, year } = date?.fields ?? {};
  const isFull = day !== undefined && month !== undefined && year === undefined;
  return isFull && number !== undefined && !number.ordinal && !number.isTime && number.digits.length === 2;
}

const isYear = ({ number }: RangeEnd): boolean => (number?.value ?? 0) >= 24;

const isWholeDays = ({ date, clock, part, number, ago }: RangeEnd): boolean =>
  date !== undefined && !clock && !part && !number && !ago;

const isMoment = (end: RangeEnd): boolean => end.instants !== undefined && end.duration === undefined;
/** `-12h -60m`, `-1d@d @d`: the sign alone begins the second. */
const isSigned = (r: TokenReader): boolean =>
  (textAt(r) === '-' || textAt(r) === '@') && peek(r)?.spaced === true && isTight(r, 1);

/** After `19 dec 2015-2045` nobody knows whether years or hours were meant. */
function separatesWell(r: TokenReader, from: RangeEnd, to: RangeEnd): boolean {
  const fields = to.date?.fields;
  const yearOnly = fields?.year !== undefined && fields.month === undefined && fields.quarter === undefined;
  const hasDay = from.date?.fields?.day !== undefined;
  // `june 5-9, 2025` has a day beside its year.
  return !(yearOnly && !to.number && hasDay && r.text.charAt(to.span.start - 1) !== ' ');
}

/** `thursday from 9 to 11`, `last week between friday and sunday`, `the 17 between 2 and 4pm`. */
function readSharedDate(r: TokenReader, end: RangeEnd): RangeShape | null {
  const day = end.number?.value;
  const date = end.date ?? (day === undefined || !Number.isInteger(day) || day < 1 ? undefined : { fields: { day } });
  if (!date || end.clock || (end.number && end.date)) return null;
  take(r, ',');
  const preposition = readPreposition(r);
  const { part } = end;
  if (preposition?.role === 'around' && !end.number) return readAround(r, part ? { date, part } : { date });
  if (preposition?.role !== 'since' && preposition?.role !== 'between' && preposition?.role !== 'after') return null;
  const from = readEnd(r, true);
  const pair = from && readRestOfPair(r, from, preposition);
  if (pair?.shape !== 'pair' && pair?.shape !== 'for') return null;
  const { number: _, ...rest } = end;
  return { ...pair, shared: { ...rest, date } };
}

/** `4pm for 30 mins`, and `14th feb for 7 hours from 9:30am`. */
function readForDuration(r: TokenReader, end: RangeEnd): RangeShape | null {
  if (isYearOrHour(end) || !take(r, 'for')) return null;
  const duration = readDuration(r);
  if (!duration) return null;
  const start = attempt(r, () => {
    if (!take(r, 'from') && !take(r, 'starting', 'at') && !take(r, 'at')) return null;
    const clock = readEnd(r, false);
    return clock?.clock ? clock : null;
  });
  return start ? { shape: 'for', end: start, duration, shared: end } : { shape: 'for', end, duration };
}

/** `2018 or later`, `1/1/2016 and later`, `monday onwards`. */
function takeLater(r: TokenReader): boolean {
  const joined = (take(r, 'or') || take(r, 'and')) && (take(r, 'later') || take(r, 'after') || take(r, 'onwards'));
  if (joined) return true;
  if (textAt(r, -1) === 'or' || textAt(r, -1) === 'and') r.at -= 1;
  return take(r, 'onwards') || take(r, 'onward') || take(r, 'forward');
}
