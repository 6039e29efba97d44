/**
 * Attack categories that are new or have grown, and what a stretch is made of. What is expected of each is its share of
 * what is expected of all, as it was in the windows compared with, or what at least two of those had of it, where that is more.
 */
import { countAlike, totalOf } from '../../statistics/summary.ts';
import { countOf, type Distribution, maxCountOf } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { BURST_RULE, type BurstWindow, burstsAsLarge, timesAsRare } from './bursts.ts';
import type { Present } from './present.ts';
import { type MakeUp, stretchAt, type Tries } from './scan.ts';
import type { Site } from './site.ts';
import { deviation, median, PRIOR_TAILS } from './tail.ts';

/** Events by category in the window, and in what it is compared with. */
export interface CategoryCounts {
  readonly window: Distribution;
  /** The latest part of what is odd, where that is not the whole window. */
  readonly latest: Distribution | null;
  /** The hours before. */
  readonly before: Distribution | null;
  /** The same hours of earlier days, whole hours that the window lies in. */
  readonly sameHours: readonly Distribution[];
  /** The window in equal parts, where nothing but a category may tell when it began. */
  readonly parts: readonly Distribution[];
  /** The stretch whose kinds tell more, where there is one. */
  readonly stretch: Distribution | null;
  /** All of the weeks before. */
  readonly weeks: readonly Distribution[];
  /** The bursts of the weeks before that were as large; `null` while they are not counted, and for one that cannot be. */
  readonly bursts: readonly (Distribution | null)[] | null;
}

/** A category in the window, and the events to expect of it there. */
export interface CategoryChange {
  readonly name: string;
  readonly observed: number;
  /** As many as would still be usual. */
  readonly expected: number;
  /** As many as are to be expected: those of all categories add up to what is expected of all attacks. */
  readonly likely?: number;
}

export interface MovedCategory extends CategoryChange {
  readonly isNew: boolean;
  /** It alone would have been called. */
  readonly stands: boolean;
}

export const CATEGORY_RULE = {
  deviations: 3,
  count: 10,
  ratio: 1.5,
  aloneRatio: 3,
  aloneDeviations: 4,
  newBelow: 0.5,
  newWeight: 3,
};
/** Relative variance with which single categories wander without a reason. */
const WANDERING = 0.15;

export interface MeasuredCategory extends CategoryChange {
  /** In units of chance, with how little may be known about the category. */
  readonly deviates: number;
  /** How much it tells: the log likelihood against chance. */
  readonly surprise: number;
}

/** `expected` is the attacks to expect in the window, `spread` how they stray over an hour. */
export function measureCategories(counts: CategoryCounts, expected: number, attacks: number, spread: number) {
  const { window, before, sameHours } = counts;
  const references = [...(before === null ? [] : [before]), ...sameHours];
  const all = references.map(totalOf);
  const total = all.reduce((sum, each) => sum + each, 0);
  // Categories need not add up to the attacks: what is expected of them all is scaled by how they do now.
  const due = attacks > 0 ? (expected * totalOf(window)) / attacks : expected;
  const likelyShare = usualShares(references);
  // What the service does not know of an earlier time is not zero there: nothing can be new or more against it.
  const unknown = new Set(references.flatMap(({ unknownCategories = [] }) => unknownCategories));
  const known = references.length === 0 ? [] : window.counts.filter(({ category }) => !unknown.has(category));
  return known.map(({ category, count }): MeasuredCategory => {
    const seen = references.map(
      (reference) => countAlike(reference, category, window) ?? maxCountOf(reference, category) ?? 0,
    );
    const sum = seen.reduce((part, each) => part + each, 0);
    const share = total > 0 ? (due * sum) / total : 0;
    const usual = Math.max(
      share,
      secondLargest(sameHours.map((each) => maxCountOf(each, category) ?? 0)) * fit(window, sameHours),
    );
    const doubt = WANDERING + 1 / (2 + sum);
    return {
      name: category,
      observed: count,
      expected: usual,
      likely: due * likelyShare(category),
      deviates: deviation(count, usual, spread + doubt),
      surprise: count > usual ? count * Math.log(count / Math.max(usual, 0.5)) - (count - usual) : 0,
    };
  });
}

/** The share of each category in the middle one of the references: a wave in one of them does not count. */
function usualShares(references: readonly Distribution[]): (category: string) => number {
  const known = references.filter((reference) => totalOf(reference) > 0);
  const middleShare = (category: string): number =>
    median(known.map((reference) => (maxCountOf(reference, category) ?? 0) / totalOf(reference)));
  const names = new Set(known.flatMap(({ counts }) => counts.map(({ category }) => category)));
  const shares = new Map([...names].map((name) => [name, middleShare(name)]));
  const all = [...shares.values()].reduce((sum, share) => sum + share, 0);
  return (category) => (all > 0 ? (shares.get(category) ?? 0) / all : 0);
}

/** Whole hours hold more than the window: all of it may have come in a part as long as that. */
function fit(window: Distribution, [first]: readonly Distribution[]): number {
  if (first === undefined) return 0;
  return Math.min(1, (1.5 * lengthMs(window)) / lengthMs(first));
}

const secondLargest = (values: readonly number[]): number => values.toSorted((a, b) => b - a)[1] ?? 0;

/** As much of the window as had happened when the service answered. */
function lengthMs({ fromMs, toMs, asOfMs }: Distribution): number {
  return Math.max(1, Math.min(toMs, asOfMs) - fromMs);
}

/** The most surprising first, by the latest part of what is odd. `stands` tells whether one would be called alone. */
export function movedCategories(
  measured: readonly MeasuredCategory[],
  latest: readonly MeasuredCategory[] | null,
  stands: (category: MeasuredCategory) => boolean,
): MovedCategory[] {
  const now = new Map((latest ?? measured).map(({ name, surprise }) => [name, surprise]));
  return measured
    .filter(hasMoved)
    .sort((a, b) => (now.get(b.name) ?? 0) - (now.get(a.name) ?? 0))
    .map((category) => ({
      name: category.name,
      observed: category.observed,
      expected: category.expected,
      isNew: category.expected < CATEGORY_RULE.newBelow,
      stands: stands(category),
    }));
}

/** A part belongs to a wave of one category when it has so much of the excess of its strongest part. */
const PART_OF_STRONGEST = 1 / 3;

/** When a category came that is called alone, to a part of the window; `null` where that was not asked for. */
export function categorySpan(
  { parts }: CategoryCounts,
  { name, expected }: CategoryChange,
): { onsetMs: number; endMs: number } | null {
  const excesses = parts.map((part) => (countOf(part, name) ?? 0) - expected / parts.length);
  const least = PART_OF_STRONGEST * Math.max(0, ...excesses);
  const first = parts[excesses.findIndex((excess) => excess > 0 && excess >= least)];
  const last = parts[excesses.findLastIndex((excess) => excess > 0 && excess >= least)];
  return first === undefined || last === undefined ? null : { onsetMs: first.fromMs, endMs: last.toMs };
}

export function hasMoved({ observed, expected, deviates }: MeasuredCategory): boolean {
  return (
    deviates >= CATEGORY_RULE.deviations &&
    observed - expected >= CATEGORY_RULE.count &&
    observed >= CATEGORY_RULE.ratio * expected
  );
}

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
    const seen = references.reduce((sum, reference) => sum + (maxCountOf(reference, category) ?? 0), 0);
    return { category, count, usual: (due * seen) / total };
  });
  const top = kinds.reduce((most, kind) => (kind.count - kind.usual > most.count - most.usual ? kind : most));
  const excess = top.count - top.usual;
  if (excess <= 0) return null;
  const usualRest = Math.max(0, due - top.usual);
  const beside = BESIDE * excess * (usualRest / Math.max(due, 1e-9));
  const rest = Math.max(0, totalOf(stretch) - top.count - beside);
  const inWeeks = weeks.map((week) => maxCountOf(week, top.category));
  return {
    name: top.category,
    excess,
    share: excess / (totalOf(stretch) - due),
    restDeviates: deviation(rest, usualRest, spread + REST_WANDERS),
    inWeeks:
      weeks.length === 0 || inWeeks.includes(null) ? null : inWeeks.reduce<number>((sum, n) => sum + (n ?? 0), 0),
  };
}
