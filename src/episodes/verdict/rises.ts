/**
 * Finds every rise in a series: the stretches that stand out, each extended to when it began and ended. A stretch is
 * scored by what came before it and by itself alone, so what was found while it went on is found afterwards too.
 */
import { HOUR_MS, MINUTE_MS, WEEK_MS } from '../../time-units.ts';
import { type ExpectedPoint, expectedPoints, type Present } from './present.ts';
import { BARS, REPETITION, RISE, SURGE } from './rule.ts';
import { attacksOf } from './series.ts';
import { deviation, type Site, strengthOf, sumsBetween, type Tail } from './site.ts';

interface RiseSpan {
  readonly onsetMs: number;
  /** The end of its last interval. */
  readonly untilMs: number;
}

const overlap = (a: RiseSpan, b: RiseSpan): boolean => a.onsetMs < b.untilMs && a.untilMs > b.onsetMs;

/** A stretch of time and how far it stands out. */
interface Stretch extends RiseSpan {
  readonly ratio: number;
  readonly strength: number;
  /** How sharply it stands out: the log likelihood against chance, by how much the site strays. */
  readonly sharpness: number;
}

/** Those that end within the window, large enough to matter and rare enough to be recorded. Stops after each length. */
function* stretchesThatStandOut(present: Present): Generator<void, Stretch[]> {
  const { windowStart, grid, site } = present;
  const unusual: Stretch[] = [];
  for (const tail of site.tails) {
    const width = Math.max(1, Math.round(tail.lengthMs / grid.stepMs));
    for (let to = Math.max(windowStart + 1, width); to <= grid.length; to++) {
      const stretch = stretchAt(present, tail, to - width, to);
      if (stretch !== null) unusual.push(stretch);
    }
    yield;
  }
  return unusual;
}

/** `null` where too little of it is known, or it's too little to matter, or not rare enough. */
function stretchAt({ grid, sums, site }: Present, tail: Tail, from: number, to: number): Stretch | null {
  const { fromMs, stepMs } = grid;
  const { observed, expected: usual, known } = sumsBetween(sums, from, to);
  const span = { onsetMs: fromMs + from * stepMs, untilMs: fromMs + to * stepMs };
  const hours = (known * stepMs) / HOUR_MS;
  const isMore = (expected: number): boolean =>
    observed >= expected * RISE.ratio &&
    observed - expected >= Math.max(RISE.excess, (RISE.hourShare * expected) / hours);
  if (known * 2 < to - from || !isMore(usual)) return null;
  const strengthBeyond = (expected: number): number => strengthOf(tail, deviation(observed, expected, tail.spread));
  if (strengthBeyond(usual) < BARS.check) return null;
  const expected = expectedByRepetition(site, span, usual, tail.spread);
  const strength = strengthBeyond(expected);
  if (!isMore(expected) || strength < BARS.check) return null;
  // Where it begins and ends doesn't depend on what came at that time in earlier weeks.
  const floor = Math.max(usual, RISE.leastUsual);
  const sharpness = (observed * Math.log(observed / floor) - (observed - floor)) / (1 + tail.spread * floor);
  return { ...span, ratio: observed / floor, strength, sharpness };
}

/** What is usual, or what came at that time in two earlier weeks: if that was clearly more, or a little more in a third one, too. */
function expectedByRepetition(site: Site, { onsetMs, untilMs }: RiseSpan, usual: number, spread: number): number {
  const start = Math.round((onsetMs - site.fromMs) / site.stepMs);
  const width = Math.max(1, Math.round((untilMs - onsetMs) / site.stepMs));
  const weeks = site.lagsAt(onsetMs).weeks.map((lag, week) => {
    let most = 0;
    // What runs by UTC comes at another hour once the clocks have changed.
    for (const back of new Set([lag, ((week + 1) * WEEK_MS) / site.stepMs])) {
      for (const shift of REPETITION.shifts) {
        const at = start - back + shift;
        const { observed, known } = sumsBetween(site.sums, at, at + width);
        if (known === width && observed > most) most = observed;
      }
    }
    return most;
  });
  const [, second = 0, third = 0] = weeks.sort((a, b) => b - a);
  const isAbove = (count: number, by: number): boolean => deviation(count, usual, spread) >= by;
  return isAbove(second, REPETITION.inTwo) || isAbove(third, REPETITION.inThree) ? second : usual;
}

/** How strong something had become by an instant, as its numbers up to then showed. */
export interface StrengthStep {
  readonly atMs: number;
  readonly strength: number;
  readonly level: 'elevated' | 'surge';
}

export interface FoundRise extends RiseSpan {
  readonly ongoing: boolean;
  /** Oldest first; the last one has its highest strength and level. */
  readonly steps: readonly StrengthStep[];
}

/** `over`: rises that ended earlier. Stretches that reach back into one of them show that one, not another. */
export function* findRises(present: Present, over: readonly RiseSpan[]): Generator<void, FoundRise[]> {
  const unusual = (yield* stretchesThatStandOut(present)).filter((each) => !over.some((one) => overlap(each, one)));
  if (unusual.length === 0) return [];
  const points = expectedPoints(present, attacksOf, present.expected);
  const surges = surgeEnds(present);
  let found: FoundRise[] = [];
  let left = unusual.toSorted((a, b) => b.sharpness - a.sharpness);
  for (let sharpest = left[0]; sharpest !== undefined; sharpest = left[0]) {
    const span = changePoints(points, sharpest);
    const isOwn = (each: Stretch): boolean => each === sharpest || overlap(each, span);
    const steps = stepsOf(left.filter(isOwn), surges, span);
    left = left.filter((each) => !isOwn(each));
    // Those that overlap are one rise.
    const parts = found.filter((each) => overlap(each, span));
    found = found.filter((each) => !parts.includes(each));
    const onsetMs = Math.min(span.onsetMs, ...parts.map((part) => part.onsetMs));
    const untilMs = Math.max(span.untilMs, ...parts.map((part) => part.untilMs));
    const ongoing = present.untilMs - untilMs < RISE.recentMs;
    found.push({ onsetMs, untilMs, ongoing, steps: rising([...parts.flatMap((part) => part.steps), ...steps]) });
    yield;
  }
  return found.toSorted((a, b) => a.onsetMs - b.onsetMs);
}

/** The steps in order, each stronger than the one before. */
export function rising(steps: readonly StrengthStep[]): StrengthStep[] {
  const kept: StrengthStep[] = [];
  for (const step of steps.toSorted((a, b) => a.atMs - b.atMs)) {
    const last = kept.at(-1);
    const strength = Math.max(step.strength, last?.strength ?? 0);
    const level = last?.level === 'surge' ? 'surge' : step.level;
    if (last === undefined || level !== last.level || strength >= last.strength + RISE.minStep) {
      kept.push({ atMs: step.atMs, strength, level });
    }
  }
  return kept;
}

function stepsOf(stretches: readonly Stretch[], surges: readonly number[], span: RiseSpan): StrengthStep[] {
  const surgeMs = surges.find((atMs) => atMs > span.onsetMs && atMs <= span.untilMs + MINUTE_MS);
  const levelAt = (ms: number) => (surgeMs !== undefined && surgeMs <= ms ? 'surge' : 'elevated');
  const steps = stretches.map(({ untilMs: atMs, strength }) => ({ atMs, strength, level: levelAt(atMs) }) as const);
  if (surgeMs === undefined) return rising(steps);
  const firstMs = Math.min(...steps.map(({ atMs }) => atMs));
  return rising([...steps, { atMs: Math.max(surgeMs, firstMs), strength: 0, level: 'surge' }]);
}

/** When a surge could be seen: the ends of ten minutes or a quarter of an hour with so many times the expected. */
function surgeEnds({ grid, sums }: Present): number[] {
  const widths = SURGE.withinMs.map((ms) => Math.max(1, Math.round(ms / grid.stepMs)));
  const isSurge = (to: number): boolean =>
    widths.some((width) => {
      const { observed, expected, known } = sumsBetween(sums, to - width, to);
      const isMore =
        observed >= SURGE.ratio * Math.max(expected, RISE.leastUsual) && observed - expected >= SURGE.excess;
      return to >= width && isMore && known >= width / 2;
    });
  const ends = Array.from({ length: grid.length + 1 }, (_, to) => to).filter(isSurge);
  return ends.map((to) => grid.fromMs + to * grid.stepMs);
}

/**
 * When the wave around an excursion began and ended, to the interval: a cumulative sum (CUSUM) that rises where there are more
 * attacks than a bar between usual and wave, and falls where there are fewer. The wave is where the sum is largest.
 */
function changePoints(points: readonly ExpectedPoint[], strongest: Stretch): RiseSpan {
  // Between the usual and the wave, nearer to the usual so that the foot of a slow rise belongs to it.
  const foot = Math.max(RISE.foot.min, strongest.ratio ** RISE.foot.power);
  const bar = (foot - 1) / Math.log(foot);
  // Where next to nothing is usual, single attacks hours before or after don't belong to it.
  const leastPerMs = RISE.leastUsual / (strongest.untilMs - strongest.onsetMs);
  const gains = points.map(
    ({ count, usual, startMs, endMs }) => count - bar * Math.max(usual, leastPerMs * (endMs - startMs)),
  );
  const first = points.findIndex(({ startMs }) => startMs >= strongest.onsetMs);
  const last = points.findLastIndex(({ endMs }) => endMs <= strongest.untilMs);
  const middle = points[Math.floor((first + last) / 2)];
  if (first === -1 || last < first || middle === undefined) return strongest;
  const drop = Math.max(3, ((bar - 1) * middle.usual * RISE.pauseMs) / (middle.endMs - middle.startMs));
  const from = climb(gains, last, -1, first, drop);
  const to = climb(gains, from, 1, last, drop);
  return { onsetMs: points[from]?.startMs ?? 0, untilMs: points[to]?.endMs ?? strongest.untilMs };
}

/** Walks from `at` in one direction to where the sum is largest; past `free` it stops once it has lost `drop`. */
function climb(gains: readonly number[], at: number, direction: 1 | -1, free: number, drop: number): number {
  let sum = 0;
  let best = Number.NEGATIVE_INFINITY;
  let place = at;
  for (let i = at; i >= 0 && i < gains.length; i += direction) {
    sum += gains[i] ?? 0;
    if (sum > best) {
      best = sum;
      place = i;
    } else if (sum < best - drop && (i - free) * direction > 0) break;
  }
  return place;
}
