/** Everything a verdict looks at, on one grid of steps: the window, the hours before it, and the same hours of days before. */
import type { Timeline } from '../timeline.ts';
import type { VerdictRule } from './rule.ts';
import { attacksOf, finishedPoints, type StepGrid, type Steps, toSteps, visitorsOf } from './steps.ts';

/** The same hours of another day, `shiftMs` earlier. */
export interface EarlierDay {
  readonly timeline: Timeline;
  readonly shiftMs: number;
}

export interface Pair {
  readonly attacks: Steps;
  readonly visitors: Steps;
}

export interface Scene {
  readonly grid: StepGrid;
  /** The first step of the window; those before it are the hours just before. */
  readonly first: number;
  readonly now: Pair;
  /** Laid over the same grid, the most recent first. */
  readonly days: readonly Pair[];
}

const LEAST_STEPS = 3;

/** `null` when not a single step of the window is finished. */
export function sceneOf(
  window: { readonly fromMs: number; readonly toMs: number },
  recent: Timeline,
  days: readonly EarlierDay[],
  rule: VerdictRule,
): Scene | null {
  const endMs = lastFinishedMs(recent, window.toMs);
  const lengthMs = endMs - window.fromMs;
  const intervalMs = recent.intervalMs;
  if (!(intervalMs > 0) || lengthMs < intervalMs) return null;
  const stepMs = stepFor(intervalMs, lengthMs, rule.stepMs);
  const inside = Math.floor(lengthMs / stepMs);
  // Steps are counted back from the newest finished interval, so that nothing fresh waits for a round number.
  const before = Math.floor((endMs - inside * stepMs - recent.fromMs) / stepMs);
  const length = before + inside;
  const grid = { fromMs: endMs - length * stepMs, stepMs, length };
  const pair = (timeline: Timeline, shiftMs: number): Pair => ({
    attacks: toSteps(timeline, grid, attacksOf, shiftMs),
    visitors: toSteps(timeline, grid, visitorsOf, shiftMs),
  });
  return {
    grid,
    first: before,
    now: pair(recent, 0),
    days: days.map(({ timeline, shiftMs }) => pair(timeline, shiftMs)),
  };
}

/** The end of the finished part of the window; where the service went silent, the silence belongs to it. */
function lastFinishedMs(recent: Timeline, toMs: number): number {
  const untilMs = Math.min(toMs, recent.toMs, recent.settledUntilMs);
  const last = finishedPoints(recent).findLast(({ endMs }) => endMs <= untilMs);
  if (last === undefined) return 0;
  return last.endMs + Math.floor((untilMs - last.endMs) / recent.intervalMs) * recent.intervalMs;
}

/** The usual step, made of whole intervals, shorter where the window would have too few of them. */
function stepFor(intervalMs: number, lengthMs: number, usualMs: number): number {
  const whole = Math.max(1, Math.round(usualMs / intervalMs));
  const most = Math.max(1, Math.floor(lengthMs / LEAST_STEPS / intervalMs));
  return Math.min(whole, most) * intervalMs;
}
