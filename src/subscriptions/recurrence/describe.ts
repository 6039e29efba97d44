/** Says a schedule in words that `parseSchedule` reads back as the same schedule. */
import { MINUTES_A_DAY, type Schedule, WEEKEND, WORKING_DAYS } from './schedule.ts';

const DAY_NAMES = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];
const LAST_DAY = 31;

/** For example `weekdays at 08:30 in Europe/Berlin`. */
export function describeSchedule(schedule: Schedule): string {
  return `${describeTiming(schedule)} in ${schedule.zone}`;
}

/** The same without the zone, for where the zone is shown already. */
export function describeTiming(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'interval':
      return describeInterval(schedule.everyMinutes);
    case 'monthly':
      return `monthly on the ${describeDay(schedule.day)} at ${describeTimes(schedule.minutes)}`;
    case 'weekly':
      return `${describeWeekdays(schedule.weekdays)} at ${describeTimes(schedule.minutes)}`;
  }
}

function describeInterval(everyMinutes: number): string {
  if (everyMinutes === 60) return 'every hour';
  return everyMinutes % 60 === 0 ? `every ${everyMinutes / 60} hours` : `every ${everyMinutes} minutes`;
}

function describeDay(day: number): string {
  if (day === LAST_DAY) return 'last day';
  const teen = day % 100 >= 11 && day % 100 <= 13;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}

function describeWeekdays(weekdays: readonly number[]): string {
  const is = (days: readonly number[]) => days.length === weekdays.length && days.every((d) => weekdays.includes(d));
  if (weekdays.length === 7) return 'daily';
  if (is(WORKING_DAYS)) return 'weekdays';
  if (is(WEEKEND)) return 'weekends';
  return joined(weekdays.map((day) => DAY_NAMES[day - 1] ?? ''));
}

function describeTimes(minutes: readonly number[]): string {
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
