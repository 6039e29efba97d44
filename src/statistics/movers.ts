/**
 * Which categories moved: by how surprising their change is, not by percent, so that three events are never news and a
 * large category need not double to be. The measure is the signed root of the likelihood ratio of two rates, lessened by
 * what such counts vary from day to day anyway.
 */
import type { CategoryRow } from './summary.ts';

/** So much, as a share, a category varies between two like windows when nothing is the matter. */
const USUAL_VARIATION = 0.1;

/**
 * About in standard deviations; negative for a fall. `lengthRatio` is the length of the window now in proportion to the
 * one before.
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

/** From here on a change leads the answer; none of 13 categories gets there in 19 of 20 quiet days. */
export const STANDS_OUT = 3;
/** From here on it is worth a mention where changes were asked for. */
export const NOTICEABLE = 2;

/** Events of a category, and how many were to be expected. */
interface Excess {
  readonly observed: number;
  readonly expected: number;
}

const above = ({ observed, expected }: Excess): number => observed - expected;

/**
 * What leads a rise, here for every answer: the category with the most attacks above the expected, then the others that
 * stand out. A few events never lead.
 */
export function leadingFirst<C extends Excess>(categories: readonly C[]): C[] {
  return categories
    .filter(({ observed, expected }) => surprise(observed, expected) >= STANDS_OUT)
    .toSorted((a, b) => above(b) - above(a));
}

/** With less than this of the first one's excess, another does not lead beside it. */
const BESIDE = 2 / 3;

/** The first and those that are near it, of which either may be ahead a moment later. */
export function leadingTogether<C extends Excess>(categories: readonly C[]): C[] {
  const [first, ...others] = leadingFirst(categories);
  return first === undefined ? [] : [first, ...others.filter((other) => above(other) >= BESIDE * above(first))];
}

export interface Movers {
  /** The most surprising first. */
  readonly moved: readonly CategoryRow[];
  /** In the order they came. */
  readonly rest: readonly CategoryRow[];
}

export function findMovers(rows: readonly CategoryRow[], least: number, lengthRatio = 1): Movers {
  const size = ({ count, before }: CategoryRow): number =>
    before === null ? 0 : Math.abs(surprise(count, before, lengthRatio));
  const moved = rows.filter((row) => size(row) >= least).toSorted((a, b) => size(b) - size(a));
  return { moved, rest: rows.filter((row) => !moved.includes(row)) };
}

/** What leads a rise goes before what moved more in all of the window, also where it did not move in that. */
export function leadFirst({ moved, rest }: Movers, leading: string | null): Movers {
  const isLeading = ({ category, before }: CategoryRow): boolean => category === leading && before !== null;
  const above = ({ count, before }: CategoryRow): number => count - (before ?? count);
  if (leading === null || ![...moved, ...rest].some(isLeading)) return { moved, rest };
  const first = [...moved, ...rest].filter(isLeading);
  const others = moved.filter((row) => !isLeading(row)).toSorted((a, b) => above(b) - above(a));
  return { moved: [...first, ...others], rest: rest.filter((row) => !isLeading(row)) };
}
