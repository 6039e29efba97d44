/** A place in a list of tokens, and the small steps every rule of the grammar is made of. */
import { type Span, UsageError } from '../errors.ts';
import type { Length } from './length.ts';
import { lex, type Token } from './lexer.ts';

export interface Reader {
  /** As typed, for messages. */
  readonly text: string;
  readonly tokens: readonly Token[];
  at: number;
  /** Lengths already read, by place. */
  readonly lengths: { readonly length: Length | null; readonly after: number }[];
}

export const readerOf = (text: string): Reader => ({ text, tokens: lex(text), at: 0, lengths: [] });

export const EXAMPLE = 'last 24h';

export const peek = (r: Reader, ahead = 0): Token | undefined => r.tokens[r.at + ahead];

/** The word or mark at the place, or nothing: numbers and composite tokens are not words. */
export function textAt(r: Reader, ahead = 0): string {
  const token = r.tokens[r.at + ahead];
  return token && (token.type === 'word' || token.type === 'mark') ? token.text : '';
}

/** Steps over the given words if they are all there. */
export function take(r: Reader, ...words: readonly string[]): boolean {
  for (let i = 0; i < words.length; i++) if (textAt(r, i) !== words[i]) return false;
  r.at += words.length;
  return true;
}

export function takeOne(r: Reader, words: ReadonlySet<string>): string | null {
  const text = textAt(r);
  if (!words.has(text)) return null;
  r.at += 1;
  return text;
}

/** No space between this token and the one before it. */
export const isTight = (r: Reader, ahead = 0): boolean => peek(r, ahead)?.spaced === false;

/** A rule that fails leaves the place where it was. */
export function attempt<Result>(r: Reader, rule: (r: Reader) => Result | null): Result | null {
  const mark = r.at;
  const result = rule(r);
  if (result === null) r.at = mark;
  return result;
}

/** Where the tokens from `first` to the place stand in the text. */
export function spanSince(r: Reader, first: number): Span {
  const start = r.tokens[first]?.start ?? r.text.length;
  return { start, end: Math.max(start, r.tokens[r.at - 1]?.end ?? start) };
}

export interface RefusalOptions {
  readonly suggestion?: string;
  readonly hint?: string;
}

/** The one way out for a phrase that means a time but cannot be answered. */
export function refuse(text: string, span: Span, message: string, options: RefusalOptions = {}): never {
  throw new UsageError(message, { text, span, example: EXAMPLE, ...options });
}
