/**
 * Summarizes a window: totals, peaks, attack share, counts of single categories and missing intervals; and regroups its points
 * into readable intervals.
 */

import { MINUTE_MS } from '../time-units.ts';
import { REST } from './categories.ts';
import { duration } from './format.ts';
import type { Distribution, Timeline, TimelinePoint } from './timeline.ts';

export interface Peak {
  readonly point: TimelinePoint;
  readonly value: number;
}

export interface TimelineSummary {
  /** `null` if the service returned no number at all: unknown, not zero. */
  readonly requests: number | null;
  readonly attacks: number | null;
  /** Attacks relative to requests; `null` if either is unknown or there were no requests. */
  readonly attackShare: number | null;
  /** The interval with the most attacks; `null` if there were none. */
  readonly attackPeak: Peak | null;
  /** Intervals with a number for at least one of the two series. */
  readonly intervals: number;
  /** Settled intervals that lack a number which other intervals have: unknown, not zero. */
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
  for (const point of timeline.points) {
    if (point.requests === null && point.attacks === null) continue;
    intervals += 1;
    if (point.requests !== null) requests = (requests ?? 0) + point.requests;
    if (point.attacks !== null) attacks = (attacks ?? 0) + point.attacks;
    if (point.endMs > timeline.settledUntilMs) unsettled += 1;
    if ((point.attacks ?? 0) > (attackPeak?.value ?? 0)) attackPeak = { point, value: point.attacks ?? 0 };
  }
  const missing = countMissing(timeline, { requests: requests !== null, attacks: attacks !== null });
  requests ??= timeline.totals?.requests ?? null;
  attacks ??= timeline.totals?.attacks ?? null;
  const attackShare = attacks !== null && requests !== null && requests > 0 ? attacks / requests : null;
  return { requests, attacks, attackShare, attackPeak, intervals, missing, unsettled };
}

/** Only the intervals that end by then. */
export function upTo(timeline: Timeline, untilMs: number): Timeline {
  const toMs = Math.min(timeline.toMs, untilMs);
  return { ...timeline, toMs, points: timeline.points.filter(({ endMs }) => endMs <= toMs) };
}

/** Whether there was any traffic: a host that doesn't exist has no attacks either. */
export function hasTraffic({ intervals, requests, attacks }: TimelineSummary): boolean {
  return intervals > 0 && ((requests ?? 1) > 0 || (attacks ?? 0) > 0);
}

/** Counts gaps up to the end of the window. A series without any number is not a gap. */
function countMissing(timeline: Timeline, given: { requests: boolean; attacks: boolean }): number {
  const { points, intervalMs, toMs, settledUntilMs, gaps = [] } = timeline;
  const first = points[0];
  if (first === undefined || intervalMs <= 0) return 0;
  // What the service can't report at all is a gap of its own, and no missing interval.
  const fromMs = Math.max(
    timeline.fromMs,
    ...gaps.filter((gap) => gap.fromMs <= timeline.fromMs).map((gap) => gap.toMs),
  );
  const isComplete = (p: TimelinePoint) =>
    (p.requests !== null || p.attacks !== null) &&
    (p.requests !== null || !given.requests) &&
    (p.attacks !== null || !given.attacks);
  const present = points.filter((point) => point.endMs <= settledUntilMs && isComplete(point)).length;
  // The service's intervals need not start with the window, so the grid is derived from the first point.
  const lead = Math.max(0, Math.floor((first.endMs - intervalMs - fromMs) / intervalMs));
  const until = Math.min(toMs, settledUntilMs);
  const span = Math.max(0, Math.floor((until - first.endMs) / intervalMs) + 1);
  return Math.max(0, lead + span - present);
}

/** `60 minutes` */
export function missingTime({ intervalMs }: Pick<Timeline, 'intervalMs'>, missing: number): string {
  return duration(missing * intervalMs, { units: ['day', 'hour', 'minute'], rounding: 'tenths' });
}

/** The highest interval of those that are complete and settled, which are the ones drawn. */
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

export function totalOf(distribution: Distribution): number {
  return distribution.counts.reduce((sum, { count }) => sum + count, 0);
}

export interface CategoryRow {
  readonly category: string;
  readonly count: number;
  readonly share: number;
  /** `null` if there is nothing to compare with, or the service doesn't list the category there. */
  readonly before: number | null;
}

/** Categories with events now or before, largest first; ties in the order of the specification. */
export function rankCategories(distribution: Distribution, previous: Distribution | null): CategoryRow[] {
  const total = totalOf(distribution);
  const named = [distribution, ...(previous === null ? [] : [previous])];
  const listsRest = distribution.counts.some(({ category }) => category === REST);
  const names = [...new Set(named.flatMap(({ counts }) => counts.map(({ category }) => category)))];
  return names
    .filter((category) => category !== REST || listsRest)
    .flatMap((category) => {
      const count = countOf(distribution, category);
      // A category the service doesn't list is part of the rest.
      if (count === null) return [];
      const share = total > 0 ? count / total : 0;
      return [
        { category, count, share, before: previous === null ? null : countAlike(previous, category, distribution) },
      ];
    })
    .filter((row) => row.count > 0 || (row.before ?? 0) > 0)
    .sort((a, b) => b.count - a.count || (b.before ?? 0) - (a.before ?? 0));
}

/** The events of a category as another distribution names them: the rest is what that one doesn't name. */
function countAlike(distribution: Distribution, category: string, other: Distribution): number | null {
  if (category !== REST) return countOf(distribution, category);
  const named = other.counts
    .filter((each) => each.category !== REST)
    .map((each) => countOf(distribution, each.category));
  const isKnown = !named.includes(null) && distribution.unknownCategories === undefined;
  return isKnown ? totalOf(distribution) - named.reduce<number>((sum, count) => sum + (count ?? 0), 0) : null;
}

/** Interval lengths that are easy to read. */
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS);

/** As many points as fit a phone's width; more only add noise. */
const READABLE_POINTS = 170;

/** Regroups a timeline for reading: 10-minute intervals for a day, hours for a week. Short windows stay as they are. */
export function readable(timeline: Timeline): Timeline {
  return rebucket(timeline, readableMs(timeline));
}

export const readableMs = (timeline: Pick<Timeline, 'fromMs' | 'toMs' | 'intervalMs'>): number =>
  bucketFor(timeline, READABLE_POINTS);

/** The shortest readable interval, a multiple of the service's own, that gives the window at most `maxPoints` points. */
export function bucketFor(
  { fromMs, toMs, intervalMs }: Pick<Timeline, 'fromMs' | 'toMs' | 'intervalMs'>,
  maxPoints: number,
): number {
  const fits = (length: number): boolean => length % intervalMs === 0 && (toMs - fromMs) / length <= maxPoints;
  return LENGTHS.find(fits) ?? intervalMs;
}

/**
 * Sums points into buckets counted from the window's start. A bucket without any number stays absent; one cut off by the end
 * of the window counts as unsettled, because it would look like a drop.
 */
export function rebucket(timeline: Timeline, bucketMs: number): Timeline {
  const { fromMs, toMs, intervalMs, points, settledUntilMs } = timeline;
  if (bucketMs <= intervalMs) return timeline;
  const buckets = new Map<number, { endMs: number; requests: number | null; attacks: number | null }>();
  for (const point of points) {
    // Assigned by its middle: the service's grid need not start with the window.
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

/** The events of a category; `null` if the service doesn't know it or lists only some, and not this one. */
export function countOf(distribution: Distribution, category: string): number | null {
  const { counts, limits = [], unknownCategories = [] } = distribution;
  const found = counts.find((one) => one.category === category);
  return found?.count ?? (limits.length === 0 && !unknownCategories.includes(category) ? 0 : null);
}

/** Upper bound for a category: one that isn't among the largest has at most as many as the smallest of those. */
export function maxCountOf(distribution: Distribution, category: string): number | null {
  const { counts, limits = [] } = distribution;
  const count = countOf(distribution, category);
  if (count !== null || limits.some((limit) => limit !== 'largest')) return count;
  return Math.min(...counts.map((named) => named.count));
}
