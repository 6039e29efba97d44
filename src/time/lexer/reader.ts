/** A cursor over tokens with the basic steps of every rule, and numbers in digits or words. */
import { type Span, UsageError } from '../../errors.ts';
import { lex, type TimeToken } from './lexer.ts';
import { NUMBER_WORDS, ORDINAL_WORDS } from './words.ts';

export interface TokenReader {
  /** As typed, for messages. */
  readonly text: string;
  readonly tokens: readonly TimeToken[];
  at: number;
}

export const readerOf = (text: string): TokenReader => ({
  text,
  tokens: withoutCourtesy(lex(text)),
  at: 0,
});

const COURTESY: ReadonlySet<string> = new Set('please pls plz thanks thx ty cheers kindly'.split(' '));

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
