/**
 * A clock for benchmarks of what takes days: short waits cost no time and move it on, long ones end when it is moved
 * past them. Limits are real, because what is waited for is.
 */
import { type Clock, systemClock } from '../../src/clock.ts';

export interface HurriedClock extends Clock {
  /** Moves on to the instant; what was due on the way begins now. */
  moveTo(atMs: number): void;
}

const SHORT_MS = 10_000;

export function createHurriedClock(startMs: number): HurriedClock {
  let nowMs = startMs;
  const held = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    now: () => Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs)),
    after(delayMs, run, purpose = 'wait') {
      if (purpose === 'limit') return systemClock.after(delayMs, run, purpose);
      const atMs = nowMs + Math.max(0, delayMs);
      if (delayMs < SHORT_MS) {
        const immediate = setImmediate(() => {
          nowMs = Math.max(nowMs, atMs);
          run();
        });
        return () => clearImmediate(immediate);
      }
      const entry = { atMs, run };
      held.add(entry);
      return () => void held.delete(entry);
    },
    moveTo(atMs) {
      nowMs = Math.max(nowMs, atMs);
      for (const entry of [...held].sort((a, b) => a.atMs - b.atMs)) {
        if (entry.atMs > nowMs || !held.delete(entry)) continue;
        entry.run();
      }
    },
  };
}
