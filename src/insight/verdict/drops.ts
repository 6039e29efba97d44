/** Drops: attacks that stop while visitors go on, and visitors who are gone. */
import type { Timeline, TimelinePoint } from '../timeline.ts';
import { HOUR_MS } from './past.ts';
import type { Present } from './present.ts';
import { attacksOf, finishedPoints, visitorsOf } from './series.ts';
import type { Drop } from './verdict.ts';

export const DROP_RULE = {
  /** The share of what is expected, and of the hour before, that may be left. */
  left: 0.1,
  leftOfHourBefore: 0.2,
  /** Events that must be missing, so that it is no chance. */
  attacks: 22,
  requests: 60,
  attacksMs: 15 * 60_000,
  requestsMs: 8 * 60_000,
  /** Visitors go on when there are this many of them. */
  visitorsGoOn: 0.5,
};

/** Between having everything and nothing: where the sum of (this share of the expected, less what came) is largest. */
const BETWEEN = 0.3;

interface LowRun {
  /** Points `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly observed: number;
  readonly expected: number;
}

export function findDrops(recent: Timeline, present: Present, fromMs: number): Drop[] {
  const { grid } = present;
  const untilMs = grid.fromMs + grid.length * grid.stepMs;
  const points = finishedPoints(recent).filter(({ endMs }) => endMs <= untilMs && endMs > grid.fromMs);
  const dueOf = (expected: Float64Array) => {
    const scale = recent.intervalMs / grid.stepMs;
    return ({ endMs }: TimelinePoint): number => {
      const at = Math.floor((endMs - recent.intervalMs / 2 - grid.fromMs) / grid.stepMs);
      return (expected[Math.min(grid.length - 1, Math.max(0, at))] ?? Number.NaN) * scale;
    };
  };
  const visits = dueOf(present.expectedVisitors);
  const visitors = lowRun(points, visitorsOf, visits);
  const gone = isDrop(visitors, points, recent, visitorsOf, fromMs, DROP_RULE.requests, DROP_RULE.requestsMs);
  const attacks = lowRun(points, attacksOf, dueOf(present.expected));
  const stopped = isDrop(attacks, points, recent, attacksOf, fromMs, DROP_RULE.attacks, DROP_RULE.attacksMs);
  const goOn = attacks !== null && shareIn(points, attacks, visitorsOf, visits) >= DROP_RULE.visitorsGoOn;
  const say = (what: Drop['what'], run: LowRun | null): Drop[] => {
    const first = run === null ? undefined : points[run.from];
    if (run === null || first === undefined) return [];
    const { observed, expected } = run;
    return [{ what, sinceMs: first.endMs - recent.intervalMs, observed, expected }];
  };
  return [...(gone ? say('requests', visitors) : []), ...(stopped && goOn ? say('attacks', attacks) : [])];
}

/** The run of points in which most is missing. */
function lowRun(
  points: readonly TimelinePoint[],
  pick: (point: TimelinePoint) => number | null,
  due: (point: TimelinePoint) => number,
): LowRun | null {
  let best: LowRun | null = null;
  let bestGain = 0;
  let gain = 0;
  let from = 0;
  let observed = 0;
  let expected = 0;
  points.forEach((point, at) => {
    const count = pick(point);
    const usual = due(point);
    if (count !== null && !Number.isNaN(usual)) {
      gain += BETWEEN * usual - count;
      observed += count;
      expected += usual;
    }
    if (gain <= 0) {
      gain = 0;
      observed = 0;
      expected = 0;
      from = at + 1;
    } else if (gain > bestGain) {
      bestGain = gain;
      best = { from, to: at + 1, observed, expected };
    }
  });
  return best;
}

function isDrop(
  run: LowRun | null,
  points: readonly TimelinePoint[],
  { intervalMs }: Timeline,
  pick: (point: TimelinePoint) => number | null,
  fromMs: number,
  least: number,
  leastMs: number,
): boolean {
  const first = run === null ? undefined : points[run.from];
  const last = run === null ? undefined : points[run.to - 1];
  if (run === null || first === undefined || last === undefined) return false;
  const startMs = first.endMs - intervalMs;
  if (last.endMs - Math.max(startMs, fromMs) < leastMs || run.expected < least) return false;
  if (run.observed > DROP_RULE.left * run.expected) return false;
  const before = points.filter(({ endMs }) => endMs <= startMs && endMs > startMs - HOUR_MS).map(pick);
  const known = before.filter((count) => count !== null);
  if (known.length === 0) return false;
  const rate = known.reduce((sum, count) => sum + count, 0) / known.length;
  return run.observed <= DROP_RULE.leftOfHourBefore * rate * (run.to - run.from);
}

/** What share of what is expected came in a run. */
function shareIn(
  points: readonly TimelinePoint[],
  { from, to }: LowRun,
  pick: (point: TimelinePoint) => number | null,
  due: (point: TimelinePoint) => number,
): number {
  let seen = 0;
  let expected = 0;
  for (const point of points.slice(from, to)) {
    const count = pick(point);
    const usual = due(point);
    if (count === null || Number.isNaN(usual)) continue;
    seen += count;
    expected += usual;
  }
  return expected === 0 ? 0 : seen / expected;
}
