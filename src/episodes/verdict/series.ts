/** A timeline in equal steps. Each knows how much of it the service gave numbers for: missing is unknown and not zero. */
import type { Timeline, TimelinePoint } from '../../statistics/timeline.ts';

export interface StepGrid {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly length: number;
}

export interface StepSeries {
  readonly counts: readonly number[];
  /** Known share of each step, from 0 to 1. */
  readonly known: readonly number[];
}

export interface Totals {
  readonly requests: number;
  readonly attacks: number;
  /** Length of the intervals that have numbers. */
  readonly knownMs: number;
}

export const STEP_MS = 5 * 60_000;
/** A window is divided into at least this many steps where its intervals allow it. */
const MIN_STEPS = 3;
/** And into at most about this many, because each one reads the hours before it: a week in steps of ten minutes. */
const MAX_STEPS = 1_100;

/** The window in equal steps with the time before it. */
export interface WindowGrid {
  readonly grid: StepGrid;
  /** The first step of the window. */
  readonly windowStart: number;
}

/** `null` when not a single interval of the window is finished. */
export function gridOf(
  window: { readonly fromMs: number; readonly toMs: number },
  recent: Timeline,
): WindowGrid | null {
  const endMs = lastFinishedMs(recent, window.toMs);
  const lengthMs = endMs - window.fromMs;
  const { intervalMs } = recent;
  if (!(intervalMs > 0) || lengthMs < intervalMs) return null;
  const stepMs = chooseStepMs(intervalMs, lengthMs);
  const inside = Math.floor(lengthMs / stepMs);
  // Counted back from the newest finished interval, so that fresh data need not wait for a round number.
  const before = Math.floor((endMs - inside * stepMs - recent.fromMs) / stepMs);
  const length = before + inside;
  return { grid: { fromMs: endMs - length * stepMs, stepMs, length }, windowStart: before };
}

/** The end of the finished part of the window; where the service went silent, the silence belongs to it. */
function lastFinishedMs(recent: Timeline, toMs: number): number {
  const untilMs = Math.min(toMs, recent.toMs, recent.settledUntilMs);
  const last = finishedPoints(recent).findLast(({ endMs }) => endMs <= untilMs);
  if (last === undefined) return 0;
  return last.endMs + Math.floor((untilMs - last.endMs) / recent.intervalMs) * recent.intervalMs;
}

/** The step of the rule in whole intervals, shorter where the window would have too few steps, longer for too many. */
function chooseStepMs(intervalMs: number, lengthMs: number): number {
  const intervals = Math.max(1, Math.round(STEP_MS / intervalMs));
  const most = Math.max(1, Math.floor(lengthMs / MIN_STEPS / intervalMs));
  const least = Math.ceil(lengthMs / MAX_STEPS / intervalMs);
  return Math.max(least, Math.min(intervals, most)) * intervalMs;
}

/** Which number of a point is counted. */
type PointValue = (point: TimelinePoint) => number | null;

export const attacksOf: PointValue = ({ attacks }) => attacks;

export const visitorsOf: PointValue = ({ requests, attacks }) =>
  requests === null || attacks === null ? null : Math.max(0, requests - attacks);

/** Points that lie entirely inside the requested window and will not grow any more. */
export function finishedPoints({ points, fromMs, toMs, intervalMs, settledUntilMs }: Timeline): TimelinePoint[] {
  const untilMs = Math.min(toMs, settledUntilMs);
  return points.filter(({ endMs }) => endMs <= untilMs && endMs - intervalMs >= fromMs);
}

/** `shiftMs` moves the timeline later, so that yesterday lies on today. */
export function resample(timeline: Timeline, grid: StepGrid, pick: PointValue, shiftMs = 0): StepSeries {
  const counts = new Array<number>(grid.length).fill(0);
  const known = new Array<number>(grid.length).fill(0);
  for (const point of finishedPoints(timeline)) {
    const value = pick(point);
    if (value === null) continue;
    const toMs = point.endMs + shiftMs;
    const fromMs = toMs - timeline.intervalMs;
    const first = Math.max(0, Math.floor((fromMs - grid.fromMs) / grid.stepMs));
    for (let at = first; at < grid.length; at++) {
      const stepFromMs = grid.fromMs + at * grid.stepMs;
      if (stepFromMs >= toMs) break;
      // An interval that crosses the edge of a step is divided in proportion.
      const overlapMs = Math.min(toMs, stepFromMs + grid.stepMs) - Math.max(fromMs, stepFromMs);
      counts[at] = (counts[at] ?? 0) + (value * overlapMs) / timeline.intervalMs;
      known[at] = (known[at] ?? 0) + overlapMs / grid.stepMs;
    }
  }
  return { counts, known };
}

/** The known share of steps `[from, to)`. */
export function knownShare({ known }: StepSeries, from: number, to: number): number {
  if (to <= from) return 0;
  let sum = 0;
  for (let at = from; at < to; at++) sum += Math.min(1, known[at] ?? 0);
  return sum / (to - from);
}

/**
 * What the service counted between two instants: only finished intervals that lie entirely between them, and that have
 * a number of attacks.
 */
export function totalsBetween(timeline: Timeline, fromMs: number, toMs: number): Totals {
  let requests = 0;
  let attacks = 0;
  let knownMs = 0;
  for (const point of finishedPoints(timeline)) {
    if (point.endMs > toMs || point.endMs - timeline.intervalMs < fromMs) continue;
    if (point.attacks === null) continue;
    requests += point.requests ?? 0;
    attacks += point.attacks;
    knownMs += timeline.intervalMs;
  }
  return { requests, attacks, knownMs };
}
