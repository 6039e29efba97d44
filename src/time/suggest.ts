/** The nearest thing that would have been understood: one misspelt word put right. */
import { distance } from 'fastest-levenshtein';
import type { TimeToken } from './lexer/lexer.ts';
import { LAST_WORDS, MONTHS, NUMBER_WORDS, ORDINAL_WORDS, THIS_WORDS, UNITS, WEEKDAYS } from './lexer/words.ts';

/** Words worth suggesting: whole ones, no abbreviations. */
const OTHERS =
  'today yesterday since until between before after around about now ago week-end morning afternoon evening night noon midnight from through and early late the for weekend beginning end start';

const LONG_ENOUGH = 3;

const words = new Set([
  ...OTHERS.split(' '),
  ...[MONTHS, WEEKDAYS, NUMBER_WORDS, ORDINAL_WORDS, UNITS].flatMap((map) => [...map.keys()]),
  ...LAST_WORDS,
  ...THIS_WORDS,
]);

const isKnownWord = (word: string): boolean => words.has(word);
const KNOWN_WORDS: readonly string[] = [...words].filter((word) => word.length > LONG_ENOUGH);

const FARTHEST = 2;
const SHORTEST = 3;
const LONGEST = 14;
const MOST_TRIES = 3;

/** Changed, missing and extra letters; two neighbours in each other's place count as one slip. */
const slips = (a: string, b: string): number => (isSwap(a, b) ? 1 : distance(a, b));

function isSwap(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

export function suggestFor(
  tokens: readonly TimeToken[],
  text: string,
  isUnderstood: (text: string) => boolean,
): string | null {
  const odd = tokens.filter((token) => token.type === 'word' && !isKnownWord(token.text));
  const [word] = odd;
  if (!word || odd.length > 1 || word.text.length < SHORTEST || word.text.length > LONGEST) return null;
  const near: { known: string; far: number }[] = [];
  for (const known of KNOWN_WORDS) {
    const far = closeEnough(word.text, known);
    if (far <= FARTHEST) near.push({ known, far });
  }
  near.sort((a, b) => a.far - b.far);
  for (const { known } of near.slice(0, MOST_TRIES)) {
    const other = text.slice(0, word.start) + known + text.slice(word.end);
    if (isUnderstood(other)) return other.trim();
  }
  return null;
}

const closeEnough = (a: string, b: string): number => {
  const allowed = Math.min(FARTHEST, Math.floor(b.length / 3));
  // A slip hardly ever changes both the first and the last letter.
  if (Math.abs(a.length - b.length) > allowed || (a[0] !== b[0] && a.at(-1) !== b.at(-1))) return FARTHEST + 1;
  const far = slips(a, b);
  return far <= allowed ? far : FARTHEST + 1;
};
