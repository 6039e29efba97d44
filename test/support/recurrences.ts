/** Timings for tests of the engines: fixed steps from a start, or a list of moments. */
import type { DueTime, RepeatStrategy } from '../../src/scheduler/scheduler.ts';

export interface Steps {
  readonly startMs: number;
  readonly everyMs: number;
}

export const stepTable: RepeatStrategy<Steps> = {
  next: (timing, after) => step(timing, Math.floor((after.epochMilliseconds - timing.startMs) / timing.everyMs) + 1),
  latest: (timing, at) => step(timing, Math.floor((at.epochMilliseconds - timing.startMs) / timing.everyMs)),
  previous: (timing, before) =>
    step(timing, Math.ceil((before.epochMilliseconds - timing.startMs) / timing.everyMs) - 1),
};

function step({ startMs, everyMs }: Steps, index: number): DueTime {
  return { at: Temporal.Instant.fromEpochMilliseconds(startMs + index * everyMs), key: `step-${index}` };
}
