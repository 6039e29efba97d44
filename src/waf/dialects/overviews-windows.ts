/** Services that only answer for a few windows: which those are, which one contains a window, and how to cut it out. */

import type { Gap } from '../../statistics/timeline.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { PointSeries, WindowEdges } from '../wire/exchange.ts';

/** As the `recent` parameter of older queries calls them. */
type RecentName = 'yesterday' | 'today' | '3days' | '1week' | '1month';

interface FixedWindow extends WindowEdges {
  readonly recent: RecentName;
}

/** The shortest first. Days are in UTC: nothing else is documented, and the queries have no zone. */
export function fixedWindows(nowMs: number): readonly FixedWindow[] {
  const midnightMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const toMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const sinceDays = (recent: RecentName, days: number): FixedWindow => ({
    recent,
    fromMs: midnightMs - (days - 1) * DAY_MS,
    toMs,
  });
  const ended = { recent: 'yesterday', fromMs: midnightMs - DAY_MS, toMs: midnightMs } as const;
  const open = [sinceDays('today', 1), sinceDays('3days', 3), sinceDays('1week', 7), sinceDays('1month', 30)];
  return [ended, ...open.filter((window) => window.toMs > window.fromMs)];
}

/** Windows with final numbers to learn from: an hour, then yesterday in case the hour is refused or silent. */
export function settledWindows(nowMs: number): readonly WindowEdges[] {
  const hourMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
  return [{ fromMs: hourMs - 2 * HOUR_MS, toMs: hourMs - HOUR_MS }, ...fixedWindows(nowMs).slice(0, 1)];
}

/** The last minutes are not final anyway. */
const NEARLY_NOW_MS = 10 * MINUTE_MS;

/** The fixed window that equals this one, up to the last minutes. */
export function sameFixedWindow({ fromMs, toMs }: WindowEdges, nowMs: number): FixedWindow | undefined {
  return fixedWindows(nowMs).find(
    (fixed) =>
      fixed.fromMs === fromMs &&
      (fixed.recent === 'yesterday' ? fixed.toMs === toMs : Math.abs(fixed.toMs - toMs) <= NEARLY_NOW_MS),
  );
}

/** The shortest fixed window that contains this one. */
export function holdingWindow({ fromMs, toMs }: WindowEdges, nowMs: number): FixedWindow | undefined {
  return fixedWindows(nowMs).find(
    (fixed) => fixed.fromMs <= fromMs && (fixed.toMs >= toMs || (fixed.recent !== 'yesterday' && toMs >= nowMs)),
  );
}

/** The intervals within the window. One that an edge cuts is left out, and the answer says so. */
export function cutToWindow(series: PointSeries, { fromMs, toMs }: WindowEdges): PointSeries {
  const { intervalMs, ends } = series;
  const isInside = (endMs: number): boolean => endMs - intervalMs >= fromMs && endMs <= toMs;
  const inside = ends.map(isInside);
  const pick = <V>(column: readonly V[]): V[] => column.filter((_, at) => inside[at]);
  const gaps = ends.flatMap((endMs): Gap[] => {
    const startMs = endMs - intervalMs;
    const isCut = (startMs < fromMs && endMs > fromMs) || (startMs < toMs && endMs > toMs);
    return isCut ? [{ fromMs: Math.max(fromMs, startMs), toMs: Math.min(toMs, endMs), reason: 'steps' }] : [];
  });
  const limits = [...(series.limits ?? []), ...(gaps.length > 0 ? (['steps'] as const) : [])];
  const columns = { ends: pick(ends), requests: pick(series.requests), attacks: pick(series.attacks) };
  // The totals are those of the longer window.
  return { ...series, ...columns, limits, gaps, totals: undefined };
}
