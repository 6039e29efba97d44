/** Text to tokens, and a cursor over them. Dates, clock times and durations in digits are one token; words are the grammar's. */
import { type Span, UsageError } from '../../errors.ts';
import type { DateFields, RuleGroup, TimeToken, TokenKind } from '../model.ts';
import { zoneByName } from '../zones/zones.ts';
import { inEnglish } from './german.ts';
import { isGerman } from './german-words.ts';
import { plainText, withoutDecoration } from './plain-text.ts';
import { NUMBER_WORDS, ORDINAL_WORDS, SHORT_FORMS } from './words.ts';

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

function clockOf(found: RegExpExecArray) {
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map((part) => Number(part ?? 0));
  return { type: 'clock', hour, minute, second, ns: Number((found[4] ?? '').padEnd(9, '0')) } as const;
}

/**
 * Dates in digits; the first match wins, and each ends where no digit follows, so that `2014-2018` stays two years.
 * Impossible dates are tokens too, so that they can be refused with their place in the text.
 */
const DATES: readonly RegExp[] = [
  /(?<year>\d{4})-?w(?<week>\d{2})(?:-?(?<weekday>[1-7]))?(?![\d])/y,
  /(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})(?!\d)/y,
  /(?<month>\d{1,2})([-/])(?<day>\d{1,2})\2(?<year>\d{4}|\d{2})(?!\d)/y,
  /(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?![\d.]*\d)/y,
  /(?<day>\d{2})\.(?<month>\d{2})\.(?<year>\d{2})(?![\d.:]*\d)/y,
  // `5.8.`, `9.10.`: the last dot distinguishes it from a time such as `9.05`.
  /(?<day>\d{1,2})\.(?<month>\d|0\d|1[0-2])\.(?!\d)/y,
  /(?<year>(?:19|20)\d{2})-(?<month>\d{1,2})(?![\d:]|-\d|\s*[ap]\.?m)/y,
  /(?<year>(?:19|20)\d{2})\/(?<month>\d{1,2})(?![\d:/])/y,
  /(?<month>\d{1,2})\/(?<year>(?:19|20)\d{2})(?![\d/])/y,
  /(?<month>\d{1,2})\/(?<day>\d{1,2})(?![\d/])/y,
  /(?<year>(?:19|20)\d{2})(?<month>0\d|1[0-2])(?<day>[0-2]\d|3[01])(?!\d)/y,
];

function dateToken({ groups = {} }: RegExpExecArray) {
  const named = Object.entries(groups).filter(([, digits]) => digits !== undefined);
  const fields: DateFields = Object.fromEntries(named.map(([name, digits]) => [name, Number(digits)]));
  return { type: 'date', date: groups.year?.length === 2 ? { ...fields, shortYear: true } : fields } as const;
}

type Lexed = (found: RegExpExecArray, spaced: boolean) => (TokenKind & { readonly text?: string }) | null;

const KINDS: readonly (readonly [pattern: RegExp, read: Lexed])[] = [
  ...DATES.map((pattern) => [pattern, dateToken] as const),
  [/(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?![\d:])/y, clockOf],
  [
    /(\d+(?:\.\d+)?)((?:st|nd|rd|th)(?![a-z]))?/y,
    ([, digits, ordinal]) => ({ type: 'number', value: Number(digits), ordinal: ordinal !== undefined }),
  ],
  [/t(\d{2})(?:(\d{2})(\d{2})?)?(?!:)(?=z|[+-]|\W|$)/y, (found, spaced) => (spaced ? null : clockOf(found))],
  [
    /p(?=\d|t\d)(?:\d{1,6}y)?(?:\d{1,6}m)?(?:\d{1,6}w)?(?:\d{1,6}d)?(?:t(?=\d)(?:\d{1,6}h)?(?:\d{1,6}m)?(?:\d{1,6}s)?)?(?![a-z\d])/y,
    ([text]) => ({ type: 'span', duration: Temporal.Duration.from(text.toUpperCase()) }),
  ],
  [
    /[a-z][a-z_]*(?:\/[a-z_]+(?:[+-]\d{1,2}|-[a-z_]+)*){1,2}/y,
    ([name]) => {
      const zone = zoneByName(name);
      return zone === null ? null : { type: 'zone', zone };
    },
  ],
  [/(?:[a-zäöüß]|\u0308)+/y, ([word]) => ({ type: 'word', text: SHORT_FORMS.get(word) ?? word })],
  // A date as Slack writes it: `<!date^1750240000^{date_short} {time}|Jun 18>`.
  [
    /<!date\^(\d{10})\^[^>]*>/y,
    ([, digits = '']) => ({ type: 'number', text: digits, value: Number(digits), ordinal: false }),
  ],
  // The options of command lines: `--since 2h --until 1h`.
  [/--(?=(?:since|until|from|to|after|before|start|end)(?![a-z]))/y, (_, spaced) => (spaced ? { type: 'mark' } : null)],
  [/\.\.+|./sy, () => ({ type: 'mark' })],
];

function lexOne(text: string, start: number, spaced: boolean): TimeToken {
  for (const [pattern, read] of KINDS) {
    pattern.lastIndex = start;
    const found = pattern.exec(text);
    const kind = found && read(found, spaced);
    if (found && kind) return { text: found[0], ...kind, start, end: start + found[0].length, spaced };
  }
  throw new Error('nothing to read');
}

/** `past_1_hour` is three words. Single quotes around a time are ignored; apostrophes in `o'clock` and `'24` are not. */
const GAP = /[ _]|(?<![a-zäöüß](?='[a-zäöüß]))'(?!\d\d(?![\da-z:/-]))/y;

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
    GAP.lastIndex = at;
    if (GAP.test(text)) {
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

/** `13/10` has its day first, and so do all other dates of that text. */
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

const split = new Map<string, readonly (readonly string[])[]>();

/** Split once: rules ask for the same phrases all the time, and a refused sentence is read dozens of times. */
function wordsOf(phrases: string): readonly (readonly string[])[] {
  const known = split.get(phrases) ?? phrases.split('|').map((phrase) => phrase.split(' '));
  split.set(phrases, known);
  return known;
}

/** A cursor over the tokens, with the basic steps of every rule. */
export class TokenReader {
  /** As typed, for messages. */
  readonly text: string;
  readonly tokens: readonly TimeToken[];
  at = 0;

  constructor(text: string, tokens: readonly TimeToken[]) {
    this.text = text;
    this.tokens = tokens;
  }

  peek(ahead = 0): TimeToken | undefined {
    return this.tokens[this.at + ahead];
  }

  /** The word or mark at the cursor; empty for numbers and composite tokens. */
  textAt(ahead = 0): string {
    const token = this.peek(ahead);
    return token && (token.type === 'word' || token.type === 'mark') ? token.text : '';
  }

  /** Consumes the words of the first of several phrases that follows: `so far|to date`. */
  take(phrases: string): boolean {
    const follows = (words: readonly string[]) => words.every((word, ahead) => this.textAt(ahead) === word);
    const found = wordsOf(phrases).find(follows);
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  takeOne(words: ReadonlySet<string>): string | null {
    const text = this.textAt();
    return words.has(text) && this.take(text) ? text : null;
  }

  /** What the word at the cursor means, if the table has it. */
  takeFrom<Value>(table: ReadonlyMap<string, Value>): Value | undefined {
    const value = table.get(this.textAt());
    if (value !== undefined) this.at += 1;
    return value;
  }

  /** No space between this token and the one before it. */
  isTight(ahead = 0): boolean {
    return this.peek(ahead)?.spaced === false;
  }

  /** Restores the cursor if the rule fails. */
  attempt<Result>(rule: (r: TokenReader) => Result | null): Result | null {
    const mark = this.at;
    const result = rule(this);
    if (result === null) this.at = mark;
    return result;
  }

  /** By the first rule that succeeds. */
  first<Result>(...rules: readonly ((r: TokenReader) => Result | null)[]): Result | null {
    for (const rule of rules) {
      const result = this.attempt(rule);
      if (result !== null) return result;
    }
    return null;
  }

  /** The span of text from token `first` to the cursor. */
  spanSince(first: number): Span {
    const start = this.tokens[first]?.start ?? this.text.length;
    return { start, end: Math.max(start, this.peek(-1)?.end ?? start) };
  }

  readNumber(): NumberValue | null {
    const token = this.peek();
    if (token?.type !== 'number') return token?.type === 'word' ? this.#readSpelled(token.text) : null;
    this.at += 1;
    return { value: token.value, ordinal: token.ordinal, digits: token.ordinal ? String(token.value) : token.text };
  }

  #readSpelled(word: string): NumberValue | null {
    const ordinal = ORDINAL_WORDS.get(word);
    const value = ordinal ?? NUMBER_WORDS.get(word);
    if (value === undefined) return null;
    this.at += 1;
    const spelled = { value, ordinal: ordinal !== undefined, digits: '' };
    if (spelled.ordinal || value < 20) return spelled;
    const hyphen = this.textAt() === '-' ? 1 : 0;
    const next = this.textAt(hyphen);
    const ones = NUMBER_WORDS.get(next) ?? ORDINAL_WORDS.get(next) ?? 0;
    if (ones < 1 || ones > 9) return spelled;
    this.at += hyphen + 1;
    return { value: value + ones, ordinal: ORDINAL_WORDS.has(next), digits: '' };
  }

  /** A day of the month: `13`, `13th`, `the 13th`, `thirteenth`. */
  readDayNumber(): number | null {
    return this.attempt(() => {
      const { value = 0, digits = '' } = this.readNumber() ?? {};
      return Number.isInteger(value) && value >= 1 && digits.length <= 2 ? value : null;
    });
  }

  /** A year in four digits: `2024`. Other four-digit numbers are clock times. */
  readYear(): number | null {
    const token = this.peek();
    if (token?.type !== 'number' || !/^(?:19|2[01])\d\d$/.test(token.text)) return null;
    this.at += 1;
    return token.value;
  }
}

export function readerOf(text: string): TokenReader {
  const typed = lex(text);
  return new TokenReader(text, withoutCourtesy(isGerman(typed) ? inEnglish(typed) : typed));
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

export interface RefusalOptions {
  readonly suggestion?: string;
  readonly hint?: string;
}

/** Refuses a phrase that means a time but can't be answered. */
export function refuse(span: Span, message: string, options: RefusalOptions = {}): never {
  throw new UsageError(message, { span, example: EXAMPLE, ...options });
}

export const refuseFuture = (span: Span): never => refuse(span, "That's in the future. I can only show the past.");

export const EXAMPLE = 'last 24h';
/** `3`, `1.5`, `twenty-four`, `22nd`, `twenty second`. */
export interface NumberValue {
  readonly value: number;
  readonly ordinal: boolean;
  /** The digits as typed; empty for words. */
  readonly digits: string;
}
