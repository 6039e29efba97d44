/**
 * Is this normal? Aligns the timelines, asks what would be usual, detects what stands out and has it explained. Pure:
 * the same numbers always get the same verdict.
 */
import type { Distribution, Timeline } from '../timeline.ts';
import { anomalyKind, type KindEvidence } from './anomaly-kind.ts';
import { changePoints, type Excursion, excursionLevel, neededScore, strongestExcursion } from './detect.ts';
import { type Expected, expectedTraffic } from './expected.ts';
import { missingData, reasonsFor, type StrongestPart, usualBand } from './explain.ts';
import { categoryChanges, movedCategories } from './moved-categories.ts';
import { BARS, RULE, ruleInWords, type VerdictRule } from './rule.ts';
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
import type { Reference, Verdict } from './verdict.ts';

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
  /** The score from which something is called; that of a check unless given. */
  readonly bar?: number;
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
  const { recent, fromMs, categories, categoriesBefore, bar = BARS.check } = input;
  const { grid, windowStart, current } = series;
  const judgedToMs = grid.fromMs + grid.length * grid.stepMs;
  const expected = expectedTraffic(series, rule);
  const visitors = compareVisitors(current.visitors, expected, windowStart, grid.length);
  const visitorFactor = visitors.expected > 0 ? visitors.seen / visitors.expected : 1;

  const changes =
    categories === null || categoriesBefore === null
      ? null
      : categoryChanges(categories, categoriesBefore, visitorFactor);
  const moved = changes === null ? [] : movedCategories(changes, rule);
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
    categories: changes,
  };
  const usualBandPoints = usualBand(recent, fromMs, usualAt, rule);
  const reasons = reasonsFor(findings);
  return {
    level,
    score: rarityOf(strongest.deviations),
    bar,
    fromMs,
    toMs: judgedToMs,
    totals,
    observed: totals.attacks,
    expected: usual,
    usual: { low: Math.max(0, usual - 2 * Math.sqrt(usual)), high: usual + 2 * Math.sqrt(usual) },
    references: [
      ...(trailing.knownMs === 0 ? [] : [{ name: 'the hours before', shiftMs: null, totals: trailing }]),
      ...referenceTo('the same hours the day before', input.dayBefore, fromMs, judgedToMs),
      ...referenceTo('the same hours the week before', input.weekBefore, fromMs, judgedToMs),
    ],
    strongest,
    onsetMs: wave?.onsetMs ?? null,
    ongoing,
    endedMs: wave === null || ongoing ? null : wave.endMs,
    ...shares,
    visitorFactor,
    categories: changes ?? [],
    moved,
    drops: [],
    kind: anomalyKind(kindEvidence, level === 'calm'),
    confidence: null,
    completeness: missingData(series, {
      dayBefore: input.dayBefore !== null && hasData(input.dayBefore),
      weekBefore: input.weekBefore !== null && hasData(input.weekBefore),
      stale: recent.stale,
      visitorFactor,
    }),
    sentence: reasons[0] ?? '',
    reasons,
    rule: ruleInWords(rule, grid.stepMs),
    band: usualBandPoints,
  };
}

/** The chance of so many standard deviations, roughly, as the power of ten with its sign changed. */
function rarityOf(deviations: number): number {
  return deviations <= 0 ? 0 : (deviations * deviations) / 2 / Math.LN10;
}

const hasData = ({ timeline }: EarlierDay): boolean => finishedPoints(timeline).some(({ attacks }) => attacks !== null);

function onClock({ from, to, attacks, usual, ratio, score }: Excursion, grid: StepGrid): StrongestPart {
  const startOf = (step: number): number => grid.fromMs + step * grid.stepMs;
  return { fromMs: startOf(from), toMs: startOf(to), observed: attacks, expected: usual, ratio, deviations: score };
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

function referenceTo(name: string, day: EarlierDay | null, fromMs: number, toMs: number): Reference[] {
  if (day === null) return [];
  const totals = totalsBetween(day.timeline, fromMs - day.shiftMs, toMs - day.shiftMs);
  return totals.knownMs === 0 ? [] : [{ name, shiftMs: day.shiftMs, totals }];
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

function notEnoughData(
  { fromMs, toMs, recent, bar = BARS.check }: JudgeInput,
  rule: VerdictRule,
  why: string,
): Verdict {
  const untilMs = Math.min(toMs, recent.settledUntilMs);
  const totals = totalsBetween(recent, fromMs, untilMs);
  return {
    level: 'not_enough_data',
    score: null,
    bar,
    fromMs,
    toMs: Math.max(fromMs, untilMs),
    totals,
    observed: totals.attacks,
    expected: null,
    usual: null,
    references: [],
    strongest: null,
    onsetMs: null,
    ongoing: null,
    endedMs: null,
    share: shareOf(totals),
    shareBefore: null,
    visitorFactor: 1,
    categories: [],
    moved: [],
    drops: [],
    kind: null,
    confidence: null,
    completeness: [],
    sentence: why,
    reasons: [why],
    rule: ruleInWords(rule, rule.stepMs),
    band: [],
  };
}
