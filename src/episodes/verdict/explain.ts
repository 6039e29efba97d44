/**
 * What a verdict tells its reader: the finding in one sentence, what of the data is missing, and the usual range for the
 * chart. Nothing here decides anything. Times of day are left to those who know the reader's time zone.
 */
import { exactDuration, formatCount, formatShare } from '../../statistics/format.ts';
import { type BandPoint, readableMs, rebucket, type Timeline } from '../../statistics/timeline.ts';
import { DAY_MS } from '../../time-units.ts';
import { CALIBRATION } from './calibration.ts';
import { expectedPerInterval, type Present } from './present.ts';
import { RULE } from './rule.ts';
import { knownShare } from './series.ts';
import { countAt, type Site, tailFor } from './site.ts';
import type { Drop, Verdict, WindowFinding } from './verdict.ts';

const LEVELS = { calm: 'Calm', elevated: 'Elevated', surge: 'Surge' } as const;

const attacksIn = (count: number): string => `${formatCount(count)} ${Math.round(count) === 1 ? 'attack' : 'attacks'}`;

/** `Surge: 2,170 attacks in 33 minutes, about 490 expected.`, `Calm: 731 attacks in 1 hour, 640 to 810 is usual.` */
export function sentenceOf(
  { fromMs, toMs, observed }: Pick<Verdict, 'fromMs' | 'toMs' | 'observed'>,
  { low, high }: NonNullable<Verdict['usual']>,
  { level, counted, drops }: WindowFinding,
): string {
  const range = `${formatCount(low)} to ${formatCount(high)} is usual`;
  const length = exactDuration(counted?.ms ?? toMs - fromMs);
  const expected = counted?.expected == null ? '' : `, ${dueInWords(counted.expected)} expected`;
  const finding =
    counted === null
      ? `${LEVELS[level]}: ${attacksIn(observed)} in ${length}, ${range}.`
      : `${LEVELS[level]}: ${attacksIn(counted.observed)} in ${length}${expected}.`;
  return [finding, ...drops.map(dropInWords)].join(' ');
}

const dueInWords = (expected: number): string => (expected < 0.5 ? 'hardly any' : `about ${formatCount(expected)}`);

function dropInWords({ what, observed, expected, endedMs }: Drop): string {
  const isOver = endedMs !== null;
  const finding =
    what === 'attacks'
      ? `Attacks ${isOver ? 'had stopped while visitors went' : 'have stopped while visitors go'} on`
      : `Visitors ${isOver ? 'were' : 'are'} gone`;
  const visits = what === 'attacks' ? '' : ' visits';
  return `${finding}: ${formatCount(observed)}${visits} where about ${formatCount(expected)} ${isOver ? 'were' : 'are'} expected.`;
}

/** `null` where it was never measured. */
export function confidenceIn({ says, score }: WindowFinding): string | null {
  const bin = CALIBRATION.findLast(({ finding, fromScore }) => finding === says && fromScore <= score);
  if (bin === undefined) return null;
  const oneIn = `About 1 in ${bin.wrongOneIn} such`;
  return says === 'calm' ? `${oneIn} calm results misses something.` : `${oneIn} findings is wrong.`;
}

/** Whole sentences, only where the data are so incomplete that the verdict would be surer with more. */
export function missingData(present: Present, pastMs: number, stale: boolean): string[] {
  const { attacks, windowStart, grid, knownBeforeMs } = present;
  const known = knownShare(attacks.subarray(windowStart));
  const before = windowStart === 0 ? 1 : knownBeforeMs / (windowStart * grid.stepMs);
  const days = Math.floor(pastMs / DAY_MS);
  const past = days === 0 ? 'is less than a day' : days === 1 ? 'is only 1 day' : `are only ${days} days`;
  return [
    ...(known < RULE.complete ? [`${formatShare(1 - known)} of the window has no data.`] : []),
    ...(before < RULE.complete / 2 ? [`${formatShare(1 - before)} of the hours before has no data.`] : []),
    ...(pastMs < RULE.enoughPastMs ? [`There ${past} of earlier data to compare with.`] : []),
    ...(stale ? ['The service does not answer; this was judged from numbers kept from before.'] : []),
  ];
}

/** The usual range at each interval that the window is drawn in. */
export function usualBand(recent: Timeline, fromMs: number, present: Present, site: Site | null): BandPoint[] {
  const { intervalMs, points } = asDrawn(recent, fromMs);
  const expectedIn = expectedPerInterval(present, intervalMs);
  const { spread } = tailFor(site, intervalMs);
  return points.flatMap(({ endMs }) => {
    const expected = endMs <= fromMs ? null : expectedIn(endMs);
    if (expected === null) return [];
    return [
      { endMs, low: countAt(expected, -RULE.nineInTen, spread), high: countAt(expected, RULE.nineInTen, spread) },
    ];
  });
}

/** In the intervals of `readable`, of which one begins with the window. */
function asDrawn(recent: Timeline, fromMs: number): Timeline {
  const bucketMs = readableMs({ ...recent, fromMs });
  const startMs = fromMs - Math.floor((fromMs - recent.fromMs) / bucketMs) * bucketMs;
  const points = recent.points.filter(({ endMs }) => endMs > startMs);
  return rebucket({ ...recent, fromMs: startMs, points }, bucketMs);
}
