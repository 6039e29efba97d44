/** A timeline as columns sorted by the end of the interval, and how parts that were requested separately are joined. */
import type { AnswerLimit, Gap } from '../../statistics/timeline.ts';
import { badAnswer } from '../client/failure.ts';

export interface PointSeries {
  readonly intervalMs: number;
  readonly ends: readonly number[];
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
  /** What isn't exact; left out if everything is. */
  readonly limits?: readonly AnswerLimit[];
  /** Parts of the window that the service can't report. */
  readonly gaps?: readonly Gap[] | undefined;
  /** The totals of the window, where its points alone can't tell. */
  readonly totals?: { readonly requests: number | null; readonly attacks: number | null } | undefined;
}

type PointCounts = [requests: number | null, attacks: number | null];

const EMPTY: PointSeries = { intervalMs: 0, ends: [], requests: [], attacks: [] };

function seriesOf(points: ReadonlyMap<number, PointCounts>, intervalMs: number): PointSeries {
  const ends = [...points.keys()].sort((a, b) => a - b);
  return {
    intervalMs,
    ends,
    requests: ends.map((end) => points.get(end)?.[0] ?? null),
    attacks: ends.map((end) => points.get(end)?.[1] ?? null),
  };
}

/** Sums to wider intervals that end where `anchor` does. An interval with a part missing has no number. */
function widen(series: PointSeries, intervalMs: number, anchor: number): PointSeries {
  if (series.intervalMs === intervalMs || series.ends.length === 0) return series;
  if (intervalMs % series.intervalMs !== 0) throw badAnswer('statistics', 'intervals that do not fit together');
  const perInterval = intervalMs / series.intervalMs;
  const first = series.ends[0] ?? 0;
  const last = series.ends.at(-1) ?? 0;
  const found = new Map<number, number>();
  const points = new Map<number, PointCounts>();
  series.ends.forEach((end, index) => {
    const wide = anchor + Math.ceil((end - anchor) / intervalMs) * intervalMs;
    found.set(wide, (found.get(wide) ?? 0) + 1);
    const [requests, attacks] = points.get(wide) ?? [0, 0];
    points.set(wide, [sum(requests, series.requests[index]), sum(attacks, series.attacks[index])]);
  });
  for (const [wide, n] of found) {
    const inside = wide - intervalMs >= first - series.intervalMs && wide <= last;
    if (inside && n < perInterval) points.set(wide, [null, null]);
  }
  return seriesOf(points, intervalMs);
}

function sum(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || b === null || a === undefined || b === undefined ? null : a + b;
}

/** All on the widest interval among them. */
function toSameInterval(parts: readonly PointSeries[]): readonly PointSeries[] {
  const filled = parts.filter((part) => part.ends.length > 0);
  const widest = filled.reduce((best, part) => (part.intervalMs > best.intervalMs ? part : best), filled[0] ?? EMPTY);
  return filled.map((part) => widen(part, widest.intervalMs, widest.ends[0] ?? 0));
}

/** Windows one after another. An interval that two of them cut gets the sum of its parts. */
export function joinInTime(parts: readonly PointSeries[]): PointSeries {
  const points = new Map<number, PointCounts>();
  const same = toSameInterval(parts);
  for (const part of same) {
    part.ends.forEach((end, index) => {
      const [requests, attacks] = points.get(end) ?? [0, 0];
      points.set(end, [sum(requests, part.requests[index]), sum(attacks, part.attacks[index])]);
    });
  }
  return seriesOf(points, same[0]?.intervalMs ?? longest(parts));
}

/** Different hosts over one window. A number needs all of them; hosts without any data do not count. */
export function joinHosts(parts: readonly PointSeries[]): PointSeries {
  const same = toSameInterval(parts);
  const found = new Map<number, number>();
  const points = new Map<number, PointCounts>();
  for (const part of same) {
    part.ends.forEach((end, index) => {
      found.set(end, (found.get(end) ?? 0) + 1);
      const [requests, attacks] = points.get(end) ?? [0, 0];
      points.set(end, [sum(requests, part.requests[index]), sum(attacks, part.attacks[index])]);
    });
  }
  for (const [end, n] of found) if (n < same.length) points.set(end, [null, null]);
  return seriesOf(points, same[0]?.intervalMs ?? longest(parts));
}

const longest = (parts: readonly PointSeries[]) => Math.max(0, ...parts.map((part) => part.intervalMs));
