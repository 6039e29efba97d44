/** Parses a text that must be a time range from the first word to the last, or refuses it and points at the problem. */
import { UsageError } from '../errors.ts';
import { withChronoDates } from './grammar/chrono-dates.ts';
import { readPhrase } from './grammar/phrase.ts';
import { EXAMPLE, readerOf, refuse, type TokenReader } from './lexer/lexer.ts';
import type { ParsedRange, Range, RangePhrase, TimeContext } from './model.ts';
import { reasonFor, refuseUnread } from './refusal.ts';
import { resolve } from './resolve/range.ts';
import { corrections } from './typos.ts';

const MAX_PHRASE = 200;

export function parseRange(text: string, context: TimeContext): ParsedRange {
  try {
    return readOrRefuse(text, context);
  } catch (error) {
    throw error instanceof UsageError ? error.changed({ text }) : error;
  }
}

function readOrRefuse(text: string, context: TimeContext): ParsedRange {
  if (text.trim().length > MAX_PHRASE) refuse({ start: 0, end: text.length }, "That's too long for a time range.");
  const r = readerOf(text);
  if (r.tokens.length === 0) throw new UsageError("There's no time range here.", { example: EXAMPLE });
  const phrase = readWhole(r) ?? readWhole(withChronoDates(r));
  if (phrase) return resolve(phrase, context);
  const reason = reasonFor(r);
  if (reason) refuse(reason.span, reason.message);
  const { range, suggestion } = readCorrected(r, context);
  return range ?? refuseUnread(r, suggestion);
}

/** The range a refusal suggests. A suggestion replaces either the words at fault or the whole text, whichever parses. */
export function suggestedRange(
  text: string,
  { suggestion, span }: Pick<UsageError, 'suggestion' | 'span'>,
  context: TimeContext,
): string | undefined {
  if (suggestion === undefined) return undefined;
  const inPlace = span === undefined ? [] : [text.slice(0, span.start) + suggestion + text.slice(span.end)];
  const isRange = (range: string): boolean => range.length <= MAX_PHRASE && readIfClear(range, context) !== null;
  return [...inPlace, suggestion].find(isRange);
}

/** The words of the grammar that a misspelled one was probably meant to be. */
export const timeWordsNear = (word: string): string[] => corrections(readerOf(word)).map(({ text }) => text);

/** A phrase that uses every word. */
function readWhole(r: TokenReader | null): RangePhrase | null {
  const phrase = r && readPhrase(r);
  return r && r.at >= r.tokens.length ? phrase : null;
}

/** Answers a misspelled text if it has only one meaning; otherwise the correction is only suggested. */
function readCorrected(r: TokenReader, context: TimeContext): { range?: ParsedRange; suggestion?: string } {
  const readings = corrections(r).flatMap((correction) => {
    const range = readIfClear(correction.text, context);
    return range ? [{ ...correction, range }] : [];
  });
  const [best] = readings;
  if (!best) return {};
  const nearest = readings.filter(({ slips }) => slips === best.slips);
  const isClear = nearest.every(({ sure, range }) => sure && isSameRange(range, best.range));
  // Shown and sent again, without the gaps of removed words.
  const readAs = best.text.trim().replace(/\s+/g, ' ');
  return isClear ? { range: { ...best.range, readAs } } : { suggestion: readAs };
}

export const isSameRange = (a: Range, b: Range): boolean => a.from.equals(b.from) && a.to.equals(b.to);

const readIfClear = (text: string, context: TimeContext): ParsedRange | null =>
  unlessRefused(() => {
    const phrase = readWhole(readerOf(text));
    return phrase && resolve(phrase, context);
  });

export function unlessRefused<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
