/**
 * Which categories changed, by how surprising the change is and not by percent: three events are never news, and a large
 * category need not double. The measure is the signed root of the likelihood ratio of two rates, reduced by the usual
 * day-to-day variation.
 */
import type { CategoryRow } from './summary.ts';

/** Relative variation of a category between two similar quiet windows. */
const USUAL_VARIATION = 0.1;

/**
 * Roughly in standard deviations; negative for a fall. `lengthRatio` is the length of the window relative to the one before.
 */
export function surprise(now: number, before: number, lengthRatio = 1): number {
  const both = now + before;
  if (both === 0) return 0;
  const expected = (both * lengthRatio) / (1 + lengthRatio);
  const ratio = 2 * (term(now, expected) + term(before, both - expected));
  const extra = 1 + (2 * USUAL_VARIATION ** 2 * now * before) / both;
  return Math.sign(now - expected) * Math.sqrt(Math.max(0, ratio) / extra);
}

const term = (count: number, expected: number): number => (count === 0 ? 0 : count * Math.log(count / expected));

/** From here on, a change leads the answer. On 19 of 20 quiet days, none of 13 categories reaches it. */
export const STANDS_OUT = 3;
/** From here on, a change is mentioned if changes were requested. */
export const NOTICEABLE = 2;

/** Observed and expected events of a category. */
interface Excess {
  readonly observed: number;
  readonly expected: number;
}

const above = ({ observed, expected }: Excess): number => observed - expected;

/**
 * Categories that lead a rise: the one furthest above the expected count first, then the others that stand out. A few events
 * never lead.
 */
export function leadingFirst<C extends Excess>(categories: readonly C[]): C[] {
  return categories
    .filter(({ observed, expected }) => surprise(observed, expected) >= STANDS_OUT)
    .toSorted((a, b) => above(b) - above(a));
}

/** Share of the first one's excess that another category needs to lead together with it. */
const MIN_SHARE_OF_FIRST = 2 / 3;

/** The first and those close to it, any of which may be ahead a moment later. */
export function leadingTogether<C extends Excess>(categories: readonly C[]): C[] {
  const [first, ...others] = leadingFirst(categories);
  return first === undefined
    ? []
    : [first, ...others.filter((other) => above(other) >= MIN_SHARE_OF_FIRST * above(first))];
}

export interface Movers {
  /** The most surprising first. */
  readonly moved: readonly CategoryRow[];
  /** In the original order. */
  readonly rest: readonly CategoryRow[];
}

export function findMovers(rows: readonly CategoryRow[], least: number, lengthRatio = 1): Movers {
  const size = ({ count, before }: CategoryRow): number =>
    before === null ? 0 : Math.abs(surprise(count, before, lengthRatio));
  const moved = rows.filter((row) => size(row) >= least).toSorted((a, b) => size(b) - size(a));
  return { moved, rest: rows.filter((row) => !moved.includes(row)) };
}

/** Puts the category that leads a rise first, even if others changed more over the whole window. */
export function leadFirst({ moved, rest }: Movers, leading: string | null): Movers {
  const isLeading = ({ category, before }: CategoryRow): boolean => category === leading && before !== null;
  const above = ({ count, before }: CategoryRow): number => count - (before ?? count);
  if (leading === null || ![...moved, ...rest].some(isLeading)) return { moved, rest };
  const first = [...moved, ...rest].filter(isLeading);
  const others = moved.filter((row) => !isLeading(row)).toSorted((a, b) => above(b) - above(a));
  return { moved: [...first, ...others], rest: rest.filter((row) => !isLeading(row)) };
}
