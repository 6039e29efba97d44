/**
 * Text to tokens. Composite forms that only digits and punctuation decide (ISO dates, clock times, ISO durations, zone
 * names) become one token here; everything that needs words is left to the grammar. One pass, no backtracking.
 */
import type { Span } from '../errors.ts';
import { clean } from './clean.ts';
import { lexDate, type WrittenDate } from './lex-date.ts';
import { zoneByName } from './zones.ts';

interface TokenBase extends Span {
  /** As typed but plain: lower case, straight quotes. */
  readonly text: string;
  /** Something separates it from the token before. */
  readonly spaced: boolean;
}

export type Token = TokenBase &
  (
    | { readonly type: 'word' | 'mark' }
    | { readonly type: 'number'; readonly value: number; readonly ordinal: boolean }
    | { readonly type: 'date'; readonly date: WrittenDate }
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

function lexOne(text: string, start: number, spaced: boolean): Token {
  const code = text.charCodeAt(start);
  if (isDigit(code)) return lexNumber(text, start, spaced);
  if (isLetter(code)) return lexWord(text, start, spaced, code);
  const dots = code === 46 || code === 0x2026 ? match(TWO_DOTS, text, start) : null;
  const mark = dots?.[0] ?? text.charAt(start);
  return { type: 'mark', text: mark, start, end: start + mark.length, spaced };
}

function lexNumber(text: string, start: number, spaced: boolean): Token {
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

function lexWord(text: string, start: number, spaced: boolean, code: number): Token {
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
  // Only a slash makes it a zone, perhaps behind an underscore; most words are spared the question.
  const named = next === SLASH || next === UNDERSCORE ? match(ZONE, text, start) : null;
  const zone = named && zoneByName(named[0]);
  if (named && zone) return { type: 'zone', text: named[0], start, end: start + named[0].length, spaced, zone };
  return { type: 'word', text: word, start, end, spaced };
}

const QUOTE = 39;
const SHORT_YEAR = /'\d\d(?![\da-z:/-])/y;

/** Quotation marks around a time say nothing; apostrophes in `o'clock` and `'24` do. */
function isQuotation(text: string, at: number): boolean {
  const inside = isLetter(text.charCodeAt(at - 1)) && isLetter(text.charCodeAt(at + 1));
  return !inside && !match(SHORT_YEAR, text, at);
}

export function lex(typed: string): Token[] {
  const text = clean(typed);
  const tokens: Token[] = [];
  let spaced = true;
  for (let at = 0; at < text.length; ) {
    if (isSpace(text.charCodeAt(at))) {
      spaced = true;
      at += 1;
      continue;
    }
    if (text.charCodeAt(at) === QUOTE && isQuotation(text, at)) {
      spaced = true;
      at += 1;
      continue;
    }
    const token = lexOne(text, at, spaced);
    tokens.push(token);
    at = token.end;
    spaced = false;
  }
  return tokens;
}
