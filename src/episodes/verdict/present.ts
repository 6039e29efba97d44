/** The window and the hours before it in equal steps, counted back from the newest finished interval, with what is expected in each. */
import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { VISITORS } from './rule.ts';
import { attacksOf, ratesOf, resample, type StepGrid, type StepSeries, visitorsOf } from './series.ts';
import {
  forecastAt,
  forgetSilence,
  levelOf,
  meansOf,
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
  const forecast = forecasts(known.attacks, grid, site, 'attacks', asOfMs);
  const expectedVisitors = forecasts(known.visitors, grid, site, 'visitors', asOfMs);
  const expected = forecast.map((due, at) => {
    const visits = expectedVisitors[at] ?? Number.NaN;
    const around = visitorsIn(at + 1 - lookBack(visits, grid.stepMs), at + 1);
    return due * visitorEffect(visitorRatio(around * perHour, visits * perHour));
  });
  const strays = straysOf(known.attacks, expected);
  const knownBeforeMs = attacksBefore.filter((count) => !Number.isNaN(count)).length * grid.stepMs;
  return { grid, windowStart, attacks, visitors, expected, expectedVisitors, strays, knownBeforeMs };
}

/** What to expect in each step, by the past and by the level of the 24 whole hours before it. */
function forecasts(
  rates: Float64Array,
  grid: StepGrid,
  site: Site | null,
  of: 'attacks' | 'visitors',
  asOfMs: number,
): Float64Array {
  const mean = meansOf(rates);
  const past = site?.past;
  const perMsIn = (hourMs: number): number => {
    const earlier = past?.[of].hours[Math.round((hourMs - past.fromMs) / HOUR_MS)];
    if (past !== undefined && earlier !== undefined) return earlier / past.stepMs;
    const from = Math.ceil((hourMs - grid.fromMs) / grid.stepMs);
    return mean(from, Math.floor((hourMs + HOUR_MS - grid.fromMs) / grid.stepMs)) / grid.stepMs;
  };
  let last = { hourMs: Number.NaN, level: Number.NaN, at: Number.NaN, due: Number.NaN };
  return rates.map((_, step) => {
    const middleMs = grid.fromMs + (step + 0.5) * grid.stepMs;
    const hourMs = Math.floor(Math.min(middleMs, asOfMs) / HOUR_MS) * HOUR_MS;
    const isSameHour = hourMs === last.hourMs;
    const level = isSameHour
      ? last.level
      : levelOf(Float64Array.from({ length: 24 }, (_, back) => perMsIn(hourMs - (back + 1) * HOUR_MS)));
    // Minutes in one step of the past share a forecast.
    const at = past === undefined ? 0 : Math.floor((middleMs - past.fromMs) / past.stepMs);
    if (!isSameHour || at !== last.at) last = { hourMs, level, at, due: perMsAt(site, of, at, level) * grid.stepMs };
    return last.due;
  });
}

const perMsAt = (site: Site | null, of: 'attacks' | 'visitors', at: number, level: number): number =>
  site === null
    ? level
    : forecastAt(site.past, site.past[of], at, level * site.past.stepMs, site.lags) / site.past.stepMs;

/** The attacks to expect in an interval of the service that ends at an instant; `null` where there is no reference. */
export function expectedPerInterval(
  { grid, expected }: Pick<Present, 'grid' | 'expected'>,
  intervalMs: number,
): (endMs: number) => number | null {
  return (endMs) => {
    const at = Math.floor((endMs - intervalMs / 2 - grid.fromMs) / grid.stepMs);
    const attacks = expected[Math.min(grid.length - 1, Math.max(0, at))] ?? Number.NaN;
    return Number.isNaN(attacks) ? null : (attacks * intervalMs) / grid.stepMs;
  };
}
