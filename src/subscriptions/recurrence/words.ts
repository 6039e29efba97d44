/** Cuts a schedule sentence into words that remember where they stood, so that a fault can be pointed at. */
import type { Span, UsageError } from '../../errors.ts';

export interface Word extends Span {
  /** Lower case. */
  readonly text: string;
}

/** Makes the error for a fault at a place; without a place, the whole sentence is meant. */
export type Fault = (message: string, span?: Span, example?: string) => UsageError;

/** Times keep their colon and am/pm, zones their slashes; commas and dashes between words only separate. */
const WORD =
  /\d{1,2}[:.]\d{2}(?:\s*[ap]\.?m\b\.?)?|\d{1,2}\s*[ap]\.?m\b\.?|\d+[a-z]*|[\p{L}_]+(?:[/'’+-][\p{L}\d_]+)*|[^\s,;]/giu;

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map((match) => ({
    text: match[0].toLowerCase().replace(/\s+/g, ''),
    start: match.index,
    end: match.index + match[0].length,
  }));
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

/** Whether a word tries to be a time, so that a wrong one is called that. */
export const looksLikeTime = (text: string): boolean => /^\d{1,2}([:.]\d{2})?([ap]\.?m\.?|h)?$/.test(text);
