/**
 * Bursts of a site's past that were as large as one now, and of which kinds they were. Scanners keep to their kinds: on a
 * site whose bursts are of some kinds, one of another is rarer than its size. On a site with bursts of all kinds it is not.
 */
import { totalOf } from '../../statistics/summary.ts';
import { type Distribution, maxCountOf } from '../../statistics/timeline.ts';
import { HOUR_MS } from '../../time-units.ts';
import type { Site } from './site.ts';
import type { Strays } from './tail.ts';

export const BURST_RULE = {
  /** As large is what had this part of the excess at least, beyond the expected or beyond the hours around it. */
  asLarge: 0.7,
  /** Of more than so many the kinds are not counted. */
  most: 40,
  /** A burst was of a kind that had more than this part of its excess; of the kind in question also with this part of what it has now. */
  ofKind: 0.5,
  /** A category that came at most so many times more often is as rare. */
  asRare: 1,
  /** So many times as often as they came they are taken to come: four weeks hold few of each kind. */
  times: 3,
};

export interface BurstWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** On these edges answers are kept for days. */
const EDGE_MS = 15 * 60_000;

/**
 * The times of the past in which a stretch of this length had as much more; none where there are too many. A scan that
 * comes every week is expected at its hour and a burst all the same, which shows against the hours around it.
 */
export function burstsAsLarge({ past, strays }: Site, lengthMs: number, excess: number): BurstWindow[] {
  const { seen, expected, known } = strays;
  const width = Math.max(1, Math.round(lengthMs / past.stepMs));
  const hour = Math.max(1, Math.round(HOUR_MS / past.stepMs));
  const found: { to: number; more: number }[] = [];
  for (let to = width; to < known.length; to++) {
    const from = to - width;
    if (((known[to] ?? 0) - (known[from] ?? 0)) * 2 < width) continue;
    const due = (expected[to] ?? 0) - (expected[from] ?? 0);
    const around = width * Math.max(meanOf(strays, from - 1 - hour, from - 1), meanOf(strays, to + 1, to + 1 + hour));
    const more = (seen[to] ?? 0) - (seen[from] ?? 0) - Math.min(due, around);
    if (more < BURST_RULE.asLarge * excess) continue;
    const last = found.at(-1);
    if (last === undefined || to - last.to > hour) found.push({ to, more });
    else if (more > last.more) found[found.length - 1] = { to, more };
  }
  if (found.length > BURST_RULE.most) return [];
  const atStep = (step: number): number => past.fromMs + step * past.stepMs;
  return found.map(({ to }) => ({
    fromMs: Math.floor(atStep(to - width) / EDGE_MS) * EDGE_MS,
    toMs: Math.ceil(atStep(to) / EDGE_MS) * EDGE_MS,
  }));
}

/** Attacks in a step between two; more than any where that is not known. */
function meanOf({ seen, known }: Strays, from: number, to: number): number {
  const steps = from < 0 || to >= known.length ? 0 : (known[to] ?? 0) - (known[from] ?? 0);
  return steps * 2 < to - from ? Number.POSITIVE_INFINITY : ((seen[to] ?? 0) - (seen[from] ?? 0)) / steps;
}

/**
 * How many of the bursts were of the category, or of another as rare: who is told of any rare kind is told by chance as
 * often as all of them come. One that could not be counted may have been.
 */
export function timesAsRare(
  site: Site,
  bursts: readonly (Distribution | null)[],
  weeks: readonly Distribution[],
  { name, excess }: { readonly name: string; readonly excess: number },
): number {
  const shareOf = usualShares(weeks);
  const others = new Map<string, number>();
  let times = 0;
  for (const burst of bursts) {
    const due = burst === null ? 0 : expectedIn(site, burst);
    const more = (category: string): number =>
      burst === null ? 0 : (maxCountOf(burst, category) ?? 0) - due * shareOf(category);
    const all = burst === null ? 0 : totalOf(burst) - due;
    const isOf = (category: string): boolean => all > 0 && more(category) > BURST_RULE.ofKind * all;
    if (burst === null || isOf(name) || more(name) >= BURST_RULE.ofKind * excess) {
      times += 1;
      continue;
    }
    const kind = burst.counts.find(({ category }) => isOf(category))?.category;
    if (kind !== undefined) others.set(kind, (others.get(kind) ?? 0) + 1);
  }
  const asRare = [...others.values()].filter((count) => count <= times + BURST_RULE.asRare);
  return asRare.reduce((sum, count) => sum + count, times);
}

function usualShares(weeks: readonly Distribution[]): (category: string) => number {
  const total = weeks.reduce((sum, week) => sum + totalOf(week), 0);
  const counted = (category: string): number => weeks.reduce((sum, week) => sum + (maxCountOf(week, category) ?? 0), 0);
  return (category) => (total > 0 ? counted(category) / total : 0);
}

/** Between two steps as much as its part of one. */
function expectedIn({ past, strays: { expected } }: Site, { fromMs, toMs }: BurstWindow): number {
  const until = (ms: number): number => {
    const step = Math.max(0, Math.min(expected.length - 1, (ms - past.fromMs) / past.stepMs));
    const whole = Math.floor(step);
    const sum = expected[whole] ?? 0;
    return sum + (step - whole) * ((expected[whole + 1] ?? sum) - sum);
  };
  return until(toMs) - until(fromMs);
}
