/**
 * When a schedule is due: the arithmetic used by both schedulers. Reads no clock and uses the schedule's own zone.
 * docs/decisions/schedule-arithmetic.md says what happens when clocks change.
 */
import { LRUCache } from 'lru-cache';
import type { DueTime, RepeatStrategy } from '../../scheduler/index.ts';
import { type IntervalSchedule, MINUTES_A_DAY, type Recurrence, type Schedule } from './schedule.ts';

/** Plain intervals are aligned to the epoch, so equal intervals are due together. */
export const repeatStrategy: RepeatStrategy<Recurrence> = {
  next: (timing, after) =>
    'schedule' in timing ? nextDue(timing.schedule, after) : multipleOf(timing.everyMs, after, Math.floor, 1),
  latest: (timing, at) =>
    'schedule' in timing ? latestDue(timing.schedule, at) : multipleOf(timing.everyMs, at, Math.floor, 0),
  previous: (timing, before) =>
    'schedule' in timing ? previousDue(timing.schedule, before) : multipleOf(timing.everyMs, before, Math.ceil, -1),
};

/** The due time before an unscheduled run. In the minute of a due time that's the one before: nothing new has settled. */
export function previousDueAt(timing: Recurrence, at: Temporal.Instant): Temporal.Instant {
  return repeatStrategy.previous(timing, at.round({ smallestUnit: 'minute', roundingMode: 'floor' })).at;
}

/** Why a stored recurrence can't be scheduled on this machine, in words; `null` when it can. */
export function whyUnschedulable(timing: Recurrence): string | null {
  const anyInstant = Temporal.Instant.fromEpochMilliseconds(0);
  if (!throws(() => repeatStrategy.next(timing, anyInstant))) return null;
  const zone: unknown = Object(timing).schedule?.zone;
  const isUnknown = typeof zone === 'string' && throws(() => anyInstant.toZonedDateTimeISO(zone));
  return isUnknown ? `unknown time zone “${zone}”` : 'its stored schedule is invalid';
}

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

function multipleOf(everyMs: number, at: Temporal.Instant, round: (n: number) => number, offset: number): DueTime {
  const instant = Temporal.Instant.fromEpochMilliseconds((round(at.epochMilliseconds / everyMs) + offset) * everyMs);
  return { at: instant, key: instant.toString() };
}

/** More than the longest time between two runs, which is a month. */
const HORIZON_DAYS = 70;

export function nextDue(schedule: Schedule, after: Temporal.Instant): DueTime {
  return seek(schedule, after, 1);
}

export function previousDue(schedule: Schedule, before: Temporal.Instant): DueTime {
  return seek(schedule, before, -1);
}

export function nextRuns(schedule: Schedule, after: Temporal.Instant, count: number): Temporal.Instant[] {
  const runs: Temporal.Instant[] = [];
  for (let last = after; runs.length < count; ) {
    last = nextDue(schedule, last).at;
    runs.push(last);
  }
  return runs;
}

export function latestDue(schedule: Schedule, at: Temporal.Instant): DueTime {
  return previousDue(schedule, at.add({ nanoseconds: 1 }));
}

function seek(schedule: Schedule, from: Temporal.Instant, direction: 1 | -1): DueTime {
  // Starts a day early: a gap may have pushed a run of the day before past midnight.
  const start = from.toZonedDateTimeISO(schedule.zone).toPlainDate().subtract({ days: direction });
  for (let offset = 0; offset < HORIZON_DAYS; offset += 1) {
    const date = start.add({ days: offset * direction });
    if (!fallsOn(schedule, date)) continue;
    const runs = schedule.kind === 'interval' ? intervalDuesOn(schedule, date) : duesOn(schedule, date);
    const found =
      direction === 1
        ? runs.find(({ at }) => Temporal.Instant.compare(at, from) > 0)
        : runs.findLast(({ at }) => Temporal.Instant.compare(at, from) < 0);
    if (found) return found;
  }
  throw new RangeError('schedule without runs');
}

function fallsOn(schedule: Schedule, date: Temporal.PlainDate): boolean {
  if (schedule.kind === 'weekly') return schedule.weekdays.some((day) => day === date.dayOfWeek);
  if (schedule.kind === 'monthly') return date.day === Math.min(schedule.day, date.daysInMonth);
  return true;
}

/**
 * The runs of interval schedules by day. A day of quarter hours takes 96 conversions, several milliseconds, and all such
 * digests in a zone need the same days, several times a minute.
 */
const intervalDays = new LRUCache<string, readonly DueTime[]>({ max: 500 });

function intervalDuesOn(schedule: IntervalSchedule, date: Temporal.PlainDate): readonly DueTime[] {
  const key = `${schedule.everyMinutes} ${date} ${schedule.zone}`;
  const dues = intervalDays.get(key) ?? duesOn(schedule, date);
  intervalDays.set(key, dues);
  return dues;
}

/** The runs that belong to one local date, in order, no two at the same moment. */
function duesOn(schedule: Schedule, date: Temporal.PlainDate): DueTime[] {
  const dues = wallMinutes(schedule).flatMap((minute) => duesAt(schedule, date, minute));
  dues.sort((a, b) => Temporal.Instant.compare(a.at, b.at));
  return dues.filter(({ at }, index) => index === 0 || !dues[index - 1]?.at.equals(at));
}

function wallMinutes(schedule: Schedule): readonly number[] {
  if (schedule.kind !== 'interval') return schedule.minutes;
  const count = Math.ceil(MINUTES_A_DAY / schedule.everyMinutes);
  return Array.from({ length: count }, (_, index) => index * schedule.everyMinutes);
}

/** The key is the wall time, so it doesn't change when a zone's rules are revised. */
function duesAt(schedule: Schedule, date: Temporal.PlainDate, minute: number): DueTime[] {
  const time = new Temporal.PlainTime(Math.floor(minute / 60), minute % 60);
  const wall = date.toPlainDateTime(time);
  const key = wall.toString({ smallestUnit: 'minute' });
  const [first, second] = occurrences(wall, schedule.zone);
  if (!first) {
    // A time of day runs after the gap instead; an interval doesn't, because its next step is near.
    return schedule.kind === 'interval' ? [] : [{ at: endOfGap(wall, schedule.zone), key }];
  }
  // Only intervals of an hour or less run again in the repeated hour.
  const repeats = schedule.kind === 'interval' && schedule.everyMinutes <= 60;
  return second && repeats
    ? [
        { at: first, key },
        { at: second, key: `${key}/2` },
      ]
    : [{ at: first, key }];
}

/** When the zone's wall clock shows this: once, never if clocks skip it, twice if they go back over it. */
function occurrences(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant[] {
  const early = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  // Temporal moves a skipped time, so a different wall time means it never happens.
  if (!early.toPlainDateTime().equals(wall)) return [];
  const late = wall.toZonedDateTime(zone, { disambiguation: 'later' });
  return late.epochMilliseconds === early.epochMilliseconds
    ? [early.toInstant()]
    : [early.toInstant(), late.toInstant()];
}

/** For a skipped wall time: the first moment after the gap, when the clocks were moved. */
function endOfGap(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const before = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const change = before.getTimeZoneTransition('next');
  return (change ?? wall.toZonedDateTime(zone, { disambiguation: 'later' })).toInstant();
}
