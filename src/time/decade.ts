/** Decades: `1990s`, `the 90s`. Elsewhere the same letters are seconds: `90s`, `last 2000s`, `now-2000s`. */
import { spanOfMonths } from './calendar.ts';
import type { DateExpr } from './model.ts';
import { isTight, peek, type Reader, textAt } from './reader.ts';
import { LAST_WORDS } from './vocabulary.ts';

const FULL = /^(?:19|20)\d0$/;
const SHORT = /^\d0$/;

/** Two digits are a decade only after the article: `90s` alone is a minute and a half. */
export function isDecade(r: Reader): boolean {
  const number = peek(r);
  if (number?.type !== 'number' || !number.spaced || textAt(r, 1) !== 's' || !isTight(r, 1)) return false;
  if (LAST_WORDS.has(textAt(r, -1))) return false;
  return FULL.test(number.text) || (SHORT.test(number.text) && textAt(r, -1) === 'the');
}

export function readDecade(r: Reader): DateExpr | null {
  const number = peek(r);
  if (number?.type !== 'number' || !isDecade(r)) return null;
  r.at += 2;
  const { value } = number;
  const yearFor = (latest: number): number => {
    if (value >= 100) return value;
    const inThis = Math.floor(latest / 100) * 100 + value;
    return inThis > latest ? inThis - 100 : inThis;
  };
  return { fixed: { unit: 'decade', at: ({ today }) => spanOfMonths(yearFor(today.year), 1, 120) } };
}
