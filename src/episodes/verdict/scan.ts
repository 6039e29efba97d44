/** The scan: which stretch of the window stands out most, of any length, and how rare that is on this site. */

import { HOUR_MS } from '../../time-units.ts';
import type { Basis } from './forecast.ts';
import type { Present } from './present.ts';
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

export interface Stretch {
  /** Steps `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly observed: number;
  readonly expected: number;
  readonly deviates: number;
  readonly tail: SiteTail;
  /** How rare it is by its size alone, and with what it is made of. */
  readonly plainScore: number;
  readonly score: number;
  /** Large enough to matter, whatever its score. */
  readonly matters: boolean;
}

export const GATES = { ratio: 1.5, longRatio: 1.35, excess: 8, hourShare: 0.2, insideDeviations: 1.5 };
/** So many occasions in the past that were as odd make it as common as they were. */
const OCCASIONS = 4;
/** What the lengths that are tried are worth as independent tries. */
export interface Tries {
  readonly short: number;
  readonly usual: number;
  readonly long: number;
}

/**
 * A check is asked about all of its window, a watch for what has just begun, which shows in the shortest stretches first:
 * to a watch these are charged least, and those beyond an hour most, because four weeks hold few moods of half a day.
 */
export const TRIES = {
  check: { short: 4, usual: 2.5, long: 5 },
  watch: { short: 1.5, usual: 4, long: 10 },
} as const satisfies Record<string, Tries>;
const SHORT_MS = 10 * 60_000;

/** Single scanners send bursts of one kind: one of up to this length counts as more common unless it is of many kinds. */
export const BURST = { upToMs: 20 * 60_000, score: 0.2 };
/** The kinds of a stretch tell something up to this length, from this deviation on, and unless its size alone is clear. */
const TELLING = { upToMs: HOUR_MS, deviates: 2, belowScore: 5.5 };

/** What is known of the kinds of attacks in one stretch. */
export interface MakeUp {
  /** Its steps `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly isOfManyKinds: boolean;
  /** Its score is at least this, by its kinds. */
  readonly least: number;
}
/** How far the expected itself may be off, as a relative variance, by what it goes by. */
const DOUBT: Readonly<Record<Basis, number>> = { weeks: 0.003, days: 0.03, level: 0.15 };

export function scoreOf(tail: Tail, deviates: number, windowMs: number, tries: Tries): number {
  let chance = rateBeyond(tail, deviates);
  const asOdd = tail.peaks.filter((peak) => peak >= deviates).length;
  if (asOdd >= OCCASIONS) chance = Math.max(chance, asOdd / tail.hours);
  const { lengthMs } = tail;
  const each = lengthMs <= SHORT_MS ? tries.short : lengthMs <= HOUR_MS ? tries.usual : tries.long;
  return -Math.log10(Math.min(1, chance * each * Math.max(1, windowMs / HOUR_MS)));
}

/** How a stretch of some length strays, with how far the expected itself may be off. */
export function tailFor(lengthMs: number, present: Present, site: Site | null): SiteTail {
  const tails = site?.tails ?? PRIOR_TAILS;
  const near = tails.findLast((tail) => tail.lengthMs <= lengthMs * 1.25) ?? tails[0] ?? PRIOR_TAILS[0];
  if (near === undefined) throw new Error('there are no tails');
  return { ...near, spread: near.spread + DOUBT[present.basis] };
}

export const QUARTER_MS = 15 * 60_000;

/** The quarter of an hour of the window with the most attacks beyond the expected. */
export function strongestQuarter({
  grid,
  windowStart,
  strays,
}: Present): Pick<Stretch, 'from' | 'to' | 'observed' | 'expected'> {
  const width = Math.max(1, Math.round(QUARTER_MS / grid.stepMs));
  let best = { from: windowStart, to: windowStart, observed: 0, expected: 0 };
  for (let to = Math.min(grid.length, windowStart + width); to <= grid.length; to++) {
    const from = Math.max(0, to - width);
    const observed = (strays.seen[to] ?? 0) - (strays.seen[from] ?? 0);
    const expected = (strays.expected[to] ?? 0) - (strays.expected[from] ?? 0);
    if (best.to === windowStart || observed - expected > best.observed - best.expected)
      best = { from, to, observed, expected };
  }
  return best;
}

export interface Scan {
  /** The stretch that chance brings least often; of those that matter, where any does. */
  readonly oddest: Stretch;
  /** Of all that are called, the one in which the attacks stand out most sharply; `null` when nothing is. */
  readonly called: Stretch | null;
  /** The one whose kinds of attacks would tell more; `null` when there is none. */
  readonly telling: Stretch | null;
}

/** An hour has some dozens of stretches, forty days thousands. */
const LOOKS_AT_ONCE = 1_000;

/** `null` where nothing in the window can be compared. */
export function* scanWindow(
  present: Present,
  site: Site | null,
  bar: number,
  tries: Tries,
  makeUp: MakeUp | null,
): Generator<void, Scan | null> {
  let oddest: Stretch | null = null;
  let called: Stretch | null = null;
  let telling: Stretch | null = null;
  let looked = 0;
  for (const stretch of stretchesOf(present, site, tries, makeUp)) {
    looked += 1;
    if (looked % LOOKS_AT_ONCE === 0) yield;
    if (oddest === null || (oddest.matters === stretch.matters ? stretch.score > oddest.score : stretch.matters)) {
      oddest = stretch;
    }
    if (stretch.matters && stretch.score >= bar && (called === null || sharpness(stretch) > sharpness(called))) {
      called = stretch;
    }
    if (isTelling(stretch) && (telling === null || stretch.plainScore > telling.plainScore)) telling = stretch;
  }
  const isClear = telling !== null && telling.plainScore >= TELLING.belowScore;
  return oddest === null ? null : { oddest, called, telling: isClear ? null : telling };
}

const isTelling = ({ matters, tail, deviates }: Stretch): boolean =>
  matters && tail.lengthMs <= TELLING.upToMs && deviates >= TELLING.deviates;

/** The log likelihood against chance, by how much the site strays. */
function sharpness({ observed, expected, tail }: Stretch): number {
  const usual = Math.max(expected, 0.5);
  return (observed * Math.log(observed / usual) - (observed - usual)) / (1 + tail.spread * usual);
}

function* stretchesOf(present: Present, site: Site | null, tries: Tries, makeUp: MakeUp | null): Generator<Stretch> {
  const { windowStart } = present;
  const { length, stepMs } = present.grid;
  const isMoved = isOnlyMoved(present, site);
  for (const tail of site?.tails ?? PRIOR_TAILS) {
    const width = Math.max(1, Math.round(tail.lengthMs / stepMs));
    const least = Math.min(width, Math.max(1, Math.round((10 * 60_000) / stepMs)));
    for (let to = windowStart + least; to <= length; to++) {
      const stretch = stretchAt(present, site, tail, to - width, to, tries, isMoved);
      if (stretch !== null) yield { ...stretch, score: madeUpScore(stretch, makeUp) };
    }
  }
}

function madeUpScore({ from, to, tail, plainScore }: Stretch, makeUp: MakeUp | null): number {
  const isBurst = tail.lengthMs <= BURST.upToMs && makeUp?.isOfManyKinds !== true;
  const score = isBurst ? plainScore - BURST.score : plainScore;
  return makeUp !== null && makeUp.from === from && makeUp.to === to ? Math.max(score, makeUp.least) : score;
}

/** `null` where too little of it is known. */
export function stretchAt(
  present: Present,
  site: Site | null,
  tail: SiteTail,
  from: number,
  to: number,
  tries: Tries,
  isMoved = isOnlyMoved(present, site),
): Stretch | null {
  const { windowStart, basis, grid } = present;
  const { stepMs, length } = grid;
  const { seen, expected, known } = present.strays;
  const of = (sums: Float64Array, first: number, last: number): number => (sums[last] ?? 0) - (sums[first] ?? 0);
  const width = to - from;
  if (from < 0 || of(known, from, to) * 2 < width) return null;
  const spread = tail.spread + DOUBT[basis];
  const observed = of(seen, from, to);
  const usual = of(expected, from, to);
  let due = usual;
  let deviates = deviation(observed, due, spread);
  if (deviates > REPEATS_FROM && site !== null) {
    const again = repeatedBetween(present, site, from, to, due, tail.spread);
    if (again > 0) {
      due += again;
      deviates = deviation(observed, due, withRepetition(spread, again, due));
    }
  }
  const perHour = (due / of(known, from, to)) * (HOUR_MS / stepMs);
  const inWindow = Math.max(from, windowStart);
  const matters =
    !isMoved &&
    observed >= due * (tail.lengthMs > HOUR_MS ? GATES.longRatio : GATES.ratio) &&
    observed - due >= Math.max(GATES.excess, GATES.hourShare * perHour) &&
    (from >= windowStart ||
      isInside(
        of(seen, inWindow, to),
        of(expected, inWindow, to),
        spread,
        (observed - due) * INSIDE * ((to - inWindow) / width),
      ));
  const plainScore = scoreOf(tail.near(usual), deviates, (length - windowStart) * stepMs, tries);
  return { from, to, observed, expected: due, deviates, tail, plainScore, score: plainScore, matters };
}

/** Whether all that the window has more is a repetition that came at another minute. */
function isOnlyMoved(present: Present, site: Site | null): boolean {
  const windowMs = (present.grid.length - present.windowStart) * present.grid.stepMs;
  return site !== null && windowMs <= MOVES_WITHIN_MS && isRepetition(present, site, windowMs);
}

/** A longer window says nothing about when in it something comes. */
const MOVES_WITHIN_MS = 2 * HOUR_MS;

/** Whether the window has more than is usual, but no more than what repeatedly comes in it, whatever the minute. */
function isRepetition(present: Present, site: Site, windowMs: number): boolean {
  const { windowStart, grid, strays } = present;
  const seen = (strays.seen[grid.length] ?? 0) - (strays.seen[windowStart] ?? 0);
  const due = (strays.expected[grid.length] ?? 0) - (strays.expected[windowStart] ?? 0);
  const { spread } = tailFor(windowMs, present, site);
  if (deviation(seen, due, spread) <= REPEATS_FROM) return false;
  const again = repeatedBetween(present, site, windowStart, grid.length, due, spread);
  return again > 0 && seen <= due + MOST_OF_REPETITION * again;
}

/** What comes again may be this much larger. */
const MOST_OF_REPETITION = 1.3;

/** Of its part of the excess, so much at least must have come within the window. */
const INSIDE = 0.6;

/** A stretch that began before the window must stand out within it too: an old wave is over. */
function isInside(observed: number, expected: number, spread: number, least: number): boolean {
  const isMore = observed >= GATES.longRatio * expected && observed - expected >= least;
  return isMore && deviation(observed, expected, spread) >= GATES.insideDeviations;
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
