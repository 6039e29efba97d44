/** Evaluates a watch's rule: asks the service for what the rule needs and says how it stands. */

import { assess, followDrop, freshOnly } from '../../episodes/assess.ts';
import { dropFigures, type Episode, type EpisodeSpan, episodeFigures } from '../../episodes/episode.ts';
import { type EpisodeMeasure, measureWithin } from '../../episodes/measure-episode.ts';
import type { Drop, Verdict } from '../../episodes/verdict/index.ts';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { countOf, maxCountOf, type Timeline } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { type CallingBar, type Observation, observeCount, observeDrop, observeVerdict } from './observation.ts';
import type { WatchRule } from './watch-rule.ts';

export interface Evaluation {
  readonly observation: Observation;
  /** Where the rule asks for one. */
  readonly verdict: Verdict | null;
  /** The end of the newest numbers of all requests. */
  readonly knownUntilMs?: number;
}

interface Looking {
  readonly rule: WatchRule;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly now: Temporal.Instant;
}

interface EvaluationQuery extends Looking {
  readonly bar: CallingBar;
}

const HOUR = { hours: 1 };
/** Attacks take a few minutes to be logged, so counting ends this long ago. */
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

/** Beyond this the day before is no reference any more: it holds the episode itself. */
const LONGEST_COMPARED_MS = 24 * 3_600_000;

/**
 * A long episode becomes part of the hours before, and an evaluation of the last hour alone would find it usual. So
 * before it is called calm, all of the time since its onset is held against what was before that.
 */
export async function confirmCalm(
  statistics: Statistics,
  { rule, bar, hosts, zone, now }: EvaluationQuery,
  seen: Observation,
  episode: EpisodeSpan | null,
): Promise<Observation> {
  const nowMs = now.epochMilliseconds;
  const sinceMs = Math.max(episode?.onsetMs ?? nowMs, nowMs - LONGEST_COMPARED_MS);
  if (rule.kind !== 'verdict' || seen.level !== 'calm' || nowMs - sinceMs <= 3_600_000) return seen;
  const range = { from: Temporal.Instant.fromEpochMilliseconds(sinceMs), to: now };
  const { verdict } = await assess(statistics, { range, hosts, zone, bar: bar.holds });
  const whole = observeVerdict(verdict, bar);
  const goesOn = whole.level === 'elevated' || whole.level === 'surge' || whole.level === 'between';
  return goesOn ? { ...seen, level: 'between', endedMs: null } : { ...seen, endedMs: whole.endedMs ?? seen.endedMs };
}

/** Without numbers of the last so many minutes nothing has stopped, and nothing is back. */
const LATE_MS = 10 * 60_000;

/**
 * The same evaluation, asked whether something has stopped. One that the channel knows of is followed by what was usual
 * before it, because after some hours it is part of what is usual.
 */
export async function evaluateDrop(
  statistics: Statistics,
  { hosts, zone, now }: Looking,
  { verdict, knownUntilMs = 0 }: Evaluation,
  what: Drop['what'],
  open: EpisodeSpan | null,
): Promise<Observation> {
  const unknown = { ...evaluationWithoutData(now).observation, drop: what };
  if (verdict === null || verdict.level === 'not_enough_data' || verdict.toMs - knownUntilMs >= LATE_MS) return unknown;
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
  { hosts, zone, now }: Looking,
  { over, perMs }: ThresholdRule,
  what: 'attacks' | 'requests',
): Promise<Evaluation> {
  const backMs = Math.max(3_600_000, perMs) + 15 * 60_000;
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
  { hosts, zone, now }: Looking,
  rule: ThresholdRule,
): Promise<Evaluation> {
  const { what, over, perMs } = rule;
  const range = categoryRange(rule, now);
  const distribution = await statistics.distribution({ range, hosts, zone });
  const exact = countOf(distribution, what);
  const most = exact ?? maxCountOf(distribution, what);
  // One that the service does not name is not over the limit where even the most it can be is not.
  const count = exact ?? (most !== null && most <= over ? most : null);
  const known = distribution.stale || count === null ? 0 : 1;
  const counted = { atMs: range.to.epochMilliseconds, count: count ?? 0, known, perMs };
  return { observation: observeCount(counted, over), verdict: null };
}

/** Why the service can't provide what this rule counts, in the service's own words; `null` when it can, or might. */
export async function whyWithoutData(
  statistics: Statistics,
  { rule, hosts, zone, now }: Looking,
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

/** When the service does not answer, or only earlier numbers are known: the level is unknown. */
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

/** An episode counted, and the time around it for the picture. */
export interface Measurement extends EpisodeMeasure {
  readonly timeline: Timeline;
  /** The usual range, where the rule goes by it. */
  readonly band: Verdict['band'];
}

const AROUND_MS = 30 * 60_000;
/** Of a longer episode the last days are counted. */
const LONGEST_MS = 3 * 86_400_000;

/** Counts exactly what lies between onset and end, however long ago it began; `null` where the service does not answer. */
export async function measure(
  anyStatistics: Statistics,
  { rule, hosts, zone, now }: Looking,
  { onsetMs, endMs, drop }: EpisodeSpan & Pick<Episode, 'drop'>,
): Promise<Measurement | null> {
  const statistics = freshOnly(anyStatistics);
  const nowMs = now.epochMilliseconds;
  const fromMs = Math.max(Math.min(onsetMs - AROUND_MS, nowMs - 3_600_000), nowMs - LONGEST_MS);
  const query = { hosts, zone };
  const around = { ...query, range: { from: Temporal.Instant.fromEpochMilliseconds(fromMs), to: now } };
  const span = { onsetMs: Math.max(onsetMs, fromMs), endMs };
  if (rule.kind === 'threshold') {
    const timeline = await nullIfUnavailable(statistics.timeline(around));
    return timeline === null ? null : countAlone(statistics, query, rule, span, timeline);
  }
  const shown = await nullIfUnavailable(assess(statistics, around));
  if (shown === null) return null;
  const { timeline, verdict } = shown;
  if (drop !== undefined) {
    const seen = await followDrop(statistics, query, { what: drop, sinceMs: onsetMs, endedMs: endMs }, nowMs);
    return seen === null ? null : { figures: dropFigures(seen), leading: null, timeline, band: verdict.band };
  }
  return { ...(await measureWithin(statistics, query, span, timeline)), timeline, band: verdict.band };
}

/** A watch for a number of somebody's own does not ask what is usual. */
async function countAlone(
  statistics: Statistics,
  query: Pick<Looking, 'hosts' | 'zone'>,
  { what }: ThresholdRule,
  span: EpisodeSpan,
  timeline: Timeline,
): Promise<Measurement> {
  const of = what === 'requests' ? 'requests' : 'attacks';
  const at = Temporal.Instant.fromEpochMilliseconds;
  const { untilMs } = episodeFigures(span, timeline, { what: of });
  const whole = { ...query, range: { from: at(span.onsetMs), to: at(untilMs) } };
  const isCounted = of === 'attacks' && untilMs > span.onsetMs;
  const distribution = isCounted ? await nullIfUnavailable(statistics.distribution(whole)) : null;
  const figures = episodeFigures(span, timeline, { distribution, what: of });
  return { figures, leading: null, timeline, band: [] };
}
