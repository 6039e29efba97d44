/** How far a site strays from what is expected, over stretches of several lengths, and how rare a deviation is. */
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { Lags } from './forecast.ts';

/** Seen and expected attacks as sums from the beginning, over the steps where both are known. */
export interface Strays {
  readonly seen: Float64Array;
  readonly expected: Float64Array;
  readonly known: Float64Array;
}

export function straysOf(counts: Float64Array, expected: Float64Array): Strays {
  const { length } = counts;
  const strays = {
    seen: new Float64Array(length + 1),
    expected: new Float64Array(length + 1),
    known: new Float64Array(length + 1),
  };
  for (let at = 0; at < length; at++) {
    const count = counts[at] ?? Number.NaN;
    const due = expected[at] ?? Number.NaN;
    const isKnown = !Number.isNaN(count + due);
    strays.seen[at + 1] = (strays.seen[at] ?? 0) + (isKnown ? count : 0);
    strays.expected[at + 1] = (strays.expected[at] ?? 0) + (isKnown ? due : 0);
    strays.known[at + 1] = (strays.known[at] ?? 0) + (isKnown ? 1 : 0);
  }
  return strays;
}

export interface Tail {
  readonly lengthMs: number;
  /** The variance beyond that of counting, relative to the square of the expected. */
  readonly spread: number;
  /** One hour in ten has a stretch that deviates by more than this. */
  readonly from: number;
  /** From the most frequent to the rarest: each holds up to where the next begins. */
  readonly sections: readonly TailSection[];
  /** Hours of the past that this was learnt from. */
  readonly hours: number;
  /** Deviations of the oddest times of the past, the largest first. */
  readonly peaks: readonly number[];
}

/** The tail of a site, by how much is expected: bursts of the night say little about noon. */
export interface SiteTail extends Tail {
  /** Learnt from those hours alone in which about as much was expected. */
  readonly near: (expected: number) => Tail;
}

/** Occasions in an hour that deviate by at least `from`; `slope` more is e times as rare. */
export interface TailSection {
  readonly from: number;
  readonly rate: number;
  readonly slope: number;
}

/** How many occasions in an hour deviate by at least so much. */
export function rateBeyond({ sections }: Tail, deviates: number): number {
  const section = sections.findLast(({ from }) => deviates >= from) ?? sections[0];
  if (section === undefined) return 1;
  return Math.min(1, section.rate * Math.exp(-(deviates - section.from) / section.slope));
}

export const SCALES: readonly number[] = [10, 20, 30, 60, 120, 240].map((minutes) => minutes * MINUTE_MS);
const ONE_IN_TEN = 0.1;
const LEFT_OUT = 0.1;
/** The rarest occasions of four weeks that have a slope of their own: so many, at most this share of all, and not fewer. */
const RAREST = 20;
const RAREST_SHARE = 0.6;
const LEAST_RAREST = 6;
/** About as much is expected: from half to double, or from a quarter to four times where that gives so few hours. */
const LEAST_HOURS = 150;
const LEAST_LEVEL = 0.3;
/** What is taken for granted about a site before it is known, and how many hours of it that is worth. */
const PRIOR = { peaks: 8, rarest: 4, slope: 0.6, hours: 40, from: 2, spread: 0.05, stretches: 60 };
const LEAST_SLOPE = 0.3;
const LEAST_SPREAD = 0.004;
/** Peaks nearer than this belong to one occasion. */
const APART_MS = 2 * HOUR_MS;

export const PRIOR_TAILS: readonly SiteTail[] = SCALES.map((lengthMs) => {
  const sections = [{ from: PRIOR.from, rate: ONE_IN_TEN, slope: PRIOR.slope }];
  const tail = { lengthMs, spread: PRIOR.spread, from: PRIOR.from, sections, hours: 0, peaks: [] };
  return { ...tail, near: () => tail };
});

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

/** What stood out most in an hour of the past. */
interface Occasion {
  readonly at: number;
  readonly deviates: number;
  readonly expected: number;
}

export function learnTail(strays: Strays, lengthMs: number, stepMs: number, lags: Lags): SiteTail {
  const width = Math.max(1, Math.round(lengthMs / stepMs));
  const hour = Math.max(1, Math.round(HOUR_MS / stepMs));
  const spread = learnSpread(strays, width);
  const occasions = occasionsOf(strays, width, hour, spread, lags);
  const tailOf = (part: readonly Occasion[]): Tail => ({ lengthMs, spread, ...describeTail(part, hour) });
  const whole = tailOf(occasions);
  const kept = new Map<number, Tail>();
  const near = (expected: number): Tail => {
    const half = Math.round(2 * Math.log2(Math.max(expected, LEAST_LEVEL)));
    const known = kept.get(half);
    if (known !== undefined) return known;
    const alike = [2, 4]
      .map((factor) => occasions.filter((each) => isAlike(each.expected, 2 ** (half / 2), factor)))
      .find(({ length }) => length >= LEAST_HOURS);
    const tail = alike === undefined ? whole : tailOf(alike);
    kept.set(half, tail);
    return tail;
  };
  return { ...whole, near };
}

const isAlike = (expected: number, level: number, factor: number): boolean =>
  expected >= level / factor && expected <= level * factor;

function occasionsOf(strays: Strays, width: number, hour: number, spread: number, lags: Lags): Occasion[] {
  const { seen, expected, known } = strays;
  const last = known.length - 1;
  const occasions: Occasion[] = [];
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
    const from = place - width;
    const due = (expected[place] ?? 0) - (expected[from] ?? 0);
    if (best > REPEATS_FROM) {
      const again = repeatedExcess(strays, from, place, due, lags, spread);
      const came = (seen[place] ?? 0) - (seen[from] ?? 0);
      if (again > 0) best = deviation(came, due + again, withRepetition(spread, again, due + again));
    }
    occasions.push({ at: start, deviates: best, expected: due });
  }
  return occasions;
}

function describeTail(occasions: readonly Occasion[], hour: number): Omit<Tail, 'lengthMs' | 'spread'> {
  const sorted = new Float64Array(occasions.length);
  for (let at = 0; at < sorted.length; at++) sorted[at] = occasions[at]?.deviates ?? 0;
  sorted.sort();
  const hours = sorted.length;
  const seenFrom = sorted[Math.floor((1 - ONE_IN_TEN) * hours)] ?? PRIOR.from;
  const from = (seenFrom * hours + PRIOR.from * PRIOR.hours) / (hours + PRIOR.hours);
  const peaks = peaksOf(occasions, seenFrom, (APART_MS / HOUR_MS) * hour);
  const rate = (peaks.length + PRIOR.hours * ONE_IN_TEN) / (hours + PRIOR.hours);
  return { from, sections: sectionsOf(peaks, seenFrom, { from, rate }, hours), hours, peaks };
}

/**
 * Bursts of scanners are alike: how far the rarest occasions go beyond each other says more about what is rarer still
 * than all of them do. Where there are enough, the largest have a slope of their own.
 */
function sectionsOf(
  peaks: readonly number[],
  seenFrom: number,
  { from, rate }: { from: number; rate: number },
  hours: number,
): TailSection[] {
  const count = Math.min(RAREST, Math.floor(peaks.length * RAREST_SHARE));
  const next = peaks[count];
  const rarest = count / hours;
  if (count < LEAST_RAREST || next === undefined || next <= from || rarest >= rate) {
    return [{ from, rate, slope: slopeOf(peaks, seenFrom, PRIOR.peaks) }];
  }
  return [
    { from, rate, slope: (next - from) / Math.log(rate / rarest) },
    { from: next, rate: rarest, slope: slopeOf(peaks.slice(0, count), next, PRIOR.rarest) },
  ];
}

/** The mean by which peaks go beyond a deviation. The largest tenth may be attacks: they are left out, and the mean corrected. */
function slopeOf(peaks: readonly number[], from: number, prior: number): number {
  const left = peaks.length < 4 ? 0 : Math.ceil(peaks.length * LEFT_OUT);
  const kept = peaks.slice(left);
  const share = left / Math.max(1, peaks.length);
  const mean = share === 0 ? 1 : 1 + (share * Math.log(share)) / (1 - share);
  const excess = kept.reduce((sum, peak) => sum + peak - from, 0) / mean;
  return Math.max(LEAST_SLOPE, (excess + prior * PRIOR.slope) / (kept.length + prior));
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

function peaksOf(occasions: readonly Occasion[], from: number, apart: number): number[] {
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
 * How much more than expected at least two of the earlier weeks, or two of the last days, had at the time of steps
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
  // The same time of earlier weeks is as it is; other days have another level, so only their excess comes again.
  const weeks = secondLargest(strays, from, to, lags.weeks, ({ seen }) => seen) - due;
  const days = secondLargest(strays, from, to, lags.days, ({ seen, expected }) => seen - expected);
  const again = Math.max(weeks, days);
  return deviation(due + Math.max(0, again), due, spread) >= REPEATS_FROM ? again : 0;
}

/** The second largest of what came at the time of steps `[from, to)` on earlier occasions. */
function secondLargest(
  { seen, expected, known }: Strays,
  from: number,
  to: number,
  lags: readonly number[],
  value: (part: { readonly seen: number; readonly expected: number }) => number,
): number {
  const values = lags.map((lag) => {
    let best = 0;
    for (let late = -LATE; late <= LATE; late++) {
      const start = from - lag + late;
      const end = to - lag + late;
      if (start < 0 || end >= known.length) continue;
      if (((known[end] ?? 0) - (known[start] ?? 0)) * 2 < to - from) continue;
      const part = {
        seen: (seen[end] ?? 0) - (seen[start] ?? 0),
        expected: (expected[end] ?? 0) - (expected[start] ?? 0),
      };
      best = Math.max(best, value(part));
    }
    return best;
  });
  return values.sort((a, b) => b - a)[1] ?? 0;
}

export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + upper) / 2;
}
