/** The shapes of a range, with the words and marks around its ends: prepositions, keys of query languages, separators. */
import type { TokenReader } from '../lexer/lexer.ts';
import { ABOUT, ORDINAL_WORDS, SPELLED_UNITS } from '../lexer/words.ts';
import type { PairShape, RangeEnd, RangePhrase, RangeShape, RuleGroup } from '../model.ts';
import { asClock, asTime, bareYear, hourClock, isCompact, isDayAndMonth } from './clock-time.ts';
import { agoParts, durationOf, readDuration } from './duration.ts';
import { isInstant, isSpacedOffset, isTightOffset, readEnd } from './end.ts';
import { readDayOffset } from './period.ts';

/** Marks that a range can begin with: `-24h`, `@d`, `~14:00`. */
const FIRST_MARKS: ReadonlySet<string> = new Set(['-', '--', '+', '±', '@', '~']);

export function readPhrase(r: TokenReader): RangePhrase | null {
  const token = r.peek();
  if (!token || (token.type === 'mark' && !FIRST_MARKS.has(token.text))) return null;
  return r.attempt(() => {
    const first = r.at;
    const shape = readShape(r);
    return shape && { ...shape, span: r.spanSince(first) };
  });
}

const readShape = (r: TokenReader): RangeShape | null =>
  r.first(readDurationOf, readMarginFirst, readAgoPair, readBody, readAfterFillers);

const FILLER_WORDS: ReadonlySet<string> = new Set('in for during over on at the within all of'.split(' '));

/** `over the weekend`, `all day yesterday`, `all of last week`. */
function readAfterFillers(r: TokenReader): RangeShape | null {
  const filler = r.takeOne(FILLER_WORDS);
  if (filler === null) return null;
  if (filler === 'all') r.take('day');
  while (r.takeOne(FILLER_WORDS) !== null);
  const last = r.textAt(-1);
  const unanchored = last === 'the' ? null : r.attempt(() => readUnanchored(r, last));
  return unanchored ?? readShape(r);
}

/** `in 2 hours` is in the future; `within`, `for` and `over 2 hours` don't say when they start. */
function readUnanchored(r: TokenReader, filler: string): RangeShape | null {
  const first = r.peek()?.start;
  if (!readDuration(r) || r.textAt() === 'ago' || r.textAt() === 'back') return null;
  const suggestion = `last ${r.text.slice(first, r.peek(-1)?.end)}`;
  return filler === 'in' ? { shape: 'future' } : { shape: 'duration', suggestion };
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
  if (role === 'around') return r.attempt(() => readLoosePair(r)) ?? readAround(r, {});
  const end = readEnd(r, role !== 'before');
  if (!end || (preposition.key && end.number)) return null;
  if (role === 'before') return readUpTo(end, preposition) ?? { shape: 'open', end };
  const pair = readRestOfPair(r, end, preposition);
  if (pair || role === 'between') return pair;
  takeLater(r) || takeOn(r);
  if (isYearOrHour(end) && !end.clock) return isYear(end) ? null : { shape: 'since', end };
  // `since 1h30` could be that long, or since half past one.
  if (preposition.word === 'since' && /^[0-6]h\d\d$/i.test(end.typed ?? '')) return null;
  // `since 9.10` could be a day of October.
  if (!end.date && isDayAndMonth(end)) return null;
  const start = end.number && HOUR_PREPOSITIONS.has(preposition.word) ? (asClock(end) ?? end) : end;
  return start.number ? null : { shape: role === 'after' ? 'after' : 'since', end: start };
}

/** `up to noon today`: from the start of that day. */
function readUpTo({ clock, ...end }: RangeEnd, { word }: Preposition): RangeShape | null {
  const isDay = end.date?.fixed?.unit === 'day' && !end.ago;
  if (!clock || !isDay || word === 'by') return null;
  const to: RangeEnd = { span: end.span, clock };
  return { ...PLAIN_PAIR, from: end, to };
}

/** `~9:30 to ~10:15`. */
function readLoosePair(r: TokenReader): RangeShape | null {
  const from = readEnd(r, true);
  const pair = from?.clock ? readRestOfPair(r, from, null) : null;
  return pair?.shape === 'pair' ? pair : null;
}

/** After these a bare number is an hour. */
const HOUR_PREPOSITIONS: ReadonlySet<string> = new Set(['since', 'after', 'starting at']);

/** `around 14:30`, `around 2`, `around 2pm ± 10m`; with the date before it, `yesterday around 2pm`. */
function readAround(r: TokenReader, on: Pick<RangeEnd, 'date' | 'part' | 'zone'>): RangeShape | null {
  const end = readEnd(r, true);
  const at = end && (end.number && !end.date ? (asClock(end) ?? end) : asFourDigits(end));
  if (!at || at.number || (on.date && (at.date || !at.clock))) return null;
  const whole = { ...on, ...at };
  return r.attempt(() => readMarginAfter(r, whole)) ?? { shape: 'around', end: whole };
}

function readWithoutPreposition(r: TokenReader): RangeShape | null {
  const mark = r.at;
  const end = readEnd(r, true);
  // `second` alone could be a day, an order or a unit.
  if (!end || (r.tokens.length === 1 && ORDINAL_WORDS.has(r.textAt(-1)))) return null;
  const shape = readRestOfPair(r, end, null) ?? readTail(r, end);
  const isMore = end.date ?? end.part ?? end.clock;
  if (shape || !end.number || !isMore) return shape;
  r.at = mark;
  const without = readEnd(r, false);
  return without && readTail(r, without);
}

/** What may follow an end without a preposition. */
function readTail(r: TokenReader, end: RangeEnd): RangeShape | null {
  if (r.at >= r.tokens.length && !end.number) return { shape: 'single', end };
  const shared = r.attempt(() => readSharedDate(r, end));
  if (shared || end.number) return shared;
  return takeLater(r) ? { shape: 'since', end } : { shape: 'single', end };
}

/** The other end, or a duration, after the first. */
function readRestOfPair(r: TokenReader, from: RangeEnd, preposition: Preposition | null): RangeShape | null {
  if (r.at >= r.tokens.length) return null;
  return (
    (isYearOrHour(from) ? null : r.attempt(() => readForDuration(r, from))) ??
    r.attempt(() => readMarginAfter(r, from)) ??
    r.attempt(() => (isInstant(from) && isSigned(r) ? readOther(r, from, preposition, PLAIN_SEPARATOR) : null)) ??
    r.attempt(() => {
      const separator = readSeparator(r, preposition, from);
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
  if (r.take('date')) return { shape: 'since', end: from };
  const to = readEnd(r, true);
  if (!to || (separator.dashed && !separatesWell(r, from, to))) return null;
  // `10 min before midnight` counts from the second end; `5 min ago before 9am` means nothing.
  if (separator.before && !to.dateMath && (from.duration || from.ago?.calendar === false)) return null;
  // `since 10 to 3` could begin at ten to three.
  if (preposition?.word === 'since' && !separator.dashed && isMinutesTo(from, to)) return null;
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

/** `10 to 3`: two bare numbers that can be a time of day. */
const isMinutesTo = ({ number: minutes, date }: RangeEnd, { number: hour }: RangeEnd): boolean =>
  !date && hour !== undefined && hour.value <= 12 && [5, 10, 20, 25].includes(minutes?.value ?? 0);

/** `17 aug 24`: after a day and month two digits may be the hour or the year. */
function isYearOrHour({ number, date }: RangeEnd): boolean {
  const { day, month, year } = date?.fields ?? {};
  const isFull = day !== undefined && month !== undefined && year === undefined;
  return isFull && number !== undefined && !number.ordinal && !number.isTime && number.digits.length === 2;
}

const isYear = ({ number }: RangeEnd): boolean => (number?.value ?? 0) >= 24;

const isWholeDays = ({ date, clock, part, number, ago }: RangeEnd): boolean =>
  date !== undefined && !clock && !part && !number && !ago;

/** `-12h -60m`, `-1d@d @d`: the sign alone starts the second. */
const isSigned = (r: TokenReader): boolean =>
  (r.textAt() === '-' || r.textAt() === '@') && r.peek()?.spaced === true && r.isTight(1);

/** `19 dec 2015-2045` could be years or hours. */
function separatesWell(r: TokenReader, from: RangeEnd, to: RangeEnd): boolean {
  const fields = to.date?.fields;
  const yearOnly = fields?.year !== undefined && fields.month === undefined && fields.quarter === undefined;
  const hasDay = from.date?.fields?.day !== undefined;
  // `june 5-9, 2025` has a day beside its year.
  return !(yearOnly && !to.number && hasDay && r.text.charAt(to.span.start - 1) !== ' ');
}

/** `thursday from 9 to 11`, `last week between friday and sunday`; with one time, the rest of the day: `yesterday after 6pm`. */
function readSharedDate(r: TokenReader, end: RangeEnd): RangeShape | null {
  const day = end.number?.value ?? 0;
  const isDay = Number.isInteger(day) && day >= 1 && day <= 31 && r.textAt(-2) === 'the';
  const date = end.date ?? (isDay ? { fields: { day } } : undefined);
  // `in the morning between 8 and 9` names no particular day.
  const isPart = end.part !== undefined && !end.number;
  if ((!date && !isPart) || end.clock || end.ago?.calendar === false || (end.number && end.date)) return null;
  r.take(',');
  const preposition = readPreposition(r);
  const { number: _, ...rest } = end;
  const shared = date ? { ...rest, date } : rest;
  if (preposition?.role === 'around' && !end.number) return readAround(r, rest);
  if (preposition?.role !== 'since' && preposition?.role !== 'between' && preposition?.role !== 'after') return null;
  const from = readEnd(r, true);
  const pair = from && readRestOfPair(r, from, preposition);
  // `night from monday to tuesday` names days of its own.
  if (!date && pair?.shape === 'pair' && (pair.from.date ?? pair.to.date ?? pair.from.instants ?? pair.to.instants))
    return null;
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
  const clock = { ...hourClock(shared.part?.to ?? 24, '', start), settled: true as const };
  const to: RangeEnd = { span: start.span, clock };
  return { ...PLAIN_PAIR, from: start, to, shared };
}

/** `from 6pm on`, at the end of the phrase. */
const takeOn = (r: TokenReader): boolean => r.at === r.tokens.length - 1 && r.take('on');

/** `2018 or later`, `1/1/2016 and later`, `monday onwards`. */
const takeLater = (r: TokenReader): boolean =>
  r.take('or later|or after|or onwards|and later|and after|and onwards|onwards') || takeArrow(r);

/** `1pm->`, at the end of the phrase. */
function takeArrow(r: TokenReader): boolean {
  const left = r.tokens.slice(r.at).map(({ text }) => text);
  const isArrow = /^-?>$/.test(left.join(''));
  if (isArrow) r.at = r.tokens.length;
  return isArrow;
}

export const DURATIONS_NEXT_TO_A_MOMENT: RuleGroup = {
  title: 'A duration next to a moment',
  about: '`around` alone means half an hour on each side.',
  examples: `
around 14:30                             => 2025-06-18 14:00 .. 2025-06-18 15:00
yesterday around 2pm                     => 2025-06-17 13:30 .. 2025-06-17 14:30
14:00 ± 20m                              => 2025-06-18 13:40 .. 2025-06-18 14:20
10 min either side of 9:15               => 2025-06-18 09:05 .. 2025-06-18 09:25
14:00 + 30m                              => 2025-06-18 14:00 .. 2025-06-18 14:30
yesterday 0930 for 20m                   => 2025-06-17 09:30 .. 2025-06-17 09:50
3pm for 40 mins                          => 2025-06-18 15:00 .. 2025-06-18 15:40
yesterday at 9:40am, for 25 mins         => 2025-06-17 09:40 .. 2025-06-17 10:05
90m from 14:00                           => 2025-06-18 14:00 .. 2025-06-18 15:30
2 hours before 14:30                     => 2025-06-18 12:30 .. 2025-06-18 14:30
the hour after noon                      => 2025-06-18 12:00 .. 2025-06-18 13:00
30 minutes after 2pm                     => 2025-06-18 14:00 .. 2025-06-18 14:30
2 weeks starting may 20th                => 2025-05-20 .. 2025-06-03
7 days ending june 5                     => 2025-05-30 .. 2025-06-06
2-4 hours ago                            => 2025-06-18 12:25:40 .. 2025-06-18 14:25:40
`,
};

/** `2 weeks starting may 20th`, `90m from 14:00`, `2 hours before 14:30`, `the hour after noon`, `7 days ending june 5`. */
function readDurationOf(r: TokenReader): RangeShape | null {
  r.take('for');
  const the = r.take('the');
  // `the day before yesterday 2pm to 4pm` names a day.
  if (the && r.textAt() === 'day' && r.attempt(readDayOffset)) return null;
  const unit = the ? r.takeFrom(SPELLED_UNITS) : undefined;
  const duration = unit ? durationOf(1, unit) : readDuration(r);
  if (!duration || r.textAt(1) === 'now') return null;
  const after = !duration.calendar && r.take('after');
  const from = after || r.take('from|starting|since');
  const wholeDays = duration.calendar && r.textAt() === 'ending';
  if (!from && !r.take('before|until|ending|up to')) return null;
  r.take('from|at|on');
  const end = readMoment(r);
  if (!end || end.number || end.duration || (after && !end.clock)) return null;
  if (!from && !end.clock && !end.dateMath && !end.ago && !(wholeDays && end.date)) return null;
  return { shape: from ? 'for' : 'until', duration, end, ...(wholeDays && !end.clock ? { wholeDays } : {}) };
}

/** `0930`, `1400 yesterday`: next to a duration four digits are a time. */
function asFourDigits(end: RangeEnd): RangeEnd {
  const year = bareYear(end);
  if (year !== null) return asTime(end, year);
  return end.number && isCompact(end.number.digits) ? (asClock(end) ?? end) : end;
}

function readMoment(r: TokenReader): RangeEnd | null {
  const mark = r.at;
  const end = readEnd(r, true);
  const moment = end && asFourDigits(end);
  if (!moment?.number) return moment;
  r.at = mark;
  return readEnd(r, false);
}

/** `30 min either side of 14:00`, `10m before and after 2pm`, `±15m around 14:00`, `within 10m of 14:00`. */
function readMarginFirst(r: TokenReader): RangeShape | null {
  const isSigned = takePlusMinus(r);
  const isWithin = !isSigned && r.take('within');
  const margin = readDuration(r);
  if (!margin || (isWithin && r.textAt() !== 'of')) return null;
  const isBoth = isSigned || isWithin || r.take('either side|before and after');
  if (!isBoth) return null;
  r.take('around|of');
  const end = readMoment(r);
  return end && !end.number && (end.clock || isInstant(end)) ? { shape: 'around', end, margin } : null;
}

/** `14:00 ± 30m`, `14:00 +/- 30m`. */
function readMarginAfter(r: TokenReader, end: RangeEnd): RangeShape | null {
  if (!(end.clock || isInstant(end)) || !takePlusMinus(r)) return null;
  const margin = readDuration(r);
  return margin && { shape: 'around', end, margin };
}

const takePlusMinus = (r: TokenReader): boolean => r.take('±|+ / -');

/** `between 12 and 24 hours ago`, `2-4 hours ago`. */
function readAgoPair(r: TokenReader): RangeShape | null {
  const first = r.at;
  r.take('from|between');
  const near = r.readNumber();
  if (!near || near.ordinal || !(r.take('and') || readSeparator(r))) return null;
  const duration = readDuration(r);
  const { unit, count } = duration ?? {};
  if (!unit || count === undefined || !r.take('ago|back')) return null;
  const span = r.spanSince(first);
  const ago = (value: number): RangeEnd => ({ ...agoParts(durationOf(value, unit)), span });
  const [from, to] = [ago(Math.max(near.value, count)), ago(Math.min(near.value, count))];
  return { ...PLAIN_PAIR, from, to };
}

/** `4pm for 30 mins`, and `14th feb for 7 hours from 9:30am`. */
function readForDuration(r: TokenReader, from: RangeEnd): RangeShape | null {
  const end = asFourDigits(from);
  r.take(',');
  if (!r.take('for') && !(end.clock && r.take('+'))) return null;
  const duration = readDuration(r);
  if (!duration) return null;
  const start = r.attempt(() => {
    if (!r.take('from|starting at|at')) return null;
    const clock = readEnd(r, false);
    return clock?.clock ? clock : null;
  });
  return start ? { shape: 'for', end: start, duration, shared: end } : { shape: 'for', end, duration };
}

export const PAIRS: RuleGroup = {
  title: 'From … to, since and after',
  about: `The last day, month or year named is included. What one end leaves out is taken from the other. \`since\` starts
    at the start of the unit, \`after\` at its end; both run until now. A day before \`until 1pm\` ends that day,
    after \`since\` or \`from\` it ends today; a day before \`after 6pm\` runs to its end.`,
  examples: `
june 3 to june 9                         => 2025-06-03 .. 2025-06-10
June 10-15                               => 2025-06-10 .. 2025-06-16
5 to 16 May                              => 2025-05-05 .. 2025-05-17
dec 30 - jan 2                           => 2024-12-30 .. 2025-01-03
may 30 to the 2nd                        => 2025-05-30 .. 2025-06-03
the 27th to june 3                       => 2025-05-27 .. 2025-06-04
monday 22:00 to wednesday 5pm            => 2025-06-16 22:00 .. now
3 days ago before 11am                   => 2025-06-15 .. 2025-06-15 11:00
monday to wednesday                      => 2025-06-16 .. now
friday to june 15, 2025                  => 2025-06-13 .. 2025-06-16
june 2 to friday                         => 2025-06-02 .. 2025-06-14
december to february                     => 2024-12-01 .. 2025-03-01
weeks 10-12                              => 2025-03-03 .. 2025-03-24
yesterday and today                      => 2025-06-17 .. now
last mon-fri                             => 2025-06-09 .. 2025-06-14
sat/sun                                  => 2025-06-14 .. 2025-06-16
sat & sun                                => 2025-06-14 .. 2025-06-16
june 5 2pm to june 6 4pm                 => 2025-06-05 14:00 .. 2025-06-06 16:00
yesterday until 3pm                      => 2025-06-17 .. 2025-06-17 15:00
since monday until 2pm                   => 2025-06-16 .. 2025-06-18 14:00
up to noon today                         => 2025-06-18 .. 2025-06-18 12:00
yesterday before noon                    => 2025-06-17 .. 2025-06-17 12:00
yesterday after 7pm                      => 2025-06-17 19:00 .. 2025-06-18
monday from 3pm                          => 2025-06-16 15:00 .. 2025-06-17
yesterday 7pm onwards                    => 2025-06-17 19:00 .. now
since 9am                                => 2025-06-18 09:00 .. now
1pm->                                    => 2025-06-18 13:00 .. now
since this time yesterday                => 2025-06-17 16:25:40 .. now
since ~3am                               => 2025-06-18 03:00 .. now
since tuesday 14:30                      => 2025-06-17 14:30 .. now
after june 10                            => 2025-06-11 .. now
june or later                            => 2025-06-01 .. now
from march to date                       => 2025-03-01 .. now
btwn 9 & 11am                            => 2025-06-18 09:00 .. 2025-06-18 11:00
after 9:30 but before 11:00 on thursday  => 2025-06-12 09:30 .. 2025-06-12 11:00
`,
};

interface Preposition {
  readonly role: 'since' | 'after' | 'between' | 'before' | 'around';
  readonly word: string;
  /** Written as a key of a query language, where a bare number isn't an hour: `earliest=0`. */
  readonly key: boolean;
}

const PREPOSITIONS = (
  [
    ['since', 'since|starting from|starting on|starting at|starting|from'],
    ['after', 'later than|after'],
    ['between', 'between'],
    ['before', 'up to|until|before|by'],
    ['around', 'around|about|~'],
  ] as const
).flatMap(([role, words]) => words.split('|').map((word) => ({ role, word })));

/** Keys of addresses and query languages (`from=`, `start_time:`), and options of command lines (`--since`). */
const START_KEYS: ReadonlySet<string> = new Set('earliest from since start after'.split(' '));
const END_KEYS: ReadonlySet<string> = new Set('latest to until end before'.split(' '));

function takeKey(r: TokenReader, keys: ReadonlySet<string>): string | null {
  return r.attempt(() => {
    const isOption = r.take('--');
    const word = r.takeOne(keys);
    if (word === null) return null;
    r.take('ts|time');
    const isMarked = r.take('=|:');
    return isMarked || isOption ? word : null;
  });
}

function readPreposition(r: TokenReader): Preposition | null {
  return r.attempt(() => {
    const key = takeKey(r, START_KEYS);
    if (key !== null) return { role: 'since', word: key, key: true };
    if (/^(?:around|about|~)$/.test(r.textAt(1))) r.take('at');
    const anyTime = r.take('any time');
    const found = PREPOSITIONS.find(({ word }) => r.take(word));
    // `beginning of june` is a part of june.
    if (!found || r.textAt() === 'of' || (anyTime && found.role !== 'since' && found.role !== 'after')) return null;
    // `since about 9am` still starts at 9.
    if (found.role !== 'around') r.take(ABOUT);
    return { ...found, key: false };
  });
}

export const PREPOSITION_STARTS: ReadonlySet<string> = new Set([
  ...PREPOSITIONS.map(({ word }) => word.replace(/ .*/, '')),
  ...START_KEYS,
  ...['at', 'any', '--'],
]);

interface Separator extends Pick<PairShape, 'dashed' | 'before' | 'joined'> {
  /** The ISO 8601 separator, which allows a duration on one side. */
  readonly slash: boolean;
}

const PLAIN_SEPARATOR: Separator = { dashed: false, slash: false, before: false, joined: false };
const PLAIN_PAIR = { ...PLAIN_SEPARATOR, shape: 'pair', after: false, back: false, since: false } as const;

export const SEPARATOR_WORDS: ReadonlySet<string> = new Set('to until through and'.split(' '));
const SEPARATOR_MARKS: ReadonlySet<string> = new Set(['-', '/', '..', '>']);

function readSeparator(
  r: TokenReader,
  preposition: Preposition | null = null,
  from: RangeEnd | null = null,
): Separator | null {
  return (
    r.first(readKey, readBefore) ?? r.attempt(() => readWord(r, preposition)) ?? r.attempt(() => readMark(r, from))
  );
}

/** As in the address of a dashboard: `from=now-6h&to=now`. */
function readKey(r: TokenReader): Separator | null {
  if (!r.take('&|and')) r.take(',');
  const key = takeKey(r, END_KEYS);
  return key === null ? null : { ...PLAIN_SEPARATOR, before: key === 'before' };
}

function readBefore(r: TokenReader): Separator | null {
  const found = r.take('but before|and before|, before|before');
  return found ? { ...PLAIN_SEPARATOR, before: true } : null;
}

function readWord(r: TokenReader, preposition: Preposition | null): Separator | null {
  if (r.take('up to|up until')) return PLAIN_SEPARATOR;
  r.take(',');
  const word = r.take('&') ? 'and' : r.takeOne(SEPARATOR_WORDS);
  if (word === null) return null;
  const joined = word === 'and' && preposition?.role !== 'between' && preposition?.role !== 'after';
  if (joined) return preposition ? null : { ...PLAIN_SEPARATOR, joined };
  if (word === 'and') r.take('until|to');
  r.take(ABOUT);
  return PLAIN_SEPARATOR;
}

function readMark(r: TokenReader, from: RangeEnd | null): Separator | null {
  // `9am -1100` and `14:00-0500` could be an offset.
  if (from?.clock && (isSpacedOffset(r) || isTightOffset(r))) return null;
  if (from && isWholeDays(from) && (r.take('+') || (isWeekday(from) && r.take('/'))))
    return { ...PLAIN_SEPARATOR, joined: true };
  const slash = r.textAt() === '/';
  if (slash && !isIso(r)) return null;
  const mark = r.takeOne(SEPARATOR_MARKS);
  if (mark === null) return null;
  // `->` and `--` are one arrow or dash.
  if (mark === '-' && (r.textAt() === '>' || r.textAt() === '-') && r.peek()?.spaced === false) r.at += 1;
  return { ...PLAIN_SEPARATOR, dashed: mark === '-' || mark === '/', slash };
}

const isWeekday = ({ date }: RangeEnd): boolean => date?.fields?.weekday !== undefined && date.fields.day === undefined;

/** A slash only separates full dates and times: `1/1/1` isn't a range. */
function isIso(r: TokenReader): boolean {
  const before = r.peek(-1);
  if (before?.type === 'date') return before.date.year !== undefined;
  return before?.type === 'span' || before?.type === 'clock' || before?.text === 'z';
}
