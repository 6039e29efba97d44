/**
 * Answers statistics queries from recorded numbers, as the service would have answered at a given instant: for numbers
 * that an operator exported, and for replaying a watch. Nothing after that instant is visible.
 */

import { LRUCache } from 'lru-cache';
import { BotError } from '../errors.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import { SETTLE_MS, type TimelinePoint } from '../statistics/timeline.ts';
import { wholeMinutes } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';

/** Counts per interval; `null` is unknown, which isn't zero. */
export interface RecordedNumbers {
  readonly startMs: number;
  readonly intervalMs: number;
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
  /** `null` if none were recorded. */
  readonly categories: Readonly<Record<string, readonly (number | null)[]>> | null;
}

/** The service picks the interval by the length of the window. */
const INTERVALS: readonly (readonly [upToMs: number, intervalMs: number])[] = [
  [DAY_MS, MINUTE_MS],
  [3 * DAY_MS, 5 * MINUTE_MS],
  [7 * DAY_MS, 10 * MINUTE_MS],
  [Number.POSITIVE_INFINITY, HOUR_MS],
];

/** Cumulative sums: a replay queries weeks of minutes thousands of times. */
interface SummedColumn {
  readonly sums: Float64Array;
  /** How many of the intervals before have a number. */
  readonly known: Int32Array;
}

function summed(column: readonly (number | null)[]): SummedColumn {
  const sums = new Float64Array(column.length + 1);
  const known = new Int32Array(column.length + 1);
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? null;
    sums[at + 1] = (sums[at] ?? 0) + (value ?? 0);
    known[at + 1] = (known[at] ?? 0) + (value === null ? 0 : 1);
  }
  return { sums, known };
}

const sumOf = ({ sums }: SummedColumn, from: number, to: number): number => (sums[to] ?? 0) - (sums[from] ?? 0);
const knownIn = ({ known }: SummedColumn, from: number, to: number): number => (known[to] ?? 0) - (known[from] ?? 0);

/** The sum of intervals `[from, to)`; `null` if one of them is unknown. */
function wholeSum(column: SummedColumn, from: number, to: number): number | null {
  return to > from && knownIn(column, from, to) === to - from ? sumOf(column, from, to) : null;
}

export function recordedStatistics(numbers: RecordedNumbers): (nowMs: number) => Statistics {
  const { startMs, intervalMs } = numbers;
  const requests = summed(numbers.requests);
  const attacks = summed(numbers.attacks);
  const categories = Object.entries(numbers.categories ?? {}).map(([category, column]) => ({
    category,
    column: summed(column),
  }));
  const length = Math.max(numbers.requests.length, numbers.attacks.length);
  /** A replay queries the same baseline weeks for each of thousands of evaluations. */
  const pastWindows = new LRUCache<string, readonly TimelinePoint[]>({ max: 16 });

  function pointsIn(fromMs: number, { from, to }: { from: number; to: number }, perPoint: number): TimelinePoint[] {
    const points: TimelinePoint[] = [];
    const pointMs = perPoint * intervalMs;
    // The service's intervals are aligned to the clock, not to the window.
    const phaseMs = startMs % intervalMs;
    const firstMs = Math.floor((Math.max(fromMs, startMs) - phaseMs) / pointMs) * pointMs + phaseMs;
    for (let at = (firstMs - startMs) / intervalMs; at < to; at += perPoint) {
      const [first, end] = [Math.max(from, at), Math.min(to, at + perPoint)];
      const point = { requests: wholeSum(requests, first, end), attacks: wholeSum(attacks, first, end) };
      if (point.requests === null && point.attacks === null) continue;
      points.push({ endMs: startMs + (at + perPoint) * intervalMs, ...point });
    }
    return points;
  }

  return (nowMs) => {
    const clamp = (at: number, highest: number): number => Math.min(highest, Math.max(0, at));
    // An interval that isn't over has no number yet.
    const over = clamp(Math.floor((nowMs - startMs) / intervalMs), length);
    const stamp = { settledUntilMs: nowMs - SETTLE_MS, asOfMs: nowMs, stale: false };
    /** The recorded intervals that lie entirely between two instants. */
    const within = (fromMs: number, toMs: number) => {
      const from = clamp(Math.ceil((fromMs - startMs) / intervalMs), over);
      return { from, to: Math.max(from, clamp(Math.floor((toMs - startMs) / intervalMs), over)) };
    };
    return {
      async timeline(query) {
        const { fromMs, toMs } = windowOf(query);
        const [, usualMs = MINUTE_MS] = INTERVALS.find(([upToMs]) => toMs - fromMs <= upToMs) ?? [];
        const perPoint = Math.max(1, Math.ceil(usualMs / intervalMs));
        const isPast = toMs <= startMs + over * intervalMs;
        const key = `${fromMs}-${toMs}`;
        const points = (isPast ? pastWindows.get(key) : undefined) ?? pointsIn(fromMs, within(fromMs, toMs), perPoint);
        if (isPast) pastWindows.set(key, points);
        return { fromMs, toMs, intervalMs: perPoint * intervalMs, points, ...stamp };
      },
      async distribution(query) {
        const { fromMs, toMs } = windowOf(query);
        const { from, to } = within(fromMs, toMs);
        const isKnown = categories.some(({ column }) => knownIn(column, from, to) > 0);
        if (!isKnown) {
          const reason = { is: 'window_not_offered' } as const;
          throw new BotError('upstream_unavailable', 'No categories were recorded for that time.', { reason });
        }
        const counts = categories.map(({ category, column }) => ({ category, count: sumOf(column, from, to) }));
        // Time before the recording isn't part of the window, or it would dilute the rates.
        return { fromMs: Math.max(fromMs, startMs), toMs, counts, ...stamp };
      },
    };
  };
}

function windowOf({ range }: StatisticsQuery): { fromMs: number; toMs: number } {
  const { from, to } = wholeMinutes(range);
  return { fromMs: from.epochMilliseconds, toMs: to.epochMilliseconds };
}
