/**
 * Evaluates a watch's rule: queries the service for what the rule needs and returns an observation for each moment since
 * the last evaluation. After an interruption there are many, so nothing in between is missed.
 */
import { type Clock, systemClock, withTimeout } from '../../clock.ts';
import { type AssessmentSources, assess, freshOnly } from '../../episodes/assess.ts';
import { type EpisodeFigures, type EpisodeRecord, type EpisodeSpan, episodeFigures } from '../../episodes/episode.ts';
import type { EpisodeLog } from '../../episodes/episode-log.ts';
import type { Verdict } from '../../episodes/verdict/index.ts';
import { findHostsOf, HOSTS_WAIT_MS, type LeadingHost } from '../../episodes/which-host.ts';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import type { HostSources } from '../../grammar/hosts.ts';
import type { AttackActions } from '../../statistics/attack-details.ts';
import { countOf, maxCountOf } from '../../statistics/categories.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { SETTLE_MS, type Timeline } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import {
  type Course,
  courseOfRecord,
  type Evaluation,
  MAX_DATA_AGE_MS,
  type Observation,
  OTHER_CATEGORIES,
  observeCount,
  observeNothing,
  observeRecords,
  STANDING_COURSES,
} from './observation.ts';
import { DEFAULT_EVERY_MS, type WatchRule } from './watch-rule.ts';
import type { WatchedEpisode } from './watch-state.ts';

interface EvaluationSubject {
  readonly rule: WatchRule;
  /** Domain IDs; none means the whole project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  readonly now: Temporal.Instant;
}

export interface EvaluationQuery extends EvaluationSubject {
  /** The strength from which people are alerted. */
  readonly bar: number;
  /** How often the watch runs. */
  readonly everyMs: number;
  /** The end of what the last evaluation saw; `null` before the first one. */
  readonly lookedMs: number | null;
  /** The onset of the earliest ongoing episode of a category; infinite if there is none. */
  readonly categoriesSinceMs?: number;
}

/** After a longer interruption, what happened before that isn't reported any more. */
const MAX_CAUGHT_UP_MS = 3 * DAY_MS;
/** Attacks take a few minutes to be logged, so counting stops this long ago. */
const LOGGING_DELAY = { minutes: 5 };

/** Oldest first; none if it runs again so soon that it isn't an evaluation of its own. Rejects if the service doesn't answer. */
export async function evaluate(
  { statistics, episodes }: AssessmentSources,
  query: EvaluationQuery,
): Promise<readonly Evaluation[]> {
  const { rule } = query;
  if (rule.kind === 'verdict') return evaluateRecords(episodes, query);
  const observations =
    rule.what === 'attacks' || rule.what === 'requests'
      ? await countIntervals(statistics, query, rule, rule.what)
      : await countCategory(statistics, query, rule);
  return observations.map((observation): Evaluation => new Map([['rise', observation]]));
}

async function evaluateRecords(episodes: EpisodeLog, query: EvaluationQuery): Promise<readonly Evaluation[]> {
  const { hosts, bar, now, lookedMs, everyMs, categoriesSinceMs = Number.POSITIVE_INFINITY } = query;
  const nowMs = now.epochMilliseconds;
  // What went on at the last evaluation may turn out to have ended before it. A category is read from where it began: that
  // half day knows most about it.
  const knownMs = Math.min((lookedMs ?? nowMs) - HOUR_MS, nowMs - HOUR_MS, categoriesSinceMs);
  const sinceMs = Math.max(knownMs, nowMs - MAX_CAUGHT_UP_MS);
  const listSince = (fromMs: number) => episodes.within({ fromMs, toMs: nowMs, hosts, freshOnly: true });
  const list = await listSince(sinceMs);
  if (list === null || list.stale || nowMs - list.untilMs >= MAX_DATA_AGE_MS) return [evaluationWithoutData(nowMs)];
  // A gap in the time that was missed doesn't make the present unknown.
  if (!list.judged && (await listSince(nowMs - HOUR_MS))?.judged !== true) return [evaluationWithoutData(nowMs)];
  return momentsUntil(list.untilMs, { lookedMs, everyMs }).map((atMs) => {
    const evaluation = evaluationAt(list.episodes, atMs, bar);
    // A category that can't be counted now isn't over.
    return list.lacksCategories ? new Map([...evaluation, [OTHER_CATEGORIES, observeNothing(atMs)]]) : evaluation;
  });
}

/** The observations of one moment, in the courses of these records and in those that every watch follows. */
export function evaluationAt(records: readonly EpisodeRecord[], atMs: number, bar: number): Evaluation {
  const episodes = records.filter(({ ignored }) => ignored !== true);
  const courses = new Set<Course>([...STANDING_COURSES, ...episodes.map(courseOfRecord)]);
  const evaluation = new Map<Course, Observation>();
  for (const course of courses) {
    const own = episodes.filter((record) => courseOfRecord(record) === course);
    evaluation.set(course, observeRecords(own, atMs, bar));
  }
  return evaluation;
}

export const evaluationWithoutData = (nowMs: number): Evaluation =>
  new Map(STANDING_COURSES.map((course) => [course, observeNothing(nowMs)] as const));

/** Numbers end at whole minutes, so two runs may see one minute less than lies between them. */
const ROUNDING_MS = MINUTE_MS;

/** Two evaluations closer than this count as one. */
const minApartMs = (everyMs: number, stepMs = DEFAULT_EVERY_MS): number =>
  Math.max(1, Math.min(everyMs, stepMs) - ROUNDING_MS);

/**
 * Drops those too close to an evaluation by another run: this process may have been frozen between reading the numbers
 * and recording the evaluation.
 */
export const unseenOf = (
  evaluations: readonly Evaluation[],
  lookedMs: number,
  everyMs: number,
): readonly Evaluation[] =>
  evaluations.filter((evaluation) => {
    const rise = evaluation.get('rise');
    if (rise === undefined || rise.level === 'unknown' || !Number.isFinite(lookedMs)) return true;
    return rise.atMs - lookedMs >= minApartMs(everyMs);
  });

/**
 * Every five minutes since the last evaluation, and the end. If a retried or late run sees the end soon after the
 * previous evaluation, that doesn't count as another one: the three calm evaluations that close an episode could
 * otherwise be seconds apart.
 */
function momentsUntil(
  untilMs: number,
  { lookedMs, everyMs }: Pick<EvaluationQuery, 'lookedMs' | 'everyMs'>,
  stepMs = DEFAULT_EVERY_MS,
): number[] {
  if (lookedMs === null) return [untilMs];
  const apartMs = minApartMs(everyMs, stepMs);
  const moments: number[] = [];
  const fromMs = Math.max(lookedMs, untilMs - MAX_CAUGHT_UP_MS);
  for (let atMs = fromMs + stepMs; atMs <= untilMs - apartMs; atMs += stepMs) moments.push(atMs);
  return untilMs - lookedMs < apartMs ? moments : [...moments, untilMs];
}

type ThresholdRule = Extract<WatchRule, { kind: 'threshold' }>;

async function countIntervals(
  statistics: Statistics,
  { hosts, zone, now, lookedMs, everyMs }: EvaluationQuery,
  { over, perMs }: ThresholdRule,
  what: 'attacks' | 'requests',
): Promise<readonly Observation[]> {
  const nowMs = now.epochMilliseconds;
  const missedMs = Math.min(MAX_CAUGHT_UP_MS, Math.max(0, nowMs - (lookedMs ?? nowMs)));
  const backMs = Math.max(HOUR_MS, perMs + missedMs) + 15 * MINUTE_MS;
  const timelines = await Promise.all(
    daysBack(nowMs, backMs).map((range) => statistics.timeline({ range, hosts, zone })),
  );
  if (timelines.some(({ stale }) => stale)) return [observeNothing(nowMs)];
  const points = timelines.flatMap(({ points: all, intervalMs, toMs, settledUntilMs }) => {
    const finalMs = Math.min(toMs, settledUntilMs);
    return all.flatMap(({ endMs, [what]: count }) =>
      count === null || endMs > finalMs ? [] : [{ startMs: endMs - intervalMs, endMs, count }],
    );
  });
  const untilMs = points.at(-1)?.endMs ?? nowMs - SETTLE_MS;
  return momentsUntil(untilMs, { lookedMs, everyMs }).map((atMs) => {
    const counted = points.filter(({ startMs, endMs }) => endMs <= atMs && startMs >= atMs - perMs);
    const count = counted.reduce((sum, point) => sum + point.count, 0);
    const knownMs = counted.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    return observeCount({ atMs, count, known: Math.min(1, knownMs / perMs), perMs }, over);
  });
}

/** In windows of a day at most, which the service answers by the minute; the oldest first. */
function daysBack(nowMs: number, backMs: number): Range[] {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const ranges: Range[] = [];
  for (let fromMs = nowMs - backMs; fromMs < nowMs; fromMs += DAY_MS) {
    ranges.push({ from: at(fromMs), to: at(Math.min(nowMs, fromMs + DAY_MS)) });
  }
  return ranges;
}

/** Each moment takes a call, so after an interruption only this many are evaluated. */
const MAX_CATEGORY_MOMENTS = 24;

function categoryRange({ perMs }: ThresholdRule, toMs: number): Range {
  const at = Temporal.Instant.fromEpochMilliseconds;
  return { from: at(toMs - perMs), to: at(toMs) };
}

const countedUntil = (now: Temporal.Instant): number =>
  now.subtract(LOGGING_DELAY).round({ smallestUnit: 'minute', roundingMode: 'floor' }).epochMilliseconds;

async function countCategory(
  statistics: Statistics,
  { hosts, zone, now, lookedMs, everyMs }: EvaluationQuery,
  rule: ThresholdRule,
): Promise<readonly Observation[]> {
  const { what, over, perMs } = rule;
  const untilMs = countedUntil(now);
  const missedMs = Math.max(0, untilMs - (lookedMs ?? untilMs));
  const stepMs = Math.max(DEFAULT_EVERY_MS, perMs, missedMs / MAX_CATEGORY_MOMENTS);
  const moments = momentsUntil(untilMs, { lookedMs, everyMs }, Math.ceil(stepMs / MINUTE_MS) * MINUTE_MS);
  return Promise.all(
    moments.map(async (atMs) => {
      const distribution = await statistics.distribution({ range: categoryRange(rule, atMs), hosts, zone });
      const exact = countOf(distribution, what);
      const most = exact ?? maxCountOf(distribution, what);
      // A category that the service doesn't list is below the limit if its maximum possible count is.
      const count = exact ?? (most !== null && most <= over ? most : null);
      const known = distribution.stale || count === null ? 0 : 1;
      return observeCount({ atMs, count: count ?? 0, known, perMs }, over);
    }),
  );
}

/** Why the service can't provide what this rule counts, in the service's own words; `null` when it can, or might. */
export async function whyWithoutData(
  statistics: Statistics,
  { rule, hosts, zone, now }: EvaluationSubject,
): Promise<string | null> {
  if (rule.kind === 'verdict' || rule.what === 'attacks' || rule.what === 'requests') return null;
  try {
    await statistics.distribution({ range: categoryRange(rule, countedUntil(now)), hosts, zone });
    return null;
  } catch (error) {
    // A failure right now says nothing about what the service offers.
    if (!(error instanceof BotError)) throw error;
    return error.code === 'limit' ? error.message.replace(/\.$/, '').replace(/^The /, 'the ') : null;
  }
}

/** The time around an episode for its chart, and what its record doesn't have. */
export interface Measurement {
  /** Only of a watch with a limit; otherwise the record has them. */
  readonly figures: EpisodeFigures | null;
  readonly timeline: Timeline;
  /** The normal range, if the rule uses it. */
  readonly band: Verdict['band'];
  /** What was blocked of the episode's attacks; `null` if unknown. */
  readonly actions: AttackActions | null;
  /** The hosts that it's on; missing if they aren't known yet. */
  readonly on?: readonly LeadingHost[] | undefined;
  /** The hosts, if finding them takes long: the message goes out with those that are known. */
  readonly onLater?: Promise<readonly LeadingHost[]>;
}

const AROUND_MS = 30 * MINUTE_MS;
/** For longer episodes only the last days are shown and counted. */
const MAX_MEASURED_MS = 3 * DAY_MS;

/** `null` if the service is unavailable. */
export async function measure(
  {
    statistics: anyStatistics,
    episodes,
    clock,
    ...names
  }: AssessmentSources & HostSources & { readonly clock?: Clock },
  { rule, hosts, zone, now }: EvaluationSubject,
  episode: MeasuredEpisode,
): Promise<Measurement | null> {
  const { onsetMs, endMs, drop } = episode;
  const statistics = freshOnly(anyStatistics);
  const nowMs = now.epochMilliseconds;
  // A message about what is long over shows that time, not the current hour.
  const toMs = endMs === null ? nowMs : Math.min(nowMs, endMs + 2 * HOUR_MS);
  const fromMs = Math.max(Math.min(onsetMs - AROUND_MS, toMs - HOUR_MS), toMs - MAX_MEASURED_MS);
  const query = { hosts, zone };
  const at = Temporal.Instant.fromEpochMilliseconds;
  const around = { ...query, range: { from: at(fromMs), to: at(toMs) } };
  const span = { onsetMs: Math.max(onsetMs, fromMs), endMs };
  if (rule.kind === 'threshold') {
    const timeline = await nullIfUnavailable(statistics.timeline(around));
    return timeline === null ? null : measureThreshold(anyStatistics, query, rule, span, timeline);
  }
  const shown = await nullIfUnavailable(assess({ statistics, episodes }, around));
  if (shown === null) return null;
  const { timeline, verdict } = shown;
  const [actions, found] = await Promise.all([
    drop === undefined ? actionsIn(anyStatistics, query, span, timeline) : null,
    hostsOf(anyStatistics, { ...names, clock }, query, episode),
  ]);
  return { figures: null, timeline, band: verdict.band, actions, ...found };
}

type MeasuredEpisode = Pick<WatchedEpisode, 'onsetMs' | 'endMs' | 'drop' | 'mix' | 'figures' | 'on'>;

/** The hosts it's on according to its current record; while they're unknown, those of the previous message. */
async function hostsOf(
  statistics: Statistics,
  { clock = systemClock, ...names }: HostSources & { readonly clock: Clock | undefined },
  query: Pick<EvaluationSubject, 'hosts' | 'zone'>,
  { figures, on, ...episode }: MeasuredEpisode,
): Promise<Pick<Measurement, 'on' | 'onLater'>> {
  if (figures === null) return { on: on ?? [] };
  const finding = findHostsOf(statistics, names, { ...episode, figures }, query).then((found) =>
    found.is === 'known' ? found.leading.map(({ host, share }) => ({ name: host.name, share })) : (on ?? []),
  );
  const inTime = await withTimeout<readonly LeadingHost[] | null>(
    clock,
    HOSTS_WAIT_MS,
    () => finding,
    () => null,
  );
  return inTime === null ? { on, onLater: finding } : { on: inTime };
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
  return { figures, timeline, band: [], actions };
}
