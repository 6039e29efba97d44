/** Whether a phrase can begin at a word at all. Most words of a sentence cannot, and are passed over at once. */
import { CLOCK_STARTS } from './clock.ts';
import { DATE_STARTS } from './date.ts';
import { HOLIDAY_STARTS } from './holidays.ts';
import { LENGTH_STARTS } from './length.ts';
import type { Token } from './lexer.ts';
import { NTH_STARTS } from './nth.ts';
import { OPENER_STARTS } from './opener.ts';
import { PARTS_OF_DAY } from './part-of-day.ts';
import { EDGE_STARTS } from './period.ts';
import { RELATIVE_STARTS } from './relative.ts';
import { ZONE_ABBREVIATIONS } from './zone-abbreviations.ts';

/** Words that may stand before a phrase and belong to it: `over the weekend`. */
export const LEADS: ReadonlySet<string> = new Set(
  'in for during over on at the within throughout across all of whole entire'.split(' '),
);

const WORDS: ReadonlySet<string> = new Set([
  ...LEADS,
  ...CLOCK_STARTS,
  ...DATE_STARTS,
  ...EDGE_STARTS,
  ...HOLIDAY_STARTS,
  ...LENGTH_STARTS,
  ...NTH_STARTS,
  ...OPENER_STARTS,
  ...RELATIVE_STARTS,
  ...PARTS_OF_DAY.keys(),
  ...ZONE_ABBREVIATIONS.keys(),
  ...'now present right tonight wc'.split(' '),
]);
const MARKS: ReadonlySet<string> = new Set(['-', '+', '@', '~', '½', '¼', '¾']);

export function canStart({ type, text }: Token): boolean {
  if (type === 'word') return WORDS.has(text);
  return type !== 'mark' || MARKS.has(text);
}
