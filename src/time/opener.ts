/** Words that open a range: since, from, after, between, before, around; also as keys (`from:-7h`, `earliest=-2d@d`). */
import { attempt, type Reader, take, textAt } from './reader.ts';

export interface Opener {
  readonly role: 'since' | 'after' | 'between' | 'before' | 'around';
  readonly word: string;
  /** Written as a key of a query language, where a bare number is no hour: `earliest=0`. */
  readonly key: boolean;
}

const OPENERS: readonly (readonly [words: string, role: Opener['role']])[] = [
  ['ever since', 'since'],
  ['since', 'since'],
  ['starting from', 'since'],
  ['starting on', 'since'],
  ['starting at', 'since'],
  ['starting in', 'since'],
  ['starting', 'since'],
  ['beginning on', 'since'],
  ['beginning at', 'since'],
  ['beginning in', 'since'],
  ['beginning from', 'since'],
  ['beginning', 'since'],
  ['commencing', 'since'],
  ['on or after', 'since'],
  ['at or after', 'since'],
  ['no earlier than', 'since'],
  ['not before', 'since'],
  ['not earlier than', 'since'],
  ['as of', 'since'],
  ['as from', 'since'],
  ['from', 'since'],
  ['later than', 'after'],
  ['after', 'after'],
  ['between', 'between'],
  ['until', 'before'],
  ['untill', 'before'],
  ['till', 'before'],
  ['before', 'before'],
  ['by', 'before'],
  ['up to', 'before'],
  ['prior to', 'before'],
  ['earlier than', 'before'],
  ['around', 'around'],
  ['about', 'around'],
  ['circa', 'around'],
  ['approximately', 'around'],
  ['approx', 'around'],
  ['roughly', 'around'],
  ['near', 'around'],
  ['~', 'around'],
];
const BY_FIRST = Map.groupBy(
  OPENERS.map(([words, role]) => ({ words: words.split(' '), role })),
  ({ words }) => words[0] ?? '',
);

/** Keys of query languages; they always carry `:` or `=`. */
const START_KEYS: ReadonlySet<string> = new Set('earliest from since start starttime begin after'.split(' '));
export const END_KEYS: ReadonlySet<string> = new Set('latest to until end endtime before'.split(' '));

export function readOpener(r: Reader): Opener | null {
  return attempt(r, () => {
    if (START_KEYS.has(textAt(r)) && isKeyMark(textAt(r, 1))) {
      const word = textAt(r);
      r.at += 2;
      return { role: 'since', word, key: true };
    }
    if (textAt(r) === 'at' && BY_FIRST.get(textAt(r, 1))?.[0]?.role === 'around') r.at += 1;
    const anyTime = take(r, 'any', 'time') || take(r, 'anytime');
    const opener = BY_FIRST.get(textAt(r))?.find(({ words }) => take(r, ...words));
    // `beginning of june` is a part of june.
    if (opener && textAt(r) === 'of') return null;
    if (!opener || (anyTime && opener.role !== 'since' && opener.role !== 'after')) return null;
    return { role: opener.role, word: opener.words.join(' '), key: false };
  });
}

export const isKeyMark = (mark: string): boolean => mark === '=' || mark === ':';

export const OPENER_STARTS: ReadonlySet<string> = new Set([...BY_FIRST.keys(), ...START_KEYS, 'at', 'any', 'anytime']);
