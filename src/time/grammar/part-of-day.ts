/** Morning, afternoon, evening, night: whole hours of a day; from 24 on, of the day after. */
import { type TokenReader, textAt } from '../lexer/lexer.ts';
import type { PartOfDay } from '../model.ts';

export const PARTS_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ['morning', { name: 'morning', from: 0, to: 12 }],
  ['afternoon', { name: 'afternoon', from: 12, to: 19 }],
  ['evening', { name: 'evening', from: 18, to: 24 }],
  // One night: from the evening to the morning after.
  ['night', { name: 'night', from: 18, to: 32 }],
]);

const EARLY: ReadonlyMap<string, PartOfDay> = new Map([['morning', { name: 'morning', from: 0, to: 9 }]]);

export function readPartName(r: TokenReader): PartOfDay | null {
  const early = textAt(r) === 'early' ? EARLY.get(textAt(r, 1)) : undefined;
  const part = early ?? PARTS_OF_DAY.get(textAt(r) === 'nite' ? 'night' : textAt(r));
  if (!part) return null;
  r.at += early ? 2 : 1;
  return part;
}

const HALVES: ReadonlyMap<string, PartOfDay> = new Map([
  ['am', { name: 'morning', from: 0, to: 12 }],
  ['pm', { name: 'afternoon', from: 12, to: 24 }],
]);

/** `yesterday pm`, `this am`. */
export function readHalfOfDay(r: TokenReader): PartOfDay | null {
  const half = HALVES.get(textAt(r));
  if (half) r.at += 1;
  return half ?? null;
}
