/** What a schedule is, as it is stored. Plain JSON: times as the wall clock shows them, the zone by its IANA name. */
import { BotError } from '../../errors.ts';

/** ISO: Monday is 1, Sunday is 7. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

/** On the given days of the week, at one or more times of day. All seven days make it daily. */
export interface WeeklySchedule {
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

/** On one day of each month; a month that is too short runs on its last day, so 31 means the last of every month. */
export interface MonthlySchedule {
  readonly kind: 'monthly';
  readonly day: number;
  readonly minutes: readonly number[];
  readonly zone: string;
}

export type Schedule = WeeklySchedule | IntervalSchedule | MonthlySchedule;

export const MINUTES_A_DAY = 1_440;
export const SHORTEST_INTERVAL_MINUTES = 15;
export const EVERY_DAY: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7];
export const WORKING_DAYS: readonly Weekday[] = [1, 2, 3, 4, 5];
export const WEEKEND: readonly Weekday[] = [6, 7];

export const isWeekday = (value: number): value is Weekday => Number.isInteger(value) && value >= 1 && value <= 7;

/** The same schedule in its one written form: sorted, without repeats. Refuses what no schedule can be. */
export function normalSchedule(schedule: Schedule): Schedule {
  if (schedule.kind === 'interval') {
    const { everyMinutes } = schedule;
    assert(Number.isInteger(everyMinutes) && everyMinutes >= SHORTEST_INTERVAL_MINUTES && everyMinutes < MINUTES_A_DAY);
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

function ascending<N extends number>(values: readonly N[]): N[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function assert(holds: boolean): asserts holds {
  if (!holds) throw new BotError('internal', 'A stored schedule makes no sense.');
}
