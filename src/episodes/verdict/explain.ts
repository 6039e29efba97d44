/**
 * What a verdict tells its reader: how often such a one is wrong, what of the data is missing, and the usual range for the
 * chart. Nothing here decides anything.
 */
import { formatShare } from '../../statistics/format.ts';
import { type BandPoint, readable } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import { CALIBRATION } from './calibration.ts';
import { expectedPerInterval, type Present } from './present.ts';
import { RULE } from './rule.ts';
import { countAt, tailFor } from './site.ts';
import type { WindowFinding } from './verdict.ts';

/** `null` where it was never measured. */
export function confidenceIn({ says, score }: WindowFinding): string | null {
  const bin = CALIBRATION.findLast(({ finding, fromScore }) => finding === says && fromScore <= score);
  if (bin === undefined) return null;
  const oneIn = `About 1 in ${bin.wrongOneIn} such`;
  return says === 'calm' ? `${oneIn} calm results misses something.` : `${oneIn} findings is wrong.`;
}

/** Whole sentences, only where the data are so incomplete that the verdict would be surer with more. */
export function missingData({ recent, site, windowStart, grid, known, knownBeforeMs }: Present): string[] {
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
export function usualBand({ recent, site, grid, expected, least }: Present, fromMs: number): BandPoint[] {
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
