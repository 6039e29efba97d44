/** What comes to a site now and then although nobody attacks it: maintenance, scans and crowds. */
import { DAY, WEEK } from '../world.ts';
import type { Archetype } from './archetypes.ts';
import { type Schedule, timesOf } from './calendar.ts';
import type { Category } from './categories.ts';
import { clamp, HISTORY, MINUTE_MS, MINUTES, type Span } from './columns.ts';
import type { Place } from './place.ts';
import type { Random } from './random.ts';

export function drawMaintenance(random: Random, { hasMaintenance }: Archetype, { clock }: Place): Span[] {
  if (hasMaintenance !== true) return [];
  const weekday = random.whole(2, 4);
  const minuteOfDay = random.whole(4, 9) * 60;
  const length = random.whole(25, 75);
  return timesOf(clock, { period: 'weekly', weekday, minuteOfDay }).map((at) => [at, at + length]);
}

export interface Scan {
  readonly times: readonly number[];
  /** Minutes early or late at most. */
  readonly jitter: number;
  readonly length: number;
  /** All its attacks. */
  readonly size: number;
  readonly mix: readonly (readonly [category: string, weight: number])[];
}

interface Move {
  readonly from: number;
  readonly by: number;
}

const SCANNED = ['sqli', 'xss', 'lfi', 'vuln', 'cmdi', 'rfi', 'webshell', 'robot'];

/** `known` are the categories that aren't rare. */
export function drawScans(
  random: Random,
  { scans }: Archetype,
  place: Place,
  known: readonly Category[],
  attacks: number,
): Scan[] {
  const drawn = (period: Schedule['period'], move?: Move): Scan =>
    drawScan(random, place, known, attacks, period, move);
  const list = (scans ?? []).map((period) => drawn(period));
  if (scans === undefined && random.chance(0.3)) list.push(drawn(random.pick(['daily', 'weekly', 'weekly'])));
  if (place.circumstance === 'scan moved') {
    const period = random.pick(['daily', 'daily', 'weekly'] as const);
    const from = random.chance(0.4) ? HISTORY : HISTORY - random.whole(1, 12) * DAY;
    list.push(drawn(period, { from, by: random.pick([-1, 1]) * random.whole(15, 60) }));
  }
  if (place.circumstance === 'monthly scan') list.push(drawn('monthly'));
  return list;
}

function drawScan(
  random: Random,
  { startMs, clock }: Place,
  known: readonly Category[],
  attacks: number,
  period: Schedule['period'],
  move?: Move,
): Scan {
  const length = Math.round(random.logBetween(6, 70));
  const size = Math.max(6, attacks * 60 * random.logBetween(0.4, period === 'every 6 hours' ? 3 : 6));
  const names = random.shuffled(SCANNED.filter((name) => known.some((category) => category.name === name)));
  const scanned = names.length > 0 ? names : known.slice(0, 1).map(({ name }) => name);
  const mix = scanned.slice(0, random.whole(1, 4)).map((name) => [name, random.between(0.2, 1)] as const);
  const minuteOfDay = random.whole(0, 95) * 15;
  const weekday = random.whole(0, 6);
  const isInUtc = random.chance(0.5);
  const jitter = random.chance(0.5) ? random.whole(0, 3) : random.whole(10, 60);
  const timer = isInUtc ? clock.map((_, at) => startMs / MINUTE_MS + at) : clock;
  const due = period === 'monthly' ? drawMonthly(random) : timesOf(timer, { period, weekday, minuteOfDay });
  const times = due.map((at) => (move !== undefined && at >= move.from ? clamp(at + move.by, 0, MINUTES - 1) : at));
  return { times, jitter, length, size, mix };
}

/** Once in the first week, once in the last. */
function drawMonthly(random: Random): number[] {
  const first = random.whole(0, 5 * DAY);
  return [first, first + random.whole(28, 30) * DAY].filter((at) => at > 0 && at < MINUTES - 60);
}

/** Visitors grow until so many times the usual, stay, and go. */
export interface Crowd {
  readonly at: number;
  /** Minutes early or late at most. */
  readonly jitter: number;
  readonly peak: number;
  /** How much the peak differs from one to the next. */
  readonly spread: number;
  readonly rise: number;
  readonly hold: number;
  readonly fall: number;
  /** Goes as an exponential function does. */
  readonly isSlow: boolean;
}

/** That everybody knows before. */
const PLANNED = { jitter: 0, spread: 0, isSlow: false };

export function drawRegularCrowds(random: Random, { hasOnSales, hasMatches }: Archetype, { clock }: Place): Crowd[] {
  const crowds: Crowd[] = [];
  if (hasOnSales === true) {
    const minuteOfDay = random.whole(8, 12) * 60;
    const weekday = random.whole(2, 5);
    const peak = random.between(4, 12);
    for (const at of timesOf(clock, { period: 'weekly', weekday, minuteOfDay })) {
      const length = { rise: 3, hold: random.whole(15, 60), fall: random.whole(30, 90) };
      crowds.push({ ...PLANNED, at, peak, spread: 0.35, ...length });
    }
  }
  if (hasMatches === true) {
    for (const weekday of random.shuffled([0, 2, 3, 6]).slice(0, random.whole(2, 4))) {
      const minuteOfDay = random.whole(17, 20) * 60;
      const peak = random.between(1.6, 3);
      for (const at of timesOf(clock, { period: 'weekly', weekday, minuteOfDay })) {
        crowds.push({ at, jitter: 60, peak, spread: 0.2, rise: 35, hold: 100, fall: 30, isSlow: false });
      }
    }
  }
  return crowds;
}

interface SpecialCrowds {
  readonly crowds: readonly Crowd[];
  /** How far bots follow them at least. */
  readonly botsFollow: number;
  /** For days. */
  readonly areLong: boolean;
}

/** Those of the circumstance. */
export function drawSpecialCrowds(random: Random, circumstance: string): SpecialCrowds {
  switch (circumstance) {
    case 'crowd':
      return drawShortCrowds(random, 7);
    case 'linked post':
      return drawShortCrowds(random, 20);
    case 'sale days': {
      const botsFollow = random.between(0.3, 0.9);
      const hold = random.whole(1, 3) * DAY;
      const at = HISTORY + random.whole(0, 3) * DAY - random.whole(0, 300);
      const crowd = { ...PLANNED, at, peak: random.between(1.5, 2.6), rise: 120, hold, fall: 600 };
      return { crowds: [crowd], botsFollow, areLong: true };
    }
    case 'afterglow': {
      const botsFollow = random.between(0.3, 0.9);
      const at = HISTORY - random.whole(1, 3) * DAY;
      const peak = random.between(2.5, 7);
      const length = { rise: 40, hold: random.whole(120, 900), fall: random.whole(1200, 3600) };
      return { crowds: [{ ...PLANNED, at, peak, ...length, isSlow: true }], botsFollow, areLong: true };
    }
    default:
      return { crowds: [], botsFollow: 0, areLong: false };
  }
}

/** In the watched week, and perhaps one before. */
function drawShortCrowds(random: Random, highest: number): SpecialCrowds {
  const botsFollow = random.between(0.4, 1);
  const crowds = Array.from({ length: random.whole(1, 3) }, (): Crowd => {
    const at = HISTORY + random.whole(4 * 60, WEEK - 600);
    const peak = random.logBetween(1.7, highest);
    const rise = random.pick([5, 15, 60]);
    return { ...PLANNED, at, peak, rise, hold: random.whole(20, 180), fall: random.whole(40, 240) };
  });
  if (random.chance(0.6)) {
    const at = random.whole(2 * DAY, HISTORY - DAY);
    const peak = random.logBetween(1.7, 6);
    crowds.push({ ...PLANNED, at, peak, rise: 15, hold: random.whole(20, 180), fall: 120 });
  }
  return { crowds, botsFollow, areLong: false };
}
