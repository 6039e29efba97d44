/** Draws for the labelled set: every one keyed by seed, case and purpose, so that a set is the same in every run. */
import { keyOf, mix, uniform } from '../../playground/service/random.ts';

export interface Draw {
  /** In [0, 1). */
  part(purpose: string): number;
  between(purpose: string, low: number, high: number): number;
  whole(purpose: string, low: number, high: number): number;
  pick<T>(purpose: string, from: readonly T[]): T;
}

export function createDraw(seed: number, index: number): Draw {
  const part = (purpose: string): number => uniform(mix(seed, index, keyOf(purpose), 977));
  const between = (purpose: string, low: number, high: number): number => low + part(purpose) * (high - low);
  return {
    part,
    between,
    whole: (purpose, low, high) => Math.floor(between(purpose, low, high + 1)),
    pick: (purpose, from) => {
      const picked = from[Math.floor(part(purpose) * from.length)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
  };
}
