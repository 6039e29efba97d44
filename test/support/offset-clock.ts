/** The machine's clock, set forward at will: real timers, another date. */
import { type Clock, systemClock } from '../../src/clock.ts';

export interface OffsetClock extends Clock {
  forward(ms: number): void;
}

export function createOffsetClock(): OffsetClock {
  let offsetMs = 0;
  return {
    now: () => systemClock.now().add({ milliseconds: offsetMs }),
    after: systemClock.after,
    forward(ms) {
      offsetMs += ms;
    },
  };
}
