/**
 * A clock for tests over real sockets: the time of day stands where the test puts it, every wait is over at once. Limits,
 * and the waits named in `held`, last until the test ends them.
 */
import type { Clock } from '../../src/clock.ts';

export interface ImpatientClock extends Clock {
  set(instant: string): void;
  /** Ends every wait and limit of this length that is under way. */
  end(delayMs: number): void;
  /** Waits that were asked for, in order. */
  readonly waits: readonly number[];
}

export function createImpatientClock(start: string, held: readonly number[] = []): ImpatientClock {
  let now = Temporal.Instant.from(start);
  const waits: number[] = [];
  const waiting = new Set<{ delayMs: number; run: () => void }>();
  return {
    now: () => now,
    set(instant) {
      now = Temporal.Instant.from(instant);
    },
    after(delayMs, run, purpose = 'wait') {
      waits.push(delayMs);
      if (purpose === 'limit' || held.includes(delayMs)) {
        const entry = { delayMs, run };
        waiting.add(entry);
        return () => void waiting.delete(entry);
      }
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    },
    end(delayMs) {
      for (const entry of waiting) {
        if (entry.delayMs !== delayMs) continue;
        waiting.delete(entry);
        entry.run();
      }
    },
    waits,
  };
}
