/** The shapes of a range: one period, a pair, since, a duration from or up to a moment, around a moment. */
import { attempt, isTight, peek, spanSince, type TokenReader, take, takeOne, textAt } from '../lexer/reader.ts';
import { ORDINAL_WORDS } from '../lexer/words.ts';
import type { RangeEnd, RangePhrase, RangeShape } from '../model.ts';
import { readAnchoredDuration, readForDuration, readMarginAfter } from './anchored-duration.ts';
import { asClock } from './clock-time.ts';
import {
  FILLER_WORDS,
  PLAIN_SEPARATOR,
  type Preposition,
  readPreposition,
  readSeparator,
  type Separator,
} from './connectives.ts';
import { readDuration } from './duration.ts';
import { readEnd } from './end.ts';

/** Marks that a range can begin with: `-24h`, `@d`, `~14:00`. */
const FIRST_MARKS: ReadonlySet<string> = new Set(['-', '--', '+', '±', '@', '~']);

export function readPhrase(r: TokenReader): RangePhrase | null {
  const token = peek(r);
  if (!token || (token.type === 'mark' && !FIRST_MARKS.has(token.text))) return null;
  return attempt(r, () => {
    const first = r.at;
    const shape = readShape(r);
    return shape && { ...shape, span: spanSince(r, first) };
  });
}

const MAX_FILLERS = 4;

function readShape(r: TokenReader): RangeShape | null {
  return readAnchoredDuration(r) ?? attempt(r, readBody) ?? attempt(r, readAfterFillers);
}

/** `over the weekend`, `all day yesterday`, `all of last week`. */
function readAfterFillers(r: TokenReader): RangeShape | null {
  const filler = takeOne(r, FILLER_WORDS);
  if (filler === null) return null;
  if (filler === 'all') take(r, 'day');
  let last = filler;
  for (let more = 0; more < MAX_FILLERS; more++) {
    const next = takeOne(r, FILLER_WORDS);
    if (next === null) break;
    last = next;
  }
  if (FILLER_WORDS.has(textAt(r))) return null;
  const unanchored = last === 'the' ? null : attempt(r, () => readUnanchored(r, last));
  return unanchored ?? readShape(r);
}

/** `in 2 hours` is in the future; `within`, `for` and `over 2 hours` don't say when they start. */
function readUnanchored(r: TokenReader, filler: string): RangeShape | null {
  const duration = readDuration(r);
  if (!duration || textAt(r) === 'ago' || textAt(r) === 'back') return null;
  return filler === 'in' ? { shape: 'future' } : { shape: 'duration', duration };
}

function readBody(r: TokenReader): RangeShape | null {
  const mark = r.at;
  const preposition = readPreposition(r);
  const prefixed = preposition && readAfterPreposition(r, preposition);
  if (prefixed) return prefixed;
  // `beginning of the month` is not a preposition.
  r.at = mark;
  return readWithoutPreposition(r);
}

function readAfterPreposition(r: TokenReader, preposition: Preposition): RangeShape | null {
  const { role } = preposition;
  if (role === 'around') return readAround(r, {});
  const end = readEnd(r, role !== 'before');
  if (!end || (preposition.key && end.number)) return null;
  if (role === 'before') return { shape: 'open', end };
  const pair = readRestOfPair(r, end, preposition);
  if (pair || role === 'between') return pair;
  takeLater(r) || takeOn(r);
  if (isYearOrHour(end) && !end.clock) return isYear(end) ? null : { shape: 'since', end };
  const start = end.number && HOUR_PREPOSITIONS.has(preposition.word) ? (asClock(end) ?? end) : end;
  return start.number ? null : { shape: role === 'after' ? 'after' : 'since', end: start };
}

/** After these a bare number is an hour. */
const HOUR_PREPOSITIONS: ReadonlySet<string> = new Set(['since', 'after', 'starting at']);

/** `around 14:30`, `around 2`, `around 2pm ± 10m`; with the date before it, `yesterday around 2pm`. */
function readAround(r: TokenReader, on: Pick<RangeEnd, 'date' | 'part' | 'zone'>): RangeShape | null {
  const end = readEnd(r, true);
  const at = end && (end.number && !end.date ? (asClock(end) ?? end) : end);
  if (!at || at.number || (on.date && (at.date || !at.clock))) return null;
  const whole = { ...on, ...at };
  return attempt(r, () => readMarginAfter(r, whole)) ?? { shape: 'around', end: whole };
}

function readWithoutPreposition(r: TokenReader): RangeShape | null {
  const mark = r.at;
  const end = readEnd(r, true);
  // `second` alone could be a day, an order or a unit.
  if (!end || (r.tokens.length === 1 && ORDINAL_WORDS.has(textAt(r, -1)))) return null;
  const shape = readRestOfPair(r, end, null) ?? readTail(r, end);
  const isMore = end.date ?? end.part ?? end.clock;
  if (shape || !end.number || !isMore) return shape;
  r.at = mark;
  const without = readEnd(r, false);
  return without && readTail(r, without);
}

/** What may follow an end without a preposition. */
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
    (isYearOrHour(from) ? null : attempt(r, () => readForDuration(r, from))) ??
    attempt(r, () => readMarginAfter(r, from)) ??
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
  // `10 min before midnight` counts from the second end; `5 min ago before 9am` means nothing.
  if (separator.before && !to.dateMath && (from.duration || from.ago?.calendar === false)) return null;
  if (isYearOrHour(to) || (isYearOrHour(from) && (from.clock || to.date || to.instants))) return null;
  if (preposition?.key && (from.number || to.number)) return null;
  if (separator.joined && !(isWholeDays(from) && isWholeDays(to))) return null;
  if (separator.slash && to.duration && !from.duration)
    return { shape: 'for', end: from, duration: to.duration, wholeDays: true };
  if (separator.slash && from.duration && !to.duration) return { shape: 'until', end: to, duration: from.duration };
  const { dashed, before, joined } = separator;
  const [after, since] = [preposition?.role === 'after', preposition !== null];
  return { shape: 'pair', from, to, after, since, back: preposition?.word === 'since', dashed, before, joined };
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
/** `-12h -60m`, `-1d@d @d`: the sign alone starts the second. */
const isSigned = (r: TokenReader): boolean =>
  (textAt(r) === '-' || textAt(r) === '@') && peek(r)?.spaced === true && isTight(r, 1);

/** `19 dec 2015-2045` could be years or hours. */
function separatesWell(r: TokenReader, from: RangeEnd, to: RangeEnd): boolean {
  const fields = to.date?.fields;
  const yearOnly = fields?.year !== undefined && fields.month === undefined && fields.quarter === undefined;
  const hasDay = from.date?.fields?.day !== undefined;
  // `june 5-9, 2025` has a day beside its year.
  return !(yearOnly && !to.number && hasDay && r.text.charAt(to.span.start - 1) !== ' ');
}

/**
 * `thursday from 9 to 11`, `last week between friday and sunday`, `the 17 between 2 and 4pm`; with one time, the rest of
 * the day: `yesterday after 6pm`.
 */
function readSharedDate(r: TokenReader, end: RangeEnd): RangeShape | null {
  const day = end.number?.value ?? 0;
  const isDay = Number.isInteger(day) && day >= 1 && day <= 31 && textAt(r, -2) === 'the';
  const date = end.date ?? (isDay ? { fields: { day } } : undefined);
  if (!date || end.clock || end.ago?.calendar === false || (end.number && end.date)) return null;
  take(r, ',');
  const preposition = readPreposition(r);
  const { number: _, ...rest } = end;
  const shared = { ...rest, date };
  if (preposition?.role === 'around' && !end.number) return readAround(r, rest);
  if (preposition?.role !== 'since' && preposition?.role !== 'between' && preposition?.role !== 'after') return null;
  const from = readEnd(r, true);
  const pair = from && readRestOfPair(r, from, preposition);
  if (pair?.shape === 'pair' || pair?.shape === 'for') return { ...pair, shared };
  if (!from || pair || preposition.role === 'between') return null;
  return readRestOfDay(r, shared, from, preposition);
}

/** Until the end of the day, or until now with `since` or `onwards`. */
function readRestOfDay(r: TokenReader, shared: RangeEnd, from: RangeEnd, preposition: Preposition): RangeShape | null {
  const start = from.number ? asClock(from) : from;
  if (!start?.clock || start.date || start.instants || start.part) return null;
  const isOpen = preposition.word === 'since' || takeLater(r) || takeOn(r);
  if (isOpen) return { shape: 'since', end: { ...shared, ...start } };
  const end = { hour: shared.part?.to ?? 24, minute: 0, second: 0, ns: 0, sure: true, settled: true as const };
  const to: RangeEnd = { span: start.span, clock: { ...end, span: start.span } };
  return { shape: 'pair', from: start, to, shared, ...PLAIN_SEPARATOR, after: false, back: false, since: false };
}

/** `from 6pm on`, at the end of the phrase. */
const takeOn = (r: TokenReader): boolean => r.at === r.tokens.length - 1 && take(r, 'on');

/** `2018 or later`, `1/1/2016 and later`, `monday onwards`. */
function takeLater(r: TokenReader): boolean {
  const joined = (take(r, 'or') || take(r, 'and')) && (take(r, 'later') || take(r, 'after') || take(r, 'onwards'));
  if (joined) return true;
  if (textAt(r, -1) === 'or' || textAt(r, -1) === 'and') r.at -= 1;
  return take(r, 'onwards') || take(r, 'onward');
}
