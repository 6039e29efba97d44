/** How much is usual in a stretch of steps, and how much it jitters. Neither moves much for one old wave. */
import { median, spreadOf } from './robust.ts';
import { ratesBetween, type Steps } from './steps.ts';

/** Medians of very small counts are coarse; steps are then taken together until there is something to count. */
const BLOCKS = [1, 3, 6, 12];
const ENOUGH = 10;

/** Events a step; `null` where nothing is known. */
export function levelOf(steps: Steps, from: number, to: number): number | null {
  const rates = ratesBetween(steps, from, to);
  if (rates.length === 0) return null;
  let level = 0;
  for (const block of BLOCKS) {
    if (block > 1 && rates.length < 3 * block) break;
    level = (median(blockSums(rates, block)) ?? 0) / block;
    if (level * block >= ENOUGH) break;
  }
  return level;
}

function blockSums(rates: readonly number[], block: number): number[] {
  if (block === 1) return [...rates];
  const sums: number[] = [];
  for (let at = 0; at + block <= rates.length; at += block) {
    sums.push(rates.slice(at, at + block).reduce((sum, rate) => sum + rate, 0));
  }
  return sums;
}

/** The spread beyond what counting alone explains, squared and relative to the level. */
export function jitterOf(steps: Steps, from: number, to: number): number | null {
  const level = levelOf(steps, from, to);
  const rates = ratesBetween(steps, from, to);
  if (level === null || rates.length < 12) return null;
  if (level < 1) return 0;
  const spread = spreadOf(rates, level);
  return Math.max(0, (spread * spread - level) / (level * level));
}
