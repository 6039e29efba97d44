/**
 * A site's past in equal steps, attacks and visitors, and what to expect at a moment by it. `NaN` is unknown, not zero.
 */

import type { Timeline } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import { finishedPoints } from './series.ts';

const STEP_MS = 10 * 60_000;

export interface Past {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly length: number;
  /** How many of the steps are known. */
  readonly knownSteps: number;
  readonly attacks: PastSeries;
  readonly visitors: PastSeries;
}

export interface PastSeries {
  readonly counts: Float64Array;
  /** The mean of about an hour around each step. */
  readonly smooth: Float64Array;
  /** Events per step in each whole hour. */
  readonly hours: Float64Array;
  /** The level of the 24 hours before each whole hour, without its highest and lowest hours; one more than hours. */
  readonly levels: Float64Array;
}

/** A step with a smaller known share is unknown. */
const MIN_KNOWN = 0.5;
/** Steps on each side that a smooth value takes in. */
const AROUND = 3;
/** Of the 24 hours of a level, so many at each end are left out: an attack or an outage must not move it. */
const LEFT_OUT = 4;
/** A silence in which so many requests would have come is an outage, or a time before the site existed. */
const NEVER_SILENT = 20;

/**
 * Steps are as long as the longest interval of the service; hours are whole hours of the clock in UTC. Stops between parts
 * of the work that take a few milliseconds.
 */
export function* readPast(history: readonly Timeline[]): Generator<void, Past | null> {
  const timelines = history.filter(({ points }) => points.length > 0);
  if (timelines.length === 0) return null;
  const stepMs = Math.max(STEP_MS, ...timelines.map(({ intervalMs }) => intervalMs));
  const fromMs = Math.floor(Math.min(...timelines.map((each) => each.fromMs)) / HOUR_MS) * HOUR_MS;
  const toMs = Math.max(...timelines.map((each) => each.toMs));
  const length = Math.max(0, Math.floor((toMs - fromMs) / stepMs));
  const attacks = new Float64Array(length);
  const requests = new Float64Array(length);
  const known = new Float64Array(length);
  for (const timeline of timelines) {
    for (const { endMs, attacks: count, requests: asked } of finishedPoints(timeline)) {
      if (count === null) continue;
      const startMs = endMs - timeline.intervalMs;
      const last = Math.min(length - 1, Math.floor((endMs - 1 - fromMs) / stepMs));
      for (let at = Math.floor((startMs - fromMs) / stepMs); at <= last; at++) {
        const stepFromMs = fromMs + at * stepMs;
        const overlapMs = Math.min(endMs, stepFromMs + stepMs) - Math.max(startMs, stepFromMs);
        const part = overlapMs / timeline.intervalMs;
        attacks[at] = (attacks[at] ?? 0) + count * part;
        requests[at] = (requests[at] ?? 0) + (asked ?? Number.NaN) * part;
        known[at] = (known[at] ?? 0) + overlapMs / stepMs;
      }
    }
    yield;
  }
  for (let at = 0; at < length; at++) {
    const share = known[at] ?? 0;
    attacks[at] = share < MIN_KNOWN ? Number.NaN : (attacks[at] ?? 0) / share;
    requests[at] = share < MIN_KNOWN ? Number.NaN : (requests[at] ?? 0) / share;
  }
  forgetSilence(attacks, requests);
  const visitors = requests.map((count, at) => Math.max(0, count - (attacks[at] ?? Number.NaN)));
  const knownSteps = attacks.reduce((sum, count) => (Number.isNaN(count) ? sum : sum + 1), 0);
  const described = { attacks: describe(attacks, stepMs), visitors: describe(visitors, stepMs) };
  yield;
  return { fromMs, stepMs, length, knownSteps, ...described };
}

/** Makes silences unknown in which there must have been requests, and all that lies before the first traffic. */
export function forgetSilence(attacks: Float64Array, requests: Float64Array): void {
  let sum = 0;
  let steps = 0;
  for (const count of requests) {
    if (!(count > 0)) continue;
    sum += count;
    steps += 1;
  }
  const usual = steps === 0 ? 0 : sum / steps;
  let from = 0;
  let seen = false;
  for (let at = 0; at <= attacks.length; at++) {
    const silent = at < attacks.length && !((attacks[at] ?? 0) > 0 || (requests[at] ?? 0) > 0);
    if (silent) continue;
    if (!seen || (at - from) * usual >= NEVER_SILENT) {
      attacks.fill(Number.NaN, from, at);
      requests.fill(Number.NaN, from, at);
    }
    seen = true;
    from = at + 1;
  }
}

function describe(counts: Float64Array, stepMs: number): PastSeries {
  const hours = hourly(counts, Math.max(1, Math.round(HOUR_MS / stepMs)));
  const levels = new Float64Array(hours.length + 1);
  for (let hour = 0; hour <= hours.length; hour++) levels[hour] = levelOf(hours.subarray(Math.max(0, hour - 24), hour));
  return { counts, smooth: smoothed(counts), hours, levels };
}

function smoothed(counts: Float64Array): Float64Array {
  const smooth = new Float64Array(counts.length);
  let sum = 0;
  let known = 0;
  for (let ahead = 0; ahead < counts.length + AROUND; ahead++) {
    const next = counts[ahead] ?? Number.NaN;
    if (!Number.isNaN(next)) {
      sum += next;
      known += 1;
    }
    const gone = counts[ahead - 2 * AROUND - 1] ?? Number.NaN;
    if (!Number.isNaN(gone)) {
      sum -= gone;
      known -= 1;
    }
    if (ahead >= AROUND) smooth[ahead - AROUND] = known > AROUND ? Math.max(0, sum / known) : Number.NaN;
  }
  return smooth;
}

function hourly(counts: Float64Array, perHour: number): Float64Array {
  const rates = new Float64Array(Math.floor(counts.length / perHour));
  for (let hour = 0; hour < rates.length; hour++) {
    let sum = 0;
    let known = 0;
    for (let at = hour * perHour; at < (hour + 1) * perHour; at++) {
      const count = counts[at] ?? Number.NaN;
      if (Number.isNaN(count)) continue;
      sum += count;
      known += 1;
    }
    rates[hour] = known * 2 < perHour ? Number.NaN : sum / known;
  }
  return rates;
}

/** The mean of a day's hours without the extreme ones; `NaN` with fewer than two. */
export function levelOf(hours: Float64Array): number {
  const day = hours.filter((rate) => !Number.isNaN(rate)).sort();
  const cut = Math.min(LEFT_OUT, Math.floor(day.length / 6));
  const middle = day.subarray(cut, day.length - cut);
  return day.length < 2 ? Number.NaN : middle.reduce((sum, rate) => sum + rate, 0) / middle.length;
}

/** How much earlier the same hours lie, by the calendar. */
export interface Lags {
  /** One to four weeks. */
  readonly weeks: readonly number[];
  /** One to three days. */
  readonly days: readonly number[];
}

/** Events a day below which changes of the level are chance. */
const FEW_A_DAY = 40;
/** The level of a day may have changed this much; what is more is no level any more. */
const MAX_GROWTH = 4;

/**
 * What to expect in a step of the past or later: what the same time of earlier weeks had, each moved by how the level of
 * the day has changed since then. Without two such weeks the days before help out, and without any of them `level`, that
 * of the day before. Lags are in steps, later ones negative.
 */
export function forecastAt(
  { stepMs }: Past,
  { smooth, levels }: PastSeries,
  at: number,
  level: number,
  lags: Lags,
): number {
  const perHour = Math.max(1, Math.round(HOUR_MS / stepMs));
  const few = FEW_A_DAY / (24 * perHour);
  const found: number[] = [];
  const look = (lag: number): void => {
    const then = smooth[at - lag] ?? Number.NaN;
    if (Number.isNaN(then)) return;
    const before = levels[Math.floor((at - lag) / perHour)] ?? Number.NaN;
    const growth = (level + few) / (before + few);
    found.push(Number.isNaN(growth) ? then : then * Math.min(MAX_GROWTH, Math.max(1 / MAX_GROWTH, growth)));
  };
  lags.weeks.forEach(look);
  if (found.length < 2) lags.days.forEach(look);
  return found.length === 0 ? level : middleOf(found);
}

/** The mean without the largest and the smallest, where there are enough of them. */
function middleOf(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  if (values.length < 3) return sum / values.length;
  const smallest = Math.min(...values);
  return Math.max(smallest, (sum - smallest - Math.max(...values)) / (values.length - 2));
}
