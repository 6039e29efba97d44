/** Another day at the same moment: how it stood just before, what it had right then, and how it moved between. */
import { levelOf } from './level.ts';
import type { Pair } from './scene.ts';

/** Steps `[from, to)`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Levels {
  readonly attacks: number | null;
  readonly visitors: number | null;
}

export interface Likeness {
  readonly attacksBefore: number;
  readonly visitorsBefore: number | null;
  readonly attacksThen: number;
  readonly attackGrowth: number;
  readonly visitorGrowth: number;
}

/** Half an hour on each side, in steps: enough to be calm about the growth. */
const NEAR = 6;

export function levelsOf({ attacks, visitors }: Pair, { from, to }: Stretch): Levels {
  return { attacks: levelOf(attacks, from, to), visitors: levelOf(visitors, from, to) };
}

/** `null` where that day is not known. */
export function likenessOf(day: Pair, at: number, before: Levels): Likeness | null {
  const near = levelsOf(day, { from: at - NEAR, to: at + NEAR + 1 });
  if (before.attacks === null || near.attacks === null) return null;
  return {
    attacksBefore: before.attacks,
    visitorsBefore: before.visitors,
    // Three steps, so that a bump that comes at the same minute every day keeps its edges.
    attacksThen: levelOf(day.attacks, at - 1, at + 2) ?? near.attacks,
    attackGrowth: growth(before.attacks, near.attacks),
    visitorGrowth: before.visitors === null || near.visitors === null ? 1 : growth(before.visitors, near.visitors),
  };
}

/** A ratio that stays near one while there is hardly anything to count. */
export const growth = (before: number, then: number): number => (then + 0.6) / (before + 0.6);
