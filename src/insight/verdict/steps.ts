/**
 * Timelines cut into equal steps, so that windows of different days and different intervals can be laid side by side.
 * A step knows how much of it the service gave numbers for: what is missing is unknown, never zero.
 */
import type { Timeline, TimelinePoint } from '../timeline.ts';

export interface Steps {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly counts: readonly number[];
  /** Known part of each step, from 0 to 1. */
  readonly known: readonly number[];
}

export interface StepGrid {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly length: number;
}

/** A step of which less is known says nothing. */
const LEAST_KNOWN = 0.5;

export type Reading = (point: TimelinePoint) => number | null;

export const attacksOf: Reading = ({ attacks }) => attacks;

/** Requests that were no attack. */
export const visitorsOf: Reading = ({ requests, attacks }) =>
  requests === null || attacks === null ? null : Math.max(0, requests - attacks);

/** Points that lie whole inside what was asked for and will not grow any more; all others are left out. */
export function finishedPoints({ points, fromMs, toMs, intervalMs, settledUntilMs }: Timeline): TimelinePoint[] {
  const untilMs = Math.min(toMs, settledUntilMs);
  return points.filter(({ endMs }) => endMs <= untilMs && endMs - intervalMs >= fromMs);
}

/** `shiftMs` moves the timeline later, so that yesterday lies on today. */
export function toSteps(timeline: Timeline, grid: StepGrid, reading: Reading, shiftMs = 0): Steps {
  const counts = new Array<number>(grid.length).fill(0);
  const known = new Array<number>(grid.length).fill(0);
  for (const point of finishedPoints(timeline)) {
    const value = reading(point);
    if (value === null) continue;
    const toMs = point.endMs + shiftMs;
    const fromMs = toMs - timeline.intervalMs;
    const first = Math.max(0, Math.floor((fromMs - grid.fromMs) / grid.stepMs));
    for (let at = first; at < grid.length; at++) {
      const stepFromMs = grid.fromMs + at * grid.stepMs;
      if (stepFromMs >= toMs) break;
      // An interval that reaches over the edge of a step is shared out evenly.
      const overlapMs = Math.min(toMs, stepFromMs + grid.stepMs) - Math.max(fromMs, stepFromMs);
      counts[at] = (counts[at] ?? 0) + (value * overlapMs) / timeline.intervalMs;
      known[at] = (known[at] ?? 0) + overlapMs / grid.stepMs;
    }
  }
  return { fromMs: grid.fromMs, stepMs: grid.stepMs, counts, known };
}

/** Events in a full step; `null` where too little is known. */
export function rateAt({ counts, known }: Steps, at: number): number | null {
  const part = known[at] ?? 0;
  return part < LEAST_KNOWN ? null : (counts[at] ?? 0) / part;
}

export function ratesBetween(steps: Steps, from: number, to: number): number[] {
  const rates: number[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, steps.counts.length); at++) {
    const rate = rateAt(steps, at);
    if (rate !== null) rates.push(rate);
  }
  return rates;
}
