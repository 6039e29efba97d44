/** Timelines from plain numbers a minute, for tests that must know every count. */
import type { Timeline } from '../../../../src/statistics/timeline.ts';

export const MINUTE_MS = 60_000;
/** A Wednesday, 12:00 UTC. */
export const NOON_MS = Date.UTC(2026, 2, 4, 12);

export interface MinutesOptions {
  readonly fromMs: number;
  readonly minutes: number;
  /** `null`: the service gave no number; `undefined`: it left the interval out. */
  readonly attacks: (minute: number) => number | null | undefined;
  readonly requests?: (minute: number) => number | null;
  readonly settledUntilMs?: number;
}

export function minutes(options: MinutesOptions): Timeline {
  const { fromMs, attacks, requests = () => 1000 } = options;
  const toMs = fromMs + options.minutes * MINUTE_MS;
  const points = Array.from({ length: options.minutes }, (_, minute) => {
    const count = attacks(minute);
    const all = count === undefined ? null : requests(minute);
    return count === undefined ? [] : [{ endMs: fromMs + (minute + 1) * MINUTE_MS, requests: all, attacks: count }];
  }).flat();
  return {
    fromMs,
    toMs,
    intervalMs: MINUTE_MS,
    points,
    settledUntilMs: options.settledUntilMs ?? toMs,
    asOfMs: toMs,
    stale: false,
  };
}
