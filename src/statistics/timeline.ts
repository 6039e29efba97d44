/**
 * Requests and attacks over time, in the shape every folder uses: which of it is settled, its totals and peaks, what is missing,
 * and the same in longer intervals. Events by category are counted in `categories.ts`.
 */
import type { Range } from '../time/index.ts';
import { MINUTE_MS } from '../time-units.ts';
import { duration } from './format.ts';

/**
 * Limits of the data that an answer has to mention.
 * `largest`: the ten largest categories only. `groups`: four groups instead of categories. `steps`: cut from a longer
 * window in steps that do not fit its edges. `rates`: counts made of rounded rates.
 */
export type AnswerLimit = 'largest' | 'groups' | 'steps' | 'rates';

/**
 * A part of a window that the service can't report: unknown, never zero. `retention`: older than the service keeps.
 * `steps`: an interval of the service that the window's edge cuts.
 */
export interface Gap {
  readonly fromMs: number;
  readonly toMs: number;
  readonly reason: 'retention' | 'steps';
  /** Where the service's data begins, if that is known. */
  readonly keptSinceMs?: number | undefined;
}

/** One interval `[endMs - intervalMs, endMs)`. `null` means unknown, not zero. */
export interface TimelinePoint {
  readonly endMs: number;
  readonly requests: number | null;
  readonly attacks: number | null;
}

/** The requested window, half-open, and how old the answer for it is. */
export interface AnsweredWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** When the service returned this data. */
  readonly asOfMs: number;
  /** The service was unreachable and earlier data is used instead. */
  readonly stale: boolean;
}

interface LimitedAnswer extends AnsweredWindow {
  /** Intervals that end after this instant may still grow: they're shown as unfinished and never judged. */
  readonly settledUntilMs: number;
  readonly limits?: readonly AnswerLimit[];
  readonly gaps?: readonly Gap[];
}

export interface Timeline extends LimitedAnswer {
  /** Length of every interval, derived from the points. */
  readonly intervalMs: number;
  /** For how long there are no numbers, where the points are sums that don't show it. */
  readonly missingMs?: number;
  /** Sorted by `endMs`, unique. Missing intervals are absent. */
  readonly points: readonly TimelinePoint[];
  /** The totals of the window, where a service gives rates that its points can't be counted from. */
  readonly totals?: { readonly requests: number | null; readonly attacks: number | null } | undefined;
}

/** Events by attack category in a window. */
export interface Distribution extends LimitedAnswer {
  /**
   * All thirteen known categories in the order of the specification, then unknown ones under their own name. If the service
   * lists only some, the others are absent, not zero.
   */
  readonly counts: readonly CategoryCount[];
  /** Categories whose count the service doesn't know; none of them is in `counts`. */
  readonly unknownCategories?: readonly string[] | undefined;
}

export interface CategoryCount {
  readonly category: string;
  readonly count: number;
}

/** The usual range of one interval. */
export interface BandPoint {
  readonly endMs: number;
  readonly low: number;
  readonly high: number;
}

/** Intervals that ended less than this ago may still grow. */
export const SETTLE_MS = 3 * MINUTE_MS;

/** Logging can take longer than usual: what a digest or a cached answer counted of this last part is counted again. */
export const LATE_LOGGING_MS = 15 * MINUTE_MS;

/** The last whole minute before which everything is settled. */
export function lastSettledMinute(now: Temporal.Instant): Temporal.Instant {
  return now.subtract({ milliseconds: SETTLE_MS }).round({ smallestUnit: 'minute', roundingMode: 'floor' });
}

/** The window without what is still filling in, in whole minutes; `null` if nothing is left. */
export function completePart({ from, to }: Range, now: Temporal.Instant): Range | null {
  const settled = lastSettledMinute(now);
  const end = Temporal.Instant.compare(settled, to) < 0 ? settled : to;
  return Temporal.Instant.compare(from, end) < 0 ? { from, to: end } : null;
}

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
  // Time that the service can't report at all is a gap, not a missing interval.
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

/** For how long a settled part of the window has no numbers: `60 minutes`; `null` if it has all. */
export function missingTime(timeline: Timeline): string | null {
  const missingMs = missingMsOf(timeline);
  return missingMs === 0 ? null : duration(missingMs, { units: ['day', 'hour', 'minute'], rounding: 'tenths' });
}

const missingMsOf = (timeline: Timeline): number =>
  timeline.missingMs ?? summarise(timeline).missing * timeline.intervalMs;

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

/** Interval lengths that are easy to read. */
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS);

/** As many points as fit a phone's width; more only add noise. */
const READABLE_POINTS = 170;

/** Regroups a timeline for reading: 10-minute intervals for a day, hours for a week. Short windows stay as they are. */
export function readable(timeline: Timeline): Timeline {
  return rebucket(timeline, readableMs(timeline));
}

const readableMs = (timeline: Pick<Timeline, 'fromMs' | 'toMs' | 'intervalMs'>): number =>
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
    missingMs: missingMsOf(timeline),
    intervalMs: bucketMs,
    points: [...buckets.values()].sort((a, b) => a.endMs - b.endMs),
    settledUntilMs: Math.min(settledUntilMs, lastFullMs),
  };
}

function plus(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : a + b;
}
