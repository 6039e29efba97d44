/**
 * Detection: the excursion above the expected attacks that stands out most, the level it amounts to, and when it began
 * and ended.
 */
import type { TimelinePoint } from '../timeline.ts';
import type { Expected } from './expected.ts';
import type { VerdictRule } from './rule.ts';
import type { AlignedSeries } from './series.ts';

/** Consecutive steps, and how their attacks compare with what was expected. */
export interface Excursion {
  /** Steps `[from, to)` of the grid. */
  readonly from: number;
  readonly to: number;
  readonly attacks: number;
  readonly usual: number;
  readonly ratio: number;
  /** Attacks above the usual in standard deviations. */
  readonly score: number;
}

export type AnomalyLevel = 'calm' | 'elevated' | 'surge';

/** Three hours of five-minute steps; a longer excursion is found by its strongest part. */
const LONGEST = 36;
/** The fewest events ever expected in a step, so that the first attack on a silent host is no sensation. */
const LEAST_EXPECTED = 0.5;
/** The number of steps that the deviations of the rule are meant for; a longer window has more chances to be odd. */
const RULE_STEPS = 12;
/** Excursions of one or two steps must stand out more: single steps jump further than their spread says. */
const SHORT_SURCHARGE: Readonly<Record<number, number>> = { 1: 1, 2: 0.5 };
const RANK: Readonly<Record<AnomalyLevel, number>> = { calm: 0, elevated: 1, surge: 2 };

/** `null` where nothing in the window can be compared. */
export function strongestExcursion(
  { current, grid, windowStart }: AlignedSeries,
  expected: Expected,
  rule: VerdictRule,
  needed: number,
): Excursion | null {
  let best: Excursion | null = null;
  for (let from = windowStart; from < grid.length; from++) {
    let attacks = 0;
    let usual = 0;
    let squares = 0;
    for (let at = from; at < Math.min(grid.length, from + LONGEST); at++) {
      const known = current.attacks.known[at] ?? 0;
      const level = expected.attacks[at] ?? null;
      if (known > 0 && level !== null) {
        const here = Math.max(level, LEAST_EXPECTED) * known;
        attacks += current.attacks.counts[at] ?? 0;
        usual += here;
        squares += here * here;
      }
      if (usual === 0) continue;
      const variance = usual + expected.jitter * squares + expected.drift * usual * usual;
      const score = (attacks - usual) / Math.sqrt(variance);
      const excursion = { from, to: at + 1, attacks, usual, ratio: attacks / usual, score };
      if (best === null || isStronger(excursion, best, rule, needed)) best = excursion;
    }
  }
  return best;
}

/** A higher level wins, then the higher score. */
function isStronger(a: Excursion, b: Excursion, rule: VerdictRule, needed: number): boolean {
  const rank = RANK[excursionLevel(a, rule, needed)] - RANK[excursionLevel(b, rule, needed)];
  return rank === 0 ? a.score > b.score : rank > 0;
}

/**
 * The score from which an excursion counts: lower where a category has moved too and so confirms it, a little higher
 * where there are many steps to be odd in.
 */
export function neededScore(
  { deviations, deviationsWithCategory }: VerdictRule,
  steps: number,
  moved: boolean,
): number {
  const base = moved ? deviationsWithCategory : deviations;
  return Math.sqrt(base ** 2 + 2 * Math.log(Math.max(1, steps / RULE_STEPS)));
}

export function excursionLevel(
  { from, to, attacks, usual, ratio, score }: Excursion,
  rule: VerdictRule,
  needed: number,
): AnomalyLevel {
  const excess = attacks - usual;
  const isClear = score >= needed + (SHORT_SURCHARGE[to - from] ?? 0);
  if (!isClear || ratio < rule.elevatedRatio || excess < rule.elevatedExcess) return 'calm';
  return ratio >= rule.surgeRatio && excess >= rule.surgeExcess ? 'surge' : 'elevated';
}

interface ChangePoints {
  readonly onsetMs: number;
  readonly endMs: number;
}

/** A pause of this length at the usual level separates two waves. */
const PAUSE_MS = 20 * 60_000;

/**
 * When the wave around an excursion began and ended, to the interval: a cumulative sum (CUSUM) that rises where there
 * are more attacks than a bar between usual and wave, and falls where there are fewer. The wave is where the sum is
 * largest. `usualIn` gives the attacks to expect in the interval of a point.
 */
export function changePoints(
  points: readonly TimelinePoint[],
  intervalMs: number,
  strongest: { readonly fromMs: number; readonly toMs: number; readonly ratio: number },
  usualIn: (point: TimelinePoint) => number,
): ChangePoints {
  const bar = barFor(strongest.ratio);
  const gains = points.map((point) => (point.attacks === null ? 0 : point.attacks - bar * usualIn(point)));
  const startOf = (at: number): number => (points[at]?.endMs ?? 0) - intervalMs;
  const first = points.findIndex((_, at) => startOf(at) >= strongest.fromMs);
  const last = points.findLastIndex(({ endMs }) => endMs <= strongest.toMs);
  if (first === -1 || last < first) return { onsetMs: strongest.fromMs, endMs: strongest.toMs };
  const middle = points[Math.floor((first + last) / 2)];
  const usual = middle === undefined ? 0 : usualIn(middle);
  const drop = Math.max(3, (bar - 1) * usual * (PAUSE_MS / intervalMs));
  const from = climb(gains, last, -1, first, drop);
  const to = climb(gains, from, 1, last, drop);
  return { onsetMs: startOf(from), endMs: points[to]?.endMs ?? strongest.toMs };
}

/** Between the usual and the wave, nearer to the usual so that the foot of a slow rise belongs to it. */
function barFor(ratio: number): number {
  const foot = Math.max(1.3, ratio ** 0.75);
  return (foot - 1) / Math.log(foot);
}

/** Walks from `at` in one direction to where the sum is largest; past `free` it stops once it has lost `drop`. */
function climb(gains: readonly number[], at: number, direction: 1 | -1, free: number, drop: number): number {
  let sum = 0;
  let best = Number.NEGATIVE_INFINITY;
  let place = at;
  for (let i = at; i >= 0 && i < gains.length; i += direction) {
    sum += gains[i] ?? 0;
    if (sum > best) {
      best = sum;
      place = i;
    } else if (sum < best - drop && (i - free) * direction > 0) break;
  }
  return place;
}
