/** Evaluates a watch's rule: queries the service for what the rule needs and returns an observation. */
import { assess, followDrop, freshOnly } from '../../episodes/assess.ts';
import { dropFigures, type Episode, type EpisodeSpan, episodeFigures } from '../../episodes/episode.ts';
import { type EpisodeMeasure, measureWithin } from '../../episodes/measure-episode.ts';
import type { Drop, Verdict } from '../../episodes/verdict/index.ts';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import type { AttackActions } from '../../statistics/attack-details.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { countOf, maxCountOf, type Timeline } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import { type CallingBar, type Observation, observeCount, observeDrop, observeVerdict } from './observation.ts';
import type { WatchRule } from './watch-rule.ts';

export interface Evaluation {
  readonly observation: Observation;
  /** Only for rules that need one. */
  readonly verdict: Verdict | null;
  /** The end of the newest complete data. */
  readonly knownUntilMs?: number;
}

interface EvaluationSubject {
  readonly rule: WatchRule;
  /** Domain IDs; none means the whole project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly now: Temporal.Instant;
}

interface EvaluationQuery extends EvaluationSubject {
  readonly bar: CallingBar;
}

const HOUR = { hours: 1 };
/** Attacks take a few minutes to be logged, so counting stops this long ago. */
const LOGGING_DELAY = { minutes: 5 };

export async function evaluate(statistics: Statistics, query: EvaluationQuery): Promise<Evaluation> {
  const { rule, bar, hosts, zone, now } = query;
  if (rule.kind === 'verdict') {
    const range = { from: now.subtract(HOUR), to: now };
    const { verdict, timeline } = await assess(statistics, { range, hosts, zone, bar: bar.holds });
    if (timeline.stale) return evaluationWithoutData(now);
    const known = timeline.points.findLast(
      ({ requests, attacks, endMs }) => requests !== null && attacks !== null && endMs <= verdict.toMs,
    );
    return { observation: observeVerdict(verdict, bar), verdict, knownUntilMs: known?.endMs ?? timeline.fromMs };
  }
  return rule.what === 'attacks' || rule.what === 'requests'
    ? countIntervals(statistics, query, rule, rule.what)
    : countCategory(statistics, query, rule);
}

/** For longer episodes the day before is no reference: it contains the episode itself. */
const MAX_COMPARED_MS = DAY_MS;

/**
 * A long episode becomes part of its own reference, so an evaluation of the last hour alone would find it normal. Before
 * it's called calm, the whole time since its onset is compared with what came before.
 */
export async function confirmCalm(
  statistics: Statistics,
  { rule, bar, hosts, zone, now }: EvaluationQuery,
  seen: Observation,
  episode: EpisodeSpan | null,
): Promise<Observation> {
  const nowMs = now.epochMilliseconds;
  const sinceMs = Math.max(episode?.onsetMs ?? nowMs, nowMs - MAX_COMPARED_MS);
  if (rule.kind !== 'verdict' || seen.level !== 'calm' || nowMs - sinceMs <= HOUR_MS) return seen;
  const range = { from: Temporal.Instant.fromEpochMilliseconds(sinceMs), to: now };
  const { verdict } = await assess(statistics, { range, hosts, zone, bar: bar.holds });
  const whole = observeVerdict(verdict, bar);
  const isOngoing = whole.level === 'elevated' || whole.level === 'surge' || whole.level === 'between';
  return isOngoing ? { ...seen, level: 'between', endedMs: null } : { ...seen, endedMs: whole.endedMs ?? seen.endedMs };
}

/** If the data is older than this, a drop can neither begin nor end. */
const MAX_DATA_AGE_MS = 10 * MINUTE_MS;

/**
 * Looks for drops in the same evaluation. An open drop is compared with what was normal before it, because after some
 * hours it becomes part of the reference.
 */
export async function evaluateDrop(
  statistics: Statistics,
  { hosts, zone, now }: EvaluationSubject,
  { verdict, knownUntilMs = 0 }: Evaluation,
  what: Drop['what'],
  open: EpisodeSpan | null,
): Promise<Observation> {
  const unknown = { ...evaluationWithoutData(now).observation, drop: what };
  if (verdict === null || verdict.level === 'not_enough_data' || verdict.toMs - knownUntilMs >= MAX_DATA_AGE_MS)
    return unknown;
  if (open === null) {
    const found = verdict.drops.find((drop) => drop.what === what);
    return observeDrop(what, verdict.toMs, found);
  }
  const known = { what, sinceMs: open.onsetMs, endedMs: null };
  const drop = await followDrop(freshOnly(statistics), { hosts, zone }, known, now.epochMilliseconds);
  return drop === null ? unknown : observeDrop(what, verdict.toMs, drop);
}

type ThresholdRule = Extract<WatchRule, { kind: 'threshold' }>;

async function countIntervals(
  statistics: Statistics,
  { hosts, zone, now }: EvaluationSubject,
  { over, perMs }: ThresholdRule,
  what: 'attacks' | 'requests',
): Promise<Evaluation> {
  const backMs = Math.max(HOUR_MS, perMs) + 15 * MINUTE_MS;
  const range = { from: now.subtract({ milliseconds: backMs }), to: now };
  const timeline = await statistics.timeline({ range, hosts, zone });
  if (timeline.stale) return evaluationWithoutData(now);
  const settledMs = Math.min(timeline.toMs, timeline.settledUntilMs);
  const points = timeline.points.filter((point) => point[what] !== null && point.endMs <= settledMs);
  const atMs = points.at(-1)?.endMs ?? settledMs;
  const counted = points.filter(({ endMs }) => endMs - timeline.intervalMs >= atMs - perMs);
  const count = counted.reduce((sum, point) => sum + (point[what] ?? 0), 0);
  const known = Math.min(1, (counted.length * timeline.intervalMs) / perMs);
  return { observation: observeCount({ atMs, count, known, perMs }, over), verdict: null };
}

function categoryRange({ perMs }: ThresholdRule, now: Temporal.Instant): Range {
  const to = now.subtract(LOGGING_DELAY).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  return { from: to.subtract({ milliseconds: perMs }), to };
}

async function countCategory(
  statistics: Statistics,
  { hosts, zone, now }: EvaluationSubject,
  rule: ThresholdRule,
): Promise<Evaluation> {
  const { what, over, perMs } = rule;
  const range = categoryRange(rule, now);
  const distribution = await statistics.distribution({ range, hosts, zone });
  const exact = countOf(distribution, what);
  const most = exact ?? maxCountOf(distribution, what);
  // A category that the service doesn't list is below the limit if its maximum possible count is.
  const count = exact ?? (most !== null && most <= over ? most : null);
  const known = distribution.stale || count === null ? 0 : 1;
  const counted = { atMs: range.to.epochMilliseconds, count: count ?? 0, known, perMs };
  return { observation: observeCount(counted, over), verdict: null };
}

/** Why the service can't provide what this rule counts, in the service's own words; `null` when it can, or might. */
export async function whyWithoutData(
  statistics: Statistics,
  { rule, hosts, zone, now }: EvaluationSubject,
): Promise<string | null> {
  if (rule.kind === 'verdict' || rule.what === 'attacks' || rule.what === 'requests') return null;
  try {
    await statistics.distribution({ range: categoryRange(rule, now), hosts, zone });
    return null;
  } catch (error) {
    // A failure right now says nothing about what the service offers.
    if (!(error instanceof BotError)) throw error;
    return error.code === 'limit' ? error.message.replace(/\.$/, '').replace(/^The /, 'the ') : null;
  }
}

/** If the service is unavailable or has only stale data, the level is unknown. */
export function evaluationWithoutData(now: Temporal.Instant): Evaluation {
  const atMs = now.epochMilliseconds;
  const nothing = {
    onsetMs: null,
    sinceMs: atMs,
    endedMs: null,
    kind: null,
    moved: [],
    leading: [],
  };
  return { observation: { ...nothing, atMs, level: 'unknown' }, verdict: null };
}

/** The counts of an episode, and the time around it for the chart. */
export interface Measurement extends EpisodeMeasure {
  readonly timeline: Timeline;
  /** The normal range, if the rule uses it. */
  readonly band: Verdict['band'];
  /** What was blocked of the episode's attacks; `null` if unknown. */
  readonly actions: AttackActions | null;
}

const AROUND_MS = 30 * MINUTE_MS;
/** For longer episodes only the last days are counted. */
const MAX_MEASURED_MS = 3 * DAY_MS;

/** Counts exactly what lies between onset and end, however long ago it began; `null` if the service is unavailable. */
export async function measure(
  anyStatistics: Statistics,
  { rule, hosts, zone, now }: EvaluationSubject,
  { onsetMs, endMs, drop }: EpisodeSpan & Pick<Episode, 'drop'>,
): Promise<Measurement | null> {
  const statistics = freshOnly(anyStatistics);
  const nowMs = now.epochMilliseconds;
  const fromMs = Math.max(Math.min(onsetMs - AROUND_MS, nowMs - HOUR_MS), nowMs - MAX_MEASURED_MS);
  const query = { hosts, zone };
  const around = { ...query, range: { from: Temporal.Instant.fromEpochMilliseconds(fromMs), to: now } };
  const span = { onsetMs: Math.max(onsetMs, fromMs), endMs };
  if (rule.kind === 'threshold') {
    const timeline = await nullIfUnavailable(statistics.timeline(around));
    return timeline === null ? null : measureThreshold(anyStatistics, query, rule, span, timeline);
  }
  const shown = await nullIfUnavailable(assess(statistics, around));
  if (shown === null) return null;
  const { timeline, verdict } = shown;
  if (drop !== undefined) {
    const seen = await followDrop(statistics, query, { what: drop, sinceMs: onsetMs, endedMs: endMs }, nowMs);
    return seen === null
      ? null
      : { figures: dropFigures(seen), leading: null, timeline, band: verdict.band, actions: null };
  }
  const [counts, actions] = await Promise.all([
    measureWithin(statistics, query, span, timeline),
    actionsIn(anyStatistics, query, span, timeline),
  ]);
  return { ...counts, timeline, band: verdict.band, actions };
}

/** What was blocked during the episode, as far as it's counted; `null` where the service doesn't report it. */
async function actionsIn(
  { actions }: Statistics,
  query: Pick<EvaluationSubject, 'hosts' | 'zone'>,
  span: EpisodeSpan,
  timeline: Timeline,
): Promise<AttackActions | null> {
  const { untilMs } = episodeFigures(span, timeline);
  if (actions === undefined || untilMs <= span.onsetMs) return null;
  const at = Temporal.Instant.fromEpochMilliseconds;
  const range = { from: at(span.onsetMs), to: at(untilMs) };
  return nullIfUnavailable(actions({ ...query, range, freshOnly: true }));
}

/** A watch for a number doesn't need the normal range. */
async function measureThreshold(
  anyStatistics: Statistics,
  query: Pick<EvaluationSubject, 'hosts' | 'zone'>,
  { what }: ThresholdRule,
  span: EpisodeSpan,
  timeline: Timeline,
): Promise<Measurement> {
  const statistics = freshOnly(anyStatistics);
  const of = what === 'requests' ? 'requests' : 'attacks';
  const at = Temporal.Instant.fromEpochMilliseconds;
  const { untilMs } = episodeFigures(span, timeline, { what: of });
  const whole = { ...query, range: { from: at(span.onsetMs), to: at(untilMs) } };
  const isCounted = of === 'attacks' && untilMs > span.onsetMs;
  const [distribution, actions] = await Promise.all([
    isCounted ? nullIfUnavailable(statistics.distribution(whole)) : null,
    // It's about all categories.
    what === 'attacks' ? actionsIn(anyStatistics, query, span, timeline) : null,
  ]);
  const figures = episodeFigures(span, timeline, { distribution, what: of });
  return { figures, leading: null, timeline, band: [], actions };
}
