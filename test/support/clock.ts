/**
 * A clock that stands still until told. `advance` moves it, firing timers in their order and letting what they started
 * run between two of them, so that a test of hours takes milliseconds and gives the same result each time.
 */
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/clock.ts';

export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
  advanceTo(instant: Temporal.Instant | string): Promise<void>;
  /** Jumps without firing anything in between, as a machine that slept: what is overdue fires with the next advance. */
  leap(ms: number): void;
  /** Sets the date, as an administrator or a time server does: timers keep what is left of their time. */
  set(byMs: number): void;
  /** Timers that are still to fire. */
  pending(): number;
}

export function createManualClock(start: Temporal.Instant | string = '2027-01-04T00:00:00Z'): ManualClock {
  let nowMs = Temporal.Instant.from(start).epochMilliseconds;
  let setMs = 0;
  let order = 0;
  const timers = new Map<number, { readonly dueMs: number; readonly run: () => void }>();

  function next(limitMs: number): number | undefined {
    let best: number | undefined;
    for (const [id, { dueMs }] of timers) {
      const bestMs = best === undefined ? limitMs : (timers.get(best)?.dueMs ?? limitMs);
      if (dueMs <= limitMs && (best === undefined || dueMs < bestMs)) best = id;
    }
    return best;
  }

  const clock: ManualClock = {
    now: () => Temporal.Instant.fromEpochMilliseconds(nowMs),
    elapsedMs: () => nowMs - setMs,
    after(delayMs, run) {
      const id = order;
      order += 1;
      timers.set(id, { dueMs: nowMs + Math.max(0, Math.ceil(delayMs)), run });
      return () => timers.delete(id);
    },
    async advance(ms) {
      const endMs = nowMs + ms;
      await settle();
      for (let id = next(endMs); id !== undefined; id = next(endMs)) {
        const timer = timers.get(id);
        timers.delete(id);
        nowMs = Math.max(nowMs, timer?.dueMs ?? nowMs);
        timer?.run();
        await settle();
      }
      nowMs = endMs;
    },
    advanceTo: (instant) => clock.advance(Temporal.Instant.from(instant).epochMilliseconds - nowMs),
    leap(ms) {
      nowMs += ms;
    },
    set(byMs) {
      nowMs += byMs;
      setMs += byMs;
      for (const [id, { dueMs, run }] of timers) timers.set(id, { dueMs: dueMs + byMs, run });
    },
    pending: () => timers.size,
  };
  return clock;
}

/** Lets promises and their immediate successors run. Network answers need `eventually` instead. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}

/** How long anything is waited for: a limit for hangs on a busy machine, not for speed. */
export const LONGEST_WAIT_MS = 30_000;

/** Waits until something holds that real peers, threads or processes bring about. `between` runs before each new look. */
export async function eventually(
  holds: () => unknown,
  what = 'the expected state',
  between: () => Promise<unknown> = () => delay(2),
): Promise<void> {
  // Not the global clock, which a test may have replaced.
  const started = process.hrtime.bigint();
  while (!(await holds())) {
    const waitedMs = Number(process.hrtime.bigint() - started) / 1e6;
    if (waitedMs > LONGEST_WAIT_MS) throw new Error(`waited ${LONGEST_WAIT_MS / 1000} s in vain for ${what}`);
    await between();
  }
}
