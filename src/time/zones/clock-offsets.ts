/** What the clock of a zone shows in a time, so that the same hours of other days can be found. */
import { DAY_MS, WEEK_MS } from '../../time-units.ts';

/** How far the clock is ahead of UTC, and from which instant on, the earliest first. */
export type ClockOffsets = readonly { readonly fromMs: number; readonly offsetMs: number }[];

/** How much earlier the same time by the clock lies so many days before; of days later it's negative. */
export function clockLag(offsets: ClockOffsets, ms: number, days: number): number {
  const offsetAt = (at: number): number => offsets.findLast(({ fromMs }) => fromMs <= at)?.offsetMs ?? 0;
  const byDays = days * DAY_MS;
  return offsets.length < 2 ? byDays : byDays + offsetAt(ms - byDays) - offsetAt(ms);
}

/** The clock of a zone in a time and in the five weeks before, which it may be compared with. */
export function clockOffsets(fromMs: number, toMs: number, zone: string): ClockOffsets {
  const offsetOf = (at: Temporal.ZonedDateTime): number => at.offsetNanoseconds / 1e6;
  const first = Temporal.Instant.fromEpochMilliseconds(fromMs - 5 * WEEK_MS).toZonedDateTimeISO(zone);
  const offsets = [{ fromMs: 0, offsetMs: offsetOf(first) }];
  let next = first.getTimeZoneTransition('next');
  while (next !== null && next.epochMilliseconds < toMs) {
    offsets.push({ fromMs: next.epochMilliseconds, offsetMs: offsetOf(next) });
    next = next.getTimeZoneTransition('next');
  }
  return offsets;
}
