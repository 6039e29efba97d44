/**
 * Text to tokens. Forms made of digits and punctuation (ISO dates, clock times, ISO durations, zone names) become one token
 * here; words are left to the grammar.
 */
import type { Span } from '../../errors.ts';
import type { DateFields, RuleGroup } from '../model.ts';
import { zoneByName } from '../zones/zones.ts';
import { plainText, withoutDecoration } from './plain-text.ts';

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
--since=3h                               => 2025-06-18 13:25:40 .. now
--since "2025-06-05 14:00" --until "2025-06-05 16:00" => 2025-06-05 14:00 .. 2025-06-05 16:00
`,
};

interface TokenBase extends Span {
  /** In lower case, with plain punctuation. */
  readonly text: string;
  /** Preceded by a space. */
  readonly spaced: boolean;
}

export type TimeToken = TokenBase &
  (
    | { readonly type: 'word' | 'mark' }
    | { readonly type: 'number'; readonly value: number; readonly ordinal: boolean }
    | { readonly type: 'date'; readonly date: DateFields }
    | {
        readonly type: 'clock';
        readonly hour: number;
        readonly minute: number;
        readonly second: number;
        readonly ns: number;
      }
    | { readonly type: 'span'; readonly duration: Temporal.Duration }
    | { readonly type: 'zone'; readonly zone: string }
  );

const CLOCK = /(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?![\d:])/y;
const BASIC_CLOCK = /t(\d{2})(?:(\d{2})(\d{2})?)?(?!:)(?=z|[+-]|\W|$)/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const ORDINAL = /(?:st|nd|rd|th)(?![a-z])/y;
const ORDINAL_LETTERS = 2;
const DURATION =
  /p(?=\d|t\d)(?:\d+y)?(?:\d+m)?(?:\d+w)?(?:\d+d)?(?:t(?:\d+h)?(?:\d+m)?(?:\d+(?:[.,]\d{1,9})?s)?)?(?![a-z\d])/y;
const WORD = /[a-z]+/y;
const ZONE = /[a-z][a-z_]*(?:\/[a-z_]+(?:[+-]\d{1,2}|-[a-z_]+)*){1,2}/y;
const TWO_DOTS = /\.\.+|…/y;

const SLASH = 47;
const UNDERSCORE = 95;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => code >= 97 && code <= 122;
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

export function lex(typed: string): TimeToken[] {
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
  return tokens;
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
  // `5.8.`, `16.08.`: the last dot distinguishes it from a time such as `9.05`.
  [/(\d{1,2})\.(\d)\.(?!\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2) })],
  [/(\d{2})\.(0\d|1[0-2])\.(?!\d)/y, (n) => ({ day: at(n, 1), month: at(n, 2) })],
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
