/**
 * Seasonal hybrid ESD (Twitter's AnomalyDetection): two weeks without their daily season and their median, then the
 * generalised extreme studentised deviate test with median and MAD; alpha 0.05, at most a tenth, rises only.
 */
import { DAY, known, mad, median, type PlainMethod, type Steps } from './steps.ts';
import { deviateAbove } from './tails.ts';

const ALPHA = 0.05;
const MOST = 0.1;
const SPAN = 14 * DAY;

export const seasonalEsd: PlainMethod = {
  name: 'S-H-ESD',
  bar: null,
  scores: (steps, from) =>
    byDay(steps, from, (rests) => {
      const spread = 1.4826 * mad(rests);
      return (rest) => (spread > 0 ? rest / spread : 0);
    }),
  alarms: (steps, from) =>
    byDay(steps, from, (rests) => {
      const limit = limitOf(rests);
      return (rest) => rest >= limit;
    }),
};

/** One test for each day that is asked about, over the two weeks that end with it. */
function byDay<T>(steps: Steps, from: number, test: (rests: readonly number[]) => (rest: number) => T): T[] {
  const results: T[] = [];
  for (let start = from; start < steps.length; start += DAY) {
    const end = Math.min(steps.length, start + DAY);
    const rests = residuals(steps, Math.max(0, end - SPAN), end);
    const judge = test(rests.filter((rest) => !Number.isNaN(rest)));
    for (let at = start; at < end; at++) {
      const rest = rests[rests.length - (end - at)] ?? Number.NaN;
      results.push(judge(Number.isNaN(rest) ? 0 : rest));
    }
  }
  return results;
}

function residuals(steps: Steps, from: number, to: number): number[] {
  const middle = median(known(steps, from, to));
  const season = new Float64Array(DAY);
  for (let slot = 0; slot < DAY; slot++) {
    const same: number[] = [];
    for (let at = from + slot; at < to; at += DAY) same.push(...known(steps, at, at + 1));
    season[slot] = median(same) - middle;
  }
  const rests: number[] = [];
  for (let at = from; at < to; at++) rests.push((steps[at] ?? Number.NaN) - middle - (season[(at - from) % DAY] ?? 0));
  return rests;
}

/** The smallest residual that the test calls an anomaly; infinite where it calls none. */
function limitOf(rests: readonly number[]): number {
  const sorted = new Float64Array(rests).sort();
  const count = sorted.length;
  let limit = Number.POSITIVE_INFINITY;
  for (let removed = 0; removed < Math.floor(count * MOST); removed++) {
    const left = count - removed;
    const top = sorted[left - 1] ?? 0;
    const { middle, spread } = center(sorted, left);
    if (!(spread > 0)) break;
    const t = deviateAbove(ALPHA / left);
    const critical = (t * (left - 1)) / Math.sqrt((left - 2 + t * t) * left);
    if ((top - middle) / spread > critical) limit = top;
  }
  return limit;
}

/** Median and MAD of the first `count` of a sorted list, by walking outwards from the middle. */
function center(sorted: Float64Array, count: number): { middle: number; spread: number } {
  const middle = ((sorted[Math.floor((count - 1) / 2)] ?? 0) + (sorted[Math.floor(count / 2)] ?? 0)) / 2;
  let low = Math.floor((count - 1) / 2);
  let high = low + 1;
  let reach = 0;
  for (let taken = 0; taken < Math.floor(count / 2) + 1; taken++) {
    const below = low >= 0 ? middle - (sorted[low] ?? 0) : Number.POSITIVE_INFINITY;
    const above = high < count ? (sorted[high] ?? 0) - middle : Number.POSITIVE_INFINITY;
    reach = Math.min(below, above);
    if (below <= above) low -= 1;
    else high += 1;
  }
  return { middle, spread: 1.4826 * reach };
}
