/**
 * Finds every rise in a series: the stretches that stand out, each extended to when it began and ended. A stretch is
 * scored by what came before it and by itself alone, so what was found while it went on is found afterwards too.
 */
import type { Timeline } from '../../statistics/timeline.ts';
import { MINUTE_MS } from '../../time-units.ts';
import { changePoints } from './extent.ts';
import { expectedPerInterval, onClock } from './measures.ts';
import { type Present, readPresent } from './present.ts';
import { SURGE } from './rule.ts';
import { QUARTER_MS, type Stretch, stretchesThatStandOut } from './scan.ts';
import { finishedPoints } from './series.ts';
import type { Site } from './site.ts';

/** How strong something had become by an instant, as its numbers up to then showed. */
export interface StrengthStep {
  readonly atMs: number;
  readonly strength: number;
  readonly level: 'elevated' | 'surge';
}

export interface FoundRise {
  readonly onsetMs: number;
  /** The end of its last interval. */
  readonly untilMs: number;
  readonly ongoing: boolean;
  /** Oldest first; the last one has its highest strength and level. */
  readonly steps: readonly StrengthStep[];
}

/** It's ongoing if it stood out this recently. */
const RECENT_MS = 10 * MINUTE_MS;

export function* findRises(recent: Timeline, present: Present, site: Site | null): Generator<void, FoundRise[]> {
  const { grid } = present;
  const standing = yield* stretchesThatStandOut(present, site);
  if (standing.length === 0) return [];
  const expectedIn = expectedPerInterval(present, recent.intervalMs);
  const points = finishedPoints(recent);
  const lastMs = grid.fromMs + grid.length * grid.stepMs;
  const surges = surgeEnds(present);
  const found: FoundRise[] = [];
  let left = standing.toSorted((a, b) => b.sharpness - a.sharpness);
  for (let sharpest = left[0]; sharpest !== undefined; sharpest = left[0]) {
    const span = changePoints(
      points,
      recent.intervalMs,
      onClock(sharpest, grid),
      ({ endMs }) => expectedIn(endMs) ?? 0,
    );
    const within = (stretch: Stretch): boolean => {
      const { fromMs, toMs } = onClock(stretch, grid);
      return fromMs < span.endMs && toMs > span.onsetMs;
    };
    const own = left.filter((stretch) => stretch === sharpest || within(stretch));
    left = left.filter((stretch) => !own.includes(stretch));
    const overlapping = found.findIndex((rise) => rise.onsetMs < span.endMs && rise.untilMs > span.onsetMs);
    const steps = stepsOf(own, surges, present, span);
    const rise = { onsetMs: span.onsetMs, untilMs: span.endMs, ongoing: lastMs - span.endMs < RECENT_MS, steps };
    const other = found[overlapping];
    if (other === undefined) found.push(rise);
    else found[overlapping] = merged(other, rise);
    yield;
  }
  return found.toSorted((a, b) => a.onsetMs - b.onsetMs);
}

/** Two spans that overlap are one rise. */
function merged(a: FoundRise, b: FoundRise): FoundRise {
  return {
    onsetMs: Math.min(a.onsetMs, b.onsetMs),
    untilMs: Math.max(a.untilMs, b.untilMs),
    ongoing: a.ongoing || b.ongoing,
    steps: rising([...a.steps, ...b.steps]),
  };
}

/** The steps in order, each stronger than the one before. */
export function rising(steps: readonly StrengthStep[]): StrengthStep[] {
  const kept: StrengthStep[] = [];
  for (const step of steps.toSorted((a, b) => a.atMs - b.atMs)) {
    const last = kept.at(-1);
    const strength = Math.max(step.strength, last?.strength ?? 0);
    const level = last?.level === 'surge' ? 'surge' : step.level;
    if (last === undefined || level !== last.level || strength >= last.strength + MIN_STEP) {
      kept.push({ atMs: step.atMs, strength, level });
    }
  }
  return kept;
}

const MIN_STEP = 0.05;

function stepsOf(
  stretches: readonly Stretch[],
  surges: readonly number[],
  { grid }: Present,
  { onsetMs, endMs }: { readonly onsetMs: number; readonly endMs: number },
): StrengthStep[] {
  const surgeMs = surges.find((atMs) => atMs > onsetMs && atMs <= endMs + MINUTE_MS);
  const elevated = stretches.map(({ to, score }): StrengthStep => {
    const atMs = grid.fromMs + to * grid.stepMs;
    return { atMs, strength: score, level: surgeMs !== undefined && surgeMs <= atMs ? 'surge' : 'elevated' };
  });
  const firstMs = Math.min(...elevated.map(({ atMs }) => atMs));
  const surge: StrengthStep[] =
    surgeMs === undefined ? [] : [{ atMs: Math.max(surgeMs, firstMs), strength: 0, level: 'surge' }];
  return rising([...elevated, ...surge]);
}

/** When a surge could be seen: the ends of ten minutes or a quarter of an hour with so many times the expected. */
function surgeEnds({ grid, strays }: Present): number[] {
  const { seen, expected, known } = strays;
  const widths = [10 * MINUTE_MS, QUARTER_MS].map((ms) => Math.max(1, Math.round(ms / grid.stepMs)));
  const ends: number[] = [];
  for (let to = 1; to <= grid.length; to++) {
    const isSurge = widths.some((width) => {
      const from = to - width;
      if (from < 0 || (known[to] ?? 0) - (known[from] ?? 0) < width / 2) return false;
      const came = (seen[to] ?? 0) - (seen[from] ?? 0);
      const due = (expected[to] ?? 0) - (expected[from] ?? 0);
      return came >= SURGE.ratio * Math.max(due, 0.5) && came - due >= SURGE.excess;
    });
    if (isSurge) ends.push(grid.fromMs + to * grid.stepMs);
  }
  return ends;
}

/** What was to be expected between two instants, by what was usual until `asOfMs`; `null` if there's nothing to go by. */
export function expectedBetween(
  recent: Timeline,
  { grid, windowStart }: Pick<Present, 'grid' | 'windowStart'>,
  site: Site | null,
  { fromMs, toMs, asOfMs = fromMs }: { readonly fromMs: number; readonly toMs: number; readonly asOfMs?: number },
): number | null {
  const frozen = readPresent(recent, grid, windowStart, site, asOfMs);
  const expectedIn = expectedPerInterval(frozen, recent.intervalMs);
  let sum = 0;
  let isKnown = false;
  for (const { endMs, attacks } of finishedPoints(recent)) {
    if (attacks === null || endMs - recent.intervalMs < fromMs || endMs > toMs) continue;
    const due = expectedIn(endMs);
    if (due === null) continue;
    sum += due;
    isKnown = true;
  }
  return isKnown ? sum : null;
}
