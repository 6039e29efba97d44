/** Splits a schedule into words: times with am or pm, zone names with slashes, counts with units. */
import type { Span, UsageError } from '../../errors.ts';
import { type TextToken, tokenize, touch } from '../../grammar/tokens.ts';

export interface ScheduleWord extends Span {
  /** Lower case, without spaces. */
  readonly text: string;
}

/** Creates the error for a mistake at a position; without one, it's about the whole sentence. */
export type Fault = (message: string, span?: Span, example?: string) => UsageError;

export function wordsOf(text: string): ScheduleWord[] {
  const tokens = tokenize(text);
  const words: ScheduleWord[] = [];
  for (let at = 0; at < tokens.length; ) {
    const next = wordEnd(tokens, at);
    const parts = tokens.slice(at, next);
    const [first, last] = [parts[0], parts.at(-1)];
    at = next;
    // Commas and semicolons only separate.
    if (first === undefined || last === undefined || first.text === ',' || first.text === ';') continue;
    words.push({ text: parts.map(({ lower }) => lower).join(''), start: first.start, end: last.end });
  }
  return words;
}

/** The index after the last token that belongs to the word at `at`. */
function wordEnd(tokens: readonly TextToken[], at: number): number {
  const kind = tokens[at]?.kind;
  if (kind === 'letters') return nameEnd(tokens, at);
  if (kind !== 'number') return at + 1;
  const time = timeEnd(tokens, at);
  if (time !== null) return time;
  const unit = tokens[at + 1];
  return touch(tokens[at], unit) && /^[a-z]+$/.test(unit?.lower ?? '') ? at + 2 : at + 1;
}

/** `9:30`, `9.30 pm`, `9 a.m.`; `null` for a number that doesn't look like a time. */
function timeEnd(tokens: readonly TextToken[], at: number): number | null {
  const [hour, mark, minute] = tokens.slice(at, at + 3);
  if (hour === undefined || hour.text.length > 2) return null;
  const isPoint = touch(hour, mark) && (mark?.text === ':' || mark?.text === '.');
  const hasMinutes = isPoint && touch(mark, minute) && minute?.kind === 'number' && minute.text.length >= 2;
  const end = hasMinutes ? at + 3 : at + 1;
  return halfDayEnd(tokens, end) ?? (hasMinutes ? end : null);
}

/** `am`, `p.m.`, with or without a space before; `null` if there's neither. */
function halfDayEnd(tokens: readonly TextToken[], at: number): number | null {
  const [first, point, m] = tokens.slice(at, at + 3);
  const isSpelled =
    touch(first, point) && touch(point, m) && /^[ap]\.m$/.test(`${first?.lower}${point?.text}${m?.lower}`);
  if (!isSpelled && first?.lower !== 'am' && first?.lower !== 'pm') return null;
  const end = isSpelled ? at + 3 : at + 1;
  const next = touch(tokens[end - 1], tokens[end]) ? tokens[end] : undefined;
  if (next !== undefined && next.kind !== 'mark') return null;
  return next?.text === '.' ? end + 1 : end;
}

/** `monday`, `Europe/Berlin`, `Etc/GMT+5`, `o'clock` */
function nameEnd(tokens: readonly TextToken[], at: number): number {
  let end = at + 1;
  for (;;) {
    const [joint, part] = [tokens[end], tokens[end + 1]];
    const isJoined = touch(tokens[end - 1], joint) && touch(joint, part) && part?.kind !== 'mark';
    if (!isJoined || !"/'+-".includes(joint?.text ?? ' ')) return end;
    end += 2;
    while (touch(tokens[end - 1], tokens[end]) && tokens[end]?.kind !== 'mark') end += 1;
  }
}

const NUMBERS = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** `4`, `four`; undefined for anything else. */
export function readCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const index = NUMBERS.indexOf(text);
  return index < 0 ? undefined : index;
}

/** Minutes since midnight for `9`, `09:00`, `9.30`, `9am`, `12:15 pm`, `noon`, `midnight`; undefined for the rest. */
export function readTime(text: string): number | undefined {
  if (text === 'noon' || text === 'midday') return 720;
  if (text === 'midnight') return 0;
  const match = /^(\d{1,2})(?:[:.](\d{2}))?(?:([ap])\.?m\.?|h)?$/.exec(text);
  if (!match) return undefined;
  const hour = Number(match[1]);
  const minute = Number(match[2] ?? 0);
  if (minute > 59) return undefined;
  if (match[3] === undefined) return hour > 23 ? undefined : hour * 60 + minute;
  if (hour < 1 || hour > 12) return undefined;
  return ((hour % 12) + (match[3] === 'p' ? 12 : 0)) * 60 + minute;
}

/** Whether a word looks like a time, for a more specific error. */
export const looksLikeTime = (text: string): boolean => /^\d{1,2}([:.]\d{2})?([ap]\.?m\.?|h)?$/.test(text);
