/**
 * What is usual on a site, learnt from its own past: the past in equal steps, attacks and visitors; the attacks to expect at a
 * moment by it; how far stretches of several lengths stray from that, and how often. `NaN` is unknown, not zero.
 */
import type { Timeline } from '../../statistics/timeline.ts';
import { type ClockOffsets, clockLag } from '../../time/index.ts';
import { HOUR_MS } from '../../time-units.ts';
import { DROPS, EXPECTED, RARITY, REPETITION } from './rule.ts';
import { attacksOf, forgetBeforeTraffic, ratesIn, type StepGrid, visitorsOf } from './series.ts';

/** Steps are as long as the longest interval of the service; hours are whole hours of the clock in UTC. */
export interface Site extends StepGrid {
  /** How much of the past is known. */
  readonly knownMs: number;
  readonly attacks: PastSeries;
  readonly visitors: PastSeries;
  /** In steps. */
  readonly lagsAt: (ms: number) => Lags;
  readonly sums: Sums;
  /** One for each of `RARITY.lengthsMs`. */
  readonly tails: readonly Tail[];
}

interface PastSeries {
  /** Steps in an hour. */
  readonly perHour: number;
  readonly counts: Float64Array;
  /** The mean of about an hour around each step. */
  readonly smooth: Float64Array;
  /** Events per step in each whole hour. */
  readonly hours: Float64Array;
  /** The same of the median of five hours around each: what an attack or an outage of up to two hours did to them doesn't matter. */
  readonly steady: Float64Array;
}

function describe(counts: Float64Array, stepMs: number): PastSeries {
  const perHour = Math.max(1, Math.round(HOUR_MS / stepMs));
  const { smoothSteps: around } = EXPECTED;
  const mean = meansOf(counts);
  const smooth = counts.map((_, at) => mean(at - around, at + around + 1));
  const hours = new Float64Array(Math.floor(counts.length / perHour)).map((_, hour) =>
    mean(hour * perHour, (hour + 1) * perHour),
  );
  const steady = hours.map((rate, hour) =>
    Number.isNaN(rate) ? rate : median([...hours.subarray(Math.max(0, hour - 2), hour + 3)]),
  );
  return { perHour, counts, smooth, hours, steady };
}

/** Gives the mean of steps `[from, to)`; `NaN` where less than half of them is known. */
export function meansOf(values: Float64Array): (from: number, to: number) => number {
  const sums = runningSums(values, values);
  return (from, to) => {
    const { observed, known } = sumsBetween(sums, Math.max(0, from), Math.min(values.length, to));
    return known * 2 < to - from ? Number.NaN : observed / known;
  };
}

/**
 * How busy a day's hours were, in events per step, and how many times as busy as those before an earlier hour. What an attack or
 * an outage did to less than half of them doesn't matter. `rateAgo` gives what came in the hour so long ago.
 */
export function levelOf(
  { perHour, hours }: PastSeries,
  rateAgo: (hours: number) => number,
  hoursAgo: readonly number[] = LAST_DAY,
) {
  const few = EXPECTED.fewADay / (24 * perHour);
  const rates = hoursAgo.map((ago) => ({ ago, rate: rateAgo(ago) }));
  const growths = new Map<number, number>();
  const growthSince = (earlier: number): number =>
    growths.getOrInsertComputed(earlier, (hour) => {
      const ratios = rates.map(({ ago, rate }) => (rate + few) / ((hours[hour - ago] ?? Number.NaN) + few));
      return Math.min(EXPECTED.maxGrowth, Math.max(1 / EXPECTED.maxGrowth, median(ratios) || 1));
    });
  return { rate: median(rates.map(({ rate }) => rate)), growthSince };
}

const LAST_DAY: readonly number[] = Array.from({ length: 24 }, (_, at) => at + 1);

export type DayLevel = ReturnType<typeof levelOf>;

/** How much earlier the same hours lie, by the calendar. */
export interface Lags {
  /** One to four weeks. */
  readonly weeks: readonly number[];
  /** One to three days. */
  readonly days: readonly number[];
}

const WEEKS = [7, 14, 21, 28];
const DAYS = [1, 2, 3];
const NO_LAGS: Lags = { weeks: [], days: [] };

/**
 * What to expect in a step of the past or later: what the same time of earlier weeks had, each times how the level has grown
 * since then, or as it was without one. Without two such weeks the days before help out, and without any of them the rate of
 * the level, that of the day before `levelAt`: what came since then is no past. Later lags are negative.
 */
export function forecastAt(past: PastSeries, at: number, level: DayLevel | null, lags: Lags, levelAt = at): number {
  const thenOf = (lag: number): number => past.smooth[at - lag] ?? Number.NaN;
  const growthSince = (lag: number): number => level?.growthSince(Math.floor((levelAt - lag) / past.perHour)) ?? 1;
  const isKnown = (lag: number): boolean => !Number.isNaN(thenOf(lag)) && !(lag > 0 && at - lag >= levelAt);
  const weeks = lags.weeks.filter(isKnown);
  const known = weeks.length < 2 ? [...weeks, ...lags.days.filter(isKnown)] : weeks;
  const [only] = known;
  if (only === undefined) return level?.rate ?? Number.NaN;
  if (known.length > 1) return middleOf(known.map((lag) => thenOf(lag) * growthSince(lag)));
  // A single day may have had an attack or an outage at this hour.
  const steady = past.steady[Math.floor((at - only) / past.perHour)] ?? Number.NaN;
  return (Number.isNaN(steady) ? thenOf(only) : steady) * growthSince(only);
}

/**
 * Whether it was silent at that time in two of the weeks, or right beside it, but not around it: as while a site is maintained. On
 * a site younger than two weeks: on two of the days.
 */
export function isSilentAgain(site: Site, of: 'attacks' | 'visitors', ms: number): boolean {
  const { counts, smooth } = site[of];
  const isSilent = (at: number): boolean => {
    const around = smooth[at] ?? 0;
    const isFew = (step: number, share: number): boolean => (counts[step] ?? Number.NaN) <= share * around;
    const isBeside = isFew(at - 1, DROPS.watch.attacks.left) || isFew(at + 1, DROPS.watch.attacks.left);
    return around >= REPETITION.silentFrom && (isBeside || isFew(at, DROPS.edgeShare));
  };
  const step = Math.floor((ms - site.fromMs) / site.stepMs);
  const { weeks, days } = site.lagsAt(ms);
  const known = weeks.filter((lag) => !Number.isNaN(counts[step - lag] ?? Number.NaN));
  return (known.length < 2 ? [...known, ...days] : weeks).filter((lag) => isSilent(step - lag)).length >= 2;
}

/** The mean without the largest and the smallest, where there are enough of them: an attack in one week must not hide another. */
function middleOf(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  if (values.length < 3) return sum / values.length;
  const smallest = Math.min(...values);
  return Math.max(smallest, (sum - smallest - Math.max(...values)) / (values.length - 2));
}

/** Without any, it has no steps, and of the site nothing is known but what is assumed of all. */
function gridOfPast(timelines: readonly Timeline[]): StepGrid {
  if (timelines.length === 0) return { fromMs: 0, stepMs: 1, length: 0 };
  const stepMs = Math.max(EXPECTED.stepMs, ...timelines.map(({ intervalMs }) => intervalMs));
  const fromMs = Math.floor(Math.min(...timelines.map((each) => each.fromMs)) / HOUR_MS) * HOUR_MS;
  const toMs = Math.max(...timelines.map((each) => each.toMs));
  return { fromMs, stepMs, length: Math.max(0, Math.floor((toMs - fromMs) / stepMs)) };
}

/** Stops between parts of the work. */
export function* learnSite(history: readonly Timeline[], offsets: ClockOffsets): Generator<void, Site> {
  const timelines = history.filter(({ points }) => points.length > 0);
  const grid = gridOfPast(timelines);
  const { stepMs } = grid;
  const counts = ratesIn(timelines, grid, attacksOf);
  yield;
  const visits = ratesIn(timelines, grid, visitorsOf);
  forgetBeforeTraffic(counts, visits);
  yield;
  const [attacks, visitors] = [describe(counts, stepMs), describe(visits, stepMs)];
  const inSteps = (ms: number, all: readonly number[]): number[] =>
    all.map((days) => Math.round(clockLag(offsets, ms, days) / stepMs));
  // Within the past what came later says as much about a step as what came before it.
  const bothWays = (ms: number, days: readonly number[]): number[] =>
    inSteps(ms, [...days, ...days.map((each) => -each)]);
  let around = NO_LAGS;
  const expected = new Float64Array(grid.length);
  let level: DayLevel | null = null;
  for (let at = 0; at < grid.length; at++) {
    const hour = at / attacks.perHour;
    if (Number.isInteger(hour)) {
      const ms = grid.fromMs + at * stepMs;
      around = { weeks: bothWays(ms, WEEKS), days: bothWays(ms, DAYS) };
      level = levelOf(attacks, (ago) => attacks.hours[hour - ago] ?? Number.NaN);
    }
    expected[at] = forecastAt(attacks, at, level, around);
    if (at % STEPS_AT_ONCE === 0) yield;
  }
  const sums = runningSums(counts, expected);
  const tails: Tail[] = [];
  for (const lengthMs of RARITY.lengthsMs) {
    yield;
    tails.push(learnTail(sums, lengthMs, stepMs));
  }
  const knownMs = counts.filter((count) => !Number.isNaN(count)).length * stepMs;
  // A site without a past has no same hours.
  const lagsAt = (ms: number): Lags =>
    grid.length === 0 ? NO_LAGS : { weeks: inSteps(ms, WEEKS), days: inSteps(ms, DAYS) };
  return { ...grid, knownMs, attacks, visitors, lagsAt, sums, tails };
}

/** Of which each looks at a dozen others. */
const STEPS_AT_ONCE = 1_200;

/** What was seen and what was expected, as sums from the beginning, over the steps where both are known. */
export type Sums = Readonly<Record<'observed' | 'expected' | 'known', Float64Array>>;

export function runningSums(counts: Float64Array, expected: Float64Array): Sums {
  const zeros = (): Float64Array => new Float64Array(counts.length + 1);
  const sums = { observed: zeros(), expected: zeros(), known: zeros() };
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at] ?? Number.NaN;
    const expectedThen = expected[at] ?? Number.NaN;
    const isKnown = !Number.isNaN(count + expectedThen);
    sums.observed[at + 1] = (sums.observed[at] ?? 0) + (isKnown ? count : 0);
    sums.expected[at + 1] = (sums.expected[at] ?? 0) + (isKnown ? expectedThen : 0);
    sums.known[at + 1] = (sums.known[at] ?? 0) + (isKnown ? 1 : 0);
  }
  return sums;
}

/** The sums of steps `[from, to)`. */
export const sumsBetween = ({ observed, expected, known }: Sums, from: number, to: number) => ({
  observed: (observed[to] ?? 0) - (observed[from] ?? 0),
  expected: (expected[to] ?? 0) - (expected[from] ?? 0),
  known: (known[to] ?? 0) - (known[from] ?? 0),
});

/** How stretches of one length deviate. */
export interface Tail {
  readonly lengthMs: number;
  /** The variance beyond that of counting, relative to the square of the expected. */
  readonly spread: number;
  /** Occasions in an hour that deviate by at least `from`; `slope` more is e times as rare. */
  readonly from: number;
  readonly rate: number;
  readonly slope: number;
  /** How many hours of the past are known, and the peak deviations in them. */
  readonly hours: number;
  readonly peaks: readonly number[];
}

const { prior: PRIOR } = RARITY;

/** How many of the peaks may have been attacks. */
const attacksIn = (hours: number): number => Math.max(1, Math.round((RARITY.attacksAWeek * hours) / (7 * 24)));

/** That of stretches of about this length. */
export function tailFor({ tails }: Site, lengthMs: number): Tail {
  const tail = tails.findLast((each) => each.lengthMs <= lengthMs * 1.25) ?? tails[0];
  if (tail === undefined) throw new Error('there are no tails');
  return tail;
}

/** The chance of such a deviation in an hour, as the power of ten with its sign changed: 2 is once in 100 hours. */
export function strengthOf({ from, rate, slope, hours, peaks }: Tail, deviations: number): number {
  const strength = -Math.log10(Math.min(1, rate * Math.exp(-(deviations - from) / slope) * RARITY.tries));
  const asHigh = peaks.filter((peak) => peak >= deviations).length;
  return asHigh > attacksIn(hours) ? Math.min(strength, Math.log10(hours / (asHigh + 1))) : strength;
}

/** Deviation in units in which chance has a standard deviation of about one, whatever the level. */
export function deviation(observed: number, expected: number, spread: number): number {
  return stabilized(observed, spread) - stabilized(expected, spread);
}

const stabilized = (count: number, spread: number): number =>
  (2 / Math.sqrt(spread)) * Math.asinh(Math.sqrt(spread * (count + 0.375)));

/** The count that is this many deviations from the expected: the inverse of `deviation`. */
export function countAt(expected: number, deviations: number, spread: number): number {
  const root = Math.sinh(Math.max(0, ((stabilized(expected, spread) + deviations) * Math.sqrt(spread)) / 2));
  return Math.max(0, (root * root) / spread - 0.375);
}

export function learnTail(sums: Sums, lengthMs: number, stepMs: number): Tail {
  const width = Math.max(1, Math.round(lengthMs / stepMs));
  const spread = learnSpread(sums, width);
  const hours = largestPerHour(sums, width, Math.max(1, Math.round(HOUR_MS / stepMs)), spread);
  const known = hours.filter(Number.isFinite).toSorted((a, b) => a - b);
  const seenFrom = known[Math.floor((1 - RARITY.tailShare) * known.length)] ?? PRIOR.from;
  const weighted = (seen: number, prior: number): number =>
    (seen * known.length + prior * PRIOR.hours) / (known.length + PRIOR.hours);
  const peaks = peaksOf(hours, seenFrom);
  const beyond = peaks.map((peak) => peak - seenFrom).sort((a, b) => b - a);
  // As of an exponential distribution whose largest values are known only to be no smaller than the next.
  const attacks = Math.min(attacksIn(known.length), Math.floor(beyond.length / 2));
  const excess = beyond.reduce((sum, each) => sum + Math.min(each, beyond[attacks] ?? 0), 0);
  const counted = beyond.length - attacks;
  return {
    lengthMs,
    spread,
    from: weighted(seenFrom, PRIOR.from),
    rate: weighted(beyond.length / Math.max(1, known.length), RARITY.tailShare),
    slope: (excess + PRIOR.peaks * PRIOR.slope) / (counted + PRIOR.peaks),
    hours: known.length,
    peaks,
  };
}

/** The largest deviation of a stretch that ends in each hour of the past; of an unknown one, minus infinity. */
function largestPerHour(sums: Sums, width: number, hour: number, spread: number): number[] {
  const largest: number[] = [];
  for (let start = width; start + hour <= sums.known.length; start += hour) {
    let best = Number.NEGATIVE_INFINITY;
    for (let to = start; to < start + hour; to++) {
      const { observed, expected, known } = sumsBetween(sums, to - width, to);
      if (known * 2 < width || (observed <= expected && best > 0)) continue;
      best = Math.max(best, deviation(observed, expected, spread));
    }
    largest.push(best);
  }
  return largest;
}

function learnSpread(sums: Sums, width: number): number {
  const squares: number[] = [];
  const chance: number[] = [];
  for (let to = width; to < sums.known.length; to += Math.ceil(width / 2)) {
    const { observed, expected, known } = sumsBetween(sums, to - width, to);
    if (known * 2 < width) continue;
    const usual = Math.max(1, expected);
    squares.push(((observed - usual) / usual) ** 2);
    chance.push(1 / usual);
  }
  const beyond = Math.max(0, 1.4826 ** 2 * (median(squares) || 0) - (median(chance) || 0));
  const weight = squares.length / (squares.length + PRIOR.stretches);
  return weight * beyond + (1 - weight) * PRIOR.spread;
}

function peaksOf(hours: readonly number[], from: number): number[] {
  const peaks: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  hours.forEach((deviations, hour) => {
    if (deviations < from) return;
    if (hour - last <= RARITY.apartHours) peaks[peaks.length - 1] = Math.max(peaks.at(-1) ?? 0, deviations);
    else peaks.push(deviations);
    last = hour;
  });
  return peaks;
}

/** Of those that are known; `NaN` if none is. */
function median(values: readonly number[]): number {
  const known = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
  return known[Math.floor(known.length / 2)] ?? Number.NaN;
}
