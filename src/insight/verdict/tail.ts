/** How far a site strays from what is expected, over stretches of several lengths, and how rare a deviation is. */
import type { Lags } from './forecast.ts';
import { HOUR_MS } from './past.ts';
import type { Strays } from './strays.ts';

export interface Tail {
  readonly lengthMs: number;
  /** The variance beyond that of counting, relative to the square of the expected. */
  readonly spread: number;
  /** One hour in ten has a stretch that deviates by more than this; beyond it, `slope` more is e times as rare. */
  readonly from: number;
  readonly slope: number;
  /** How often that happens: occasions in an hour. */
  readonly rate: number;
  /** Hours of the past that this was learnt from. */
  readonly hours: number;
  /** Deviations of the oddest times of the past, the largest first. */
  readonly peaks: readonly number[];
}

const MINUTE_MS = 60_000;
export const SCALES: readonly number[] = [10, 20, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS);
const ONE_IN_TEN = 0.1;
const LEFT_OUT = 0.1;
/** What is taken for granted about a site before it is known, and how many hours of it that is worth. */
const PRIOR = { peaks: 8, slope: 0.6, hours: 40, from: 2, spread: 0.05, stretches: 60 };
const LEAST_SLOPE = 0.3;
const LEAST_SPREAD = 0.004;
/** Peaks nearer than this belong to one occasion. */
const APART_MS = 2 * HOUR_MS;

export const PRIOR_TAILS: readonly Tail[] = SCALES.map((lengthMs) => ({
  lengthMs,
  spread: PRIOR.spread,
  from: PRIOR.from,
  slope: PRIOR.slope,
  rate: ONE_IN_TEN,
  hours: 0,
  peaks: [],
}));

/** Deviation in units in which chance has a standard deviation of about one, whatever the level. */
export function deviation(observed: number, expected: number, spread: number): number {
  return stabilised(observed, spread) - stabilised(expected, spread);
}

const stabilised = (count: number, spread: number): number =>
  (2 / Math.sqrt(spread)) * Math.asinh(Math.sqrt(spread * (count + 0.375)));

/** The count that deviates by so much: the inverse of `deviation`. */
export function countAt(expected: number, deviates: number, spread: number): number {
  const root = Math.sinh(Math.max(0, ((stabilised(expected, spread) + deviates) * Math.sqrt(spread)) / 2));
  return Math.max(0, (root * root) / spread - 0.375);
}

export function learnTail(strays: Strays, lengthMs: number, stepMs: number, lags: Lags): Tail {
  const { seen, expected, known } = strays;
  const width = Math.max(1, Math.round(lengthMs / stepMs));
  const hour = Math.max(1, Math.round(HOUR_MS / stepMs));
  const last = known.length - 1;
  const spread = learnSpread(strays, width);
  const occasions: { at: number; deviates: number }[] = [];
  for (let start = width; start + hour <= last + 1; start += hour) {
    let best = Number.NEGATIVE_INFINITY;
    let place = start;
    for (let to = start; to < start + hour; to++) {
      const from = to - width;
      if (((known[to] ?? 0) - (known[from] ?? 0)) * 2 < width) continue;
      const came = (seen[to] ?? 0) - (seen[from] ?? 0);
      const due = (expected[to] ?? 0) - (expected[from] ?? 0);
      if (came <= due && best > 0) continue;
      const deviates = deviation(came, due, spread);
      if (deviates > best) {
        best = deviates;
        place = to;
      }
    }
    if (best === Number.NEGATIVE_INFINITY) continue;
    if (best > REPEATS_FROM) {
      const from = place - width;
      const due = (expected[place] ?? 0) - (expected[from] ?? 0);
      const again = repeatedExcess(strays, from, place, due, lags, spread);
      const came = (seen[place] ?? 0) - (seen[from] ?? 0);
      if (again > 0) best = deviation(came, due + again, withRepetition(spread, again, due + again));
    }
    occasions.push({ at: start, deviates: best });
  }
  const sorted = Float64Array.from(occasions, ({ deviates }) => deviates).sort();
  const hours = sorted.length;
  const seenFrom = sorted[Math.floor((1 - ONE_IN_TEN) * hours)] ?? PRIOR.from;
  const from = (seenFrom * hours + PRIOR.from * PRIOR.hours) / (hours + PRIOR.hours);
  const peaks = peaksOf(occasions, seenFrom, (APART_MS / HOUR_MS) * hour);
  const rate = (peaks.length + PRIOR.hours * ONE_IN_TEN) / (hours + PRIOR.hours);
  return { lengthMs, spread, from, slope: slopeOf(peaks, seenFrom), rate, hours, peaks };
}

/** The mean by which peaks go beyond a deviation. The largest tenth may be attacks: they are left out, and the mean corrected. */
function slopeOf(peaks: readonly number[], from: number): number {
  const left = peaks.length < 4 ? 0 : Math.ceil(peaks.length * LEFT_OUT);
  const kept = peaks.slice(left);
  const share = left / Math.max(1, peaks.length);
  const mean = share === 0 ? 1 : 1 + (share * Math.log(share)) / (1 - share);
  const excess = kept.reduce((sum, peak) => sum + peak - from, 0) / mean;
  return Math.max(LEAST_SLOPE, (excess + PRIOR.peaks * PRIOR.slope) / (kept.length + PRIOR.peaks));
}

function learnSpread({ seen, expected, known }: Strays, width: number): number {
  const squares: number[] = [];
  const chance: number[] = [];
  for (let to = width; to < known.length; to += Math.max(1, Math.ceil(width / 2))) {
    const from = to - width;
    if (((known[to] ?? 0) - (known[from] ?? 0)) * 2 < width) continue;
    const due = Math.max(1, (expected[to] ?? 0) - (expected[from] ?? 0));
    squares.push((((seen[to] ?? 0) - (seen[from] ?? 0) - due) / due) ** 2);
    chance.push(1 / due);
  }
  const beyond = squares.length === 0 ? 0 : Math.max(0, 1.4826 ** 2 * median(squares) - median(chance));
  const weight = squares.length / (squares.length + PRIOR.stretches);
  return Math.max(LEAST_SPREAD, weight * beyond + (1 - weight) * PRIOR.spread);
}

function peaksOf(occasions: readonly { at: number; deviates: number }[], from: number, apart: number): number[] {
  const peaks: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const { at, deviates } of occasions) {
    if (deviates < from) continue;
    if (at - last <= apart) peaks[peaks.length - 1] = Math.max(peaks.at(-1) ?? 0, deviates);
    else peaks.push(deviates);
    last = at;
  }
  return peaks.sort((a, b) => b - a);
}

/** A repetition may come this many steps early or late. */
const LATE = 2;
export const REPEATS_FROM = 2;
/** What comes again comes in another size: its standard deviation, relative to it. */
const REPEATS_LOOSELY = 0.3;

/** The spread of what is expected where a part of it is a repetition. */
export const withRepetition = (spread: number, again: number, expected: number): number =>
  spread + ((REPEATS_LOOSELY * again) / Math.max(expected, 1)) ** 2;

/**
 * How much more than `due` at least two of the earlier weeks, or two of the last days, had at the time of steps
 * `[from, to)`; 0 where that is no more than chance.
 */
export function repeatedExcess(
  strays: Strays,
  from: number,
  to: number,
  due: number,
  lags: Lags,
  spread: number,
): number {
  const again = Math.max(secondLargest(strays, from, to, lags.weeks), secondLargest(strays, from, to, lags.days));
  return deviation(again, due, spread) >= REPEATS_FROM ? again - due : 0;
}

function secondLargest({ seen, known }: Strays, from: number, to: number, lags: readonly number[]): number {
  let first = 0;
  let second = 0;
  for (const lag of lags) {
    let best = 0;
    for (let late = -LATE; late <= LATE; late++) {
      const start = from - lag + late;
      const end = to - lag + late;
      if (start < 0 || end >= known.length) continue;
      if (((known[end] ?? 0) - (known[start] ?? 0)) * 2 < to - from) continue;
      best = Math.max(best, (seen[end] ?? 0) - (seen[start] ?? 0));
    }
    if (best > first) {
      second = first;
      first = best;
    } else if (best > second) second = best;
  }
  return second;
}

function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + upper) / 2;
}
