/**
 * The arithmetic of due times, the same for both schedulers. Pure: no clock is read, and the zone is the schedule's own.
 * What happens when clocks change is decided in docs/decisions/schedule-arithmetic.md.
 */
import type { DueTime, RepeatStrategy } from '../../scheduler/index.ts';
import { type IntervalSchedule, MINUTES_A_DAY, type Recurrence, type Schedule } from './schedule.ts';

/** Plain intervals are aligned to the epoch, so equal ones are due together. */
export const repeatStrategy: RepeatStrategy<Recurrence> = {
  next: (timing, after) =>
    'schedule' in timing ? nextDue(timing.schedule, after) : multipleOf(timing.everyMs, after, Math.floor, 1),
  latest: (timing, at) =>
    'schedule' in timing ? latestDue(timing.schedule, at) : multipleOf(timing.everyMs, at, Math.floor, 0),
  previous: (timing, before) =>
    'schedule' in timing ? previousDue(timing.schedule, before) : multipleOf(timing.everyMs, before, Math.ceil, -1),
};

/** Why a stored recurrence cannot be scheduled on this machine, in words; `null` when it can. */
export function whyUnschedulable(timing: Recurrence): string | null {
  const anyInstant = Temporal.Instant.fromEpochMilliseconds(0);
  if (!throws(() => repeatStrategy.next(timing, anyInstant))) return null;
  const zone: unknown = Object(timing).schedule?.zone;
  const isUnknown = typeof zone === 'string' && throws(() => anyInstant.toZonedDateTimeISO(zone));
  return isUnknown ? `the time zone “${zone}” is not known here` : 'its stored times make no sense';
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

/** Longer than the time between two runs can be: a month, and days to spare. */
const HORIZON_DAYS = 70;

/** A time without a run, and the run that ends it: the next one of every instant in it. */
interface QuietSpan {
  readonly fromNs: bigint;
  readonly toNs: bigint;
  readonly due: DueTime;
}

/** The last ones found, by schedule: thousands of digests are compared with what there should be three times a minute. */
const quietSpans = new Map<string, readonly QuietSpan[]>();
const MAX_SCHEDULES = 5_000;
const SPANS_EACH = 4;

/** The first run strictly after the instant. */
export function nextDue(schedule: Schedule, after: Temporal.Instant): DueTime {
  const key = JSON.stringify(schedule);
  const fromNs = after.epochNanoseconds;
  const spans = quietSpans.get(key) ?? [];
  const known = spans.find((span) => span.fromNs <= fromNs && fromNs < span.toNs);
  if (known !== undefined) return known.due;
  const due = seek(schedule, after, 1);
  if (quietSpans.size >= MAX_SCHEDULES) quietSpans.clear();
  quietSpans.set(key, [{ fromNs, toNs: due.at.epochNanoseconds, due }, ...spans].slice(0, SPANS_EACH));
  return due;
}

/** The last run strictly before the instant. */
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

/** The latest run at or before the instant: what is due now, however many were missed. */
export function latestDue(schedule: Schedule, at: Temporal.Instant): DueTime {
  return previousDue(schedule, at.add({ nanoseconds: 1 }));
}

function seek(schedule: Schedule, from: Temporal.Instant, direction: 1 | -1): DueTime {
  // A day earlier than the date at hand, because a run of the day before may have been pushed over midnight by a gap.
  const start = from.toZonedDateTimeISO(schedule.zone).toPlainDate().subtract({ days: direction });
  for (let offset = 0; offset < HORIZON_DAYS; offset += 1) {
    const date = start.add({ days: offset * direction });
    if (!fallsOn(schedule, date)) continue;
    const runs = schedule.kind === 'interval' ? sharedDuesOn(schedule, date) : duesOn(schedule, date);
    const found =
      direction === 1
        ? runs.find(({ at }) => Temporal.Instant.compare(at, from) > 0)
        : runs.findLast(({ at }) => Temporal.Instant.compare(at, from) < 0);
    if (found) return found;
  }
  throw new RangeError('a schedule without runs');
}

function fallsOn(schedule: Schedule, date: Temporal.PlainDate): boolean {
  if (schedule.kind === 'weekly') return schedule.weekdays.some((day) => day === date.dayOfWeek);
  if (schedule.kind === 'monthly') return date.day === Math.min(schedule.day, date.daysInMonth);
  return true;
}

/**
 * A day of quarter hours is 96 conversions, and all such digests of a zone ask for the same days again and again.
 * Bounded by dropping the oldest; what is in it depends on the key alone.
 */
const shared = new Map<string, readonly DueTime[]>();
const SHARED_DAYS = 500;

function sharedDuesOn(schedule: IntervalSchedule, date: Temporal.PlainDate): readonly DueTime[] {
  const name = `${schedule.everyMinutes} ${date} ${schedule.zone}`;
  const known = shared.get(name);
  if (known) return known;
  const dues = duesOn(schedule, date);
  const oldest = shared.keys().next().value;
  if (shared.size >= SHARED_DAYS && oldest !== undefined) shared.delete(oldest);
  shared.set(name, dues);
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

/** The key is the wall time, so it stays the same when the rules of a zone are revised. */
function duesAt(schedule: Schedule, date: Temporal.PlainDate, minute: number): DueTime[] {
  const time = new Temporal.PlainTime(Math.floor(minute / 60), minute % 60);
  const wall = date.toPlainDateTime(time);
  const key = wall.toString({ smallestUnit: 'minute' });
  const [first, second] = occurrences(wall, schedule.zone);
  if (!first) {
    // A time of day is made up for after the gap; a step of an interval is not, the next step is near.
    return schedule.kind === 'interval' ? [] : [{ at: endOfGap(wall, schedule.zone), key }];
  }
  // What runs at least hourly also runs in the repeated hour; for all else one reading of the clock is one run.
  const repeats = schedule.kind === 'interval' && schedule.everyMinutes <= 60;
  return second && repeats
    ? [
        { at: first, key },
        { at: second, key: `${key}/2` },
      ]
    : [{ at: first, key }];
}

/**
 * The moments at which the wall clock of the zone shows this, in order: one, none when clocks go forward over it, two
 * when they go back over it.
 */
function occurrences(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant[] {
  const early = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  // A time that is skipped is moved to another one: then it does not happen.
  if (!early.toPlainDateTime().equals(wall)) return [];
  const late = wall.toZonedDateTime(zone, { disambiguation: 'later' });
  return late.epochMilliseconds === early.epochMilliseconds
    ? [early.toInstant()]
    : [early.toInstant(), late.toInstant()];
}

/** For a wall time that is skipped: the first moment after the gap, which is the moment the clocks were moved. */
function endOfGap(wall: Temporal.PlainDateTime, zone: string): Temporal.Instant {
  const before = wall.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const change = before.getTimeZoneTransition('next');
  return (change ?? wall.toZonedDateTime(zone, { disambiguation: 'later' })).toInstant();
}
