/**
 * When it began and when it was over, to the interval. A sum runs along the timeline, up where there are more attacks
 * than halfway between usual and the wave, down where there are fewer; the stretch with the largest sum is the wave.
 */
import type { TimelinePoint } from '../timeline.ts';

export interface Extent {
  readonly onsetMs: number;
  readonly endMs: number;
}

export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  /** Attacks in it as a multiple of the usual. */
  readonly ratio: number;
}

/** So long a pause at the usual level separates two waves. */
const PAUSE_MS = 20 * 60_000;

/** `usualIn` gives the attacks to expect in the interval of a point. */
export function extentOf(
  points: readonly TimelinePoint[],
  intervalMs: number,
  strongest: Stretch,
  usualIn: (point: TimelinePoint) => number,
): Extent {
  const bar = barFor(strongest.ratio);
  const gains = points.map((point) => (point.attacks === null ? 0 : point.attacks - bar * usualIn(point)));
  const starts = (at: number): number => (points[at]?.endMs ?? 0) - intervalMs;
  const first = points.findIndex((_, at) => starts(at) >= strongest.fromMs);
  const last = points.findLastIndex(({ endMs }) => endMs <= strongest.toMs);
  if (first === -1 || last < first) return { onsetMs: strongest.fromMs, endMs: strongest.toMs };
  const middle = points[Math.floor((first + last) / 2)];
  const usual = middle === undefined ? 0 : usualIn(middle);
  const drop = Math.max(3, (bar - 1) * usual * (PAUSE_MS / intervalMs));
  const from = climb(gains, last, -1, first, drop);
  const to = climb(gains, from, 1, last, drop);
  return { onsetMs: starts(from), endMs: points[to]?.endMs ?? strongest.toMs };
}

/** Between the usual and the wave, nearer to the usual so that the foot of a slow rise belongs to it. */
function barFor(ratio: number): number {
  const foot = Math.max(1.3, ratio ** 0.75);
  return (foot - 1) / Math.log(foot);
}

/** Walks from `at` in one direction to where the sum is largest; past `free` it gives up once it has lost `drop`. */
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
