/** When a booking runs: by a schedule on the wall clock (digests), or every so many milliseconds (watches). */
import { type Due, latestDue, nextDue, previousDue } from './schedule/due.ts';
import type { Schedule } from './schedule/schedule.ts';

export type Timing = { readonly schedule: Schedule } | { readonly everyMs: number };

/** The arithmetic both engines use. Plain intervals are aligned to the epoch, so equal ones fall together. */
export const timetable = {
  next: (timing: Timing, after: Temporal.Instant): Due =>
    'schedule' in timing ? nextDue(timing.schedule, after) : tick(timing.everyMs, after, Math.floor, 1),
  latest: (timing: Timing, at: Temporal.Instant): Due =>
    'schedule' in timing ? latestDue(timing.schedule, at) : tick(timing.everyMs, at, Math.floor, 0),
  previous: (timing: Timing, before: Temporal.Instant): Due =>
    'schedule' in timing ? previousDue(timing.schedule, before) : tick(timing.everyMs, before, Math.ceil, -1),
};

function tick(everyMs: number, at: Temporal.Instant, round: (n: number) => number, offset: number): Due {
  const ms = (round(at.epochMilliseconds / everyMs) + offset) * everyMs;
  const instant = Temporal.Instant.fromEpochMilliseconds(ms);
  return { at: instant, key: instant.toString() };
}
