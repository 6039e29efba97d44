/**
 * What a verdict tells its reader: the reasons in sentences, how far it can be trusted and what speaks against it, and
 * the usual range for the chart. Nothing here decides anything. Times of day are left to those who know the reader's
 * time zone.
 */
import { categoryName } from '../categories.ts';
import { duration, formatCount, formatShare } from '../format.ts';
import type { Timeline } from '../timeline.ts';
import type { AnomalyLevel } from './detect.ts';
import { jitterOf } from './expected.ts';
import type { MovedCategory } from './moved-categories.ts';
import type { VerdictRule } from './rule.ts';
import { type AlignedSeries, attacksOf, knownShare, resample, type StepSeries, type Totals } from './series.ts';

/** The part of the window that stands out most, or would if anything did. */
export interface StrongestPart {
  readonly fromMs: number;
  readonly toMs: number;
  readonly observed: number;
  readonly expected: number;
  readonly ratio: number;
  /** Standard deviations above the usual. */
  readonly deviations: number;
}

/** What the reasons are built from. */
interface Findings {
  readonly level: AnomalyLevel;
  readonly totals: Totals;
  /** Attacks that would have been usual in the judged part. */
  readonly usual: number;
  readonly strongest: StrongestPart;
  /** Attacks in proportion to requests, in the window and in the hours before. */
  readonly share: number | null;
  readonly shareBefore: number | null;
  /** Visitors as a multiple of those expected. */
  readonly visitorFactor: number;
  readonly moved: readonly MovedCategory[];
}

const MOST_CATEGORIES = 4;

export function reasonsFor(findings: Findings): string[] {
  const { usual, totals, strongest, share, shareBefore, visitorFactor, moved, level } = findings;
  const { attacks } = totals;
  const counted = `${formatCount(attacks)} ${attacks === 1 ? 'attack' : 'attacks'}`;
  const reasons = [`${counted} where about ${formatCount(usual)} would be usual${times(attacks, usual)}.`];
  if (level !== 'calm') {
    const length = duration(strongest.toMs - strongest.fromMs, { units: ['minute'], grouped: true });
    reasons.push(
      `At its strongest ${formatCount(strongest.observed)} in ${length} where about ${formatCount(strongest.expected)} ` +
        `would be usual${times(strongest.observed, strongest.expected)}, ` +
        `${strongest.deviations.toFixed(1)} standard deviations above.`,
    );
  }
  if (share !== null) {
    const before = shareBefore === null ? '' : `, ${formatShare(shareBefore)} before`;
    reasons.push(`Attacks are ${formatShare(share)} of requests${before}.`);
  }
  if (visitorFactor >= 1.3 || visitorFactor <= 0.7) {
    reasons.push(`Visitors are ${factor(visitorFactor)} times what would be expected.`);
  }
  if (moved.length > 0) reasons.push(`Moved: ${moved.slice(0, MOST_CATEGORIES).map(moveInWords).join('; ')}.`);
  return reasons;
}

function moveInWords({ name, observed, expected, isNew }: MovedCategory): string {
  return isNew
    ? `${categoryName(name)} is new with ${formatCount(observed)}`
    : `${categoryName(name)} ${formatCount(observed)} instead of about ${formatCount(expected)}`;
}

const factor = (ratio: number): string => (ratio < 9.95 ? ratio.toFixed(1) : formatCount(ratio));

function times(attacks: number, usual: number): string {
  return usual < 1 || attacks / usual < 1.2 ? '' : ` (${factor(attacks / usual)} times)`;
}

/** How often such a verdict is wrong: one in so many. */
export interface Confidence {
  readonly wrongOneIn: number;
  /** The same as a sentence. */
  readonly says: string;
}

interface TrustEvidence {
  /** Whether that day has data; the days that have are those of the series, in this order. */
  readonly dayBefore: boolean;
  readonly weekBefore: boolean;
  readonly stale: boolean;
  readonly visitorFactor: number;
}

/** Known shares: from the first nothing is said, below the second the doubt weighs more. */
const COMPLETE = 0.95;
const POOR = 0.6;
/** Below this share of the expected visitors the site itself may be down. */
const HARDLY_ANY_VISITORS = 0.2;

export function missingData(series: AlignedSeries, evidence: TrustEvidence): string[] {
  const { dayBefore, weekBefore, stale, visitorFactor } = evidence;
  const { current, earlierDays, windowStart, grid } = series;
  const doubts: [weight: number, sentence: string][] = [];
  const checkKnown = (steps: StepSeries, from: number, to: number, what: string, weight: number): void => {
    const known = knownShare(steps, from, to);
    if (known >= COMPLETE) return;
    const sentence = known === 0 ? `No data for ${what}.` : `${formatShare(1 - known)} of ${what} has no data.`;
    doubts.push([known < POOR ? weight + 1 : weight, sentence]);
  };
  checkKnown(current.attacks, windowStart, grid.length, 'the window', 1);
  checkKnown(current.attacks, 0, windowStart, 'the hours before', 1);
  const names = [...(dayBefore ? ['the day before'] : []), ...(weekBefore ? ['the week before'] : [])];
  names.forEach((name, at) => {
    const day = earlierDays[at];
    if (day !== undefined) checkKnown(day.attacks, 0, grid.length, name, 0.5);
  });
  if (!dayBefore) doubts.push([0.5, 'The day before is not known.']);
  if (!weekBefore) doubts.push([0.5, 'The week before is not known.']);
  if (stale) doubts.push([2, 'The service does not answer; this was judged from numbers kept from before.']);
  if (visitorFactor < HARDLY_ANY_VISITORS) {
    doubts.push([2, 'There are hardly any visitors: the site, or the counting of it, may be down.']);
  }
  return doubts.map(([, sentence]) => sentence);
}

export interface BandPoint {
  readonly endMs: number;
  readonly low: number;
  readonly high: number;
}

const BAND_DEVIATIONS = 2;

/** The usual range at each interval; `usualAt` gives the attacks to expect in an interval that ends there. */
export function usualBand(
  recent: Timeline,
  fromMs: number,
  usualAt: (endMs: number) => number | null,
  rule: VerdictRule,
): BandPoint[] {
  const { intervalMs, points } = recent;
  const length = Math.floor(rule.trailingMs / intervalMs);
  // Intervals jitter more than the longer steps that are judged; with the jitter of steps the band would be too narrow.
  const trailing = resample(recent, { fromMs: fromMs - length * intervalMs, stepMs: intervalMs, length }, attacksOf);
  const jitter = jitterOf(trailing, 0, length) ?? 0;
  const band: BandPoint[] = [];
  for (const { endMs } of points) {
    const usual = endMs <= fromMs ? null : usualAt(endMs);
    if (usual === null) continue;
    const reach = BAND_DEVIATIONS * Math.sqrt(usual + jitter * usual * usual + (rule.leastDoubt * usual) ** 2);
    band.push({ endMs, low: Math.max(0, usual - reach), high: usual + reach });
  }
  return band;
}
