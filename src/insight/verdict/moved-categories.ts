/** Attack categories that are new or have grown, compared with what they had before in as much time. */
import type { Distribution } from '../timeline.ts';
import { visitorEffect } from './expected.ts';
import type { VerdictRule } from './rule.ts';

/** A category in the window, and the events to expect of it there. */
export interface CategoryChange {
  readonly name: string;
  readonly observed: number;
  readonly expected: number;
}

export interface MovedCategory extends CategoryChange {
  readonly isNew: boolean;
  /** Clear enough to be reported on its own, whatever the sum of all categories does. */
  readonly stands: boolean;
}

const NEW_COUNT = 5;
const GROWN_COUNT = 10;
const GROWN_RATIO = 1.5;
const DEVIATIONS = 4;
const DEVIATIONS_ALONE = 6;
/** Relative standard deviation with which single categories wander without a reason. */
const WANDERING = 0.3;

/** New ones first, then those that grew most. */
export function movedCategories(changes: readonly CategoryChange[], rule: VerdictRule): MovedCategory[] {
  return changes
    .flatMap(({ name, observed, expected }): MovedCategory[] => {
      const isNew = expected < 0.5 && observed >= NEW_COUNT;
      const score = (observed - expected) / Math.sqrt(expected + (WANDERING * expected) ** 2 + 1);
      const grown = observed - expected >= GROWN_COUNT && observed >= GROWN_RATIO * expected && score >= DEVIATIONS;
      if (!isNew && !grown) return [];
      const stands =
        observed >= rule.categoryCount && observed >= rule.categoryRatio * expected && score >= DEVIATIONS_ALONE;
      return [{ name, observed, expected, isNew, stands }];
    })
    .sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.observed - b.expected - (a.observed - a.expected));
}

/** `visitorFactor` is how many times the expected visitors there are. */
export function categoryChanges(now: Distribution, before: Distribution, visitorFactor: number): CategoryChange[] {
  const earlier = new Map(before.counts.map(({ category, count }) => [category, count]));
  const scale = (lengthMs(now) / lengthMs(before)) * visitorEffect(visitorFactor);
  return now.counts.map(({ category, count }) => ({
    name: category,
    observed: count,
    expected: (earlier.get(category) ?? 0) * scale,
  }));
}

/** As much of the window as had happened when the service answered. */
function lengthMs({ fromMs, toMs, asOfMs }: Distribution): number {
  return Math.max(1, Math.min(toMs, asOfMs) - fromMs);
}
