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
  /** Whether it says anything: not while it's silent every week, nor of attacks while visitors are gone. */
  readonly isCompared: boolean;
}

/** Its steps: from when on it was enough to be said in an answer, and to alert a channel. */
export interface FoundDrop extends FoundRise {
  readonly what: DropKind;
  /** No visitors are known, or they were gone, too, at its end. */
  readonly visitorsUnknown: boolean;
}

/** Every drop that ends after `fromMs`, oldest first. */
export function findDrops({ recent, site, grid, least, ...present }: Present, fromMs: number): FoundDrop[] {
  const points = finishedPoints(recent).filter(({ endMs }) => endMs <= present.untilMs && endMs > grid.fromMs);
  const dated = (pick: PointValue, of: 'attacks' | 'visitors', gone: readonly FoundDrop[]) => {
    const expectedIn = expectedPerInterval({ grid, expected: least[of].expected }, recent.intervalMs);
    return points.flatMap((point): ExpectedPoint[] => {
      const startMs = point.endMs - recent.intervalMs;
      const isSilent = isSilentAgain(site, of, startMs + recent.intervalMs / 2);
      const isCompared = !isSilent && !gone.some(({ onsetMs, untilMs }) => startMs >= onsetMs && startMs < untilMs);
      const [count, usual] = [pick(point), expectedIn(point.endMs)];
      return count === null || usual === null ? [] : [{ startMs, endMs: point.endMs, count, usual, isCompared }];
    });
  };
  const visitorsBeside = (gone: readonly FoundDrop[]) => dated(visitorsOf, 'visitors', gone);
  const gone = dropsIn('requests', visitorsBeside([]));
  const visitors = visitorsBeside(gone);
  const stopped = dropsIn('attacks', dated(attacksOf, 'attacks', gone)).flatMap((drop) => {
    const share = shareBetween(visitors, drop);
    if (share === null) return [{ ...drop, visitorsUnknown: true }];
    return share < DROPS.visitorsGoOn ? [] : [drop];
  });
  const later = [...gone, ...stopped].filter((drop) => drop.untilMs > fromMs);
  return later.toSorted((one, other) => one.onsetMs - other.onsetMs);
}

/** None begins with what isn't compared, but what has begun goes on in it. */
function dropsIn(what: DropKind, points: readonly ExpectedPoint[]): FoundDrop[] {
  return lowRuns(points).flatMap(({ run, ongoing }): FoundDrop[] => {
    const compared = run.filter(({ isCompared }) => isCompared);
    // If they come back slowly, what was said of it stays said.
    const saidFromMs = enoughFrom(compared, DROPS.check[what]);
    if (saidFromMs === null) return [];
    const [onsetMs, untilMs] = [compared[0]?.startMs ?? 0, run.at(-1)?.endMs ?? 0];
    const alertsFromMs = enoughFrom(compared, DROPS.watch[what]);
    const steps = [...stepAt(saidFromMs, BARS.check), ...stepAt(alertsFromMs, DROPS.strength)];
    return [{ what, onsetMs, untilMs, ongoing, steps, visitorsUnknown: compared.at(-1) !== run.at(-1) }];
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
    const enough = ((1 - DROPS.edgeShare) * usual * DROPS.apartMs) / (endMs - startMs);
    const isBack = most - gain > Math.max(DROPS.strays, enough);
    if (gain > 0 && !isBack) return;
    end(false);
    [from, to, gain, most] = [at + 1, at + 1, 0, 0];
  });
  end(isLowAtEnd(points.slice(from)));
  return runs;
}

/** By the latest points that have a number. Where none are expected, nothing is back. */
function isLowAtEnd(points: readonly ExpectedPoint[]): boolean {
  const lastMs = points.at(-1)?.endMs ?? 0;
  const latest = points.filter(({ endMs }) => endMs > lastMs - DROPS.latestMs);
  return latest.reduce((sum, { count, usual }) => sum + DROPS.edgeShare * usual - count, 0) >= 0;
}

/** What share of what is expected came in the time of a drop; `null` if none were to be expected. */
function shareBetween(points: readonly ExpectedPoint[], { onsetMs, untilMs }: FoundDrop): number | null {
  const during = points.filter((point) => point.isCompared && point.startMs >= onsetMs && point.endMs <= untilMs);
  const sum = (of: 'count' | 'usual'): number => during.reduce((all, point) => all + point[of], 0);
  return sum('usual') === 0 ? null : sum('count') / sum('usual');
}
