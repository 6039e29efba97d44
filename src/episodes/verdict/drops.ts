/** Drops: attacks that stop while visitors go on, and visitors who are gone. */
import { expectedPerInterval, type Present } from './present.ts';
import type { FoundRise, StrengthStep } from './rises.ts';
import { BARS, DROPS } from './rule.ts';
import { attacksOf, finishedPoints, type PointValue, visitorsOf } from './series.ts';
import { isSilentAgain } from './site.ts';
import type { DropKind } from './verdict.ts';

/** A point with a number, and what was to be expected in it. */
interface ExpectedPoint {
  readonly startMs: number;
  readonly endMs: number;
  readonly count: number;
  readonly usual: number;
}

/** Its steps: from when on it was enough to be said in an answer, and to alert a channel. */
export interface FoundDrop extends FoundRise {
  readonly what: DropKind;
  readonly visitorsUnknown?: boolean;
}

/** Every drop that ends after `fromMs`, oldest first. */
export function findDrops({ recent, site, grid, ...present }: Present, fromMs: number): FoundDrop[] {
  const points = finishedPoints(recent).filter(({ endMs }) => endMs <= present.untilMs && endMs > grid.fromMs);
  const dated = (pick: PointValue, expected: Float64Array, of: 'attacks' | 'visitors'): ExpectedPoint[] => {
    const expectedIn = expectedPerInterval({ grid, expected }, recent.intervalMs);
    return points.flatMap((point): ExpectedPoint[] => {
      const isUsual = isSilentAgain(site, of, point.endMs - recent.intervalMs / 2);
      const [count, usual] = [pick(point), isUsual ? 0 : expectedIn(point.endMs)];
      if (count === null || usual === null) return [];
      return [{ startMs: point.endMs - recent.intervalMs, endMs: point.endMs, count, usual }];
    });
  };
  const visitors = dated(visitorsOf, present.expectedVisitors, 'visitors');
  const gone = dropsIn('requests', visitors);
  // While visitors are gone, attacks say nothing.
  const isCompared = ({ startMs }: ExpectedPoint): boolean =>
    !gone.some(({ onsetMs, untilMs }) => startMs >= onsetMs && startMs < untilMs);
  const attacks = dated(attacksOf, present.expected, 'attacks').filter(isCompared);
  const stopped = dropsIn('attacks', attacks).flatMap((drop) => {
    const share = shareBetween(visitors, drop);
    if (share === null) return [{ ...drop, visitorsUnknown: true }];
    return share < DROPS.visitorsGoOn ? [] : [drop];
  });
  const later = [...gone, ...stopped].filter((drop) => drop.untilMs > fromMs);
  return later.toSorted((one, other) => one.onsetMs - other.onsetMs);
}

function dropsIn(what: DropKind, points: readonly ExpectedPoint[]): FoundDrop[] {
  return lowRuns(points).flatMap(({ run, ongoing }): FoundDrop[] => {
    // If they come back slowly, what was said of it stays said.
    const saidFromMs = enoughFrom(run, DROPS.check[what]);
    if (saidFromMs === null) return [];
    const alertsFromMs = enoughFrom(run, DROPS.watch[what]);
    const steps = [...stepAt(saidFromMs, BARS.check), ...stepAt(alertsFromMs, DROPS.strength)];
    return [{ what, onsetMs: run[0]?.startMs ?? 0, untilMs: run.at(-1)?.endMs ?? 0, ongoing, steps }];
  });
}

const stepAt = (atMs: number | null, strength: number): StrengthStep[] =>
  atMs === null ? [] : [{ atMs, strength, level: 'elevated' }];

/** When the last part of a run was enough, by the numbers up to then; `null` if it never was. A hole is not a part of it. */
function enoughFrom(
  run: readonly ExpectedPoint[],
  { expected: least, forMs, left }: { readonly expected: number; readonly forMs: number; readonly left: number },
): number | null {
  const isEnough = (at: number): boolean => {
    let [knownMs, observed, expected] = [0, 0, 0];
    for (let i = at; i >= 0 && (knownMs < forMs || expected < least); i--) {
      const { startMs = 0, endMs = 0, count = 0, usual = 0 } = run[i] ?? {};
      knownMs += endMs - startMs;
      observed += count;
      expected += usual;
    }
    return knownMs >= forMs && expected >= least && observed <= left * expected;
  };
  return run.find((_, at) => isEnough(at))?.endMs ?? null;
}

/** Points in a row in which much is missing, the oldest first. */
function lowRuns(points: readonly ExpectedPoint[]) {
  const runs: { readonly run: readonly ExpectedPoint[]; readonly ongoing: boolean }[] = [];
  let [from, to, gain, most] = [0, 0, 0, 0];
  const end = (ongoing: boolean): void => {
    if (to > from) runs.push({ run: points.slice(from, ongoing ? points.length : to), ongoing });
  };
  points.forEach(({ startMs, endMs, count, usual }, at) => {
    gain += DROPS.edgeShare * usual - count;
    if (gain > most) [most, to] = [gain, at + 1];
    const isBack = most - gain > ((1 - DROPS.edgeShare) * usual * DROPS.apartMs) / (endMs - startMs);
    if (gain > 0 && !isBack) return;
    end(false);
    [from, to, gain, most] = [at + 1, at + 1, 0, 0];
  });
  end(isLowAtEnd(points.slice(from)));
  return runs;
}

/** By the latest points that have a number; of those without, nothing is known. */
function isLowAtEnd(points: readonly ExpectedPoint[]): boolean {
  const lastMs = points.at(-1)?.endMs ?? 0;
  const latest = points.filter(({ endMs }) => endMs > lastMs - DROPS.latestMs);
  return latest.reduce((sum, { count, usual }) => sum + DROPS.edgeShare * usual - count, 0) > 0;
}

const sumOf = (points: readonly ExpectedPoint[], of: 'count' | 'usual'): number =>
  points.reduce((sum, point) => sum + point[of], 0);

/** What share of what is expected came in the time of a drop; `null` if none were to be expected. */
function shareBetween(points: readonly ExpectedPoint[], { onsetMs, untilMs }: FoundDrop): number | null {
  const during = points.filter(({ startMs, endMs }) => startMs >= onsetMs && endMs <= untilMs);
  const expected = sumOf(during, 'usual');
  return expected === 0 ? null : sumOf(during, 'count') / expected;
}
