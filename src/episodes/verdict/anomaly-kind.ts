/** What kind of anomaly it looks like: more visitors, an attack on something, a flood, or a rule that misfires. */
import type { CategoryChange } from './moved-categories.ts';

export type AnomalyKind = 'more visitors' | 'targeted attack' | 'flood' | 'false-positive storm';

export interface KindEvidence {
  /** Attacks above the usual in the strongest excursion, and the requests seen and expected in it. */
  readonly excess: number;
  readonly requests: number | null;
  readonly requestsUsual: number | null;
  /** Visitors as a multiple of those expected. */
  readonly visitorFactor: number;
  readonly share: number | null;
  readonly shareBefore: number | null;
  readonly categories: readonly CategoryChange[] | null;
}

const FLOODS = new Set(['cc', 'robot']);
/** Rules that operators write themselves, or that judge the form of a request rather than its intent. */
const OPERATOR_RULES = new Set(['custom', 'illegal', 'whiteblackip', 'antitamper']);

const MANY_VISITORS = 1.3;
const FLAT_SHARE = 1.1;
const FLAT_REQUESTS = 1.15;
/** Shares of the whole excess that must belong to floods, to one category or to a few. */
const MOST = 0.6;
const NEARLY_ALL = 0.85;
const FEW = 4;
/** Below this share of all requests it cannot be seen whether attacks came on top of visits or replaced them. */
const VISIBLE = 0.05;

/** `null` when it is calm, or like none of them in particular. */
export function anomalyKind(evidence: KindEvidence, isCalm: boolean): AnomalyKind | null {
  const { visitorFactor, share, shareBefore, categories } = evidence;
  const isFlat = share === null || shareBefore === null || share <= shareBefore * FLAT_SHARE;
  if (visitorFactor >= MANY_VISITORS && isFlat) return 'more visitors';
  if (isCalm || categories === null) return null;
  const above = categories
    .map(({ name, observed, expected }) => ({ name, excess: Math.max(0, observed - expected) }))
    .sort((a, b) => b.excess - a.excess);
  const all = above.reduce((sum, { excess }) => sum + excess, 0);
  if (all <= 0) return null;
  const shareOf = (some: readonly { excess: number }[]): number =>
    some.reduce((sum, { excess }) => sum + excess, 0) / all;
  if (shareOf(above.filter(({ name }) => FLOODS.has(name))) >= MOST) return 'flood';
  const [first] = above;
  if (first !== undefined && shareOf([first]) >= NEARLY_ALL && isMisfire(first.name, evidence)) {
    return 'false-positive storm';
  }
  const isUp = share !== null && shareBefore !== null && share > shareBefore;
  return isUp && shareOf(above.slice(0, FEW)) >= NEARLY_ALL ? 'targeted attack' : null;
}

/** Requests are flat: either attacks replaced visits, or the category is one of the operator's own rules. */
function isMisfire(category: string, { excess, requests, requestsUsual }: KindEvidence): boolean {
  if (requests === null || requestsUsual === null || requestsUsual <= 0) return false;
  if (requests > requestsUsual * FLAT_REQUESTS) return false;
  const replacedVisits = requests - requestsUsual < excess / 3;
  return excess >= VISIBLE * requestsUsual ? replacedVisits : OPERATOR_RULES.has(category);
}
