/** What a window amounts to: totals, the peak, the attack share, what is missing from it; and its counts in readable intervals. */
import { countOf, type Distribution, type Timeline, type TimelinePoint } from './timeline.ts';

export interface Peak {
  readonly point: TimelinePoint;
  readonly value: number;
}

export interface TimelineSummary {
  /** `null` where the service gave not a single number: unknown, not zero. */
  readonly requests: number | null;
  readonly attacks: number | null;
  /** Attacks in proportion to requests; `null` where one is not known or there were no requests to compare with. */
  readonly attackShare: number | null;
  /** The interval with most attacks; `null` where there were none. */
  readonly attackPeak: Peak | null;
  readonly requestPeak: Peak | null;
  /** Intervals that hold a number for at least one of the two series. */
  readonly intervals: number;
  /** Settled intervals inside the window with a number missing that others of them have: unknown, not zero. */
  readonly missing: number;
  /** Intervals that may still grow. */
  readonly unsettled: number;
}

export function summarise(timeline: Timeline): TimelineSummary {
  let requests: number | null = null;
  let attacks: number | null = null;
  let unsettled = 0;
  let intervals = 0;
  let attackPeak: Peak | null = null;
  let requestPeak: Peak | null = null;
  for (const point of timeline.points) {
    if (point.requests === null && point.attacks === null) continue;
    intervals += 1;
    if (point.requests !== null) requests = (requests ?? 0) + point.requests;
    if (point.attacks !== null) attacks = (attacks ?? 0) + point.attacks;
    if (point.endMs > timeline.settledUntilMs) unsettled += 1;
    if ((point.attacks ?? 0) > (attackPeak?.value ?? 0)) attackPeak = { point, value: point.attacks ?? 0 };
    if ((point.requests ?? 0) > (requestPeak?.value ?? 0)) requestPeak = { point, value: point.requests ?? 0 };
  }
  const attackShare = attacks !== null && requests !== null && requests > 0 ? attacks / requests : null;
  const missing = countMissing(timeline, { requests: requests !== null, attacks: attacks !== null });
  return { requests, attacks, attackShare, attackPeak, requestPeak, intervals, missing, unsettled };
}

/** Of the intervals that end by then. */
export function summariseUntil(timeline: Timeline, untilMs: number): TimelineSummary {
  const toMs = Math.min(timeline.toMs, untilMs);
  return summarise({ ...timeline, toMs, points: timeline.points.filter(({ endMs }) => endMs <= toMs) });
}

/** Whether anything was counted: without a single request, none is also the number of attacks on a host that is not there. */
export function hasTraffic({ intervals, requests, attacks }: TimelineSummary): boolean {
  return intervals > 0 && ((requests ?? 1) > 0 || (attacks ?? 0) > 0);
}

/** Counts between the first point and the end of the window. A series without any number is told apart from gaps. */
function countMissing(timeline: Timeline, given: { requests: boolean; attacks: boolean }): number {
  const { points, intervalMs, toMs, fromMs, settledUntilMs } = timeline;
  const first = points[0];
  if (first === undefined || intervalMs <= 0) return 0;
  const isComplete = (p: TimelinePoint) =>
    (p.requests !== null || p.attacks !== null) &&
    (p.requests !== null || !given.requests) &&
    (p.attacks !== null || !given.attacks);
  const present = points.filter((point) => point.endMs <= settledUntilMs && isComplete(point)).length;
  // Buckets need not begin at the window's start: the grid is the service's own, read off the first point.
  const lead = Math.max(0, Math.floor((first.endMs - intervalMs - fromMs) / intervalMs));
  const until = Math.min(toMs, settledUntilMs);
  const span = Math.max(0, Math.floor((until - first.endMs) / intervalMs) + 1);
  return Math.max(0, lead + span - present);
}

/** The interval with most attacks or requests of those that are whole and finished, which are the ones drawn. */
export function peakOf(timeline: Timeline, series: 'attacks' | 'requests'): Peak | null {
  const { points, fromMs, toMs, intervalMs, settledUntilMs } = timeline;
  let peak: Peak | null = null;
  for (const point of points) {
    const value = point[series] ?? 0;
    const isWhole = point.endMs - intervalMs >= fromMs && point.endMs <= Math.min(toMs, settledUntilMs);
    if (isWhole && value > (peak?.value ?? 0)) peak = { point, value };
  }
  return peak;
}

/** A rise is worth a closer look from this multiple of the rest of its window on, and of the time it is compared with. */
const RISES = 1.6;
/** The whole window is longer, and strays less. */
const RISES_ALTOGETHER = 1.4;
const LEAST_RISE = 15;
const LEAST_SIGMAS = 4;
/** A short stretch shows what is soon over, a long one what lasts; of a long window both are longer. */
const SHORT_MS = 15 * 60_000;
const LONG_MS = 60 * 60_000;
const COARSE_POINTS = 24;
/** Stretches begin so often. */
const STEP_MS = 5 * 60_000;

const isRise = (now: number, then: number, times: number): boolean =>
  now >= times * then && now - then >= Math.max(LEAST_RISE, LEAST_SIGMAS * Math.sqrt(now));

/**
 * Whether attacks, in some stretch or altogether, are so far above the rest of the window and above the time it is
 * compared with that somebody should judge them. Says nothing about what is usual: it is only cheap.
 */
export function hasRise(timeline: Timeline, before: Timeline | null): boolean {
  const stepMs = Math.max(STEP_MS, timeline.intervalMs);
  const now = summedAttacks(timeline, stepMs);
  const then = before === null ? null : summedAttacks(before, stepMs);
  // Without a request none is also the number of attacks on a host that was not there.
  const wasThere = before?.points.some(({ requests, attacks }) => (requests ?? 0) + (attacks ?? 0) > 0) ?? false;
  if (wasThere && isRise(now.sums.at(-1) ?? 0, then?.sums.at(-1) ?? 0, RISES_ALTOGETHER)) return true;
  const lengths = [
    Math.max(SHORT_MS, bucketFor(timeline, READABLE_POINTS)),
    Math.max(LONG_MS, bucketFor(timeline, COARSE_POINTS)),
  ];
  return lengths.some((lengthMs) => {
    const steps = Math.max(1, Math.round(lengthMs / stepMs));
    if (2 * steps >= now.sums.length) return false;
    const stretches = stretchesOf(now, steps);
    const known = stretches.filter((attacks) => !Number.isNaN(attacks)).sort();
    const usual = known[known.length >> 1] ?? 0;
    const earlier = then === null ? null : stretchesOf(then, steps);
    return stretches.some(
      (attacks, at) =>
        isRise(attacks, usual, RISES) &&
        (earlier === null || isRise(attacks, largestIn(earlier, at - steps, at + steps), RISES)),
    );
  });
}

/** Attacks from the beginning of the window to each of its steps, and how many of those have no number. */
interface SummedAttacks {
  readonly sums: Float64Array;
  readonly holes: Int32Array;
}

function summedAttacks({ points, intervalMs, fromMs, toMs, settledUntilMs }: Timeline, stepMs: number): SummedAttacks {
  const steps = Math.max(0, Math.floor((Math.min(toMs, settledUntilMs) - fromMs) / stepMs));
  const sums = new Float64Array(steps + 1);
  const holes = new Int32Array(steps + 1).fill(1);
  for (const { attacks, endMs } of points) {
    // By its middle: the service's grid need not begin where the window does.
    const step = 1 + Math.floor((endMs - intervalMs / 2 - fromMs) / stepMs);
    if (attacks === null || step < 1 || step > steps) continue;
    sums[step] = (sums[step] ?? 0) + attacks;
    holes[step] = 0;
  }
  holes[0] = 0;
  for (let step = 1; step <= steps; step++) {
    sums[step] = (sums[step] ?? 0) + (sums[step - 1] ?? 0);
    holes[step] = (holes[step] ?? 0) + (holes[step - 1] ?? 0);
  }
  return { sums, holes };
}

/** The attacks of every stretch of so many steps; `NaN` where one of them has no number. */
function stretchesOf({ sums, holes }: SummedAttacks, steps: number): Float64Array {
  const stretches = new Float64Array(Math.max(0, sums.length - steps));
  for (let at = 0; at < stretches.length; at++) {
    const isWhole = holes[at + steps] === holes[at];
    stretches[at] = isWhole ? (sums[at + steps] ?? 0) - (sums[at] ?? 0) : Number.NaN;
  }
  return stretches;
}

function largestIn(stretches: Float64Array, from: number, to: number): number {
  let largest = 0;
  for (let at = Math.max(0, from); at <= Math.min(stretches.length - 1, to); at++) {
    const attacks = stretches[at] ?? 0;
    if (attacks > largest) largest = attacks;
  }
  return largest;
}

/** The sum over all categories. */
export function totalOf(distribution: Distribution): number {
  return distribution.counts.reduce((sum, { count }) => sum + count, 0);
}

export interface CategoryRow {
  readonly category: string;
  readonly count: number;
  readonly share: number;
  /** `null` where there is nothing to compare with, or the service does not name it there. */
  readonly before: number | null;
}

/** Categories with events now or before, largest first; ties in the order of the specification. */
export function rankCategories(distribution: Distribution, previous: Distribution | null): CategoryRow[] {
  const total = totalOf(distribution);
  const named = [distribution, ...(previous === null ? [] : [previous])];
  const names = [...new Set(named.flatMap(({ counts }) => counts.map(({ category }) => category)))];
  return names
    .flatMap((category) => {
      const count = countOf(distribution, category);
      // One that the service does not name is among the rest.
      if (count === null) return [];
      const share = total > 0 ? count / total : 0;
      return [{ category, count, share, before: previous === null ? null : countOf(previous, category) }];
    })
    .filter((row) => row.count > 0 || (row.before ?? 0) > 0)
    .sort((a, b) => b.count - a.count || (b.before ?? 0) - (a.before ?? 0));
}

const MINUTE = 60_000;
/** Lengths that people read without counting. */
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * MINUTE);

/** As many points as a phone's width can tell apart; more of them only hide a wave in the noise around it. */
const READABLE_POINTS = 170;

/** A timeline for reading: ten minutes each for a day, an hour each for a week. Short windows stay as they are. */
export function readable(timeline: Timeline): Timeline {
  return rebucket(timeline, readableMs(timeline));
}

export const readableMs = (timeline: Pick<Timeline, 'fromMs' | 'toMs' | 'intervalMs'>): number =>
  bucketFor(timeline, READABLE_POINTS);

/** The shortest readable interval, a multiple of the service's own, that makes at most `most` points of the window. */
export function bucketFor(
  { fromMs, toMs, intervalMs }: Pick<Timeline, 'fromMs' | 'toMs' | 'intervalMs'>,
  most: number,
): number {
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
  // Added to in place: a day has 1,440 points, and every answer about it is made of them.
  const buckets = new Map<number, { endMs: number; requests: number | null; attacks: number | null }>();
  for (const point of points) {
    // By its middle: the service's grid need not begin where the window does.
    const index = Math.max(0, Math.floor((point.endMs - intervalMs / 2 - fromMs) / bucketMs));
    const bucket = buckets.get(index);
    if (bucket === undefined) {
      buckets.set(index, { ...point, endMs: fromMs + (index + 1) * bucketMs });
    } else {
      bucket.requests = plus(bucket.requests, point.requests);
      bucket.attacks = plus(bucket.attacks, point.attacks);
    }
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
