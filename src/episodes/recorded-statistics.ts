/**
 * The statistics port answered from arrays of numbers, as the service would have answered at an instant: for exported
 * numbers that an operator wants judged, and for the replay of a watch. Nothing after that instant is seen.
 */

import { BotError } from '../errors.ts';
import { SETTLE_MS } from '../statistics/settled.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import type { TimelinePoint } from '../statistics/timeline.ts';
import { wholeMinutes } from '../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';

/** Numbers by interval; `null` is a missing number, which is not zero. Before `startMs` nothing is known. */
export interface RecordedNumbers {
  readonly startMs: number;
  readonly intervalMs: number;
  readonly requests: readonly (number | null)[];
  readonly attacks: readonly (number | null)[];
  /** `null` where none were asked for. */
  readonly categories: Readonly<Record<string, readonly (number | null)[]>> | null;
}

/** The service chooses the interval by the length of the window. */
const INTERVALS: readonly (readonly [upToMs: number, intervalMs: number])[] = [
  [DAY_MS, MINUTE_MS],
  [3 * DAY_MS, 5 * MINUTE_MS],
  [7 * DAY_MS, 10 * MINUTE_MS],
  [Number.POSITIVE_INFINITY, 60 * MINUTE_MS],
];

/** A column as sums from its beginning, so that any stretch of it costs two look-ups. */
interface SummedColumn {
  readonly sums: Float64Array;
  /** How many of the intervals before have a number. */
  readonly known: Int32Array;
}

function summed(column: readonly (number | null)[]): SummedColumn {
  const sums = new Float64Array(column.length + 1);
  const known = new Int32Array(column.length + 1);
  let sum = 0;
  let count = 0;
  for (let at = 0; at < column.length; at++) {
    const value = column[at] ?? null;
    if (value !== null) {
      sum += value;
      count += 1;
    }
    sums[at + 1] = sum;
    known[at + 1] = count;
  }
  return { sums, known };
}

const sumOf = ({ sums }: SummedColumn, from: number, to: number): number => (sums[to] ?? 0) - (sums[from] ?? 0);
const knownIn = ({ known }: SummedColumn, from: number, to: number): number => (known[to] ?? 0) - (known[from] ?? 0);

/** The sum of intervals `[from, to)`; `null` where one of them is missing. */
function wholeSum(column: SummedColumn, from: number, to: number): number | null {
  return to > from && knownIn(column, from, to) === to - from ? sumOf(column, from, to) : null;
}

/** A point for each interval that has a number, and how many there are before each. */
function pointsOf({ startMs, intervalMs, requests, attacks }: RecordedNumbers, length: number) {
  const points: TimelinePoint[] = [];
  const before = new Int32Array(length + 1);
  for (let at = 0; at < length; at++) {
    const counts = { requests: requests[at] ?? null, attacks: attacks[at] ?? null };
    if (counts.requests !== null || counts.attacks !== null) {
      points.push({ endMs: startMs + (at + 1) * intervalMs, ...counts });
    }
    before[at + 1] = points.length;
  }
  return { points, before };
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
  const single = pointsOf(numbers, length);
  const clamp = (at: number, highest: number): number => Math.min(highest, Math.max(0, at));
  /** Windows that are over, such as the weeks before, are asked for again and again and do not change. */
  const kept = new Map<string, readonly TimelinePoint[]>();

  return (nowMs) => {
    // An interval that is not over has no number yet.
    const over = clamp(Math.floor((nowMs - startMs) / intervalMs), length);
    const stamp = { settledUntilMs: nowMs - SETTLE_MS, asOfMs: nowMs, stale: false };
    /** Of the recorded intervals, those that lie entirely between two instants. */
    const within = (fromMs: number, toMs: number) => {
      const from = clamp(Math.ceil((fromMs - startMs) / intervalMs), over);
      return { from, to: Math.max(from, clamp(Math.floor((toMs - startMs) / intervalMs), over)) };
    };
    return {
      async timeline(query) {
        const { fromMs, toMs } = windowOf(query);
        const [, usualMs = MINUTE_MS] = INTERVALS.find(([upToMs]) => toMs - fromMs <= upToMs) ?? [];
        const perPoint = Math.max(1, Math.ceil(usualMs / intervalMs));
        const pointMs = perPoint * intervalMs;
        if (perPoint === 1) {
          const { from, to } = within(fromMs, toMs);
          const points = single.points.slice(single.before[from], single.before[to]);
          return { fromMs, toMs, intervalMs, points, ...stamp };
        }
        const isOver = toMs <= startMs + over * intervalMs;
        const key = `${fromMs}-${toMs}`;
        const known = isOver ? kept.get(key) : undefined;
        if (known !== undefined) return { fromMs, toMs, intervalMs: pointMs, points: known, ...stamp };
        const points: TimelinePoint[] = [];
        // Intervals of the service begin on the clock, not with the window.
        const phaseMs = startMs % intervalMs;
        const lastMs = Math.min(toMs, startMs + over * intervalMs);
        let endMs = Math.floor((Math.max(fromMs, startMs) - phaseMs) / pointMs) * pointMs + phaseMs + pointMs;
        for (; endMs - pointMs < lastMs; endMs += pointMs) {
          const { from, to } = within(Math.max(fromMs, endMs - pointMs), Math.min(toMs, endMs));
          const point = { endMs, requests: wholeSum(requests, from, to), attacks: wholeSum(attacks, from, to) };
          if (point.requests !== null || point.attacks !== null) points.push(point);
        }
        if (isOver) kept.set(key, points);
        return { fromMs, toMs, intervalMs: pointMs, points, ...stamp };
      },
      async distribution(query) {
        const { fromMs, toMs } = windowOf(query);
        const { from, to } = within(fromMs, toMs);
        const isKnown = categories.some(({ column }) => knownIn(column, from, to) > 0);
        if (!isKnown) throw new BotError('upstream_unavailable', 'No categories were recorded for that time.');
        const counts = categories.map(({ category, column }) => ({ category, count: sumOf(column, from, to) }));
        // What lies before the recording is left out of the window, so that rates are not diluted by it.
        return { fromMs: Math.max(fromMs, startMs), toMs, counts, ...stamp };
      },
    };
  };
}

function windowOf({ range }: StatisticsQuery): { fromMs: number; toMs: number } {
  const { from, to } = wholeMinutes(range);
  return { fromMs: from.epochMilliseconds, toMs: to.epochMilliseconds };
}
