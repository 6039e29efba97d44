/** Tokens of sentences, watch rules and schedules. Each knows its place as typed, so that a caret can point at a mistake. */
import { distance } from 'fastest-levenshtein';
import type { Span } from '../errors.ts';
import { plainPunctuation } from '../time/index.ts';

/** A run of digits, a run of letters, or any other single character except blanks. */
export interface TextToken extends Span {
  readonly kind: 'number' | 'letters' | 'mark';
  readonly text: string;
  readonly lower: string;
}

const TOKEN = /(?<number>\d+)|(?<letters>[\p{L}_]+)|\S/gu;

export function tokenize(text: string): TextToken[] {
  return Array.from(plainPunctuation(text).matchAll(TOKEN), ({ 0: token, index, groups }) => ({
    kind: groups?.number !== undefined ? 'number' : groups?.letters !== undefined ? 'letters' : 'mark',
    text: token,
    lower: token.toLowerCase(),
    start: index,
    end: index + token.length,
  }));
}

/** Whether there is no blank between two tokens. */
export function touch(left: Span | undefined, right: Span | undefined): boolean {
  return left !== undefined && left.end === right?.start;
}

/** A word between blanks, a quoted phrase, or a comma. */
export interface Word extends Span {
  /** As typed, without quotes. */
  readonly text: string;
  readonly lower: string;
  readonly quoted: boolean;
}

/** An unclosed quote only separates words. */
const WORD = /"(?<quoted>[^"]*)"|,|[^\s",]+/g;

export const splitWords = (text: string): Word[] =>
  Array.from(plainPunctuation(text).matchAll(WORD), ({ 0: whole, index: start, groups }) => {
    const word = groups?.quoted ?? whole;
    const quoted = groups?.quoted !== undefined;
    return { text: word, lower: word.toLowerCase(), quoted, start, end: start + whole.length };
  });

/** `hello :wave:` and `ok ?!` */
const NO_WORD = /^(?:[?!.…]+|:[\w+-]+:|(?:\p{Extended_Pictographic}|\u{fe0f}|\u{200d})+)$/u;

/** Starts only at the first of several marks, so that a thousand marks don't take a thousand times as long. */
const MARKS_AT_END = /(?<![?!.…;:])[?!.…;:]+$/;

export const withoutMarksAtEnd = (text: string): string => text.replace(MARKS_AT_END, '');

/** `shop's attacks`, but `what's` and `who's` are separate words. */
const POSSESSIVE = /(?<!^(?:it|what|who|how|that|let|here|there|where))'s$|(?<=s)'$/;

/** A word without the punctuation at its end; empty for pure punctuation and emoji. */
export function bareWord({ lower, quoted }: Word): string {
  if (quoted) return lower;
  return NO_WORD.test(lower) ? '' : withoutMarksAtEnd(lower).replace(POSSESSIVE, '');
}

/** The text with blanks for the given spans, so that the rest keeps its offsets. */
export function blankOut(text: string, spans: readonly Span[]): string {
  let rest = text;
  for (const { start, end } of spans) rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  return rest;
}

/** The text with blanks for everything but the given spans. */
export function keepOnly(text: string, spans: readonly Span[]): string {
  let result = ' '.repeat(text.length);
  for (const { start, end } of spans) result = result.slice(0, start) + text.slice(start, end) + result.slice(end);
  return result;
}

export interface SqueezedText {
  readonly text: string;
  /** The offset of each character in the original text. */
  readonly places: readonly number[];
}

/** The words between two offsets, one blank apart: other parts have left runs of blanks behind. */
export function squeezeBlanks(whole: string, from: number, to: number): SqueezedText {
  const places: number[] = [];
  for (let at = from; at < to; at += 1) {
    const isBlank = whole[at] === ' ';
    if (!isBlank || (places.length > 0 && whole[at - 1] !== ' ')) places.push(at);
  }
  if (whole[places.at(-1) ?? -1] === ' ') places.pop();
  return { text: places.map((place) => whole[place]).join(''), places };
}

/** The text with a part replaced. Words of other parts inside it are moved after it. */
export function withOther(text: string, { places }: SqueezedText, part: string, others: readonly Word[]): string {
  const [start, end] = [places[0] ?? 0, (places.at(-1) ?? 0) + 1];
  const inside = others.filter((word) => word.start >= start && word.end <= end).sort((a, b) => a.start - b.start);
  const words = inside.map((word) => text.slice(word.start, word.end));
  return [text.slice(0, start), part, ...words, text.slice(end)].join(' ').replace(/ +/g, ' ').trim();
}

/** A span of the squeezed text as a span of the original text. */
export function placeOf({ start, end }: Span, places: readonly number[]): Span {
  const first = places[start] ?? places.at(-1) ?? 0;
  return { start: first, end: Math.max(first, places[end - 1] ?? places.at(-1) ?? 0) + 1 };
}

export function withoutBlanks(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const blanks = part.length - part.trimStart().length;
  return { start: start + blanks, end: start + Math.max(blanks + 1, part.trimEnd().length) };
}

/** The known word that was probably meant: at most `allowed` edits away, ignoring case. */
export function nearestWord(word: string, known: readonly string[], allowed: number): string | undefined {
  const lower = word.toLowerCase();
  let nearest: string | undefined;
  let least = allowed + 1;
  for (const candidate of known) {
    // Each extra or missing letter is an edit, so the slow comparison isn't needed.
    if (Math.abs(candidate.length - word.length) > allowed) continue;
    const edits = distance(lower, candidate.toLowerCase());
    if (edits < least) [nearest, least] = [candidate, edits];
  }
  return nearest;
}
