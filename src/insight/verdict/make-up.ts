/** What a stretch is made of: its kinds of attacks tell more about how rare it is on a site than its size alone. */
import { totalOf } from '../summary.ts';
import { mostOf } from '../timeline.ts';
import { BURST_RULE, type BurstWindow, burstsAsLarge, timesAsRare } from './bursts.ts';
import type { CategoryCounts } from './moved-categories.ts';
import { HOUR_MS } from './past.ts';
import type { Present } from './present.ts';
import { type MakeUp, stretchAt, type Tries } from './scan.ts';
import type { Site } from './site.ts';
import { deviation, PRIOR_TAILS } from './tail.ts';

/**
 * Single scanners send bursts of one kind, what a site has seen little of cannot have come in bursts, and what came in
 * bursts of other kinds only is rarer than those.
 */
export interface StretchMakeUp extends MakeUp {
  readonly kinds: StretchKinds;
  /** By the other categories, by how few of the category the weeks before had, and by the kinds of their bursts. */
  readonly restScore: number;
  readonly rareScore: number;
  readonly burstScore: number;
  /** The bursts of the weeks before that were as large, and how many of them were of a kind as rare, where that was counted. */
  readonly bursts: { readonly count: number; readonly asRare: number } | null;
  /** Those whose kinds would tell more. */
  readonly wanted: readonly BurstWindow[];
}

export const KINDS_RULE = {
  /** Of one kind is what has more than this part of its excess in one category. */
  mostOfOne: 0.5,
  /** The other categories together are as rare as this from so many deviations on, and rarer with each more. */
  restFrom: 3,
  restScore: 2.25,
  restStep: 0.6,
  /** As often as all of a category could have come in bursts, it is taken to have come so many times. */
  inBursts: 0.5,
};

/** What the kinds of attacks say about the stretch that they were counted in; `null` where that is nothing. */
export function makeUpOf(
  categories: CategoryCounts | null,
  present: Present,
  site: Site | null,
  tries: Tries,
): StretchMakeUp | null {
  const counted = categories?.stretch ?? null;
  if (categories === null || counted === null) return null;
  const { fromMs, stepMs, length } = present.grid;
  const from = Math.round((counted.fromMs - fromMs) / stepMs);
  const to = Math.round((counted.toMs - fromMs) / stepMs);
  const tail = (site?.tails ?? PRIOR_TAILS).find(({ lengthMs }) => Math.round(lengthMs / stepMs) === to - from);
  const stretch = tail === undefined || to > length ? null : stretchAt(present, site, tail, from, to, tries);
  if (tail === undefined || stretch === null) return null;
  const kinds = kindsOf(categories, stretch.observed, stretch.expected, tail.spread);
  if (kinds === null) return null;
  const { restFrom, restScore: fromScore, restStep } = KINDS_RULE;
  const isOfManyKinds = kinds.share <= KINDS_RULE.mostOfOne;
  const restScore = fromScore + restStep * (kinds.restDeviates - restFrom);
  const windows = Math.max(1, ((length - present.windowStart) * stepMs) / HOUR_MS);
  const scoreOfTimes = (times: number, charge = 1): number =>
    -Math.log10(Math.min(1, ((times + 1) / (tail.hours + 1)) * tries.short * windows * charge));
  const { inWeeks } = kinds;
  const isOfKnownKind = !isOfManyKinds && inWeeks !== null && tail.hours > 0 && site !== null;
  const rareScore = isOfKnownKind ? scoreOfTimes(inWeeks / kinds.excess, KINDS_RULE.inBursts) : 0;
  const alike = isOfKnownKind ? burstsAsLarge(site, tail.lengthMs, kinds.excess) : [];
  const isTold = isOfKnownKind && alike.length > 0 && categories.bursts !== null;
  const asRare = isTold ? timesAsRare(site, categories.bursts, categories.weeks, kinds) : null;
  const burstScore = asRare === null ? 0 : scoreOfTimes(asRare, BURST_RULE.times);
  const known = Math.max(stretch.plainScore, restScore, rareScore);
  return {
    ...{ from, to, isOfManyKinds, least: Math.max(restScore, rareScore, burstScore) },
    ...{ kinds, restScore, rareScore, burstScore },
    bursts: asRare === null ? null : { count: alike.length, asRare },
    wanted: categories.bursts === null && scoreOfTimes(0, BURST_RULE.times) > known ? alike : [],
  };
}

/** The kinds of attacks that a stretch is made of. */
export interface StretchKinds {
  /** The category that has risen most, and how many more there are of it than expected. */
  readonly name: string;
  readonly excess: number;
  /** Its part of all that is more than expected. */
  readonly share: number;
  /** How far all other categories together deviate from what is expected of them. */
  readonly restDeviates: number;
  /** As many as the weeks before had of it; `null` where that is not known. */
  readonly inWeeks: number | null;
}

/** With fewer events in them, the hours before do not tell how usual a category is. */
const FEW_BEFORE = 20;
/** A scanner of one kind sends so many of all other kinds for each of its own, mixed as usual. */
const BESIDE = 1 / 3;
/** Relative variance with which all categories but one wander together. */
const REST_WANDERS = 0.02;

/** Of a stretch with `attacks` where `expected` are to be expected; `null` where the kinds are not known, or none has risen. */
function kindsOf(
  { stretch, before, weeks }: CategoryCounts,
  attacks: number,
  expected: number,
  spread: number,
): StretchKinds | null {
  if (stretch === null || attacks <= expected) return null;
  const references = before !== null && totalOf(before) >= FEW_BEFORE ? [before] : weeks;
  const total = references.reduce((sum, reference) => sum + totalOf(reference), 0);
  if (total === 0 || totalOf(stretch) === 0) return null;
  const due = (expected * totalOf(stretch)) / attacks;
  const kinds = stretch.counts.map(({ category, count }) => {
    const seen = references.reduce((sum, reference) => sum + (mostOf(reference, category) ?? 0), 0);
    return { category, count, usual: (due * seen) / total };
  });
  const top = kinds.reduce((most, kind) => (kind.count - kind.usual > most.count - most.usual ? kind : most));
  const excess = top.count - top.usual;
  if (excess <= 0) return null;
  const usualRest = Math.max(0, due - top.usual);
  const beside = BESIDE * excess * (usualRest / Math.max(due, 1e-9));
  const rest = Math.max(0, totalOf(stretch) - top.count - beside);
  const inWeeks = weeks.map((week) => mostOf(week, top.category));
  return {
    name: top.category,
    excess,
    share: excess / (totalOf(stretch) - due),
    restDeviates: deviation(rest, usualRest, spread + REST_WANDERS),
    inWeeks:
      weeks.length === 0 || inWeeks.includes(null) ? null : inWeeks.reduce<number>((sum, n) => sum + (n ?? 0), 0),
  };
}
