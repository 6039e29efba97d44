/** When a subscription runs: by a schedule on the wall clock (digests), or every so many milliseconds (watches). */
import { type Due, latestDue, nextDue, previousDue } from './due-times.ts';
import type { Schedule } from './schedule.ts';

export type Recurrence = { readonly schedule: Schedule } | { readonly everyMs: number };

/** The arithmetic both engines use. Plain intervals are aligned to the epoch, so equal ones fall together. */
export const repeatStrategy = {
  next: (timing: Recurrence, after: Temporal.Instant): Due =>
    'schedule' in timing ? nextDue(timing.schedule, after) : tick(timing.everyMs, after, Math.floor, 1),
  latest: (timing: Recurrence, at: Temporal.Instant): Due =>
    'schedule' in timing ? latestDue(timing.schedule, at) : tick(timing.everyMs, at, Math.floor, 0),
  previous: (timing: Recurrence, before: Temporal.Instant): Due =>
    'schedule' in timing ? previousDue(timing.schedule, before) : tick(timing.everyMs, before, Math.ceil, -1),
};

function tick(everyMs: number, at: Temporal.Instant, round: (n: number) => number, offset: number): Due {
  const ms = (round(at.epochMilliseconds / everyMs) + offset) * everyMs;
  const instant = Temporal.Instant.fromEpochMilliseconds(ms);
  return { at: instant, key: instant.toString() };
}
