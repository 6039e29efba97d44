/**
 * Text to tokens, and a cursor over them with the basic steps of every rule. Forms made of digits and punctuation (ISO dates,
 * clock times, ISO durations, zone names) become one token here; words are left to the grammar, apart from numbers.
 */
import { type Span, UsageError } from '../../errors.ts';
import type { DateFields, RuleGroup, TimeToken } from '../model.ts';
import { zoneByName } from '../zones/zones.ts';
import { inEnglish } from './german.ts';
import { isGerman } from './german-words.ts';
import { plainText, withoutDecoration } from './plain-text.ts';
import { NUMBER_WORDS, ORDINAL_WORDS } from './words.ts';

export const PASTED: RuleGroup = {
  title: 'Pasted from logs and command lines',
  about: 'ISO 8601 dates and intervals, and timestamps from web servers, browsers, consoles and shells.',
  examples: `
2025-06-05T14:00+02:00/PT2H              => 2025-06-05 14:00 .. 2025-06-05 16:00 in +02:00
2025-06-05T12:00Z/2025-06-05T14:00Z      => 2025-06-05 14:00 .. 2025-06-05 16:00 in UTC
20250605T120000Z to 20250605T140000Z     => 2025-06-05 14:00 .. 2025-06-05 16:00 in UTC
2025-06-05 14:00:00,123 - 2025-06-05 16:00:00,456 => 2025-06-05 14:00:00.123 .. 2025-06-05 16:00:00.456
2025-06-05 14:00:00-05 to 2025-06-05 16:00:00-05 => 2025-06-05 21:00 .. 2025-06-05 23:00 in -05:00
[05/Jun/2025:14:00:00 +0200] to [05/Jun/2025:16:00:00 +0200] => 2025-06-05 14:00 .. 2025-06-05 16:00 in +02:00
Thu Jun 5 14:00:00.123456 2025 to Thu Jun 5 16:00:00 2025 => 2025-06-05 14:00:00.123456 .. 2025-06-05 16:00
Jun 5, 2025 @ 14:00:00.000 to Jun 5, 2025 @ 16:00:00.000 => 2025-06-05 14:00 .. 2025-06-05 16:00
2025-06-05 (14:00:00) - 2025-06-05 (16:00:00) => 2025-06-05 14:00 .. 2025-06-05 16:00
6/5/2025, 2:00:00 PM - 6/5/2025, 4:00:00 PM => 2025-06-05 14:00 .. 2025-06-05 16:00
from_ts=1750240000000&to_ts=1750243600000 => 2025-06-18 11:46:40 .. 2025-06-18 12:46:40
since yesterday 14:00 -0500              => 2025-06-17 21:00 .. now in -05:00
<!date^1750240000^{date} {time}|Jun 18> to now => 2025-06-18 11:46:40 .. now
--since=3h                               => 2025-06-18 13:25:40 .. now
--since "2025-06-05 14:00" --until "2025-06-05 16:00" => 2025-06-05 14:00 .. 2025-06-05 16:00
`,
};

const CLOCK = /(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?![\d:])/y;
const BASIC_CLOCK = /t(\d{2})(?:(\d{2})(\d{2})?)?(?!:)(?=z|[+-]|\W|$)/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const ORDINAL = /(?:st|nd|rd|th)(?![a-z])/y;
const ORDINAL_LETTERS = 2;
const DURATION =
  /p(?=\d|t\d)(?:\d+y)?(?:\d+m)?(?:\d+w)?(?:\d+d)?(?:t(?:\d+h)?(?:\d+m)?(?:\d+(?:[.,]\d{1,9})?s)?)?(?![a-z\d])/y;
const WORD = /(?:[a-zäöüß]|\u0308)+/y;
const ZONE = /[a-z][a-z_]*(?:\/[a-z_]+(?:[+-]\d{1,2}|-[a-z_]+)*){1,2}/y;
const TWO_DOTS = /\.\.+|…/y;

const SLASH = 47;
const UNDERSCORE = 95;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || UMLAUTS.includes(code);
/** ä, ö, ü, ß. */
const UMLAUTS: readonly number[] = [0xe4, 0xf6, 0xfc, 0xdf];
/** `past_1_hour` is three words. */
const isSpace = (code: number): boolean => code === 32 || code === 95;

function durationOf(text: string): Temporal.Duration | null {
  try {
    return Temporal.Duration.from(text.toUpperCase());
  } catch {
    return null;
  }
}

function clockOf(found: RegExpExecArray) {
  const ns = Number((found[4] ?? '').padEnd(9, '0'));
  return {
    type: 'clock',
    hour: Number(found[1]),
    minute: Number(found[2] ?? 0),
    second: Number(found[3] ?? 0),
    ns,
  } as const;
}

function lexOne(text: string, start: number, spaced: boolean): TimeToken {
  const code = text.charCodeAt(start);
  if (isDigit(code)) return lexNumber(text, start, spaced);
  if (isLetter(code)) return lexWord(text, start, spaced, code);
  const stamp = code === LESS_THAN ? match(SLACK_DATE, text, start) : null;
  if (stamp) {
    const end = start + stamp[0].length;
    return { type: 'number', text: stamp[1] ?? '', start, end, spaced, value: Number(stamp[1]), ordinal: false };
  }
  const flag = code === DASH && spaced ? match(FLAG, text, start) : null;
  const dots = code === 46 || code === 0x2026 ? match(TWO_DOTS, text, start) : null;
  const mark = dots?.[0] ?? flag?.[0] ?? text.charAt(start);
  return { type: 'mark', text: mark, start, end: start + mark.length, spaced };
}

function lexNumber(text: string, start: number, spaced: boolean): TimeToken {
  const date = lexDate(text, start);
  if (date) {
    const end = start + date.length;
    return { type: 'date', text: text.slice(start, end), start, end, spaced, date: date.date };
  }
  const clock = match(CLOCK, text, start);
  if (clock) return { ...clockOf(clock), text: clock[0], start, end: start + clock[0].length, spaced };
  const digits = match(NUMBER, text, start)?.[0] ?? '';
  const ordinal = match(ORDINAL, text, start + digits.length) !== null;
  const end = start + digits.length + (ordinal ? ORDINAL_LETTERS : 0);
  return { type: 'number', text: text.slice(start, end), start, end, spaced, value: Number(digits), ordinal };
}

function lexWord(text: string, start: number, spaced: boolean, code: number): TimeToken {
  const basic = code === 116 && !spaced ? match(BASIC_CLOCK, text, start) : null;
  if (basic) return { ...clockOf(basic), text: basic[0], start, end: start + basic[0].length, spaced };
  const duration = code === 112 ? match(DURATION, text, start) : null;
  const value = duration && durationOf(duration[0]);
  if (duration && value) {
    return { type: 'span', text: duration[0], start, end: start + duration[0].length, spaced, duration: value };
  }
  const word = match(WORD, text, start)?.[0] ?? text.charAt(start);
  const end = start + word.length;
  const next = text.charCodeAt(end);
  const named = next === SLASH || next === UNDERSCORE ? match(ZONE, text, start) : null;
  const zone = named && zoneByName(named[0]);
  if (named && zone) return { type: 'zone', text: named[0], start, end: start + named[0].length, spaced, zone };
  return { type: 'word', text: word, start, end, spaced };
}

const LESS_THAN = 60;
/** A date as Slack writes it: `<!date^1750240000^{date_short} {time}|Jun 18>`. */
const SLACK_DATE = /<!date\^(\d{10})\^[^>]*>/y;
const QUOTE = 39;
const DASH = 45;
const SHORT_YEAR = /'\d\d(?![\da-z:/-])/y;
/** The options of command lines: `--since 2h --until 1h`. */
const FLAG = /--(?=(?:since|until|from|to|after|before|start|end)(?![a-z]))/y;

/** Single quotes around a time are ignored; apostrophes in `o'clock` and `'24` are not. */
function isQuotation(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== QUOTE) return false;
  const inside = isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1));
  return !inside && !match(SHORT_YEAR, text, at);
}

/** Ends of a sentence. Two dots are a range. */
const FINAL_MARKS: ReadonlySet<string> = new Set(['.', ',', ';', ':', '!', '?', '...', '…']);

/** Also the two dots of `until 4 p.m..`, the second of which ends the sentence. */
function isFinalMark(tokens: readonly TimeToken[]): boolean {
  const last = tokens[tokens.length - 1]?.text ?? '';
  return FINAL_MARKS.has(last) || (last === '..' && tokens[tokens.length - 2]?.text === 'm');
}

function lex(typed: string): TimeToken[] {
  const text = withoutDecoration(plainText(typed));
  const tokens: TimeToken[] = [];
  let spaced = true;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (isSpace(code) || isQuotation(text, at)) {
      spaced = true;
      at += 1;
      continue;
    }
    const token = lexOne(text, at, spaced);
    tokens.push(token);
    at = token.end;
    spaced = false;
  }
  while (tokens.length > 1 && isFinalMark(tokens)) tokens.pop();
  return dayFirst(tokens);
}

const SLASHED = /^\d{1,2}[-/]\d{1,2}(?!\d)(?![-/]\d{4}[-/])/;

/** `13/10` has its day first, and so have all other dates of that text. */
function dayFirst(tokens: TimeToken[]): TimeToken[] {
  const isSlashed = (token: TimeToken) =>
    token.type === 'date' && SLASHED.test(token.text) && token.date.day !== undefined;
  if (!tokens.some((token) => isSlashed(token) && token.type === 'date' && (token.date.month ?? 0) > 12)) return tokens;
  return tokens.map((token) => {
    if (token.type !== 'date' || !isSlashed(token)) return token;
    const { month: day, day: month, ...rest } = token.date;
    return { ...token, date: { ...rest, month, day } };
  });
}

// Dates in digits: ISO 8601 (calendar, week and basic forms), month/day/year with slashes or hyphens,
// day.month.year with dots. Impossible dates are tokens too, so that they can be refused with their place in the text.

type DateForm = readonly [pattern: RegExp, read: (n: readonly number[], text: readonly string[]) => DateFields];

const shortYear = (text: string | undefined): { shortYear?: boolean } =>
  text?.length === 2 ? { shortYear: true } : {};
const at = (n: readonly number[], index: number): number => n[index] ?? Number.NaN;

// The first match wins; each ends where no digit follows, so that `2014-2018` stays two years.
const FORMS: readonly DateForm[] = [
  [
    /(\d{4})-?w(\d{2})(?:-?([1-7]))?(?![\d])/y,
    (n, t) => ({ year: at(n, 1), week: at(n, 2), ...(t[3] ? { weekday: at(n, 3) } : {}) }),
  ],
  [/(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/y, (n) => ({ year: at(n, 1), month: at(n, 3), day: at(n, 4) })],
  [
    /(\d{1,2})([-/])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/y,
    (n, t) => ({ month: at(n, 1), day: at(n, 3), year: at(n, 4), ...shortYear(t[4]) }),
  ],
  [/(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\d.]*\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2), year: at(n, 3) })],
  [
    /(\d{2})\.(\d{2})\.(\d{2})(?![\d.:]*\d)/y,
    (n) => ({ day: at(n, 1), month: at(n, 2), year: at(n, 3), shortYear: true }),
  ],
  // `5.8.`, `9.10.`: the last dot distinguishes it from a time such as `9.05`.
  [/(\d{1,2})\.(\d|0\d|1[0-2])\.(?!\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2) })],
  [/((?:19|20)\d{2})-(\d{1,2})(?![\d:]|-\d|\s*[ap]\.?m)/y, (n) => ({ year: at(n, 1), month: at(n, 2) })],
  [/((?:19|20)\d{2})\/(\d{1,2})(?![\d:/])/y, (n) => ({ year: at(n, 1), month: at(n, 2) })],
  [/(\d{1,2})\/((?:19|20)\d{2})(?![\d/])/y, (n) => ({ month: at(n, 1), year: at(n, 2) })],
  [/(\d{1,2})\/(\d{1,2})(?![\d/])/y, (n) => ({ month: at(n, 1), day: at(n, 2) })],
  [/((?:19|20)\d{2})(0\d|1[0-2])([0-2]\d|3[01])(?!\d)/y, (n) => ({ year: at(n, 1), month: at(n, 2), day: at(n, 3) })],
];

function lexDate(text: string, start: number): { date: DateFields; length: number } | null {
  for (const [pattern, read] of FORMS) {
    pattern.lastIndex = start;
    const found = pattern.exec(text);
    if (found) return { date: read(found.map(Number), found), length: found[0].length };
  }
  return null;
}

export interface TokenReader {
  /** As typed, for messages. */
  readonly text: string;
  readonly tokens: readonly TimeToken[];
  at: number;
}

export function readerOf(text: string): TokenReader {
  const typed = lex(text);
  return { text, tokens: withoutCourtesy(isGerman(typed) ? inEnglish(typed) : typed), at: 0 };
}

const COURTESY: ReadonlySet<string> = new Set('please pls plz thanks thx ty cheers kindly rn'.split(' '));

const ONE: ReadonlySet<string> = new Set(['a', 'an', 'one']);

/** `last 24h please`: courtesy at either end is ignored. */
function withoutCourtesy(tokens: readonly TimeToken[]): readonly TimeToken[] {
  const isCourtesy = (index: number): boolean => COURTESY.has(tokens.at(index)?.text ?? '');
  const [first, last] = [isCourtesy(0) ? 1 : 0, isCourtesy(-1) ? tokens.length - 1 : tokens.length];
  // `one second please` asks for patience.
  if (first >= last || last - first === tokens.length || ONE.has(tokens[first]?.text ?? '')) return tokens;
  const isComma = (index: number): boolean => tokens[index]?.text === ',';
  return tokens.slice(first > 0 && isComma(first) ? first + 1 : first, isComma(last - 1) ? last - 1 : last);
}

export const peek = (r: TokenReader, ahead = 0): TimeToken | undefined => r.tokens[r.at + ahead];

/** The word or mark at the cursor; empty for numbers and composite tokens. */
export function textAt(r: TokenReader, ahead = 0): string {
  const token = r.tokens[r.at + ahead];
  return token && (token.type === 'word' || token.type === 'mark') ? token.text : '';
}

/** Consumes the given words if they all follow. */
export function take(r: TokenReader, ...words: readonly string[]): boolean {
  for (let i = 0; i < words.length; i++) if (textAt(r, i) !== words[i]) return false;
  r.at += words.length;
  return true;
}

export function takeOne(r: TokenReader, words: ReadonlySet<string>): string | null {
  const text = textAt(r);
  if (!words.has(text)) return null;
  r.at += 1;
  return text;
}

/** No space between this token and the one before it. */
export const isTight = (r: TokenReader, ahead = 0): boolean => peek(r, ahead)?.spaced === false;

/** Restores the cursor if the rule fails. */
export function attempt<Result>(r: TokenReader, rule: (r: TokenReader) => Result | null): Result | null {
  const mark = r.at;
  const result = rule(r);
  if (result === null) r.at = mark;
  return result;
}

/** The span of text from token `first` to the cursor. */
export function spanSince(r: TokenReader, first: number): Span {
  const start = r.tokens[first]?.start ?? r.text.length;
  return { start, end: Math.max(start, r.tokens[r.at - 1]?.end ?? start) };
}

export interface RefusalOptions {
  readonly suggestion?: string;
  readonly hint?: string;
}

/** Refuses a phrase that means a time but can't be answered. */
export function refuse(text: string, span: Span, message: string, options: RefusalOptions = {}): never {
  throw new UsageError(message, { text, span, example: exampleFor(text), ...options });
}

export const refuseFuture = (text: string, span: Span): never =>
  refuse(text, span, "That's in the future. I can only show the past.");

export const EXAMPLE = 'last 24h';
/** Examples that resemble what was typed. */
const EXAMPLES: readonly (readonly [pattern: RegExp, example: string])[] = [
  [/\bnow\b|@/i, 'now-6h to now'],
  [/\bsince\b|\bafter\b/i, 'since 9am'],
  [/\d ?[ap]\.?m?\b|\d:\d|noon|midnight|o'clock/i, 'yesterday 2pm to 4pm'],
  [/\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d[-/.]\d/i, 'jan 3 to jan 9'],
  [/day\b|\b(?:mon|tue|wed|thu|fri|sat|sun)\b/i, 'monday 9:00 to 11:00'],
  [/week|month|quarter|year/i, 'last week'],
];

const exampleFor = (text: string): string => EXAMPLES.find(([pattern]) => pattern.test(text))?.[1] ?? EXAMPLE;

/** `3`, `1.5`, `twenty-four`, `22nd`, `twenty second`. */
export interface NumberValue {
  readonly value: number;
  readonly ordinal: boolean;
  /** The digits as typed; empty for words. */
  readonly digits: string;
}

const isWhole = (token: TimeToken | undefined): boolean => token?.type === 'number' && Number.isInteger(token.value);

export function readNumber(r: TokenReader): NumberValue | null {
  const token = peek(r);
  if (token?.type === 'number') {
    r.at += 1;
    return { value: token.value, ordinal: token.ordinal, digits: token.ordinal ? String(token.value) : token.text };
  }
  return token?.type === 'word' ? readSpelled(r, token.text) : null;
}

function readSpelled(r: TokenReader, word: string): NumberValue | null {
  const ordinal = ORDINAL_WORDS.get(word);
  if (ordinal !== undefined) {
    r.at += 1;
    return { value: ordinal, ordinal: true, digits: '' };
  }
  const value = NUMBER_WORDS.get(word);
  if (value === undefined) return null;
  r.at += 1;
  if (value < 20) return { value, ordinal: false, digits: '' };
  const hyphen = textAt(r) === '-' ? 1 : 0;
  const next = textAt(r, hyphen);
  const ones = NUMBER_WORDS.get(next) ?? ORDINAL_WORDS.get(next) ?? 0;
  if (ones < 1 || ones > 9) return { value, ordinal: false, digits: '' };
  // `twenty second` could be 22nd, but before a unit's place `twenty seconds` never ends in an ordinal.
  r.at += hyphen + 1;
  return { value: value + ones, ordinal: ORDINAL_WORDS.has(next), digits: '' };
}

/** A day of the month: `13`, `13th`, `the 13th`, `thirteenth`. */
export function readDayNumber(r: TokenReader): number | null {
  const mark = r.at;
  const num = readNumber(r);
  if (num && Number.isInteger(num.value) && num.value >= 1 && num.digits.length <= 2) return num.value;
  r.at = mark;
  return null;
}

/** A year in four digits: `2024`. Other four-digit numbers are clock times. */
export function readYear(r: TokenReader): number | null {
  const token = peek(r);
  if (!isWhole(token) || token?.type !== 'number' || token.ordinal) return null;
  if (token.text.length !== 4 || token.value < 1900 || token.value > 2199) return null;
  r.at += 1;
  return token.value;
}
