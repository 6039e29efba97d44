/**
 * What a verdict tells its reader: the finding and its reasons in sentences, what of the data is missing, and the usual
 * range for the chart. Nothing here decides anything. Times of day are left to those who know the reader's time zone.
 */
import { categoryName } from '../../statistics/categories.ts';
import { exactDuration, formatCount, formatShare } from '../../statistics/format.ts';
import { readableMs, rebucket } from '../../statistics/summary.ts';
import type { BandPoint, Timeline } from '../../statistics/timeline.ts';
import { CALIBRATION } from './calibration.ts';
import { expectedPerInterval, NINE_IN_TEN } from './measures.ts';
import type { MovedCategory, StretchMakeUp } from './moved-categories.ts';
import type { Present } from './present.ts';
import { chanceInWords, RULE } from './rule.ts';
import { attacksOf, knownShare, resample } from './series.ts';
import { countAt, median } from './tail.ts';
import type { Confidence, Drop, StrongestPart, UsualRange, Verdict } from './verdict.ts';

/** What the sentences are built from. */
export interface Findings
  extends Pick<
    Verdict,
    'level' | 'observed' | 'fromMs' | 'toMs' | 'share' | 'shareBefore' | 'visitorFactor' | 'moved' | 'drops'
  > {
  readonly expected: number;
  readonly usual: UsualRange;
  /** The stretch that was called; `null` when a category alone was, or nothing. */
  readonly called: { readonly part: StrongestPart; readonly score: number } | null;
  /** What it is made of, where that was counted. */
  readonly madeUp: StretchMakeUp | null;
  /** What makes it a surge, where it is one. */
  readonly peak: StrongestPart | null;
}

const MOST_CATEGORIES = 4;
const LEVELS = { calm: 'Calm', elevated: 'Elevated', surge: 'Surge' } as const;

const attacksIn = (count: number): string => `${formatCount(count)} ${Math.round(count) === 1 ? 'attack' : 'attacks'}`;

export function explain(findings: Findings): { sentence: string; reasons: string[] } {
  const { level, observed, expected, usual, fromMs, toMs, called, peak, share, shareBefore, visitorFactor } = findings;
  if (level === 'not_enough_data') return { sentence: '', reasons: [] };
  const range = `${formatCount(usual.low)} to ${formatCount(usual.high)} is usual`;
  const whole = `${attacksIn(observed)} in ${exactDuration(toMs - fromMs)}, about ${formatCount(expected)} expected, ${range}.`;
  const alone = findings.moved.find(({ stands }) => stands);
  const finding =
    called !== null
      ? `${LEVELS[level]}: ${partInWords(called.part)}.`
      : alone !== undefined && level !== 'calm'
        ? `${LEVELS[level]}: ${moveInWords(alone)}.`
        : `${LEVELS[level]}: ${whole}`;
  const dropped = findings.drops.map(dropInWords);
  const reasons = [
    whole,
    ...(called === null
      ? []
      : [
          `${capital(partInWords(called.part))}; on this site chance brings that ${chanceInWords(called.score)} such windows.`,
          ...kindsInWords(findings.madeUp),
        ]),
    ...(level === 'surge' && peak !== null
      ? [
          `A surge because ${partInWords(peak)}: at least ${RULE.surgeRatio} times as many and ${RULE.surgeExcess} more.`,
        ]
      : []),
    ...dropped,
    ...(share === null
      ? []
      : [
          `Attacks are ${formatShare(share)} of requests${shareBefore === null ? '' : `, ${formatShare(shareBefore)} in the hours before`}.`,
        ]),
    ...(visitorFactor >= 1.3 || visitorFactor <= 0.7
      ? [`Visitors are ${factor(visitorFactor)} times what would be expected.`]
      : []),
    ...(findings.moved.length > 0
      ? [`Moved: ${findings.moved.slice(0, MOST_CATEGORIES).map(moveInWords).join('; ')}.`]
      : []),
  ];
  return { sentence: [finding, ...dropped].join(' '), reasons };
}

/** The verdict with other drops, also in its sentences. */
export function withDrops(verdict: Verdict, drops: readonly Drop[]): Verdict {
  const own = verdict.drops.map(dropInWords);
  const said = drops.map(dropInWords);
  const finding = own.reduce((sentence, each) => sentence.replace(` ${each}`, ''), verdict.sentence);
  return {
    ...verdict,
    drops,
    sentence: [finding, ...said].join(' '),
    reasons: [...verdict.reasons.filter((reason) => !own.includes(reason)), ...said],
  };
}

function partInWords({ observed, expected, fromMs, toMs }: StrongestPart): string {
  return `${attacksIn(observed)} in ${exactDuration(toMs - fromMs)} where about ${formatCount(expected)} ${Math.round(expected) === 1 ? 'is' : 'are'} expected`;
}

/** Only what makes it rarer than its size does. */
function kindsInWords(madeUp: StretchMakeUp | null): string[] {
  if (madeUp === null) return [];
  const { kinds, isOfManyKinds, rareScore, restScore, burstScore, bursts } = madeUp;
  const { name, inWeeks } = kinds;
  if (bursts !== null && burstScore >= Math.max(rareScore, restScore) && burstScore > 1) {
    return [`Most of what is more is ${categoryName(name)}. In the weeks before, ${burstsInWords(bursts)}.`];
  }
  if (inWeeks !== null && rareScore >= restScore && rareScore > 1) {
    return [`Most of what is more is ${categoryName(name)}, of which the weeks before had ${formatCount(inWeeks)}.`];
  }
  return isOfManyKinds
    ? [`It is of many kinds, as bursts of single scanners are not; most is ${categoryName(name)}.`]
    : [];
}

/** `14 bursts were as large, 2 of them of that kind or one as rare` */
function burstsInWords({ count, asRare }: { readonly count: number; readonly asRare: number }): string {
  if (count === 1) return `one burst was as large, ${asRare === 1 ? 'of that kind or one as rare' : 'of many kinds'}`;
  const these = asRare === 0 ? 'none' : formatCount(asRare);
  return `${formatCount(count)} bursts were as large, ${these} of them of that kind or one as rare`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function dropInWords({ what, observed, expected, endedMs }: Drop): string {
  const isOver = endedMs !== null;
  const finding =
    what === 'attacks'
      ? `Attacks ${isOver ? 'had stopped while visitors went' : 'have stopped while visitors go'} on`
      : `Visitors ${isOver ? 'were' : 'are'} gone`;
  const visits = what === 'attacks' ? '' : ' requests that are no attack';
  return `${finding}: ${formatCount(observed)}${visits} where about ${formatCount(expected)} ${isOver ? 'were' : 'are'} expected.`;
}

function moveInWords({ name, observed, expected, isNew }: MovedCategory): string {
  return isNew
    ? `${categoryName(name)} is new with ${formatCount(observed)}`
    : `${categoryName(name)} ${formatCount(observed)} instead of about ${formatCount(expected)}`;
}

const factor = (ratio: number): string => (ratio < 9.95 ? ratio.toFixed(1) : formatCount(ratio));

/** `null` where it was never measured. */
export function confidenceIn(called: boolean, score: number): Confidence | null {
  const bin = CALIBRATION.findLast((each) => each.called === called && each.fromScore <= score);
  if (bin === undefined) return null;
  const { wrongOneIn } = bin;
  const says = called
    ? `About 1 in ${wrongOneIn} such calls is wrong.`
    : `About 1 in ${wrongOneIn} such calm windows holds something that was missed.`;
  return { wrongOneIn, says };
}

/** Known shares: from the first nothing is said; so many hours of the past are enough. */
const COMPLETE = 0.9;
const ENOUGH_PAST_MS = 8 * 86_400_000;

/** Whole sentences, only where the data are so incomplete that the verdict would be surer with more. */
export function missingData(present: Present, pastMs: number, stale: boolean): string[] {
  const { attacks, windowStart, grid, knownBeforeMs } = present;
  const known = knownShare(attacks, windowStart, grid.length);
  const before = windowStart === 0 ? 1 : knownBeforeMs / (windowStart * grid.stepMs);
  const days = Math.floor(pastMs / 86_400_000);
  return [
    ...(known < COMPLETE ? [`${formatShare(1 - known)} of the window has no data.`] : []),
    ...(before < COMPLETE / 2 ? [`${formatShare(1 - before)} of the hours before has no data.`] : []),
    ...(pastMs < ENOUGH_PAST_MS
      ? [
          pastMs < 86_400_000
            ? 'There is less than a day of earlier data to compare with.'
            : `There ${days === 1 ? 'is' : 'are'} only ${days === 1 ? '1 day' : `${days} days`} of earlier data to compare with.`,
        ]
      : []),
    ...(stale ? ['The service does not answer; this was judged from numbers kept from before.'] : []),
  ];
}

/** The usual range at each interval that the window is drawn in, by how single ones strayed in the hours before it. */
export function usualBand(recent: Timeline, fromMs: number, present: Present): BandPoint[] {
  const { intervalMs, points } = asDrawn(recent, fromMs);
  const expectedIn = expectedPerInterval(present, intervalMs);
  const length = Math.floor(RULE.trailingMs / intervalMs);
  const start = fromMs - length * intervalMs;
  const before = resample(recent, { fromMs: start, stepMs: intervalMs, length }, attacksOf);
  const squares: number[] = [];
  const chances: number[] = [];
  before.counts.forEach((count, at) => {
    const expected = expectedIn(start + (at + 1) * intervalMs);
    if (expected === null || expected < 0.2 || (before.known[at] ?? 0) < 0.99) return;
    squares.push(((count - expected) / expected) ** 2);
    chances.push(1 / expected);
  });
  // Without what is far off, so that a wave in these hours does not make everything usual.
  const cap = 9 * (median(squares) + median(chances));
  const spread = Math.max(0.01, meanOf(squares.filter((square) => square <= cap)) - meanOf(chances));
  return points.flatMap(({ endMs }) => {
    const expected = endMs <= fromMs ? null : expectedIn(endMs);
    if (expected === null) return [];
    return [{ endMs, low: countAt(expected, -NINE_IN_TEN, spread), high: countAt(expected, NINE_IN_TEN, spread) }];
  });
}

/** In the intervals of `readable`, of which one begins with the window. */
function asDrawn(recent: Timeline, fromMs: number): Timeline {
  const bucketMs = readableMs({ ...recent, fromMs });
  const startMs = fromMs - Math.floor((fromMs - recent.fromMs) / bucketMs) * bucketMs;
  const points = recent.points.filter(({ endMs }) => endMs > startMs);
  return rebucket({ ...recent, fromMs: startMs, points }, bucketMs);
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
