/** Words worth suggesting for a misspelling: whole words only, no abbreviations. */
import { LAST_WORDS, MONTHS, NUMBER_WORDS, ORDINAL_WORDS, THIS_WORDS, UNITS, WEEKDAYS } from './vocabulary.ts';

const OTHERS =
  'today yesterday since until between before after around about now ago week-end morning afternoon evening night noon midnight from through and early late the for weekend beginning end start';

const LONG_ENOUGH = 3;

const words = new Set([
  ...OTHERS.split(' '),
  ...[MONTHS, WEEKDAYS, NUMBER_WORDS, ORDINAL_WORDS, UNITS].flatMap((map) => [...map.keys()]),
  ...LAST_WORDS,
  ...THIS_WORDS,
]);

export const isKnownWord = (word: string): boolean => words.has(word);
export const KNOWN_WORDS: readonly string[] = [...words].filter((word) => word.length > LONG_ENOUGH);
