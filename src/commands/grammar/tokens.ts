/** A sentence as words with their places in the text as it was typed. */
import type { Span } from '../../errors.ts';

export interface Word extends Span {
  /** As typed, without quotes. */
  readonly text: string;
  readonly lower: string;
  readonly quoted: boolean;
}

/** Phones send curly quotes, dashes and odd spaces. Each stands for one plain character, so offsets stay true. */
export function plainPunctuation(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/g, '"')
    .replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, '-')
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200b\u2060\ufeff\t\r\n]/g, ' ');
}

const WORD = /"([^"]*)"|,|[^\s",]+/g;

export function splitWords(text: string): Word[] {
  return [...plainPunctuation(text).matchAll(WORD)].map((match) => {
    const quoted = match[1] !== undefined;
    const word = match[1] ?? match[0];
    return { text: word, lower: word.toLowerCase(), quoted, start: match.index, end: match.index + match[0].length };
  });
}

/** The text with the given spans blanked out: what is left keeps its offsets. */
export function blankOut(text: string, spans: readonly Span[]): string {
  let rest = text;
  for (const { start, end } of spans) rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  return rest;
}

/** The text with everything but the given spans blanked out; gaps between neighbours are blanks anyway. */
export function keepOnly(text: string, spans: readonly Span[]): string {
  let kept = ' '.repeat(text.length);
  for (const { start, end } of spans) kept = kept.slice(0, start) + text.slice(start, end) + kept.slice(end);
  return kept;
}
