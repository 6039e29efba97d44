/** Categories that are new or have grown, against what they had before in as much time. */
import type { Distribution } from '../timeline.ts';
import type { VerdictRule } from './rule.ts';
import { VISITORS_MATTER } from './usual.ts';

export interface MovedCategory {
  readonly category: string;
  readonly count: number;
  /** Events to expect in this window. */
  readonly usual: number;
  readonly isNew: boolean;
  /** Odd enough to be told on its own, whatever the sum does. */
  readonly stands: boolean;
}

const NEW_COUNT = 5;
const GROWN_COUNT = 10;
const GROWN_RATIO = 1.5;
const DEVIATIONS = 4;
const DEVIATIONS_ALONE = 6;
/** Categories have moods of their own: so far, relative to the usual, they wander without a reason. */
const MOOD = 0.3;

/** New ones first, then those that grew most. `crowd` is how many times the expected visitors there are. */
export function movedCategories(
  now: Distribution,
  before: Distribution,
  crowd: number,
  rule: VerdictRule,
): MovedCategory[] {
  return excesses(now, before, crowd)
    .flatMap(({ category, count, usual }): MovedCategory[] => {
      const isNew = usual < 0.5 && count >= NEW_COUNT;
      const score = (count - usual) / Math.sqrt(usual + (MOOD * usual) ** 2 + 1);
      const grown = count - usual >= GROWN_COUNT && count >= GROWN_RATIO * usual && score >= DEVIATIONS;
      if (!isNew && !grown) return [];
      const stands = count >= rule.categoryCount && count >= rule.categoryRatio * usual && score >= DEVIATIONS_ALONE;
      return [{ category, count, usual, isNew, stands }];
    })
    .sort((a, b) => Number(b.isNew) - Number(a.isNew) || b.count - b.usual - (a.count - a.usual));
}

export interface CategoryExcess {
  readonly category: string;
  readonly count: number;
  readonly usual: number;
}

export function excesses(now: Distribution, before: Distribution, crowd: number): CategoryExcess[] {
  const earlier = new Map(before.counts.map(({ category, count }) => [category, count]));
  const scale = (lengthMs(now) / lengthMs(before)) * (crowd > VISITORS_MATTER ? crowd : 1);
  return now.counts.map(({ category, count }) => ({ category, count, usual: (earlier.get(category) ?? 0) * scale }));
}

/** As much of the window as had happened when the service answered. */
function lengthMs({ fromMs, toMs, asOfMs }: Distribution): number {
  return Math.max(1, Math.min(toMs, asOfMs) - fromMs);
}
