/** A piece of timeline that is kept between looks: answered once, extended at its end, cut at its beginning. Pure. */
import type { Timeline, TimelinePoint } from '../../insight/timeline.ts';

/** Columns, because that is a third of the size when it is written down. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly intervalMs: number;
  /** Points that end after this were still growing when they were asked for. */
  readonly settledUntilMs: number;
  readonly asOfMs: number;
  readonly ends: readonly number[];
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
}

/** Longer than the longest window of a watch and the hours before it. */
const LONGEST_MS = 31 * 3_600_000;
/** Intervals up to this begin at the same moments in every zone. */
const LONGEST_INTERVAL_MS = 15 * 60_000;

export function stretchOf({ fromMs, toMs, intervalMs, settledUntilMs, asOfMs, points }: Timeline): Stretch {
  return {
    fromMs,
    toMs,
    intervalMs,
    settledUntilMs: Math.min(toMs, settledUntilMs),
    asOfMs,
    ends: points.map(({ endMs }) => endMs),
    requests: points.map(({ requests }) => requests),
    attacks: points.map(({ attacks }) => attacks),
  };
}

/** Kept numbers must not depend on who asked, must be fresh, and there must be some. */
export function isWorthKeeping({ intervalMs, stale, points }: Timeline): boolean {
  return !stale && points.length > 0 && intervalMs > 0 && intervalMs <= LONGEST_INTERVAL_MS;
}

/** Where an answer for `[fromMs, …)` can be taken up: the end of the last finished interval. `null`: not at all. */
export function resumeAt(stretch: Stretch, fromMs: number): number | null {
  const { intervalMs, settledUntilMs, ends } = stretch;
  const last = ends.findLast((endMs) => endMs <= settledUntilMs);
  return last === undefined || fromMs < stretch.fromMs || fromMs > last - intervalMs ? null : last;
}

/** Whether nothing needs to be asked: all is finished, or was asked for up to there a moment ago. */
export function covers(stretch: Stretch, fromMs: number, toMs: number, freshSinceMs: number): boolean {
  if (fromMs < stretch.fromMs || toMs > stretch.toMs) return false;
  return toMs <= stretch.settledUntilMs || stretch.asOfMs >= freshSinceMs;
}

/** The stretch with what a later answer adds; `null` when the two do not fit together. */
export function extended(stretch: Stretch, resumedMs: number, tail: Timeline): Stretch | null {
  if (tail.intervalMs !== stretch.intervalMs) return null;
  const kept = stretch.ends.filter((endMs) => endMs <= resumedMs).length;
  const fresh = tail.points.filter(({ endMs }) => endMs > resumedMs);
  if (fresh.some(({ endMs }) => (endMs - resumedMs) % stretch.intervalMs !== 0)) return null;
  const toMs = Math.max(stretch.toMs, tail.toMs);
  const first = stretch.ends.findIndex((endMs) => endMs > toMs - LONGEST_MS);
  const cut = <T>(column: readonly T[]): T[] => column.slice(Math.max(0, first), kept);
  return {
    fromMs: Math.max(stretch.fromMs, toMs - LONGEST_MS),
    toMs,
    intervalMs: stretch.intervalMs,
    settledUntilMs: Math.min(toMs, tail.settledUntilMs),
    asOfMs: tail.asOfMs,
    ends: [...cut(stretch.ends), ...fresh.map(({ endMs }) => endMs)],
    requests: [...cut(stretch.requests), ...fresh.map(({ requests }) => requests)],
    attacks: [...cut(stretch.attacks), ...fresh.map(({ attacks }) => attacks)],
  };
}

/** The window out of the stretch, as if it had been asked for. */
export function windowOf(stretch: Stretch, fromMs: number, toMs: number, stale: boolean): Timeline {
  const { intervalMs, settledUntilMs, asOfMs } = stretch;
  const points: TimelinePoint[] = [];
  stretch.ends.forEach((endMs, at) => {
    // An interval that the edge cuts would be whole here and cut in an answer of the service: left out.
    if (endMs - intervalMs < fromMs || endMs > toMs) return;
    points.push({ endMs, requests: stretch.requests[at] ?? null, attacks: stretch.attacks[at] ?? null });
  });
  return { fromMs, toMs, intervalMs, points, settledUntilMs, asOfMs, stale };
}
