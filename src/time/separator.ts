/** What stands between two ends: `to`, `-`, `until`, `through`, `..`, `/`, `and` after between, `but before`, `latest=`. */
import { END_KEYS, isKeyMark, type Opener } from './opener.ts';
import { attempt, peek, type Reader, take, takeOne, textAt } from './reader.ts';

export interface Separator {
  /** Only a dash or slash joins the two. */
  readonly dashed: boolean;
  /** ISO's own mark, which may stand beside a length. */
  readonly slash: boolean;
  /** The second end's unit itself is left out. */
  readonly before: boolean;
  /** A bare `and`, which joins only what touches. */
  readonly joined: boolean;
}

export const PLAIN: Separator = { dashed: false, slash: false, before: false, joined: false };

export const SEPARATOR_WORDS: ReadonlySet<string> = new Set(
  'to until untill til till through thru upto and'.split(' '),
);
const MARKS: ReadonlySet<string> = new Set(['-', '/', '..', '...', '…', '>']);

export function readSeparator(r: Reader, opener: Opener | null = null): Separator | null {
  return attempt(r, () => readKey(r) ?? readBefore(r) ?? readWord(r, opener) ?? readMark(r));
}

function readKey(r: Reader): Separator | null {
  // As in the address of a dashboard: `from=now-6h&to=now`.
  const ahead = textAt(r) === '&' || textAt(r) === ',' ? 1 : 0;
  if (!END_KEYS.has(textAt(r, ahead)) || !isKeyMark(textAt(r, ahead + 1))) return null;
  r.at += ahead + 2;
  return PLAIN;
}

function readBefore(r: Reader): Separator | null {
  const found = take(r, 'but', 'before') || take(r, 'and', 'before') || take(r, ',', 'before') || take(r, 'before');
  return found ? { ...PLAIN, before: true } : null;
}

function readWord(r: Reader, opener: Opener | null): Separator | null {
  if (take(r, 'up', 'to') || take(r, 'up', 'until') || take(r, 'up', 'till')) return PLAIN;
  take(r, ',');
  const word = takeOne(r, SEPARATOR_WORDS);
  if (word === null) return null;
  const joined = word === 'and' && opener?.role !== 'between' && opener?.role !== 'after';
  if (joined) return opener ? null : { ...PLAIN, joined };
  if (word === 'and') take(r, 'until') || take(r, 'to');
  return PLAIN;
}

function readMark(r: Reader): Separator | null {
  const slash = textAt(r) === '/';
  if (slash && !isIso(r)) return null;
  const mark = take(r, '=', '>') ? '>' : takeOne(r, MARKS);
  if (mark === null) return null;
  // `->` and `--` are one arrow or dash.
  if (mark === '-' && (textAt(r) === '>' || textAt(r) === '-') && peek(r)?.spaced === false) r.at += 1;
  return { ...PLAIN, dashed: mark === '-' || mark === '/', slash };
}

/** A slash separates only what is written in full: `1/1/1` is no range. */
function isIso(r: Reader): boolean {
  const before = peek(r, -1);
  if (before?.type === 'date') return before.date.year !== undefined;
  return before?.type === 'span' || before?.type === 'clock' || before?.text === 'z';
}
