/** Morning, afternoon, evening, night: whole hours of a day. */
import type { PartOfDay } from './model.ts';
import { attempt, type Reader, take, textAt } from './reader.ts';

export const PARTS_OF_DAY: ReadonlyMap<string, PartOfDay> = new Map([
  ['morning', { name: 'morning', from: 0, to: 12 }],
  ['afternoon', { name: 'afternoon', from: 12, to: 19 }],
  ['evening', { name: 'evening', from: 18, to: 24 }],
  ['night', { name: 'night', from: 18, to: 24 }],
]);

const EARLY: ReadonlyMap<string, PartOfDay> = new Map([['morning', { name: 'morning', from: 0, to: 9 }]]);

export function readPartName(r: Reader): PartOfDay | null {
  const early = textAt(r) === 'early' ? EARLY.get(textAt(r, 1)) : undefined;
  const part = early ?? PARTS_OF_DAY.get(textAt(r));
  if (!part) return null;
  r.at += early ? 2 : 1;
  return part;
}

const PART_STARTS: ReadonlySet<string> = new Set([...PARTS_OF_DAY.keys(), 'in', 'during', 'at', 'early']);

/** `morning`, `in the morning`, `at night`, `tonight` is left to the caller: it names a day too. */
export function readPart(r: Reader): PartOfDay | null {
  if (!PART_STARTS.has(textAt(r))) return null;
  return attempt(r, () => {
    if (!take(r, 'in', 'the') && !take(r, 'during', 'the')) take(r, 'at');
    return readPartName(r);
  });
}
