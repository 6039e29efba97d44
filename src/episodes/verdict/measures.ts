/** What the judged window has and should have, in the terms of a verdict. */

import type { Timeline } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import type { Lags } from './forecast.ts';
import type { Present } from './present.ts';
import { repeatedBetween, type Stretch } from './scan.ts';
import { attacksOf, resample, type StepGrid, type StepSeries, type Totals } from './series.ts';
import type { Site } from './site.ts';
import { countAt, deviation, REPEATS_FROM, type Tail } from './tail.ts';
import type { Reference } from './verdict.ts';

/** Nine in ten normal windows and intervals lie within so many units of chance. */
export const NINE_IN_TEN = 1.645;

/** Attacks to expect in the known part of the window, with what regularly comes at that time, and their usual range. */
export function expectedInWindow(
  present: Present,
  site: Site | null,
  { spread, from }: Tail,
): { expected: number; low: number; high: number } {
  const { grid, windowStart, attacks } = present;
  const plain = weighted(present.expected, attacks.known, windowStart, grid.length);
  const seen = attacks.counts.slice(windowStart).reduce((sum, count) => sum + count, 0);
  const isMore = site !== null && deviation(seen, plain, spread) > REPEATS_FROM;
  const expected = plain + (isMore ? repeatedBetween(present, site, windowStart, grid.length, plain, spread) : 0);
  const reach = Math.max(NINE_IN_TEN, from);
  return { expected, low: countAt(expected, -NINE_IN_TEN, spread), high: countAt(expected, reach, spread) };
}

/** The sum over steps `[from, to)`, each weighted with its known share; steps without a reference are left out. */
function weighted(values: Float64Array, known: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at++) {
    const value = values[at] ?? Number.NaN;
    if (!Number.isNaN(value)) total += value * (known[at] ?? 0);
  }
  return total;
}

/** Visitors of the window as a multiple of those expected. */
export function visitorsNow({ visitors, expectedVisitors, windowStart, grid }: Present): number {
  const { seen, expected } = compareVisitors(visitors, expectedVisitors, windowStart, grid.length);
  return expected > 0 ? seen / expected : 1;
}

function compareVisitors(visitors: StepSeries, expected: Float64Array, from: number, to: number) {
  return {
    seen: visitors.counts.slice(from, to).reduce((sum, count) => sum + count, 0),
    expected: weighted(expected, visitors.known, from, to),
  };
}

/** The attacks to expect in an interval of the service that ends at an instant; `null` where there is no reference. */
export function expectedPerInterval({ grid, expected }: Present, intervalMs: number): (endMs: number) => number | null {
  return (endMs) => {
    const at = Math.floor((endMs - intervalMs / 2 - grid.fromMs) / grid.stepMs);
    const attacks = expected[Math.min(grid.length - 1, Math.max(0, at))] ?? Number.NaN;
    return Number.isNaN(attacks) ? null : (attacks * intervalMs) / grid.stepMs;
  };
}

/** A stretch in clock time. */
export interface ClockStretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly ratio: number;
}

export function onClock({ from, to, observed, expected }: Stretch, { fromMs, stepMs }: StepGrid): ClockStretch {
  return { fromMs: fromMs + from * stepMs, toMs: fromMs + to * stepMs, ratio: observed / Math.max(expected, 0.5) };
}

export const shareOf = ({ requests, attacks }: Totals): number | null => (requests > 0 ? attacks / requests : null);

/** A reference with less of its time known is not shown. */
const LEAST_KNOWN = 0.9;

/** The same hours of earlier days, where they are known. Intervals that cross their edges count in proportion. */
export function sameHours(
  history: readonly Timeline[],
  { days, weeks }: Lags,
  fromMs: number,
  toMs: number,
): Reference[] {
  return [...days.slice(0, 1), ...weeks].flatMap((shiftMs): Reference[] => {
    const grid = { fromMs: fromMs - shiftMs, stepMs: toMs - fromMs, length: 1 };
    const totals = { requests: 0, attacks: 0, knownMs: 0 };
    for (const timeline of history) {
      if (timeline.toMs <= grid.fromMs || timeline.fromMs >= toMs - shiftMs) continue;
      const near = pointsNear(timeline, grid.fromMs, toMs - shiftMs);
      const attacks = resample(near, grid, attacksOf);
      totals.attacks += attacks.counts[0] ?? 0;
      totals.requests += resample(near, grid, ({ requests }) => requests).counts[0] ?? 0;
      totals.knownMs += (attacks.known[0] ?? 0) * grid.stepMs;
    }
    if (totals.knownMs < LEAST_KNOWN * grid.stepMs || totals.requests + totals.attacks === 0) return [];
    const rounded = { ...totals, attacks: Math.round(totals.attacks), requests: Math.round(totals.requests) };
    return [{ name: nameOf(shiftMs), shiftMs, totals: rounded }];
  });
}

/** The timeline with the points around a window alone; points are sorted, and the weeks have thousands. */
function pointsNear(timeline: Timeline, fromMs: number, toMs: number): Timeline {
  const { points, intervalMs } = timeline;
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.endMs ?? 0) <= fromMs) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < points.length && (points[end]?.endMs ?? 0) - intervalMs < toMs) end++;
  return { ...timeline, points: points.slice(low, end) };
}

function nameOf(shiftMs: number): string {
  const days = Math.round(shiftMs / DAY_MS);
  if (days % 7 !== 0) return days === 1 ? 'the same hours the day before' : `the same hours ${days} days before`;
  return days === 7 ? 'the same hours the week before' : `the same hours ${days / 7} weeks before`;
}
