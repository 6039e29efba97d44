/** The scan: which stretches of a series stand out, of any length, and how rare that is on this site. */

import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { Basis } from './forecast.ts';
import type { Present } from './present.ts';
import { BARS, RISE } from './rule.ts';
import type { Site } from './site.ts';
import {
  deviation,
  PRIOR_TAILS,
  REPEATS_FROM,
  rateBeyond,
  repeatedExcess,
  type SiteTail,
  type Tail,
  withRepetition,
} from './tail.ts';

/** A stretch of time and how far it stands out. */
export interface Stretch {
  /** Steps `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly observed: number;
  readonly expected: number;
  /** How rare it is: 2 is once in 100 hours. */
  readonly score: number;
  /** How sharply it stands out: the log likelihood against chance, by how much the site strays. */
  readonly sharpness: number;
}

/** So many occasions in the past that were as odd make it as common as they were. */
const OCCASIONS = 4;
/** What all lengths and positions in an hour are worth as independent tries, for lengths up to so much. */
const TRIES = { shortMs: 10 * MINUTE_MS, short: 3, usual: 3, long: 6 };
/** How far the expected itself may be off, as a relative variance, by what it goes by. */
const DOUBT: Readonly<Record<Basis, number>> = { weeks: 0.003, days: 0.03, level: 0.15 };

/** The chance of such a deviation in an hour, as the power of ten with its sign changed. */
function scoreOf(tail: Tail, deviates: number): number {
  let chance = rateBeyond(tail, deviates);
  const asOdd = tail.peaks.filter((peak) => peak >= deviates).length;
  if (asOdd >= OCCASIONS) chance = Math.max(chance, asOdd / tail.hours);
  const { lengthMs } = tail;
  const tries = lengthMs <= TRIES.shortMs ? TRIES.short : lengthMs <= HOUR_MS ? TRIES.usual : TRIES.long;
  return -Math.log10(Math.min(1, chance * tries));
}

/** How a stretch of some length strays, with how far the expected itself may be off. */
export function tailFor(lengthMs: number, present: Present, site: Site | null): SiteTail {
  const tails = site?.tails ?? PRIOR_TAILS;
  const near = tails.findLast((tail) => tail.lengthMs <= lengthMs * 1.25) ?? tails[0] ?? PRIOR_TAILS[0];
  if (near === undefined) throw new Error('there are no tails');
  return { ...near, spread: near.spread + DOUBT[present.basis] };
}

export const QUARTER_MS = 15 * MINUTE_MS;
/** A block of half a day has ten thousand stretches. */
const LOOKS_AT_ONCE = 1_000;

/** Those that end within the window, large enough to matter and rare enough to be recorded. */
export function* stretchesThatStandOut(present: Present, site: Site | null): Generator<void, Stretch[]> {
  const { windowStart, grid } = present;
  const standing: Stretch[] = [];
  let looked = 0;
  for (const tail of site?.tails ?? PRIOR_TAILS) {
    const width = Math.max(1, Math.round(tail.lengthMs / grid.stepMs));
    for (let to = Math.max(windowStart + 1, width); to <= grid.length; to++) {
      looked += 1;
      if (looked % LOOKS_AT_ONCE === 0) yield;
      const stretch = stretchAt(present, site, tail, to - width, to);
      if (stretch !== null && stretch.score >= BARS.check) standing.push(stretch);
    }
  }
  return standing;
}

/** `null` where too little of it is known, or it's too little to matter. */
function stretchAt(present: Present, site: Site | null, tail: SiteTail, from: number, to: number): Stretch | null {
  const { basis, grid } = present;
  const { seen, expected, known } = present.strays;
  const of = (sums: Float64Array): number => (sums[to] ?? 0) - (sums[from] ?? 0);
  const observed = of(seen);
  const usual = of(expected);
  const least = tail.lengthMs > HOUR_MS ? RISE.longRatio : RISE.ratio;
  if (of(known) * 2 < to - from || observed < usual * least || observed - usual < RISE.excess) return null;
  const spread = tail.spread + DOUBT[basis];
  let due = usual;
  let deviates = deviation(observed, due, spread);
  if (deviates > REPEATS_FROM && site !== null) {
    const again = repeatedBetween(present, site, from, to, due, tail.spread);
    if (again > 0) {
      due += again;
      deviates = deviation(observed, due, withRepetition(spread, again, due));
    }
  }
  const perHour = (due / of(known)) * (HOUR_MS / grid.stepMs);
  if (observed < due * least || observed - due < Math.max(RISE.excess, RISE.hourShare * perHour)) return null;
  const floor = Math.max(due, 0.5);
  const sharpness = (observed * Math.log(observed / floor) - (observed - floor)) / (1 + tail.spread * floor);
  return { from, to, observed, expected: due, score: scoreOf(tail.near(usual), deviates), sharpness };
}

/** How much more than `due` earlier weeks or days repeatedly had at the time of steps `[from, to)`. */
export function repeatedBetween(
  { grid }: Present,
  { past, lags, strays }: Site,
  from: number,
  to: number,
  due: number,
  spread: number,
): number {
  const at = (step: number): number => Math.round((grid.fromMs + step * grid.stepMs - past.fromMs) / past.stepMs);
  return repeatedExcess(strays, at(from), Math.max(at(from) + 1, at(to)), due, lags, spread);
}
