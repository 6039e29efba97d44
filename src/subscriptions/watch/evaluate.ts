/** Evaluates a watch's rule: asks the service for what the rule needs and says how it stands. */
import { assess } from '../../commands/assess.ts';
import type { Statistics } from '../../commands/ports.ts';
import type { Timeline } from '../../insight/timeline.ts';
import type { Verdict } from '../../insight/verdict/index.ts';
import type { Range } from '../../time/index.ts';
import { finishedPoints, type Observation, observeCount, observeVerdict } from './observation.ts';
import type { WatchRule } from './watch-rule.ts';

export interface Evaluation {
  readonly observation: Observation;
  /** What to show: the window, and the verdict where the rule asks for one. */
  readonly range: Range;
  readonly timeline: Timeline | null;
  readonly verdict: Verdict | null;
}

interface EvaluationQuery {
  readonly rule: WatchRule;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly now: Temporal.Instant;
}

const HOUR = { hours: 1 };
/** Attacks take a few minutes to be logged, so counting ends this long ago. */
const LOGGING_DELAY = { minutes: 5 };

export async function evaluate(statistics: Statistics, query: EvaluationQuery): Promise<Evaluation> {
  const { rule, hosts, zone, now } = query;
  if (rule.kind === 'verdict') {
    const range = { from: now.subtract(HOUR), to: now };
    const assessment = await assess(statistics, { range, hosts, zone, categoriesAgainst: 'hours before' });
    const { verdict, timeline } = assessment;
    if (timeline.stale) return evaluationWithoutData(now);
    return { observation: observeVerdict(verdict, timeline), range, timeline, verdict };
  }
  return rule.what === 'attacks' || rule.what === 'requests'
    ? countIntervals(statistics, query, rule, rule.what)
    : countCategory(statistics, query, rule);
}

type ThresholdRule = Extract<WatchRule, { kind: 'threshold' }>;

async function countIntervals(
  statistics: Statistics,
  { hosts, zone, now }: EvaluationQuery,
  { over, perMs }: ThresholdRule,
  what: 'attacks' | 'requests',
): Promise<Evaluation> {
  const backMs = Math.max(3_600_000, perMs) + 15 * 60_000;
  const range = { from: now.subtract({ milliseconds: backMs }), to: now };
  const timeline = await statistics.timeline({ range, hosts, zone });
  if (timeline.stale) return evaluationWithoutData(now);
  const settledMs = Math.min(timeline.toMs, timeline.settledUntilMs);
  const points = finishedPoints(timeline, what, settledMs);
  const atMs = points.at(-1)?.endMs ?? settledMs;
  const counted = points.filter(({ endMs }) => endMs - timeline.intervalMs >= atMs - perMs);
  const count = counted.reduce((sum, point) => sum + point.count, 0);
  const known = Math.min(1, (counted.length * timeline.intervalMs) / perMs);
  const observation = observeCount({ atMs, count, known, perMs, points, categories: [] }, over);
  return { observation, range, timeline, verdict: null };
}

async function countCategory(
  statistics: Statistics,
  { hosts, zone, now }: EvaluationQuery,
  { what, over, perMs }: ThresholdRule,
): Promise<Evaluation> {
  const to = now.subtract(LOGGING_DELAY).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const range = { from: to.subtract({ milliseconds: perMs }), to };
  const { counts, stale } = await statistics.distribution({ range, hosts, zone });
  const count = counts.find(({ category }) => category === what)?.count ?? 0;
  const categories = count > over ? [{ category: what, count, isNew: false }] : [];
  const known = stale ? 0 : 1;
  const atMs = to.epochMilliseconds;
  const observation = observeCount({ atMs, count, known, perMs, points: [], categories }, over);
  return { observation, range, timeline: null, verdict: null };
}

/** When the service does not answer, or only earlier numbers are known: the level is unknown. */
export function evaluationWithoutData(now: Temporal.Instant): Evaluation {
  const atMs = now.epochMilliseconds;
  return {
    observation: {
      atMs,
      level: 'unknown',
      severity: 0,
      onsetMs: null,
      peak: null,
      points: [],
      categories: [],
      kind: null,
    },
    range: { from: now.subtract(HOUR), to: now },
    timeline: null,
    verdict: null,
  };
}
