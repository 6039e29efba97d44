/** The two ways in: a text that is a range from end to end, and a sentence that has one inside. */
import { type Span, UsageError } from '../errors.ts';
import { withChronoDates } from './chrono-dates.ts';
import type { ParsedRange, TimeContext } from './parsed-range.ts';
import { type Phrase, readPhrase } from './phrase.ts';
import { EXAMPLE, type Reader, readerOf, refuse } from './reader.ts';
import { resolve } from './resolve.ts';
import { canStart } from './starts.ts';
import { suggestFor } from './suggest.ts';
import { readZone } from './zone-phrase.ts';

/** Longer than any range anybody types. */
const LONGEST_PHRASE = 200;
const LONGEST_SENTENCE = 1000;
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

function readWithChrono(r: Reader): Phrase | null {
  const other = withChronoDates(r);
  const phrase = other && readPhrase(other);
  if (!other || !phrase) return null;
  skipHarmless(other);
  return other.at >= other.tokens.length ? phrase : null;
}

function skipHarmless(r: Reader): void {
  while (HARMLESS.has(r.tokens[r.at]?.text ?? '')) r.at += 1;
}

/** Names the words that no rule could use. */
function refuseRest(r: Reader, text: string, context: TimeContext): never {
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

interface Best {
  readonly phrase: Phrase;
  readonly first: number;
  readonly after: number;
}

/** What stands before the phrase, or else after it. */
function restOf(r: Reader, { first, after }: Best): Span {
  const [from, to] = first > 0 ? [0, first - 1] : [after, r.tokens.length - 1];
  return { start: r.tokens[from]?.start ?? 0, end: r.tokens[to]?.end ?? r.text.length };
}

/** The phrase that uses most words; of equals the first. Reading goes on after each, so the work stays linear. */
function longest(r: Reader): Best | null {
  let best: Best | null = null;
  let starts = 0;
  for (let first = 0; first < r.tokens.length && starts < MOST_STARTS; ) {
    const token = r.tokens[first];
    if (!token || !canStart(token)) {
      first += 1;
      continue;
    }
    starts += 1;
    r.at = first;
    const phrase = readPhrase(r);
    if (phrase && (!best || r.at - first > best.after - best.first)) best = { phrase, first, after: r.at };
    first = phrase ? r.at : first + 1;
  }
  return best;
}

export interface FoundRange {
  readonly range: ParsedRange;
  /** The words it used, as offsets into the text as typed. */
  readonly spans: Span[];
}

/**
 * Finds the range in a sentence. Words that belong to something else are best blanked out with spaces first, so that
 * `yesterday on shop 2pm to 4pm` reads as one phrase and offsets stay true.
 */
export function findRange(text: string, context: TimeContext): FoundRange | null {
  if (text.length > LONGEST_SENTENCE) {
    refuse(text, { start: 0, end: text.length }, 'That is too long for one question.');
  }
  const r = readerOf(text);
  const best = longest(r);
  if (!best) return null;
  const { phrase } = best;
  const elsewhere = findZone(r, best);
  const range = resolve(phrase, text, elsewhere ? { ...context, zone: elsewhere.zone } : context);
  return { range, spans: elsewhere ? [phrase.span, elsewhere.span] : [phrase.span] };
}

/** `yesterday … in Europe/Berlin`: a zone that stands apart from the phrase. */
function findZone(r: Reader, { first, after }: Best): { zone: string; span: Span } | null {
  let tries = 0;
  for (let at = 0; at < r.tokens.length && tries < MOST_STARTS; at++) {
    const token = r.tokens[at];
    if ((at >= first && at < after) || !token || (token.text !== 'in' && token.type !== 'zone')) continue;
    tries += 1;
    r.at = at;
    const zone = readZone(r, false, false);
    const end = r.tokens[r.at - 1]?.end;
    if (zone !== null && end !== undefined) return { zone, span: { start: token.start, end } };
  }
  return null;
}
