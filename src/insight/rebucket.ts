/** The same counts in longer intervals: at the service's own, curves of long windows would be mostly noise. */
import type { Timeline, TimelinePoint } from './timeline.ts';

const MINUTE = 60_000;
/** Lengths that people read without counting. */
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * MINUTE);

/** As many points as a phone's width can tell apart; more of them only hide a wave in the noise around it. */
const READABLE_POINTS = 170;

/** A timeline for reading: ten minutes each for a day, an hour each for a week. Short windows stay as they are. */
export function readable(timeline: Timeline): Timeline {
  return rebucket(timeline, bucketFor(timeline, READABLE_POINTS));
}

/** The shortest readable interval, a multiple of the service's own, that makes at most `most` points of the window. */
export function bucketFor({ fromMs, toMs, intervalMs }: Timeline, most: number): number {
  const fits = (length: number): boolean => length % intervalMs === 0 && (toMs - fromMs) / length <= most;
  return LENGTHS.find(fits) ?? intervalMs;
}

/**
 * Sums of the points, counted from the window's start. A bucket without any number stays absent; one that the window
 * cuts off counts as unfinished, because it would look like a fall.
 */
export function rebucket(timeline: Timeline, bucketMs: number): Timeline {
  const { fromMs, toMs, intervalMs, points, settledUntilMs } = timeline;
  if (bucketMs <= intervalMs) return timeline;
  const buckets = new Map<number, TimelinePoint>();
  for (const point of points) {
    // By its middle: the service's grid need not begin where the window does.
    const index = Math.max(0, Math.floor((point.endMs - intervalMs / 2 - fromMs) / bucketMs));
    const endMs = fromMs + (index + 1) * bucketMs;
    const { requests, attacks } = buckets.get(endMs) ?? { requests: null, attacks: null };
    buckets.set(endMs, { endMs, requests: plus(requests, point.requests), attacks: plus(attacks, point.attacks) });
  }
  const lastFullMs = fromMs + Math.floor((toMs - fromMs) / bucketMs) * bucketMs;
  return {
    ...timeline,
    intervalMs: bucketMs,
    points: [...buckets.values()].sort((a, b) => a.endMs - b.endMs),
    settledUntilMs: Math.min(settledUntilMs, lastFullMs),
  };
}

function plus(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : a + b;
}
