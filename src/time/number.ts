/** Numbers in digits or words: `3`, `1.5`, `twenty-four`, `22nd`, `twenty second`. */
import type { Token } from './lexer.ts';
import { peek, type Reader, textAt } from './reader.ts';
import { NUMBER_WORDS, ORDINAL_WORDS } from './vocabulary.ts';

export interface Num {
  readonly value: number;
  readonly ordinal: boolean;
  /** The digits as typed; empty for words. */
  readonly digits: string;
}

const isWhole = (token: Token | undefined): boolean => token?.type === 'number' && Number.isInteger(token.value);

export function readNumber(r: Reader): Num | null {
  const token = peek(r);
  if (token?.type === 'number') {
    r.at += 1;
    return { value: token.value, ordinal: token.ordinal, digits: token.ordinal ? String(token.value) : token.text };
  }
  return token?.type === 'word' ? readSpelled(r, token.text) : null;
}

function readSpelled(r: Reader, word: string): Num | null {
  const ordinal = ORDINAL_WORDS.get(word);
  if (ordinal !== undefined) {
    r.at += 1;
    return { value: ordinal, ordinal: true, digits: '' };
  }
  const value = NUMBER_WORDS.get(word);
  if (value === undefined) return null;
  r.at += 1;
  if (value < 20) return { value: value > 0 && takeHundred(r) ? value * 100 : value, ordinal: false, digits: '' };
  const hyphen = textAt(r) === '-' ? 1 : 0;
  const next = textAt(r, hyphen);
  const ones = NUMBER_WORDS.get(next) ?? ORDINAL_WORDS.get(next) ?? 0;
  if (ones < 1 || ones > 9) return { value, ordinal: false, digits: '' };
  // `twenty second` could be 22nd, but before a unit's place `twenty seconds` never ends in an ordinal.
  r.at += hyphen + 1;
  return { value: value + ones, ordinal: ORDINAL_WORDS.has(next), digits: '' };
}

function takeHundred(r: Reader): boolean {
  if (textAt(r) !== 'hundred') return false;
  r.at += 1;
  return true;
}

/** A day of the month: `13`, `13th`, `the 13th`, `thirteenth`. */
export function readDayNumber(r: Reader): number | null {
  const mark = r.at;
  const num = readNumber(r);
  if (num && Number.isInteger(num.value) && num.value >= 1 && num.digits.length <= 2) return num.value;
  r.at = mark;
  return null;
}

/** A year in four digits: `2024`. Other numbers of four digits are clock times or nothing. */
export function readYear(r: Reader): number | null {
  const token = peek(r);
  if (!isWhole(token) || token?.type !== 'number' || token.ordinal) return null;
  if (token.text.length !== 4 || token.value < 1900 || token.value > 2199) return null;
  r.at += 1;
  return token.value;
}
