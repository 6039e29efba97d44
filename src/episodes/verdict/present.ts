/** The window and the hours before it in equal steps, counted back from the newest finished interval, with what is expected in each. */
import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { VISITORS } from './rule.ts';
import {
  attacksOf,
  finishedPoints,
  forgetBeforeTraffic,
  knownShare,
  type PointValue,
  ratesIn,
  type StepGrid,
  visitorsOf,
  type WindowGrid,
} from './series.ts';
import { type DayLevel, forecastAt, levelOf, meansOf, runningSums, type Site, type Sums } from './site.ts';

/**
 * Times in which the level that what is expected goes by stays as it was at their beginning, the earliest first. Afterwards it
 * goes by the hours before and after them, unless what began then has become usual.
 */
export type HeldTimes = readonly { readonly fromMs: number; readonly toMs: number; readonly isUsual: boolean }[];

/** What a present is read from: another one of the same site, for instance. */
interface PresentSource extends WindowGrid {
  /** The window and the hours before it. */
  readonly recent: Timeline;
  readonly site: Site;
  readonly held: HeldTimes;
}

export interface Present extends PresentSource {
  /** The end of the last step. */
  readonly untilMs: number;
  /** Attacks to expect in each step; `NaN` where there is nothing to go by. */
  readonly expected: Float64Array;
  readonly sums: Sums;
  /** By the last day or the weeks, whichever had more: visitors who are merely back aren't more than usual. */
  readonly visitorSums: Sums;
  readonly least: Readonly<Record<'attacks' | 'visitors', Least>>;
  /** How much of the window is known, from 0 to 1. */
  readonly known: number;
  /** How much of the time before the window is known. */
  readonly knownBeforeMs: number;
}

/** What is ordinary already: no more than the weeks had, however many the last day or many visitors let expect. */
interface Least {
  readonly expected: Float64Array;
  /** What must be gone for a drop: without an earlier day to compare with, no more than came in the hour before. */
  readonly fallenFrom: Float64Array;
  readonly sums: Sums;
}

/** How many times as many attacks are usual because an hour has more visitors than expected. Fewer never lower it. */
function visitorEffect(seen: number, expected: number): number {
  const ratio = (seen + VISITORS.fewAnHour) / (expected + VISITORS.fewAnHour);
  return ratio > VISITORS.matterFrom ? Math.min(ratio, VISITORS.max) : 1;
}

export function readPresent(source: PresentSource): Present {
  const { recent, grid, windowStart } = source;
  const attacks = ratesIn([recent], grid, attacksOf);
  const visitors = ratesIn([recent], grid, visitorsOf);
  const attacksBefore = attacks.subarray(0, windowStart);
  forgetBeforeTraffic(attacksBefore, visitors.subarray(0, windowStart));
  const visitorsIn = meansOf(visitors);
  const perHour = Math.max(1, Math.round(HOUR_MS / grid.stepMs));
  const compared = Math.max(1, Math.round(VISITORS.comparedMs / grid.stepMs));
  const ofAttacks = forecasts(attacks, 'attacks', source);
  const ofVisitors = forecasts(visitors, 'visitors', source);
  const expected = Float64Array.from(ofAttacks, ({ byLevel, byWeeks }, at) => {
    // Only what came before: what is expected of a time never changes afterwards.
    const seen = visitorsIn(at + 1 - compared, at + 1) * perHour;
    const times = (visits = Number.NaN): number => visitorEffect(seen, visits * perHour);
    // Visitors who are back after a quiet day bring no more attacks than they did in the weeks.
    const atMost = Math.max(byLevel, byWeeks) * times(ofVisitors[at]?.byWeeks);
    return Math.min(byLevel * times(ofVisitors[at]?.byLevel), atMost);
  });
  const mostVisitors = Float64Array.from(ofVisitors, ({ byLevel, byWeeks }) => Math.max(byLevel, byWeeks));
  return {
    ...source,
    untilMs: grid.fromMs + grid.length * grid.stepMs,
    expected,
    sums: runningSums(attacks, expected),
    visitorSums: runningSums(visitors, mostVisitors),
    least: { attacks: leastOf(attacks, ofAttacks), visitors: leastOf(visitors, ofVisitors) },
    known: knownShare(attacks.subarray(windowStart)),
    knownBeforeMs: knownShare(attacksBefore) * windowStart * grid.stepMs,
  };
}

/** What to expect in a step: by the past and the level of the 24 whole hours before it, and by the past alone, if there is one. */
type Forecast = Readonly<Record<'byLevel' | 'byWeeks' | 'fallenFrom', number>>;

function forecasts(rates: Float64Array, of: 'attacks' | 'visitors', { grid, site, held }: PresentSource): Forecast[] {
  const mean = meansOf(rates);
  const scale = grid.stepMs / site.stepMs;
  const rateIn = (hourMs: number): number => {
    const from = Math.ceil((hourMs - grid.fromMs) / grid.stepMs);
    const to = Math.floor((hourMs + HOUR_MS - grid.fromMs) / grid.stepMs);
    return site[of].hours[Math.round((hourMs - site.fromMs) / HOUR_MS)] ?? mean(from, to) / scale;
  };
  const stepOf = (ms: number): number => Math.floor((ms - site.fromMs) / site.stepMs);
  const levelMs = (ms: number): number =>
    held.reduceRight((at, { fromMs, toMs }) => (at > fromMs && at < toMs ? fromMs : at), ms);
  let last: (Forecast & { readonly hourMs: number; readonly level: DayLevel; readonly at: number }) | undefined;
  return Array.from(rates, (_, step): Forecast => {
    const middleMs = grid.fromMs + (step + 0.5) * grid.stepMs;
    const hourMs = Math.floor(levelMs(middleMs) / HOUR_MS) * HOUR_MS;
    const sameHour = last?.hourMs === hourMs ? last : undefined;
    // Minutes in one step of the past share a forecast.
    const at = stepOf(middleMs);
    if (sameHour?.at === at) return sameHour;
    const rateAgo = (ago: number): number => rateIn(hourMs - ago * HOUR_MS);
    const level = sameHour?.level ?? levelOf(site[of], rateAgo, hoursOfLevel(hourMs, held));
    const lags = site.lagsAt(middleMs);
    const by = (each: DayLevel | null) => scale * forecastAt(site[of], at, each, lags, stepOf(hourMs));
    const [byLevel, byWeeks] = [by(level), by(null)];
    const fallenFrom = Number.isNaN(byWeeks) ? scale * rateIn(hourMs - HOUR_MS) : byWeeks;
    last = { hourMs, level, at, byLevel, byWeeks: Number.isNaN(byWeeks) ? byLevel : byWeeks, fallenFrom };
    return last;
  });
}

/** How long ago the last 24 hours began in which nothing long changed the level. */
function hoursOfLevel(ms: number, held: HeldTimes): number[] {
  const over = held.filter(({ toMs, isUsual }) => toMs <= ms && !isUsual);
  const hoursAgo: number[] = [];
  for (let ago = 1; hoursAgo.length < 24; ago++) {
    const fromMs = ms - ago * HOUR_MS;
    if (!over.some((time) => time.fromMs < fromMs + HOUR_MS && time.toMs > fromMs)) hoursAgo.push(ago);
  }
  return hoursAgo;
}

function leastOf(rates: Float64Array, forecast: readonly Forecast[]): Least {
  const expected = Float64Array.from(forecast, ({ byLevel, byWeeks }) => Math.min(byLevel, byWeeks));
  const fallenFrom = Float64Array.from(forecast, (each) => Math.min(each.byLevel, each.fallenFrom));
  return { expected, fallenFrom, sums: runningSums(rates, expected) };
}

/** The attacks to expect in an interval of the service that ends at an instant; `null` where there is no reference. */
export function expectedPerInterval({ fromMs, stepMs, length }: StepGrid, expected: Float64Array, intervalMs: number) {
  return (endMs: number): number | null => {
    const at = Math.floor((endMs - intervalMs / 2 - fromMs) / stepMs);
    const events = expected[Math.min(length - 1, Math.max(0, at))] ?? Number.NaN;
    return Number.isNaN(events) ? null : (events * intervalMs) / stepMs;
  };
}

export type ExpectedPoint = ReturnType<typeof expectedPoints>[number];

/** The intervals of the service that have a number, with what was to be expected in each. */
export function expectedPoints({ recent, grid }: Present, pick: PointValue, expected: Float64Array) {
  const { intervalMs } = recent;
  const usualIn = expectedPerInterval(grid, expected, intervalMs);
  return finishedPoints(recent).flatMap((point) => {
    const { endMs } = point;
    const [count, usual] = [pick(point), usualIn(endMs)];
    return count === null || usual === null ? [] : [{ startMs: endMs - intervalMs, endMs, count, usual }];
  });
}
