/** A timeline in equal steps. Each knows how much of it the service gave numbers for: missing is unknown and not zero. */
import type { Timeline, TimelinePoint } from '../../statistics/timeline.ts';
import { EXPECTED } from './rule.ts';

export interface StepGrid {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly length: number;
}

export interface Totals {
  readonly requests: number;
  readonly attacks: number;
  /** Length of the intervals that have numbers. */
  readonly knownMs: number;
}

/** The window in equal steps with the time before it. */
export interface WindowGrid {
  readonly grid: StepGrid;
  /** The first step of the window. */
  readonly windowStart: number;
}

/** In the service's intervals, with those at the end that it's silent about; `null` when not a single one is finished. */
export function gridOf(window: Pick<Timeline, 'fromMs' | 'toMs'>, recent: Timeline): WindowGrid | null {
  const { intervalMs: stepMs } = recent;
  const untilMs = Math.min(window.toMs, recent.toMs, recent.settledUntilMs);
  const last = finishedPoints(recent).findLast((point) => point.endMs <= untilMs);
  if (last === undefined) return null;
  const endMs = last.endMs + Math.floor((untilMs - last.endMs) / stepMs) * stepMs;
  if (!(stepMs > 0) || endMs - window.fromMs < stepMs) return null;
  const length = Math.floor((endMs - recent.fromMs) / stepMs);
  const windowStart = length - Math.floor((endMs - window.fromMs) / stepMs);
  return { grid: { fromMs: endMs - length * stepMs, stepMs, length }, windowStart };
}

/** Which number of a point is counted. */
export type PointValue = (point: TimelinePoint) => number | null;

export const attacksOf: PointValue = ({ attacks }) => attacks;

export const visitorsOf: PointValue = ({ requests, attacks }) =>
  requests === null || attacks === null ? null : Math.max(0, requests - attacks);

/** Points that lie entirely inside the requested window and will not grow any more. */
export function finishedPoints({ points, fromMs, toMs, intervalMs, settledUntilMs }: Timeline): TimelinePoint[] {
  const untilMs = Math.min(toMs, settledUntilMs);
  return points.filter(({ endMs }) => endMs <= untilMs && endMs - intervalMs >= fromMs);
}

/**
 * Timelines that don't overlap as one series, with the known share of each step, from 0 to 1. An interval that crosses the
 * edge of a step is divided in proportion.
 */
export function resample(timelines: readonly Timeline[], grid: StepGrid, pick: PointValue) {
  const counts = new Array<number>(grid.length).fill(0);
  const known = new Array<number>(grid.length).fill(0);
  for (const timeline of timelines) {
    for (const point of finishedPoints(timeline)) {
      const value = pick(point);
      if (value === null) continue;
      const fromMs = point.endMs - timeline.intervalMs;
      const first = Math.max(0, Math.floor((fromMs - grid.fromMs) / grid.stepMs));
      for (let at = first; at < grid.length; at++) {
        const stepFromMs = grid.fromMs + at * grid.stepMs;
        if (stepFromMs >= point.endMs) break;
        const overlapMs = Math.min(point.endMs, stepFromMs + grid.stepMs) - Math.max(fromMs, stepFromMs);
        counts[at] = (counts[at] ?? 0) + (value * overlapMs) / timeline.intervalMs;
        known[at] = (known[at] ?? 0) + overlapMs / grid.stepMs;
      }
    }
  }
  return { counts, known };
}

/** Events in each step of the grid; `NaN` where too little is known. */
export function ratesIn(timelines: readonly Timeline[], grid: StepGrid, pick: PointValue): Float64Array {
  const { counts, known } = resample(timelines, grid, pick);
  return Float64Array.from(counts, (count, at) => {
    const share = known[at] ?? 0;
    return share < EXPECTED.minKnown ? Number.NaN : count / share;
  });
}

/** Makes unknown what lies before the first traffic. */
export function forgetBeforeTraffic(attacks: Float64Array, requests: Float64Array): void {
  const first = attacks.findIndex((count, at) => count > 0 || (requests[at] ?? 0) > 0);
  for (const counts of [attacks, requests]) counts.fill(Number.NaN, 0, first < 0 ? counts.length : first);
}

/** How much of it is known, from 0 to 1. */
export const knownShare = (rates: Float64Array): number =>
  rates.length === 0 ? 0 : rates.filter((rate) => !Number.isNaN(rate)).length / rates.length;

/** Of the finished intervals that lie entirely between two instants, and that have a number of attacks. */
export function totalsBetween(timeline: Timeline, fromMs: number, toMs: number): Totals {
  const window = { fromMs: Math.max(fromMs, timeline.fromMs), toMs: Math.min(toMs, timeline.toMs) };
  const points = finishedPoints({ ...timeline, ...window }).filter(({ attacks }) => attacks !== null);
  const sumOf = (of: 'requests' | 'attacks'): number => points.reduce((sum, point) => sum + (point[of] ?? 0), 0);
  return { requests: sumOf('requests'), attacks: sumOf('attacks'), knownMs: points.length * timeline.intervalMs };
}
