/** What it looks like to someone who has seen many: visitors, an attack on something, a flood, or our own rules. */
import type { CategoryExcess } from './moved-categories.ts';

export type Shape = 'more visitors' | 'targeted attack' | 'flood' | 'false-positive storm';

export interface Sight {
  /** Attacks above the usual in the strongest stretch, and requests that were seen and expected in it. */
  readonly excess: number;
  readonly requests: number | null;
  readonly requestsUsual: number | null;
  /** Visitors as a multiple of those expected. */
  readonly crowd: number;
  readonly share: number | null;
  readonly shareBefore: number | null;
  readonly categories: readonly CategoryExcess[] | null;
}

const FLOODS = new Set(['cc', 'robot']);
/** Rules that operators write themselves, or that judge the form of a request rather than its intent. */
const HOUSE_RULES = new Set(['custom', 'illegal', 'whiteblackip', 'antitamper']);

const MANY_VISITORS = 1.3;
const FLAT_SHARE = 1.3;
const FLAT_REQUESTS = 1.15;
/** A flood, one category, a few categories: when this part of all that is too much belongs to them. */
const MOST = 0.6;
const NEARLY_ALL = 0.85;
const FEW = 4;
/** Below this part of all requests, nobody can see whether attacks came on top or in place of visits. */
const VISIBLE = 0.05;

export function shapeOf(sight: Sight, isCalm: boolean): Shape | null {
  const { crowd, share, shareBefore, categories } = sight;
  const flat = share === null || shareBefore === null || share <= shareBefore * FLAT_SHARE;
  if (crowd >= MANY_VISITORS && flat) return 'more visitors';
  if (isCalm || categories === null) return null;
  const above = categories
    .map(({ category, count, usual }) => ({ category, excess: Math.max(0, count - usual) }))
    .sort((a, b) => b.excess - a.excess);
  const all = above.reduce((sum, { excess }) => sum + excess, 0);
  if (all <= 0) return null;
  const part = (wanted: readonly { excess: number }[]): number =>
    wanted.reduce((sum, { excess }) => sum + excess, 0) / all;
  if (part(above.filter(({ category }) => FLOODS.has(category))) >= MOST) return 'flood';
  const [first] = above;
  if (first !== undefined && part([first]) >= NEARLY_ALL && isStorm(first.category, sight))
    return 'false-positive storm';
  return part(above.slice(0, FEW)) >= NEARLY_ALL ? 'targeted attack' : null;
}

/** Requests flat: either the attacks took the place of visits, or the category is one of house rules. */
function isStorm(category: string, { excess, requests, requestsUsual }: Sight): boolean {
  if (requests === null || requestsUsual === null || requestsUsual <= 0) return false;
  if (requests > requestsUsual * FLAT_REQUESTS) return false;
  const inPlace = requests - requestsUsual < excess / 3;
  return excess >= VISIBLE * requestsUsual ? inPlace : HOUSE_RULES.has(category);
}
