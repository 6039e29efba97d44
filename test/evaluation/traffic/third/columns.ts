/** Counts by minute, and spans of minutes. */
import { DAY, WEEK } from '../world.ts';

/** Four weeks that are known, and the one that is watched. */
export const HISTORY = 4 * WEEK;
export const MINUTES = HISTORY + WEEK;
export const MINUTE_MS = 60_000;
export const DAY_MS = DAY * MINUTE_MS;

/** Minutes `[from, to)`. */
export type Span = readonly [from: number, to: number];

export type Column = Float64Array;

/** Minutes that the column doesn't have are left out. */
export function add(column: Column, minute: number, count: number): void {
  column[minute] = (column[minute] ?? 0) + count;
}

/** The column of a category, which is made where there was none. */
export function columnOf(columns: Map<string, Column>, category: string, length: number): Column {
  const known = columns.get(category);
  if (known !== undefined) return known;
  const column = new Float64Array(length);
  columns.set(category, column);
  return column;
}

/** All categories together. */
export function totalOf(columns: ReadonlyMap<string, Column>, length: number): Column {
  const total = new Float64Array(length);
  for (const column of columns.values()) for (let at = 0; at < length; at++) add(total, at, column[at] ?? 0);
  return total;
}

export const sumOf = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
};

export const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);
