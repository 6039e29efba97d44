/** The ticks of a time axis: round times in the reader's zone, with every change of date. */
import { clock, dayAndMonth, dayInWords, isMidnight, monthName, offsetName, zoned } from '../../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';

export interface TimeTick {
  readonly atMs: number;
  /** The clock or day, and below it the date where it changes (else empty). */
  readonly lines: readonly [string, string];
  /** A new date (or year) begins here. */
  readonly strong: boolean;
}

interface TickStep {
  readonly unit: 'minutes' | 'days' | 'months';
  readonly every: number;
  readonly aboutMs: number;
}

const STEPS: readonly TickStep[] = [
  ...[1, 2, 5, 10, 15, 30].map((every) => step('minutes', every, every * MINUTE_MS)),
  ...[1, 2, 3, 4, 6, 12].map((every) => step('minutes', every * 60, every * HOUR_MS)),
  ...[1, 2, 7, 14].map((every) => step('days', every, every * DAY_MS)),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((every) => step('months', every, every * 30.4 * DAY_MS)),
];

function step(unit: TickStep['unit'], every: number, aboutMs: number): TickStep {
  return { unit, every, aboutMs };
}

/** At most `max` round times of the zone in `[fromMs, toMs]`, with every change of date. */
export function timeTicks(fromMs: number, toMs: number, zone: string, max: number): readonly TimeTick[] {
  const chosen = STEPS.find((candidate) => (toMs - fromMs) / candidate.aboutMs <= max) ?? STEPS[STEPS.length - 1];
  if (chosen === undefined) return [];
  const instants = walk(fromMs, toMs, zone, chosen);
  const isOneDay = zoned(fromMs, zone)
    .toPlainDate()
    .equals(zoned(toMs - 1, zone).toPlainDate());
  return chosen.unit === 'minutes' ? clockTicks(instants, isOneDay) : dateTicks(instants, chosen);
}

function walk(fromMs: number, toMs: number, zone: string, by: TickStep): Temporal.ZonedDateTime[] {
  if (by.unit === 'minutes' && by.every > 60) return wallClockHours(fromMs, toMs, zone, by.every / 60);
  const found: Temporal.ZonedDateTime[] = [];
  // Days and months are calendar steps. Minutes are steps in exact time, because an hour may repeat.
  for (let at = start(zoned(fromMs, zone), by); at.epochMilliseconds <= toMs; at = at.add({ [by.unit]: by.every })) {
    if (at.epochMilliseconds >= fromMs) found.push(at);
  }
  return found;
}

function start(from: Temporal.ZonedDateTime, by: TickStep): Temporal.ZonedDateTime {
  if (by.unit === 'minutes') return from.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const midnight = from.startOfDay();
  if (by.unit === 'days') return by.every % 7 === 0 ? midnight.subtract({ days: midnight.dayOfWeek - 1 }) : midnight;
  const years = Math.max(1, by.every / 12);
  return midnight.with({ day: 1, month: 1, year: midnight.year - (midnight.year % years) }).startOfDay();
}

/** 00:00, 06:00, 12:00 by the clock on the wall, also on days with 23 or 25 hours. */
function wallClockHours(fromMs: number, toMs: number, zone: string, hours: number): Temporal.ZonedDateTime[] {
  const found: Temporal.ZonedDateTime[] = [];
  const first = zoned(fromMs, zone).toPlainDate();
  const days = first.until(zoned(toMs, zone).toPlainDate()).days;
  for (let day = 0; day <= days; day += 1) {
    for (let hour = 0; hour < 24; hour += hours) {
      const wall = first.add({ days: day }).toPlainDateTime({ hour });
      const at = wall.toZonedDateTime(zone);
      const exists = at.toPlainDateTime().equals(wall);
      if (exists && at.epochMilliseconds >= fromMs && at.epochMilliseconds <= toMs) found.push(at);
    }
  }
  return found;
}

/** If the window is within one day, the date is shown elsewhere. */
function clockTicks(instants: readonly Temporal.ZonedDateTime[], isOneDay: boolean): TimeTick[] {
  return instants.map((at, index) => {
    const before = instants[index - 1];
    const newDate = !isOneDay && before !== undefined && !before.toPlainDate().equals(at.toPlainDate());
    // The first label also shows its date, unless the next one does: they would overlap.
    const next = instants[index + 1];
    const opens =
      !isOneDay && before === undefined && (next === undefined || next.toPlainDate().equals(at.toPlainDate()));
    const shifted = before !== undefined && before.offsetNanoseconds !== at.offsetNanoseconds;
    const below = newDate || opens ? dayInWords(at) : shifted ? offsetName(at) : '';
    return { atMs: at.epochMilliseconds, lines: [clock(at), below], strong: newDate || (opens && isMidnight(at)) };
  });
}

function dateTicks(instants: readonly Temporal.ZonedDateTime[], by: TickStep): TimeTick[] {
  return instants.map((at, index) => {
    const before = instants[index - 1];
    const newYear = before !== undefined && before.year !== at.year;
    const top = by.unit === 'months' ? (by.every >= 12 ? String(at.year) : monthName(at)) : dayAndMonth(at);
    const opens = index === 0 && by.unit === 'months';
    const year = (newYear || opens) && top !== String(at.year) ? String(at.year) : '';
    const below = by.unit === 'days' && by.every < 7 && !newYear ? weekday(at) : year;
    return { atMs: at.epochMilliseconds, lines: [top, below], strong: newYear };
  });
}

function weekday(at: Temporal.ZonedDateTime): string {
  return dayInWords(at).slice(0, 3);
}
