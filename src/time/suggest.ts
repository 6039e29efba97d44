/** The nearest thing that would have been understood: one misspelt word put right. */

import { isKnownWord, KNOWN_WORDS } from './known-words.ts';
import type { Token } from './lexer.ts';

const FARTHEST = 2;
const SHORTEST = 3;
const LONGEST = 14;
const MOST_TRIES = 3;

/** Changed, missing, extra or swapped letters between two short words. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? FARTHEST) + 1 : Number.POSITIVE_INFINITY;
      next[j] = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same, swapped);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? FARTHEST + 1;
}

export function suggestFor(
  tokens: readonly Token[],
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
  const far = distance(a, b);
  return far <= allowed ? far : FARTHEST + 1;
};
