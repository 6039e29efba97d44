/** When a wave began and ended, to the interval of the service. */
import type { TimelinePoint } from '../../statistics/timeline.ts';

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
