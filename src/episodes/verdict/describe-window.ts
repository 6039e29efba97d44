/**
 * Describes a window: what was counted, what was to be expected and what is usual, with the episodes that were found in
 * it. Pure: the same numbers and episodes always give the same verdict.
 */
import { formatShare } from '../../statistics/format.ts';
import { type BandPoint, readable, type Timeline } from '../../statistics/timeline.ts';
import { type ClockOffsets, clockLag } from '../../time/index.ts';
import { DAY_MS, HOUR_MS } from '../../time-units.ts';
import { CALIBRATION } from './calibration.ts';
import { expectedPerInterval, type HeldTimes, type Present, readPresent } from './present.ts';
import { RULE } from './rule.ts';
import { attacksOf, gridOf, resample, totalsBetween } from './series.ts';
import { countAt, type Site, sumsBetween, tailFor } from './site.ts';
import type { CategoryChange, Reference, Verdict, WindowFinding } from './verdict.ts';

export interface WindowInput {
  /** The window in question, half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The window and the hours before it in one timeline. */
  readonly recent: Timeline;
  /** The weeks before, in pieces of any length and interval; what the service did not give is left out. */
  readonly history: readonly Timeline[];
  /** Which hours are the same, by the calendar. */
  readonly offsets: ClockOffsets;
  /** Learned from these weeks, and from the window itself if it's long. */
  readonly site: Site;
  readonly finding: WindowFinding;
  readonly held: HeldTimes;
  /** Whether the time of the window could be searched for episodes. */
  readonly judged: boolean;
  /** What is expected of each category adds up to what is expected in total. */
  readonly categoriesFor: (expected: number) => readonly CategoryChange[];
}

export function describeWindow(input: WindowInput): Verdict {
  const { recent, site, fromMs, finding } = input;
  const window = gridOf(input, recent);
  if (window === null) return notEnoughData(input, 'No interval of the window is finished and has a number.');
  const present = readPresent({ ...window, recent, site, held: input.held });
  if (present.known < RULE.minKnown) return notEnoughData(input, 'Most of the window has no data.');
  if (!input.judged || present.knownBeforeMs + site.knownMs < HOUR_MS) {
    return notEnoughData(input, 'There is next to nothing to compare with.');
  }
  const { grid, windowStart, untilMs: judgedToMs } = present;
  const totals = totalsBetween(recent, fromMs, judgedToMs);
  const before = totalsBetween(recent, fromMs - RULE.trailingMs, fromMs);
  const visitors = sumsBetween(present.visitorSums, windowStart, grid.length);
  const visitorFactor = visitors.expected > 0 ? visitors.observed / visitors.expected : 1;
  const expected = sumsBetween(present.sums, windowStart, grid.length).expected;
  // For stretches of about its length.
  const { spread, from } = tailFor(site, (grid.length - windowStart) * grid.stepMs);
  const ordinary = sumsBetween(present.least.attacks.sums, windowStart, grid.length).expected;
  const low = countAt(ordinary, -RULE.nineInTen, spread);
  const usual = { low, high: countAt(expected, Math.max(RULE.nineInTen, from), spread) };
  // What is expected has grown with the visitors.
  const isExplained = visitorFactor >= RULE.manyVisitors && totals.attacks <= RULE.aLittle * expected;
  const { says, ...found } = finding;
  return {
    ...found,
    fromMs,
    toMs: judgedToMs,
    expected,
    usual,
    totals,
    references: [
      ...(before.knownMs === 0 ? [] : [{ shiftMs: null, totals: before, isEstimate: false }]),
      ...sameHours(input, judgedToMs),
    ],
    visitorFactor,
    categories: input.categoriesFor(expected),
    kind: says === 'calm' && isExplained ? 'more visitors' : null,
    confidence: confidenceIn(finding),
    completeness: missingData(present),
    unjudged: null,
    band: usualBand(present, fromMs),
  };
}

function notEnoughData({ fromMs, toMs, recent }: WindowInput, why: string): Verdict {
  const untilMs = Math.min(toMs, recent.settledUntilMs);
  const totals = totalsBetween(recent, fromMs, untilMs);
  return {
    level: 'not_enough_data',
    score: null,
    fromMs,
    toMs: Math.max(fromMs, untilMs),
    totals,
    expected: null,
    usual: null,
    references: [],
    onsetMs: null,
    endedMs: null,
    visitorFactor: 1,
    categories: [],
    moved: [],
    drops: [],
    kind: null,
    confidence: null,
    completeness: [],
    unjudged: why,
    band: [],
  };
}

/** The same hours of earlier days, where they are known. Intervals that cross their edges count in proportion. */
function sameHours({ history, offsets, fromMs }: WindowInput, toMs: number): Reference[] {
  const shiftsMs = [1, 7, 14, 21, 28].map((days) => clockLag(offsets, toMs, days));
  return shiftsMs.flatMap((shiftMs): Reference[] => {
    const grid = { fromMs: fromMs - shiftMs, stepMs: toMs - fromMs, length: 1 };
    const { counts, known } = resample(history, grid, attacksOf);
    const attacks = Math.round(counts[0] ?? 0);
    const requests = Math.round(resample(history, grid, (point) => point.requests).counts[0] ?? 0);
    if ((known[0] ?? 0) < RULE.complete || requests + attacks === 0) return [];
    const edges = [grid.fromMs, toMs - shiftMs];
    const isEstimate = history.some((timeline) => edges.some((edgeMs) => crosses(timeline, edgeMs)));
    const totals = { attacks, requests, knownMs: (known[0] ?? 0) * grid.stepMs };
    return [{ shiftMs, totals, isEstimate }];
  });
}

const crosses = ({ fromMs, toMs, intervalMs }: Timeline, edgeMs: number): boolean =>
  edgeMs > fromMs && edgeMs < toMs && (toMs - edgeMs) % intervalMs !== 0;

/** `null` where it was never measured. */
function confidenceIn({ says, score }: WindowFinding): string | null {
  const bin = CALIBRATION.findLast(({ finding, fromScore }) => finding === says && fromScore <= score);
  if (bin === undefined) return null;
  const oneIn = `About 1 in ${bin.wrongOneIn} such`;
  return says === 'calm' ? `${oneIn} calm results misses something.` : `${oneIn} findings is wrong.`;
}

/** Whole sentences, only where the data are so incomplete that the verdict would be surer with more. */
function missingData({ recent, site, windowStart, grid, known, knownBeforeMs }: Present): string[] {
  const before = windowStart === 0 ? 1 : knownBeforeMs / (windowStart * grid.stepMs);
  const days = Math.floor(site.knownMs / DAY_MS);
  const past = days === 0 ? 'is less than a day' : days === 1 ? 'is only 1 day' : `are only ${days} days`;
  return [
    ...(known < RULE.complete ? [`${formatShare(1 - known)} of the window has no data.`] : []),
    ...(before < RULE.complete / 2 ? [`${formatShare(1 - before)} of the hours before has no data.`] : []),
    ...(site.knownMs < RULE.enoughPastMs ? [`There ${past} of earlier data to compare with.`] : []),
    ...(recent.stale ? ['The service does not answer; this was judged from numbers kept from before.'] : []),
  ];
}

/** The usual range at each interval that the window is drawn in. */
function usualBand({ recent, site, grid, expected, least }: Present, fromMs: number): BandPoint[] {
  const window = { ...recent, fromMs, points: recent.points.filter(({ endMs }) => endMs > fromMs) };
  const { intervalMs, points } = readable(window);
  const expectedIn = expectedPerInterval(grid, expected, intervalMs);
  const leastIn = expectedPerInterval(grid, least.attacks.expected, intervalMs);
  const { spread } = tailFor(site, intervalMs);
  return points.flatMap(({ endMs }) => {
    const [ordinary, most] = [leastIn(endMs), expectedIn(endMs)];
    if (ordinary === null || most === null) return [];
    return [{ endMs, low: countAt(ordinary, -RULE.nineInTen, spread), high: countAt(most, RULE.nineInTen, spread) }];
  });
}
