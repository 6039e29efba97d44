/**
 * Is this normal? Aligns the timelines, asks what would be usual, detects what stands out and has it explained. Pure:
 * the same numbers always get the same verdict.
 */
import type { Distribution, Timeline } from '../timeline.ts';
import { type AnomalyKind, anomalyKind, type KindEvidence } from './anomaly-kind.ts';
import {
  type AnomalyLevel,
  changePoints,
  type Excursion,
  excursionLevel,
  neededScore,
  strongestExcursion,
} from './detect.ts';
import { type Expected, expectedTraffic } from './expected.ts';
import { type BandPoint, type Confidence, reasonsFor, type StrongestPart, trustIn, usualBand } from './explain.ts';
import { categoryExcesses, type MovedCategory, movedCategories } from './moved-categories.ts';
import { RULE, ruleInWords, type VerdictRule } from './rule.ts';
import {
  type AlignedSeries,
  alignSeries,
  type EarlierDay,
  finishedPoints,
  knownShare,
  type StepGrid,
  type StepSeries,
  type Totals,
  totalsBetween,
} from './series.ts';

export interface JudgeInput {
  /** The window in question, half-open. */
  readonly fromMs: number;
  readonly toMs: number;
  /** The window and the hours before it in one timeline. */
  readonly recent: Timeline;
  /** The same hours a day and a week earlier; `null` where the service gave nothing. */
  readonly dayBefore: EarlierDay | null;
  readonly weekBefore: EarlierDay | null;
  /** Categories in the window, and in a period before it of any length. */
  readonly categories: Distribution | null;
  readonly categoriesBefore: Distribution | null;
  readonly rule?: VerdictRule;
}

export type Level = AnomalyLevel | 'not_enough_data';

export interface Verdict {
  readonly level: Level;
  readonly confidence: Confidence;
  /** What speaks against it, whole sentences. */
  readonly doubts: readonly string[];
  /** Why, whole sentences with their numbers. */
  readonly reasons: readonly string[];
  /** The rule that was applied, without a full stop. */
  readonly rule: string;
  /** What was judged: the finished part of the window. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly totals: Totals;
  /** Attacks that would have been usual in the judged part; `null` where there is no reference. */
  readonly usual: number | null;
  /** What the service counted in the hours before, and in the same hours of earlier days. */
  readonly trailing: Totals | null;
  readonly dayBefore: Totals | null;
  readonly weekBefore: Totals | null;
  readonly strongest: StrongestPart | null;
  /** When it began, also before the window; `null` when nothing did, or when only the mix of categories is odd. */
  readonly onsetMs: number | null;
  /** Still so at the end of what was judged; `null` when that cannot be seen. */
  readonly ongoing: boolean | null;
  readonly endedMs: number | null;
  /** Attacks in proportion to requests, in the window and in the hours before. */
  readonly share: number | null;
  readonly shareBefore: number | null;
  /** Visitors as a multiple of those expected. */
  readonly visitorFactor: number;
  readonly moved: readonly MovedCategory[];
  readonly kind: AnomalyKind | null;
  readonly band: readonly BandPoint[];
}

/** A smaller known share of the window is not enough to judge it by. */
const LEAST_WINDOW = 0.34;
/** So many steps of the hours before must be known when no other day is. */
const LEAST_TRAILING_STEPS = 12;

export function judge(input: JudgeInput): Verdict {
  const { rule = RULE, recent, fromMs, toMs } = input;
  const days = [input.dayBefore, input.weekBefore].filter((day) => day !== null).filter(hasData);
  const series = alignSeries({ fromMs, toMs }, recent, days, rule);
  if (series === null) return notEnoughData(input, rule, 'No interval of the window is finished and has a number.');
  const { current, windowStart, grid } = series;
  if (knownShare(current.attacks, windowStart, grid.length) < LEAST_WINDOW) {
    return notEnoughData(input, rule, 'Most of the window has no data.');
  }
  const trailingSteps = sum(current.attacks.known.slice(0, windowStart));
  if (days.length === 0 && trailingSteps * grid.stepMs < LEAST_TRAILING_STEPS * rule.stepMs) {
    return notEnoughData(input, rule, 'There is next to nothing to compare with.');
  }
  return judgeSeries(input, rule, series) ?? notEnoughData(input, rule, 'There is nothing to compare with.');
}

/** `null` where nothing in the window can be compared. */
function judgeSeries(input: JudgeInput, rule: VerdictRule, series: AlignedSeries): Verdict | null {
  const { recent, fromMs, categories, categoriesBefore } = input;
  const { grid, windowStart, current } = series;
  const judgedToMs = grid.fromMs + grid.length * grid.stepMs;
  const expected = expectedTraffic(series, rule);
  const visitors = compareVisitors(current.visitors, expected, windowStart, grid.length);
  const visitorFactor = visitors.expected > 0 ? visitors.seen / visitors.expected : 1;

  const excesses =
    categories === null || categoriesBefore === null
      ? null
      : categoryExcesses(categories, categoriesBefore, visitorFactor);
  const moved = excesses === null ? [] : movedCategories(excesses, rule);
  const needed = neededScore(rule, grid.length - windowStart, moved.length > 0);
  const excursion = strongestExcursion(series, expected, rule, needed);
  if (excursion === null) return null;
  const sumLevel = excursionLevel(excursion, rule, needed);
  const level = sumLevel === 'calm' && moved.some(({ stands }) => stands) ? 'elevated' : sumLevel;

  const strongest = onClock(excursion, grid);
  const usualAt = usualPerInterval(expected, grid, recent.intervalMs);
  const finished = finishedPoints(recent).filter(({ endMs }) => endMs <= judgedToMs);
  const wave =
    sumLevel === 'calm'
      ? null
      : changePoints(finished, recent.intervalMs, strongest, ({ endMs }) => usualAt(endMs) ?? 0);
  const ongoing = wave === null ? (level === 'calm' ? false : null) : judgedToMs - wave.endMs < 2 * grid.stepMs;

  const totals = totalsBetween(recent, fromMs, judgedToMs);
  const trailing = totalsBetween(recent, recent.fromMs, fromMs);
  const shares = { share: shareOf(totals), shareBefore: shareOf(trailing) };
  const usual = weighted(expected.attacks, current.attacks.known, windowStart, grid.length);
  const findings = { level, totals, usual, strongest, ...shares, visitorFactor, moved };
  const kindEvidence: KindEvidence = {
    excess: excursion.attacks - excursion.usual,
    ...compareRequests(current.visitors, expected, excursion),
    visitorFactor,
    ...shares,
    categories: excesses,
  };
  return {
    ...findings,
    ...trustIn(series, {
      dayBefore: input.dayBefore !== null && hasData(input.dayBefore),
      weekBefore: input.weekBefore !== null && hasData(input.weekBefore),
      stale: recent.stale,
      visitorFactor,
    }),
    reasons: reasonsFor(findings),
    rule: ruleInWords(rule, grid.stepMs),
    fromMs,
    toMs: judgedToMs,
    trailing: trailing.knownMs === 0 ? null : trailing,
    dayBefore: sameHours(input.dayBefore, fromMs, judgedToMs),
    weekBefore: sameHours(input.weekBefore, fromMs, judgedToMs),
    onsetMs: wave?.onsetMs ?? null,
    ongoing,
    endedMs: wave === null || ongoing ? null : wave.endMs,
    kind: anomalyKind(kindEvidence, level === 'calm'),
    band: usualBand(recent, fromMs, usualAt, rule),
  };
}

const hasData = ({ timeline }: EarlierDay): boolean => finishedPoints(timeline).some(({ attacks }) => attacks !== null);

function onClock({ from, to, attacks, usual, ratio, score }: Excursion, grid: StepGrid): StrongestPart {
  const startOf = (step: number): number => grid.fromMs + step * grid.stepMs;
  return { fromMs: startOf(from), toMs: startOf(to), attacks, usual, ratio, score };
}

/** The attacks to expect in an interval of the service that ends at an instant; `null` where there is no reference. */
function usualPerInterval(expected: Expected, grid: StepGrid, intervalMs: number): (endMs: number) => number | null {
  return (endMs) => {
    const middleMs = endMs - intervalMs / 2;
    const at = Math.min(grid.length - 1, Math.max(0, Math.floor((middleMs - grid.fromMs) / grid.stepMs)));
    const attacks = expected.attacks[at] ?? null;
    return attacks === null ? null : (attacks * intervalMs) / grid.stepMs;
  };
}

function sameHours(day: EarlierDay | null, fromMs: number, toMs: number): Totals | null {
  if (day === null) return null;
  const totals = totalsBetween(day.timeline, fromMs - day.shiftMs, toMs - day.shiftMs);
  return totals.knownMs === 0 ? null : totals;
}

const shareOf = ({ requests, attacks }: Totals): number | null => (requests > 0 ? attacks / requests : null);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The sum over steps `[from, to)`, each weighted with its known share. */
function weighted(values: readonly (number | null)[], known: readonly number[], from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at++) total += (values[at] ?? 0) * (known[at] ?? 0);
  return total;
}

function compareVisitors(visitors: StepSeries, expected: Expected, from: number, to: number) {
  return {
    seen: sum(visitors.counts.slice(from, to)),
    expected: weighted(expected.visitors, visitors.known, from, to),
  };
}

function compareRequests(
  visitors: StepSeries,
  expected: Expected,
  { from, to, attacks, usual }: Excursion,
): Pick<KindEvidence, 'requests' | 'requestsUsual'> {
  const compared = compareVisitors(visitors, expected, from, to);
  if (compared.expected <= 0) return { requests: null, requestsUsual: null };
  return { requests: compared.seen + attacks, requestsUsual: compared.expected + usual };
}

function notEnoughData({ fromMs, toMs, recent }: JudgeInput, rule: VerdictRule, why: string): Verdict {
  const untilMs = Math.min(toMs, recent.settledUntilMs);
  const totals = totalsBetween(recent, fromMs, untilMs);
  return {
    level: 'not_enough_data',
    confidence: 'low',
    doubts: [],
    reasons: [why],
    rule: ruleInWords(rule, rule.stepMs),
    fromMs,
    toMs: Math.max(fromMs, untilMs),
    totals,
    usual: null,
    trailing: null,
    dayBefore: null,
    weekBefore: null,
    strongest: null,
    onsetMs: null,
    ongoing: null,
    endedMs: null,
    share: shareOf(totals),
    shareBefore: null,
    visitorFactor: 1,
    moved: [],
    kind: null,
    band: [],
  };
}
