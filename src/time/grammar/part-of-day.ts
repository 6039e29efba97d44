/** Morning, afternoon, evening, night: whole hours of a day; from 24 on, of the day after. */
import type { TokenReader } from '../lexer/lexer.ts';
import type { PartOfDay } from '../model.ts';

/** One night: from the evening to the morning after. */
export const NIGHT: PartOfDay = { name: 'night', from: 18, to: 32 };

export const PARTS_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ['morning', { name: 'morning', from: 0, to: 12 }],
  ['afternoon', { name: 'afternoon', from: 12, to: 19 }],
  ['evening', { name: 'evening', from: 18, to: 24 }],
  ['night', NIGHT],
]);

const EARLY_MORNING: PartOfDay = { name: 'morning', from: 0, to: 9 };

export const readPartName = (r: TokenReader): PartOfDay | undefined =>
  r.take('early morning') ? EARLY_MORNING : r.takeFrom(PARTS_OF_DAY);

/** `yesterday pm`, `this am`. */
export const HALVES_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ['am', { name: 'morning', from: 0, to: 12 }],
  ['pm', { name: 'afternoon', from: 12, to: 24 }],
]);
