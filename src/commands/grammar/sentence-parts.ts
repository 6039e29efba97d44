/** The parts of a sentence that may stand anywhere in it: flags, the zone, the window to compare with. */
import type { Span } from '../../errors.ts';
import { resolveZone } from '../../time/index.ts';
import { commandFor, type Verb } from './command-table.ts';
import type { Word } from './tokens.ts';

export const PRIVATE = new Set(['privately', 'private']);
export const CSV = new Set(['csv']);
const ONLY = new Set(['only']);
/** Words that mean something wherever they stand, so that no host can be called by them. */
const JOINTS = ['as', 'with', 'on', 'for', 'in', 'vs', 'vs.', 'versus', 'against', 'compared', 'and', 'none', 'all'];
const RESERVED: ReadonlySet<string> = new Set([...PRIVATE, ...CSV, ...ONLY, ...JOINTS, '&']);

export function isReserved(word: string): boolean {
  return RESERVED.has(word.toLowerCase()) || commandFor(word) !== undefined;
}

export function takeFlag(
  words: readonly Word[],
  flag: ReadonlySet<string>,
  take: (words: readonly Word[]) => void,
): boolean {
  const at = words.findIndex((word) => !word.quoted && flag.has(word.lower));
  const word = words[at];
  if (word === undefined) return false;
  const before = words[at - 1];
  const lead = before !== undefined && ['as', 'in', 'with'].includes(before.lower) ? [before] : [];
  take([...lead, word]);
  return true;
}

export function takeCsv(left: () => readonly Word[], take: (words: readonly Word[]) => void): boolean | 'only' {
  if (!takeFlag(left(), CSV, take)) return false;
  return takeFlag(left(), ONLY, take) ? 'only' : true;
}

/** `in Europe/Berlin`, `in new york`; `in March` is left for the range. */
export function takeZone(words: readonly Word[], take: (words: readonly Word[]) => void): string | null {
  for (const [at, word] of words.entries()) {
    if (word.lower !== 'in') continue;
    for (const length of [3, 2, 1]) {
      const name = words.slice(at + 1, at + 1 + length);
      const zone = name.length === length ? resolveZone(name.map((part) => part.text).join(' ')) : null;
      if (zone === null) continue;
      take([word, ...name]);
      return zone;
    }
  }
  return null;
}

export function findVersus(words: readonly Word[], verb: Verb): Span | null {
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    if (['vs', 'vs.', 'versus', 'against'].includes(word.lower)) return word;
    if (word.lower === 'compared' && next !== undefined && ['to', 'with'].includes(next.lower)) {
      return { start: word.start, end: next.end };
    }
    if (verb === 'compare' && word.lower === 'with') return word;
  }
  return null;
}
