/** Drops: attacks that stop while visitors go on, and visitors who are gone. */
import { type ExpectedPoint, expectedPerInterval, expectedPoints, type Present } from './present.ts';
import type { FoundRise, StrengthStep } from './rises.ts';
import { BARS, DROPS } from './rule.ts';
import { attacksOf, type PointValue, visitorsOf } from './series.ts';
import { isSilentAgain } from './site.ts';
import type { DropKind } from './verdict.ts';

interface ComparedPoint extends ExpectedPoint {
  /** What must be gone: the same, or less. */
  readonly fallenFrom: number;
  /** Whether it says anything: not while it's silent every week, nor of attacks while visitors are gone. */
  readonly isCompared: () => boolean;
}

/** Its steps: from when on it was enough to be said in an answer, and to alert a channel. */
export interface FoundDrop extends FoundRise {
  readonly what: DropKind;
  /** No visitors are known, or they were gone, too, at its end. */
  readonly visitorsUnknown: boolean;
}

/** Every drop that ends after `fromMs`, oldest first. */
export function findDrops(present: Present, fromMs: number): FoundDrop[] {
  const { recent, site, grid, least } = present;
  const compared = (of: 'attacks' | 'visitors', pick: PointValue, gone: readonly FoundDrop[]): ComparedPoint[] => {
    const fallenFromIn = expectedPerInterval(grid, least[of].fallenFrom, recent.intervalMs);
    return expectedPoints(present, pick, least[of].expected).map((point) => {
      const { startMs, endMs } = point;
      const isCompared = (): boolean =>
        !gone.some(({ onsetMs, untilMs }) => startMs >= onsetMs && startMs < untilMs) &&
        !isSilentAgain(site, of, (startMs + endMs) / 2);
      return { ...point, fallenFrom: fallenFromIn(endMs) ?? 0, isCompared };
    });
  };
  const gone = dropsIn('requests', compared('visitors', visitorsOf, []));
  const visitors = compared('visitors', visitorsOf, gone);
  const stopped = dropsIn('attacks', compared('attacks', attacksOf, gone)).flatMap((drop) => {
    const share = shareBetween(visitors, drop);
    if (share === null) return [{ ...drop, visitorsUnknown: true }];
    return share < DROPS.visitorsGoOn ? [] : [drop];
  });
  return [...gone, ...stopped].filter(({ untilMs }) => untilMs > fromMs).toSorted((a, b) => a.onsetMs - b.onsetMs);
}

/** None begins with what isn't compared, but what has begun goes on in it. */
function dropsIn(what: DropKind, points: readonly ComparedPoint[]): FoundDrop[] {
  return lowRuns(points).flatMap(({ run, ongoing }): FoundDrop[] => {
    const compared = run.filter(({ isCompared }) => isCompared());
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

type Enough = (typeof DROPS)['check' | 'watch'][DropKind];

/** When the last part of a run was enough, by the numbers up to then; `null` if it never was. A hole is not a part of it. */
function enoughFrom(run: readonly ComparedPoint[], { expected: least, forMs, left }: Enough): number | null {
  const isEnough = (at: number): boolean => {
    let [knownMs, observed, expected] = [0, 0, 0];
    for (let i = at; i >= 0 && (knownMs < forMs || expected < least); i--) {
      const { startMs = 0, endMs = 0, count = 0, fallenFrom = 0 } = run[i] ?? {};
      knownMs += endMs - startMs;
      observed += count;
      expected += fallenFrom;
    }
    return knownMs >= forMs && expected >= least && observed <= left * expected;
  };
  return run.find((_, at) => isEnough(at))?.endMs ?? null;
}

/** Points in a row in which much is missing, the oldest first. */
function lowRuns(points: readonly ComparedPoint[]) {
  const runs: { readonly run: readonly ComparedPoint[]; readonly ongoing: boolean }[] = [];
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
function isLowAtEnd(points: readonly ComparedPoint[]): boolean {
  const lastMs = points.at(-1)?.endMs ?? 0;
  const latest = points.filter(({ endMs }) => endMs > lastMs - DROPS.latestMs);
  return latest.reduce((sum, { count, usual }) => sum + DROPS.edgeShare * usual - count, 0) >= 0;
}

/** What share of what is expected came in the time of a drop; `null` if none were to be expected. */
function shareBetween(points: readonly ComparedPoint[], { onsetMs, untilMs }: FoundDrop): number | null {
  const during = points.filter((point) => point.startMs >= onsetMs && point.endMs <= untilMs && point.isCompared());
  const sum = (of: 'count' | 'usual'): number => during.reduce((all, point) => all + point[of], 0);
  return sum('usual') === 0 ? null : sum('count') / sum('usual');
}
