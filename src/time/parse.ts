/** The way in: a text that is a time range from its first word to its last, or a refusal that says which word is not. */
import { type Span, UsageError } from '../errors.ts';
import { withChronoDates } from './grammar/chrono-dates.ts';
import { readPhrase } from './grammar/phrase.ts';
import { EXAMPLE, readerOf, refuse, type TokenReader } from './lexer/reader.ts';
import type { ParsedRange, RangePhrase, TimeContext } from './model.ts';
import { resolve } from './resolve/range.ts';
import { suggestFor } from './suggest.ts';

/** Longer than any range anybody types. */
const LONGEST_PHRASE = 200;
const MOST_STARTS = 60;
const HARMLESS: ReadonlySet<string> = new Set(['.', ',', ';', '!', '?']);

export function parseRange(text: string, context: TimeContext): ParsedRange {
  if (text.length > LONGEST_PHRASE) {
    refuse(text, { start: 0, end: text.length }, 'That is too long to be a time range.');
  }
  const r = readerOf(text);
  const phrase = readPhrase(r);
  skipHarmless(r);
  if (phrase && r.at >= r.tokens.length) return resolve(phrase, text, context);
  const last = readWithChrono(r);
  return last ? resolve(last, text, context) : refuseRest(r, text, context);
}

function readWithChrono(r: TokenReader): RangePhrase | null {
  const other = withChronoDates(r);
  const phrase = other && readPhrase(other);
  if (!other || !phrase) return null;
  skipHarmless(other);
  return other.at >= other.tokens.length ? phrase : null;
}

function skipHarmless(r: TokenReader): void {
  while (HARMLESS.has(r.tokens[r.at]?.text ?? '')) r.at += 1;
}

/** Names the words that no rule could use. */
function refuseRest(r: TokenReader, text: string, context: TimeContext): never {
  if (r.tokens.length === 0) throw new UsageError('There is no time range there.', { text, example: EXAMPLE });
  const best = longest(r);
  const unread = best ? restOf(r, best) : { start: r.tokens[0]?.start ?? 0, end: r.tokens.at(-1)?.end ?? text.length };
  const suggestion = suggestFor(r.tokens, text, (other) => isUnderstood(other, context));
  const said = text.slice(unread.start, unread.end);
  const shown = said.length > 40 ? `${said.slice(0, 40)}…` : said;
  refuse(
    text,
    unread,
    `I do not understand “${shown}” as part of a time range.`,
    suggestion === null ? {} : { suggestion },
  );
}

function isUnderstood(text: string, context: TimeContext): boolean {
  const r = readerOf(text);
  const phrase = readPhrase(r);
  if (!phrase || r.at < r.tokens.length) return false;
  try {
    resolve(phrase, text, context);
    return true;
  } catch {
    return false;
  }
}

interface LongestPhrase {
  readonly phrase: RangePhrase;
  readonly first: number;
  readonly after: number;
}

/** What stands before the phrase, or else after it. */
function restOf(r: TokenReader, { first, after }: LongestPhrase): Span {
  const [from, to] = first > 0 ? [0, first - 1] : [after, r.tokens.length - 1];
  return { start: r.tokens[from]?.start ?? 0, end: r.tokens[to]?.end ?? r.text.length };
}

/** The phrase that uses most words; of equals the first. Reading goes on after each, so the work stays linear. */
function longest(r: TokenReader): LongestPhrase | null {
  let best: LongestPhrase | null = null;
  let starts = 0;
  for (let first = 0; first < r.tokens.length && starts < MOST_STARTS; ) {
    starts += 1;
    r.at = first;
    const phrase = readPhrase(r);
    if (phrase && (!best || r.at - first > best.after - best.first)) best = { phrase, first, after: r.at };
    first = phrase ? r.at : first + 1;
  }
  return best;
}
