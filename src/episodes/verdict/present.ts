/** The window and the hours before it in equal steps, counted back from the newest finished interval, with what is expected in each. */
import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { VISITORS } from './rule.ts';
import { attacksOf, ratesOf, resample, type StepGrid, type StepSeries, visitorsOf } from './series.ts';
import {
  forecastAt,
  forgetSilence,
  type Lags,
  levelOf,
  meansOf,
  type Past,
  type PastSeries,
  type Site,
  type Strays,
  straysOf,
  visitorEffect,
  visitorRatio,
} from './site.ts';

export interface Present {
  readonly grid: StepGrid;
  /** The first step of the window. */
  readonly windowStart: number;
  readonly attacks: StepSeries;
  readonly visitors: StepSeries;
  /** To expect in a full step; `NaN` where there is nothing to go by. */
  readonly expected: Float64Array;
  readonly expectedVisitors: Float64Array;
  readonly strays: Strays;
  /** How much of the time before the window is known. */
  readonly knownBeforeMs: number;
}

/** In steps, and only what came before: what is expected of a time never changes afterwards. */
function lookBack(perStep: number, stepMs: number): number {
  const steps = VISITORS.comparedMs.map((ms) => Math.max(1, Math.round(ms / stepMs)));
  return steps.find((length) => length * perStep >= VISITORS.enough) ?? steps.at(-1) ?? 1;
}

/** After `asOfMs` the level that what is expected goes by stays as it was then. */
export function readPresent(
  recent: Timeline,
  grid: StepGrid,
  windowStart: number,
  site: Site | null,
  asOfMs = Number.POSITIVE_INFINITY,
): Present {
  const attacks = resample([recent], grid, attacksOf);
  const visitors = resample([recent], grid, visitorsOf);
  const known = { attacks: ratesOf(attacks), visitors: ratesOf(visitors) };
  const attacksBefore = known.attacks.subarray(0, windowStart);
  forgetSilence(attacksBefore, known.visitors.subarray(0, windowStart));
  const visitorsIn = meansOf(known.visitors);
  const perHour = Math.max(1, Math.round(HOUR_MS / grid.stepMs));
  const past = site?.past ?? null;
  const lags = site?.lags ?? { weeks: [], days: [] };
  const attackLevels = levelsNow(known.attacks, grid, past, past?.attacks ?? null);
  const visitorLevels = levelsNow(known.visitors, grid, past, past?.visitors ?? null);
  const attacksAt = createForecasts(past, past?.attacks ?? null, lags, grid.stepMs);
  const visitsAt = createForecasts(past, past?.visitors ?? null, lags, grid.stepMs);
  const expected = new Float64Array(grid.length);
  const expectedVisitors = new Float64Array(grid.length);
  for (let at = 0; at < grid.length; at++) {
    const middleMs = grid.fromMs + (at + 0.5) * grid.stepMs;
    const forecast = attacksAt(middleMs, attackLevels(Math.min(middleMs, asOfMs)));
    const visits = visitsAt(middleMs, visitorLevels(Math.min(middleMs, asOfMs)));
    const around = visitorsIn(at + 1 - lookBack(visits, grid.stepMs), at + 1);
    const ratio = visitorRatio(around * perHour, visits * perHour);
    expected[at] = forecast * visitorEffect(ratio);
    expectedVisitors[at] = visits;
  }
  const strays = straysOf(known.attacks, expected);
  const knownBeforeMs = attacksBefore.filter((count) => !Number.isNaN(count)).length * grid.stepMs;
  return {
    grid,
    windowStart,
    attacks,
    visitors,
    expected,
    expectedVisitors,
    strays,
    knownBeforeMs,
  };
}

/** The level of the 24 hours before an instant, by whole hours: from the past as far as it reaches, then from now. */
function levelsNow(
  rates: Float64Array,
  grid: StepGrid,
  past: Past | null,
  series: PastSeries | null,
): (ms: number) => number {
  const mean = meansOf(rates);
  const pastEndMs = past === null ? Number.NEGATIVE_INFINITY : past.fromMs + (series?.hours.length ?? 0) * HOUR_MS;
  const rateIn = remembered((hourMs) => {
    if (past !== null && series !== null && hourMs < pastEndMs) {
      return (series.hours[Math.round((hourMs - past.fromMs) / HOUR_MS)] ?? Number.NaN) / past.stepMs;
    }
    const from = Math.ceil((hourMs - grid.fromMs) / grid.stepMs);
    const to = Math.floor((hourMs + HOUR_MS - grid.fromMs) / grid.stepMs);
    return mean(from, to) / grid.stepMs;
  });
  const levelAt = remembered((hourMs) => {
    const hours = new Float64Array(24);
    for (let back = 0; back < 24; back++) hours[back] = rateIn(hourMs - (back + 1) * HOUR_MS);
    return levelOf(hours);
  });
  return (ms) => levelAt(Math.floor(ms / HOUR_MS) * HOUR_MS);
}

function remembered(compute: (ms: number) => number): (ms: number) => number {
  const known = new Map<number, number>();
  return (ms) => {
    const found = known.get(ms) ?? compute(ms);
    known.set(ms, found);
    return found;
  };
}

/** In steps of the present; `level` is events per millisecond. Minutes in one step of the past share a forecast. */
function createForecasts(past: Past | null, series: PastSeries | null, lags: Lags, stepMs: number) {
  let last = { at: Number.NaN, level: Number.NaN, found: Number.NaN };
  return (ms: number, level: number): number => {
    if (past === null || series === null) return level * stepMs;
    const at = Math.floor((ms - past.fromMs) / past.stepMs);
    if (last.at !== at || !Object.is(last.level, level)) {
      const found = (forecastAt(past, series, at, level * past.stepMs, lags) * stepMs) / past.stepMs;
      last = { at, level, found };
    }
    return last.found;
  };
}

/** The attacks to expect in an interval of the service that ends at an instant; `null` where there is no reference. */
export function expectedPerInterval({ grid, expected }: Present, intervalMs: number): (endMs: number) => number | null {
  return (endMs) => {
    const at = Math.floor((endMs - intervalMs / 2 - grid.fromMs) / grid.stepMs);
    const attacks = expected[Math.min(grid.length - 1, Math.max(0, at))] ?? Number.NaN;
    return Number.isNaN(attacks) ? null : (attacks * intervalMs) / grid.stepMs;
  };
}
