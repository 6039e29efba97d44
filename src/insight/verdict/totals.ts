/** What the service counted in a stretch: only finished intervals that lie whole inside it. */
import type { Timeline } from '../timeline.ts';
import { finishedPoints } from './steps.ts';
import type { Totals } from './verdict.ts';

export function totalsBetween(timeline: Timeline, fromMs: number, toMs: number): Totals {
  let requests = 0;
  let attacks = 0;
  let knownMs = 0;
  for (const point of finishedPoints(timeline)) {
    if (point.endMs > toMs || point.endMs - timeline.intervalMs < fromMs) continue;
    if (point.attacks === null && point.requests === null) continue;
    requests += point.requests ?? 0;
    attacks += point.attacks ?? 0;
    knownMs += timeline.intervalMs;
  }
  return { requests, attacks, knownMs };
}
