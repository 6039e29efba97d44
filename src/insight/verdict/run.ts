/** The stretch of steps that stands out most from the usual. */
import type { VerdictRule } from './rule.ts';
import type { Scene } from './scene.ts';
import type { Usual } from './usual.ts';

export interface Run {
  /** Steps `[from, to)` of the scene. */
  readonly from: number;
  readonly to: number;
  readonly attacks: number;
  readonly usual: number;
  readonly ratio: number;
  /** Attacks above the usual in standard deviations. */
  readonly score: number;
}

export type RunLevel = 'calm' | 'elevated' | 'surge';

/** Three hours of five-minute steps; a longer run is found by its strongest part. */
const LONGEST = 36;
/** The fewest events a step is ever expected to have, so that the first attack on a silent host is no miracle. */
const LEAST_USUAL = 0.5;
/** The number of steps for which the deviations of the rule are meant; a longer window has more chances to be odd. */
const USUAL_STEPS = 12;

/** Runs of one or two steps must stand out more: single steps jump further than their spread says. */
const SHORT: Readonly<Record<number, number>> = { 1: 1, 2: 0.5 };

export function strongestRun(scene: Scene, usual: Usual, rule: VerdictRule, needed: number): Run | null {
  const { now, grid, first } = scene;
  let best: Run | null = null;
  for (let from = first; from < grid.length; from++) {
    let attacks = 0;
    let expected = 0;
    let squares = 0;
    for (let at = from; at < Math.min(grid.length, from + LONGEST); at++) {
      const known = now.attacks.known[at] ?? 0;
      const level = usual.attacks[at] ?? null;
      if (known > 0 && level !== null) {
        const here = Math.max(level, LEAST_USUAL) * known;
        attacks += now.attacks.counts[at] ?? 0;
        expected += here;
        squares += here * here;
      }
      if (expected === 0) continue;
      const variance = expected + usual.jitter * squares + usual.drift * expected * expected;
      const run = { from, to: at + 1, attacks, usual: expected, ratio: attacks / expected, score: 0 };
      const scored = { ...run, score: (attacks - expected) / Math.sqrt(variance) };
      if (best === null || better(scored, best, rule, needed)) best = scored;
    }
  }
  return best;
}

/** A worse level wins, then the clearer case. */
function better(a: Run, b: Run, rule: VerdictRule, needed: number): boolean {
  const rank = ORDER[levelOfRun(a, rule, needed)] - ORDER[levelOfRun(b, rule, needed)];
  return rank === 0 ? a.score > b.score : rank > 0;
}

const ORDER: Readonly<Record<RunLevel, number>> = { calm: 0, elevated: 1, surge: 2 };

/**
 * The deviations of the rule: fewer where a category has moved too and so says the same, a little more where there are
 * many steps to be odd in.
 */
export function neededScore(
  { deviations, deviationsWithCategory }: VerdictRule,
  steps: number,
  moved: boolean,
): number {
  const base = moved ? deviationsWithCategory : deviations;
  return Math.sqrt(base ** 2 + 2 * Math.log(Math.max(1, steps / USUAL_STEPS)));
}

export function levelOfRun(
  { from, to, attacks, usual, ratio, score }: Run,
  rule: VerdictRule,
  needed: number,
): RunLevel {
  const excess = attacks - usual;
  if (score < needed + (SHORT[to - from] ?? 0) || ratio < rule.elevatedRatio || excess < rule.elevatedExcess)
    return 'calm';
  return ratio >= rule.surgeRatio && excess >= rule.surgeExcess ? 'surge' : 'elevated';
}
