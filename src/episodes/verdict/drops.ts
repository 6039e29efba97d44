/** Drops: attacks that stop while visitors go on, and visitors who are gone. */
import { expectedPerInterval, type Present } from './present.ts';
import { DROPS } from './rule.ts';
import { attacksOf, finishedPoints, type PointValue, visitorsOf } from './series.ts';
import { isSilentAgain } from './site.ts';
import type { Drop } from './verdict.ts';

/** A point with a number, and what was to be expected in it. */
interface ExpectedPoint {
  readonly startMs: number;
  readonly endMs: number;
  readonly count: number;
  readonly usual: number;
}

/** A drop, and from when on it was enough to be said in an answer, and to alert a channel. */
export interface FoundDrop extends Drop {
  /** The end of what was counted: of the last numbers, or of the drop. */
  readonly untilMs: number;
  /** When it was over; `null` while it goes on. */
  readonly endedMs: number | null;
  readonly saidFromMs: number;
  readonly alertsFromMs: number | null;
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
    !gone.some(({ sinceMs, untilMs }) => startMs >= sinceMs && startMs < untilMs);
  const attacks = dated(attacksOf, present.expected, 'attacks').filter(isCompared);
  const stopped = dropsIn('attacks', attacks).flatMap((drop) => {
    const share = shareBetween(visitors, drop);
    if (share === null) return [{ ...drop, visitorsUnknown: true }];
    return share < DROPS.visitorsGoOn ? [] : [drop];
  });
  const later = [...gone, ...stopped].filter((drop) => drop.untilMs > fromMs);
  return later.toSorted((one, other) => one.sinceMs - other.sinceMs);
}

function dropsIn(what: Drop['what'], points: readonly ExpectedPoint[]): FoundDrop[] {
  return lowRuns(points).flatMap(({ run, goesOn }): FoundDrop[] => {
    // If they come back slowly, what was said of it stays said.
    const saidFromMs = enoughFrom(run, DROPS.check[what]);
    if (saidFromMs === null) return [];
    const [sinceMs, untilMs] = [run[0]?.startMs ?? 0, run.at(-1)?.endMs ?? 0];
    const alertsFromMs = enoughFrom(run, DROPS.watch[what]);
    return [{ what, sinceMs, untilMs, endedMs: goesOn ? null : untilMs, saidFromMs, alertsFromMs }];
  });
}

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
  const runs: { readonly run: readonly ExpectedPoint[]; readonly goesOn: boolean }[] = [];
  let from = 0;
  let to = from;
  let gain = 0;
  let most = 0;
  const end = (goesOn: boolean): void => {
    if (to > from) runs.push({ run: points.slice(from, goesOn ? points.length : to), goesOn });
  };
  points.forEach(({ startMs, endMs, count, usual }, at) => {
    gain += DROPS.edgeShare * usual - count;
    if (gain > most) {
      most = gain;
      to = at + 1;
    }
    const isBack = most - gain > ((1 - DROPS.edgeShare) * usual * DROPS.apartMs) / (endMs - startMs);
    if (gain > 0 && !isBack) return;
    end(false);
    from = at + 1;
    to = from;
    gain = 0;
    most = 0;
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
function shareBetween(points: readonly ExpectedPoint[], { sinceMs, untilMs }: FoundDrop): number | null {
  const during = points.filter(({ startMs, endMs }) => startMs >= sinceMs && endMs <= untilMs);
  const expected = sumOf(during, 'usual');
  return expected === 0 ? null : sumOf(during, 'count') / expected;
}
