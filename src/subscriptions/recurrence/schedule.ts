/** A subscription's schedule: its stored form, plain JSON with wall-clock times and IANA zones, and its wording. */
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';

/** ISO: Monday is 1, Sunday is 7. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** On the given days of the week, at one or more times of day. */
interface WeeklySchedule {
  readonly kind: 'weekly';
  readonly weekdays: readonly Weekday[];
  /** Minutes since midnight on the wall clock, ascending. */
  readonly minutes: readonly number[];
  readonly zone: string;
}

/** Whenever the wall clock shows a multiple of the interval counted from midnight. */
export interface IntervalSchedule {
  readonly kind: 'interval';
  readonly everyMinutes: number;
  readonly zone: string;
}

/** On one day of each month; shorter months run on their last day, so 31 means the last day of every month. */
interface MonthlySchedule {
  readonly kind: 'monthly';
  readonly day: number;
  readonly minutes: readonly number[];
  readonly zone: string;
}

export type Schedule = WeeklySchedule | IntervalSchedule | MonthlySchedule;

/** Digests run on a schedule, watches at an interval. */
export type Recurrence = { readonly schedule: Schedule } | { readonly everyMs: number };

export const MINUTES_A_DAY = 1_440;
const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;
export const MIN_INTERVAL_MINUTES = 15;
export const EVERY_DAY: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7];
export const WORKING_DAYS: readonly Weekday[] = [1, 2, 3, 4, 5];
export const WEEKEND: readonly Weekday[] = [6, 7];

const isWeekday = (value: number): value is Weekday => Number.isInteger(value) && value >= 1 && value <= 7;

/** The same schedule, sorted and without duplicates. Throws if it's invalid. */
export function normalSchedule(schedule: Schedule): Schedule {
  if (schedule.kind === 'interval') {
    const { everyMinutes } = schedule;
    assert(Number.isInteger(everyMinutes) && everyMinutes >= MIN_INTERVAL_MINUTES && everyMinutes < MINUTES_A_DAY);
    return schedule;
  }
  const minutes = ascending(schedule.minutes);
  assert(minutes.length > 0 && minutes.every((m) => Number.isInteger(m) && m >= 0 && m < MINUTES_A_DAY));
  if (schedule.kind === 'monthly') {
    assert(Number.isInteger(schedule.day) && schedule.day >= 1 && schedule.day <= 31);
    return { ...schedule, minutes };
  }
  const weekdays = ascending(schedule.weekdays);
  assert(weekdays.length > 0 && weekdays.every(isWeekday));
  return { ...schedule, weekdays, minutes };
}

/** Two times of day that are closer together than digests may be; `null` if there are none. */
export function tooCloseTimes(schedule: Schedule): readonly [string, string] | null {
  if (schedule.kind === 'interval') return null;
  const days = schedule.kind === 'weekly' ? schedule.weekdays : [1];
  const dueMinutes = days.flatMap((day) => schedule.minutes.map((minute) => (day - 1) * MINUTES_A_DAY + minute));
  // Weeks wrap around; a monthly schedule never runs on consecutive days.
  const following = [...dueMinutes.slice(1), ...(schedule.kind === 'weekly' ? dueMinutes.slice(0, 1) : [])];
  const at = following.findIndex((minute, index) => {
    const gap = (minute - (dueMinutes[index] ?? 0) + MINUTES_A_WEEK) % MINUTES_A_WEEK;
    return gap > 0 && gap < MIN_INTERVAL_MINUTES;
  });
  return at < 0 ? null : [wallClock(dueMinutes[at] ?? 0), wallClock(following[at] ?? 0)];
}

function ascending<N extends number>(values: readonly N[]): N[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function assert(holds: boolean): asserts holds {
  if (!holds) throw new BotError('internal', 'A stored schedule is invalid.');
}

const DAY_NAMES = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
const LAST_DAY = 31;

/** For example `weekdays at 08:30 in Europe/Berlin`; `parseSchedule` reads the words back as the same schedule. */
export function describeSchedule(schedule: Schedule): string {
  return `${describeTimes(schedule)} in ${schedule.zone}`;
}

/** As the fields of a form: `weekdays` and `08:30`. Together they read as the same schedule. */
export function scheduleInParts(schedule: Schedule): { readonly rhythm: string; readonly time: string } {
  switch (schedule.kind) {
    case 'interval':
      return { rhythm: schedule.everyMinutes === 60 ? 'hourly' : describeTimes(schedule), time: '' };
    case 'monthly':
      return {
        rhythm: `monthly on the ${describeDay(schedule.day)} at`,
        time: describeMinutes(schedule.minutes),
      };
    case 'weekly': {
      const days = describeWeekdays(schedule.weekdays).toLowerCase();
      return { rhythm: days === 'daily' ? 'daily at' : days, time: describeMinutes(schedule.minutes) };
    }
  }
}

function describeTimes(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'interval':
      return `every ${duration(schedule.everyMinutes * 60_000, { units: ['hour', 'minute'], bareOne: true })}`;
    case 'monthly':
      return `monthly on the ${describeDay(schedule.day)} at ${describeMinutes(schedule.minutes)}`;
    case 'weekly':
      return `${describeWeekdays(schedule.weekdays)} at ${describeMinutes(schedule.minutes)}`;
  }
}

function describeDay(day: number): string {
  if (day === LAST_DAY) return 'last day';
  const teen = day % 100 >= 11 && day % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}

export function describeWeekdays(weekdays: readonly number[]): string {
  const is = (days: readonly number[]) => days.length === weekdays.length && days.every((d) => weekdays.includes(d));
  if (weekdays.length === 7) return 'daily';
  if (is(WORKING_DAYS)) return 'weekdays';
  if (is(WEEKEND)) return 'weekends';
  return joined(weekdays.map((day) => DAY_NAMES[day - 1] ?? ''));
}

function describeMinutes(minutes: readonly number[]): string {
  return joined(minutes.map(wallClock));
}

export function wallClock(minute: number): string {
  const within = minute % MINUTES_A_DAY;
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(within / 60))}:${two(within % 60)}`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
