/**
 * The words and marks around the ends of a range. Prepositions before the first (`since`, `from`, `between`, `around`),
 * also as keys of a query language (`from:-7h`, `earliest=-2d@d`); separators between two (`to`, `-`, `..`, `/`, `and`
 * after `between`, `but before`, `latest=`); and filler words before a phrase.
 */

import { attempt, peek, type TokenReader, take, takeOne, textAt } from '../lexer/reader.ts';
import { ABOUT_WORDS } from '../lexer/words.ts';
import type { RuleGroup } from '../model.ts';

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
sat & sun                                => 2025-06-14 .. 2025-06-16
june 5 2pm to june 6 4pm                 => 2025-06-05 14:00 .. 2025-06-06 16:00
yesterday until 3pm                      => 2025-06-17 .. 2025-06-17 15:00
since monday until 2pm                   => 2025-06-16 .. 2025-06-18 14:00
yesterday before noon                    => 2025-06-17 .. 2025-06-17 12:00
yesterday after 7pm                      => 2025-06-17 19:00 .. 2025-06-18
monday from 3pm                          => 2025-06-16 15:00 .. 2025-06-17
yesterday 7pm onwards                    => 2025-06-17 19:00 .. now
since 9am                                => 2025-06-18 09:00 .. now
since ~3am                               => 2025-06-18 03:00 .. now
since tuesday 14:30                      => 2025-06-17 14:30 .. now
after june 10                            => 2025-06-11 .. now
june or later                            => 2025-06-01 .. now
from march to date                       => 2025-03-01 .. now
btwn 9 & 11am                            => 2025-06-18 09:00 .. 2025-06-18 11:00
after 9:30 but before 11:00 on thursday  => 2025-06-12 09:30 .. 2025-06-12 11:00
`,
};

export interface Preposition {
  readonly role: 'since' | 'after' | 'between' | 'before' | 'around';
  readonly word: string;
  /** Written as a key of a query language, where a bare number is no hour: `earliest=0`. */
  readonly key: boolean;
}

const PREPOSITIONS: readonly (readonly [words: string, role: Preposition['role']])[] = [
  ['since', 'since'],
  ['starting from', 'since'],
  ['starting on', 'since'],
  ['starting at', 'since'],
  ['starting', 'since'],
  ['from', 'since'],
  ['later than', 'after'],
  ['after', 'after'],
  ['between', 'between'],
  ['btw', 'between'],
  ['btwn', 'between'],
  ['until', 'before'],
  ['till', 'before'],
  ['before', 'before'],
  ['by', 'before'],
  ['around', 'around'],
  ['about', 'around'],
  ['approx', 'around'],
  ['roughly', 'around'],
  ['~', 'around'],
];
const BY_FIRST = Map.groupBy(
  PREPOSITIONS.map(([words, role]) => ({ words: words.split(' '), role })),
  ({ words }) => words[0] ?? '',
);

/** Keys of addresses and query languages (`from=`, `start_time:`), and options of command lines (`--since`). */
const START_KEYS: ReadonlySet<string> = new Set('earliest from since start after'.split(' '));
const END_KEYS: ReadonlySet<string> = new Set('latest to until end before'.split(' '));
const KEY_ENDINGS: ReadonlySet<string> = new Set('ts time'.split(' '));

function takeKey(r: TokenReader, keys: ReadonlySet<string>): string | null {
  return attempt(r, () => {
    const isOption = take(r, '--');
    const word = takeOne(r, keys);
    if (word === null) return null;
    takeOne(r, KEY_ENDINGS);
    const isMarked = take(r, '=') || take(r, ':');
    return isMarked || isOption ? word : null;
  });
}

export function readPreposition(r: TokenReader): Preposition | null {
  return attempt(r, () => {
    const key = takeKey(r, START_KEYS);
    if (key !== null) return { role: 'since', word: key, key: true };
    if (textAt(r) === 'at' && BY_FIRST.get(textAt(r, 1))?.[0]?.role === 'around') r.at += 1;
    const anyTime = take(r, 'any', 'time');
    const preposition = BY_FIRST.get(textAt(r))?.find(({ words }) => take(r, ...words));
    // `beginning of june` is a part of june.
    if (preposition && textAt(r) === 'of') return null;
    if (!preposition || (anyTime && preposition.role !== 'since' && preposition.role !== 'after')) return null;
    // `since about 9am` still starts at 9.
    if (preposition.role !== 'around') takeOne(r, ABOUT_WORDS);
    return { role: preposition.role, word: preposition.words.join(' '), key: false };
  });
}

export const PREPOSITION_STARTS: ReadonlySet<string> = new Set([...BY_FIRST.keys(), ...START_KEYS, 'at', 'any', '--']);

export interface Separator {
  /** Only a dash or slash joins the two. */
  readonly dashed: boolean;
  /** The ISO 8601 separator, which allows a duration on one side. */
  readonly slash: boolean;
  /** Excludes the unit of the second end. */
  readonly before: boolean;
  /** A bare `and`, which only joins adjacent periods. */
  readonly joined: boolean;
}

export const PLAIN_SEPARATOR: Separator = { dashed: false, slash: false, before: false, joined: false };

export const SEPARATOR_WORDS: ReadonlySet<string> = new Set('to until til till through thru and'.split(' '));
const SEPARATOR_MARKS: ReadonlySet<string> = new Set(['-', '/', '..', '>']);

export function readSeparator(r: TokenReader, preposition: Preposition | null = null): Separator | null {
  return (
    attempt(r, readKey) ?? attempt(r, readBefore) ?? attempt(r, () => readWord(r, preposition)) ?? attempt(r, readMark)
  );
}

/** As in the address of a dashboard: `from=now-6h&to=now`. */
function readKey(r: TokenReader): Separator | null {
  if (!take(r, '&') && !take(r, 'and')) take(r, ',');
  const key = takeKey(r, END_KEYS);
  return key === null ? null : { ...PLAIN_SEPARATOR, before: key === 'before' };
}

function readBefore(r: TokenReader): Separator | null {
  const found = take(r, 'but', 'before') || take(r, 'and', 'before') || take(r, ',', 'before') || take(r, 'before');
  return found ? { ...PLAIN_SEPARATOR, before: true } : null;
}

function readWord(r: TokenReader, preposition: Preposition | null): Separator | null {
  if (take(r, 'up', 'to') || take(r, 'up', 'until')) return PLAIN_SEPARATOR;
  take(r, ',');
  const word = take(r, '&') ? 'and' : takeOne(r, SEPARATOR_WORDS);
  if (word === null) return null;
  const joined = word === 'and' && preposition?.role !== 'between' && preposition?.role !== 'after';
  if (joined) return preposition ? null : { ...PLAIN_SEPARATOR, joined };
  if (word === 'and') take(r, 'until') || take(r, 'to');
  takeOne(r, ABOUT_WORDS);
  return PLAIN_SEPARATOR;
}

function readMark(r: TokenReader): Separator | null {
  const slash = textAt(r) === '/';
  if (slash && !isIso(r)) return null;
  const mark = takeOne(r, SEPARATOR_MARKS);
  if (mark === null) return null;
  // `->` and `--` are one arrow or dash.
  if (mark === '-' && (textAt(r) === '>' || textAt(r) === '-') && peek(r)?.spaced === false) r.at += 1;
  return { ...PLAIN_SEPARATOR, dashed: mark === '-' || mark === '/', slash };
}

/** A slash only separates full dates and times: `1/1/1` is no range. */
function isIso(r: TokenReader): boolean {
  const before = peek(r, -1);
  if (before?.type === 'date') return before.date.year !== undefined;
  return before?.type === 'span' || before?.type === 'clock' || before?.text === 'z';
}

/** Words before a phrase that don't change it: `over the weekend`. */
export const FILLER_WORDS: ReadonlySet<string> = new Set('in for during over on at the within all of'.split(' '));
