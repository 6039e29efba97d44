/** Attack categories that are new or have grown, compared with what they had before in as much time. */
import type { Distribution } from '../timeline.ts';
import { visitorEffect } from './expected.ts';
import type { VerdictRule } from './rule.ts';

export interface MovedCategory {
  readonly category: string;
  readonly count: number;
  /** Events to expect in this window. */
  readonly usual: number;
  readonly isNew: boolean;
  /** Clear enough to be reported on its own, whatever the sum of all categories does. */
  readonly stands: boolean;
}

export interface CategoryExcess {
  readonly category: string;
  readonly count: number;
  readonly usual: number;
}

const NEW_COUNT = 5;
const GROWN_COUNT = 10;
const GROWN_RATIO = 1.5;
const DEVIATIONS = 4;
const DEVIATIONS_ALONE = 6;
/** Relative standard deviation with which single categories wander without a reason. */
const WANDERING = 0.3;

/** New ones first, then those that grew most. */
export function movedCategories(excesses: readonly CategoryExcess[], rule: VerdictRule): MovedCategory[] {
  return excesses
    .flatMap(({ category, count, usual }): MovedCategory[] => {
      const isNew = usual < 0.5 && count >= NEW_COUNT;
      const score = (count - usual) / Math.sqrt(usual + (WANDERING * usual) ** 2 + 1);
      const grown = count - usual >= GROWN_COUNT && count >= GROWN_RATIO * usual && score >= DEVIATIONS;
      if (!isNew && !grown) return [];
      const stands = count >= rule.categoryCount && count >= rule.categoryRatio * usual && score >= DEVIATIONS_ALONE;
      return [{ category, count, usual, isNew, stands }];
    })
    .sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.count - b.usual - (a.count - a.usual));
}

/** `visitorFactor` is how many times the expected visitors there are. */
export function categoryExcesses(now: Distribution, before: Distribution, visitorFactor: number): CategoryExcess[] {
  const earlier = new Map(before.counts.map(({ category, count }) => [category, count]));
  const scale = (lengthMs(now) / lengthMs(before)) * visitorEffect(visitorFactor);
  return now.counts.map(({ category, count }) => ({ category, count, usual: (earlier.get(category) ?? 0) * scale }));
}

/** As much of the window as had happened when the service answered. */
function lengthMs({ fromMs, toMs, asOfMs }: Distribution): number {
  return Math.max(1, Math.min(toMs, asOfMs) - fromMs);
}
