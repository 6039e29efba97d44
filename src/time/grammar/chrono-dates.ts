/**
 * Dates in spellings the grammar has no rule for, parsed by chrono. It comes last and only sees the words of one date,
 * because it skips unknown words, guesses what is missing and uses the zone of the process.
 */
import { strict } from 'chrono-node/en';
import { TokenReader } from '../lexer/lexer.ts';
import { MONTHS, NUMBER_WORDS, ORDINAL_WORDS, WEEKDAYS } from '../lexer/words.ts';
import type { DateFields, RuleGroup, TimeToken } from '../model.ts';
import { ZONE_ABBREVIATIONS } from '../zones/zones.ts';
import { PREPOSITION_STARTS, SEPARATOR_WORDS } from './phrase.ts';

export const OTHER_SPELLINGS: RuleGroup = {
  title: 'Other spellings of a date',
  about: `Parsed by chrono. Two digits after a day and month are a year from 24 on; below that they could be an hour and are
    refused.`,
  examples: `
17 Aug 24                                => 2024-08-17 .. 2024-08-18
Aug-8-2024                               => 2024-08-08 .. 2024-08-09
2024 08 17                               => 2024-08-17 .. 2024-08-18
31 December 2024 CE                      => 2024-12-31 .. 2025-01-01
since Aug-8-2024                         => 2024-08-08 .. now
17 aug 24 for 3 days                     => 2024-08-17 .. 2024-08-20
`,
};

const MAX_TEXT = 80;
const MAX_TOKENS = 30;
/** Words and marks of one date: `Saturday, the 17th of Aug, 24`. */
const MAX_IN_DATE = 8;
const MIN_IN_DATE = 3;
const MAX_QUESTIONS = 6;
const YEARS = { first: 1900, last: 2199 };
/** From here on, two digits after a date are a year: they can't be an hour. */
const MIN_SHORT_YEAR = 24;
/** Any instant will do: what chrono derives from it is not `certain`, and not used. */
const REFERENCE = { instant: new Date(0), timezone: 0 };

/** The same text with those dates as one token each, or null if there are none. */
export function withChronoDates(r: TokenReader): TokenReader | null {
  if (r.tokens.length > MAX_TOKENS || !r.tokens.some(isLikelyInDate)) return null;
  const tokens: TimeToken[] = [];
  let questions = 0;
  for (let first = 0; first < r.tokens.length; ) {
    const end = segmentEnd(r.tokens, first);
    const after = readOneDate(r, first, end, () => ++questions <= MAX_QUESTIONS);
    if (after) tokens.push(after.token);
    tokens.push(...r.tokens.slice(after?.at ?? first, end));
    if (end < r.tokens.length) tokens.push(...r.tokens.slice(end, end + 1));
    first = end + 1;
  }
  return tokens.length < r.tokens.length ? new TokenReader(r.text, tokens) : null;
}

const isLikelyInDate = ({ text }: TimeToken): boolean => MONTHS.has(text) || /^\d{4}$/.test(text);

/** One end of a range extends to the next word that opens or separates ends. */
function segmentEnd(tokens: readonly TimeToken[], first: number): number {
  for (let at = first; at < tokens.length; at++) {
    const token = tokens[at];
    const isDash = token?.text === '-' && token.spaced && tokens[at + 1]?.spaced === true;
    if (!token || isDash || token.text === '..' || SEPARATOR_WORDS.has(token.text)) return at;
    if (token.type === 'word' && token.text !== 'at' && PREPOSITION_STARTS.has(token.text)) return at;
  }
  return tokens.length;
}

/** Chrono would skip other words, even `next` and `not`. */
const DATE_WORDS: ReadonlySet<string> = new Set([
  ...[MONTHS, WEEKDAYS, NUMBER_WORDS, ORDINAL_WORDS, ZONE_ABBREVIATIONS].flatMap((words) => [...words.keys()]),
  ...['the', 'of', 'day', 'at', 'on', 'ce', 'ad'],
]);

/** The longest run of words from the first that is a date and nothing else. */
function readOneDate(r: TokenReader, first: number, end: number, mayAsk: () => boolean) {
  const start = r.tokens[first];
  const words = r.tokens.slice(first, end);
  const isLikely = words.some(({ text }) => MONTHS.has(text)) || /^\d{4}$/.test(start?.text ?? '');
  if (!start || !isLikely) return null;
  for (let at = Math.min(end, first + MAX_IN_DATE); at >= first + MIN_IN_DATE; at--) {
    const last = r.tokens[at - 1];
    const isForeign = r.tokens.slice(first, at).some(({ type, text }) => type === 'word' && !DATE_WORDS.has(text));
    if (!last || isForeign || last.type === 'clock' || !mayAsk()) continue;
    // As typed, but with plain case, spaces and dashes.
    const text = r.tokens
      .slice(first, at)
      .map((each, index) => (each.spaced && index > 0 ? ' ' : '') + each.text)
      .join('');
    const date = text.length > MAX_TEXT ? null : askChrono(text);
    if (!date) continue;
    const token: TimeToken = { type: 'date', date, text, start: start.start, end: last.end, spaced: start.spaced };
    return { token, at };
  }
  return null;
}

function askChrono(text: string): DateFields | null {
  const [found, ...others] = strict.parse(text, REFERENCE);
  if (!found || others.length > 0 || found.end || found.index !== 0 || found.text !== text) return null;
  const { start } = found;
  const isDay = start.isCertain('day') && start.isCertain('month') && start.isCertain('year');
  if (!isDay || start.isCertain('hour') || start.isCertain('timezoneOffset')) return null;
  // Slash dates are left to the grammar's own rule, and a relative date is not a written one.
  const tags = found.tags();
  if (tags.has('parser/SlashDateFormatParser') || tags.has('result/relativeDate')) return null;
  const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')];
  if (year === null || month === null || day === null || year < YEARS.first || year > YEARS.last) return null;
  if (!/\d{4}/.test(text) && year % 100 < MIN_SHORT_YEAR) return null;
  const weekday = start.isCertain('weekday') ? start.get('weekday') : null;
  return { year, month, day, ...(weekday === null ? {} : { weekday: weekday === 0 ? 7 : weekday }) };
}
