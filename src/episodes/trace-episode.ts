/**
 * Episodes as answers tell them: where a verdict sees one, when it began and ended to the minute, and what was counted
 * in it. An episode that a watch of the channel has told of keeps the times it was told with, so that nobody reads two.
 */

import { nullIfUnavailable } from '../errors.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import type { Timeline } from '../statistics/timeline.ts';
import { MINUTE_MS } from '../time-units.ts';
import { type Assessment, type AssessmentQuery, assess, withToldDrops } from './assess.ts';
import type { ReportedEpisode } from './episode.ts';
import {
  type Episode,
  type EpisodeFigures,
  type EpisodeSpan,
  episodeFigures,
  leadingIn,
  type UsualInEpisode,
} from './episode.ts';
import type { Verdict } from './verdict/index.ts';

const at = Temporal.Instant.fromEpochMilliseconds;
/** A second look takes in this much before and after what the first one found. */
const AROUND_MS = 60 * MINUTE_MS;
/** With the hours before it, a longer window is not answered by the minute. */
const LONGEST_BY_MINUTE_MS = 17 * 60 * MINUTE_MS;
/** Two looks at the same see it begin, or end, about then. */
const SAME_MS = 30 * MINUTE_MS;

/** What a watch has told: the times, and how bad it was. */
type KnownEpisode = EpisodeSpan & Pick<Episode, 'worst' | 'shape' | 'drop' | 'figures'>;

const isRise = ({ drop }: Pick<Episode, 'drop'>): boolean => drop === undefined;

/** A verdict whose onset and end are those of an episode that was told, or else known to the minute also in a long window. */
export async function assessClosely(
  statistics: Statistics,
  query: AssessmentQuery,
  told: readonly KnownEpisode[] = [],
): Promise<Assessment> {
  const wide = await withToldDrops(statistics, query, await assess(statistics, query), told);
  const { verdict, timeline } = wide;
  const known = longestShared(told.filter(isRise), verdict);
  if (known !== undefined) {
    const { worst, shape } = known;
    // A watch may be keener than this verdict: what it told is not called calm afterwards.
    const level = verdict.level === 'calm' ? { level: worst, kind: shape ?? verdict.kind } : {};
    return { ...wide, verdict: { ...withSpan(verdict, known), ...level } };
  }
  if (verdict.onsetMs === null || timeline.intervalMs <= MINUTE_MS) return wide;
  const close = await lookClosely(statistics, query, verdict.onsetMs, verdict.endedMs ?? verdict.toMs, timeline);
  return close === null ? wide : { ...wide, verdict: withSpan(verdict, close) };
}

/** The episode that has most time in common with what the verdict sees, or with all of its window. */
function longestShared(
  told: readonly KnownEpisode[],
  { level, fromMs, toMs, onsetMs, endedMs }: Verdict,
): KnownEpisode | undefined {
  if (level === 'not_enough_data') return undefined;
  const since = onsetMs === null ? fromMs : onsetMs - SAME_MS;
  const until = onsetMs === null ? toMs : (endedMs ?? toMs) + SAME_MS;
  const sharedMs = (episode: EpisodeSpan): number =>
    Math.min(episode.endMs ?? until, until) - Math.max(episode.onsetMs, since);
  return told.filter((episode) => sharedMs(episode) > 0).toSorted((a, b) => sharedMs(b) - sharedMs(a))[0];
}

/** An end after what was judged is not known yet. */
function withSpan(verdict: Verdict, { onsetMs, endMs }: EpisodeSpan): Verdict {
  const isOver = endMs !== null && endMs <= verdict.toMs;
  return { ...verdict, onsetMs, endedMs: isOver ? endMs : null, ongoing: !isOver };
}

async function lookClosely(
  statistics: Statistics,
  query: AssessmentQuery,
  onsetMs: number,
  endMs: number,
  { intervalMs, toMs: knownToMs }: Timeline,
): Promise<EpisodeSpan | null> {
  const fromMs = onsetMs - AROUND_MS;
  const toMs = Math.min(endMs + AROUND_MS, knownToMs);
  if (toMs - fromMs > LONGEST_BY_MINUTE_MS) return null;
  const closer = await nullIfUnavailable(assess(statistics, { ...query, range: { from: at(fromMs), to: at(toMs) } }));
  const seen = closer?.verdict;
  if (seen === undefined || seen.onsetMs === null) return null;
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= Math.max(SAME_MS, intervalMs);
  if (!isNear(seen.onsetMs, onsetMs)) return null;
  return { onsetMs: seen.onsetMs, endMs: seen.endedMs };
}

/** An episode as it is counted: what lies between onset and end, what was expected there, and what led it. */
export interface EpisodeMeasure {
  readonly figures: EpisodeFigures;
  readonly leading: string | null;
}

/** `null` where the service does not answer. */
export async function measureEpisode(
  statistics: Statistics,
  query: Omit<StatisticsQuery, 'range'>,
  span: EpisodeSpan,
  untilMs: number,
): Promise<EpisodeMeasure | null> {
  const { onsetMs, endMs } = span;
  const range = { from: at(onsetMs), to: at(Math.max(onsetMs + MINUTE_MS, endMs ?? untilMs)) };
  const timeline = await nullIfUnavailable(statistics.timeline({ ...query, range }));
  return timeline === null ? null : measureWithin(statistics, query, span, timeline);
}

/** A verdict on less than this has little to go by; of a shorter episode the time just before is judged with it. */
const LEAST_JUDGED_MS = 15 * MINUTE_MS;

/**
 * The same of a timeline that holds the episode. What was expected in it, and what leads it, come from its own time held
 * against what was usual before it, whichever window somebody has asked about: so they are the same in a watch, a check,
 * an incident and a digest.
 */
export async function measureWithin(
  statistics: Statistics,
  query: Omit<StatisticsQuery, 'range'>,
  span: EpisodeSpan,
  timeline: Timeline,
): Promise<EpisodeMeasure> {
  const { onsetMs } = span;
  const alone = episodeFigures(span, timeline);
  const { untilMs } = alone;
  if (untilMs <= onsetMs) return { figures: alone, leading: null };
  const fromMs = Math.min(onsetMs, untilMs - LEAST_JUDGED_MS);
  const judged = { ...query, range: { from: at(fromMs), to: at(untilMs) }, usualAsOfMs: onsetMs };
  const [seen, own] = await Promise.all([
    nullIfUnavailable(assess(statistics, judged)),
    fromMs === onsetMs
      ? null
      : nullIfUnavailable(statistics.distribution({ ...query, range: { from: at(onsetMs), to: at(untilMs) } })),
  ]);
  const distribution = fromMs === onsetMs ? (seen?.categories ?? null) : own;
  const usual = seen === null ? null : usualIn(seen.verdict, untilMs - onsetMs);
  const figures = episodeFigures(span, timeline, { distribution, usual });
  return { figures, leading: leadingIn(figures) };
}

/** In so much of what was judged. */
function usualIn(
  { expected, categories, fromMs, toMs, expectedFromMs = fromMs }: Verdict,
  lengthMs: number,
): UsualInEpisode | null {
  if (expected === null) return null;
  const part = lengthMs / (toMs - expectedFromMs);
  return {
    total: expected * part,
    categories: new Map(categories.map(({ name, expected: most, likely = most }) => [name, likely * part])),
  };
}

/** An episode as answers tell of it. */
export type CountedEpisode = Pick<Episode, 'leading'> & { readonly figures: EpisodeFigures };

/**
 * The episode that a verdict sees. What a watch has told of all of it stands; of one that goes on, or of a part, it is
 * counted as far as was asked, and the watch has told what leads it.
 */
export async function countEpisode(
  statistics: Statistics,
  query: Omit<StatisticsQuery, 'range'>,
  { level, onsetMs, endedMs, toMs }: Verdict,
  told: readonly ReportedEpisode[],
): Promise<CountedEpisode | null> {
  if (onsetMs === null || level === 'calm' || level === 'not_enough_data') return null;
  const known = told.find((episode) => isRise(episode) && episode.onsetMs === onsetMs);
  const isWhole = endedMs !== null && known?.endMs === endedMs;
  // A version before has not stored what was expected.
  if (isWhole && known.figures?.expected != null) return { leading: known.leading, figures: known.figures };
  const measured = await measureEpisode(statistics, query, { onsetMs, endMs: endedMs }, toMs);
  return measured === null
    ? null
    : { leading: known === undefined ? kindsOf(measured) : known.leading, figures: measured.figures };
}

export const kindsOf = ({ leading }: EpisodeMeasure): string[] => (leading === null ? [] : [leading]);
