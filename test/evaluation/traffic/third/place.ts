/** Where a site is, when its five weeks begin, and how its visitors come and go. */
import { DAY, WEEK } from '../world.ts';
import type { Archetype } from './archetypes.ts';
import { clockIn, dayOf, offsetAt, weekdayOf } from './calendar.ts';
import { clamp, DAY_MS, HISTORY, MINUTE_MS, MINUTES, sumOf } from './columns.ts';
import { HOURS } from './hours.ts';
import type { Random } from './random.ts';

export interface Place {
  readonly zone: string;
  readonly startMs: number;
  /** What the local clock shows at each minute, as minutes since 1970. */
  readonly clock: Float64Array;
  readonly circumstance: string;
}

/** Since 1970: the days from 2024 to the end of 2026. */
const STARTS = [19_723, 20_800] as const;
const MOST_TRIES = 400;

export function drawPlace(random: Random, { zones }: Archetype, wanted: string): Place {
  for (let tries = 1; ; tries++) {
    const zone = random.pick(zones);
    const day = random.whole(...STARTS);
    const monday = day - ((day + 3) % 7);
    const startMs = (random.chance(0.5) ? monday : day) * DAY_MS;
    const isChanged = hasClockChange(zone, startMs);
    if (wanted === 'dst' && !isChanged && tries < MOST_TRIES) continue;
    if (wanted === 'month end' && !isMonthEnd(startMs)) continue;
    // Some zones have no daylight saving.
    const circumstance = wanted === 'dst' && !isChanged ? 'ordinary' : wanted;
    return { zone, startMs, clock: clockIn(zone, startMs), circumstance };
  }
}

/** In the watched week or shortly before. */
function hasClockChange(zone: string, startMs: number): boolean {
  const offsetOn = (minute: number): number => offsetAt(zone, startMs + minute * MINUTE_MS);
  return offsetOn(HISTORY - 2 * DAY) !== offsetOn(HISTORY + 5 * DAY);
}

function isMonthEnd(startMs: number): boolean {
  const date = new Date(startMs + (HISTORY + 3 * DAY) * MINUTE_MS).getUTCDate();
  return date >= 26 || date === 1;
}

interface Day {
  isFree: boolean;
  /** So many times the visitors. */
  factor: number;
  isRamadan: boolean;
}

interface Days {
  /** Since 1970. */
  readonly first: number;
  readonly list: readonly Day[];
}

/** Workdays, weekends and holidays, by the local calendar. */
export function drawDays(random: Random, archetype: Archetype, { clock, circumstance }: Place): Days {
  const first = dayOf(clock[0] ?? 0);
  const count = dayOf(clock[MINUTES - 1] ?? 0) - first + 2;
  const weekend = archetype.weekendDays ?? [0, 6];
  const list = Array.from({ length: count }, (_, at): Day => {
    return { isFree: weekend.includes(weekdayOf(first + at)), factor: 1, isRamadan: false };
  });
  const days = { first, list };
  const watched = dayOf(clock[HISTORY] ?? 0) - first;
  if (circumstance === 'holiday') addHolidays(random, days, watched);
  else if (random.chance(0.15)) setFree(days, random.whole(2, watched - 1), 1, random.between(0.5, 1));
  if (circumstance === 'school holiday') addSchoolHoliday(random, days, watched);
  if (circumstance === 'makeup day') addMakeupDays(random, days, watched);
  if (circumstance === 'ramadan') addRamadan(days, watched - random.whole(2, 20));
  if (archetype.hasMonthEnd === true) addMonthEnds(days);
  return days;
}

function setFree({ list }: Days, from: number, count: number, factor: number): void {
  for (const day of list.slice(Math.max(0, from), Math.max(0, from + count))) {
    day.isFree = true;
    day.factor = factor;
  }
}

function addHolidays(random: Random, days: Days, watched: number): void {
  const from = watched + random.whole(0, 5);
  const count = random.whole(1, 3);
  const factor = random.between(0.45, 1);
  setFree(days, from, count, factor);
  if (random.chance(0.5)) setFree(days, watched - random.whole(3, 25), 1, factor);
}

/** It begins or ends around the watched week. */
function addSchoolHoliday(random: Random, days: Days, watched: number): void {
  const factor = random.between(0.25, 0.6);
  if (random.chance(0.5)) {
    const count = random.whole(7, 18);
    setFree(days, watched + random.whole(-4, 2) - count, count, factor);
  } else {
    setFree(days, watched + random.whole(-2, 3), days.list.length, factor);
  }
}

/** A holiday before or after a weekend on which people work in exchange. */
function addMakeupDays(random: Random, days: Days, watched: number): void {
  days.list.slice(watched, watched + 7).forEach((day, at) => {
    const isWeekend = [0, 6].includes(weekdayOf(days.first + watched + at));
    if (isWeekend && random.chance(0.8)) day.isFree = false;
  });
  const factor = random.between(0.7, 1);
  const from = watched + random.whole(1, 3);
  for (let at = 0; at < random.whole(1, 3); at++) setFree(days, from + at, 1, factor);
}

function addRamadan({ list }: Days, from: number): void {
  for (const day of list.slice(from)) {
    day.isRamadan = true;
    if (day.isFree) day.factor = 0.7;
  }
}

/** And the days on which wages are paid. */
function addMonthEnds({ first, list }: Days): void {
  list.forEach((day, at) => {
    const date = new Date((first + at) * DAY_MS).getUTCDate();
    if (date >= 28 || date <= 2) day.factor *= 1.55;
    else if (date === 25 || date === 15) day.factor *= 1.35;
  });
}

export interface Growth {
  /** A week, of visitors and in part of bots. */
  readonly visitors: number;
  /** A week, of both. */
  readonly all: number;
}

export const growthAt = (perWeek: number, minute: number): number => Math.exp((perWeek * (minute - HISTORY)) / WEEK);

/** Visitors by minute, as multiples of their mean. */
export function drawVisitors(
  random: Random,
  archetype: Archetype,
  { zone, clock, circumstance }: Place,
  { first, list }: Days,
): { growth: Growth; visitors: Float64Array } {
  const { workdayInMadrid } = archetype;
  const workday =
    HOURS[workdayInMadrid !== undefined && zone === 'Europe/Madrid' ? workdayInMadrid : archetype.workday];
  const weekend = HOURS[archetype.weekend];
  const mean = (5 * sumOf(workday) + 2 * sumOf(weekend)) / 168;
  const ramadanFactor = sumOf(workday) / sumOf(HOURS.ramadan);
  const inHour = (hour: number): number => {
    const day = list[clamp(dayOf(hour * 60) - first, 0, list.length - 1)];
    const hours = day?.isRamadan ? HOURS.ramadan : day?.isFree ? weekend : workday;
    return ((hours[hour % 24] ?? 0) * (day?.factor ?? 1) * (day?.isRamadan ? ramadanFactor : 1)) / mean;
  };
  const shift = random.between(-0.75, 0.75);
  const growth = {
    visitors: archetype.growth === undefined ? 0 : random.between(...archetype.growth),
    all: circumstance === 'trend' ? random.pick([-1, 1]) * random.between(0.07, 0.22) : 0,
  };
  const spikeAt = archetype.hasHourSpikes === true ? drawHourSpikes(random) : () => 1;
  const visitors = Float64Array.from(clock, (minute, at) => {
    const time = minute / 60 - shift - 0.5;
    const hour = Math.floor(time);
    const part = time - hour;
    const due = inHour(hour) * (1 - part) + inHour(hour + 1) * part;
    return due * growthAt(growth.visitors + growth.all, at) * spikeAt(minute % 60);
  });
  return { growth, visitors };
}

/** Devices that all call at the same minutes of the hour; the mean stays as it is. */
function drawHourSpikes(random: Random): (minuteOfHour: number) => number {
  const height = random.between(3, 10);
  const width = random.whole(1, 3);
  const starts = random.pick([[0], [0, 30], [0, 15, 30, 45]]);
  const mean = 1 + ((height - 1) * width * starts.length) / 60;
  return (minute) => (starts.some((start) => minute >= start && minute < start + width) ? height : 1) / mean;
}
