/** Measures an episode whose times are known: how much was counted in it, how much was expected, and which category led. */

import { nullIfUnavailable } from '../errors.ts';
import type { Statistics, StatisticsQuery } from '../statistics/statistics.ts';
import type { Timeline } from '../statistics/timeline.ts';
import { MINUTE_MS } from '../time-units.ts';
import { assess, between, MIN_ASSESSED_MS } from './assess.ts';
import {
  type Episode,
  type EpisodeFigures,
  type EpisodeSpan,
  episodeFigures,
  isRise,
  leadingIn,
  type ReportedEpisode,
  type UsualInEpisode,
} from './episode.ts';
import type { Verdict } from './verdict/index.ts';

export interface EpisodeMeasure {
  readonly figures: EpisodeFigures;
  readonly leading: string | null;
}

/** `null` if the service doesn't answer. */
export async function measureEpisode(
  statistics: Statistics,
  query: Omit<StatisticsQuery, 'range'>,
  span: EpisodeSpan,
  untilMs: number,
): Promise<EpisodeMeasure | null> {
  const { onsetMs, endMs } = span;
  const range = between(onsetMs, Math.max(onsetMs + MINUTE_MS, endMs ?? untilMs));
  const timeline = await nullIfUnavailable(statistics.timeline({ ...query, range }));
  return timeline === null ? null : measureWithin(statistics, query, span, timeline);
}

/**
 * Measures an episode on a timeline that contains it. Expected counts and the leading category come from the episode's
 * own time, whichever window was requested, so a watch, a check, an incident and a digest agree.
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
  // A short episode is assessed together with the time just before it.
  const fromMs = Math.min(onsetMs, untilMs - MIN_ASSESSED_MS);
  const isAssessedAlone = fromMs === onsetMs;
  const [assessment, ownCategories] = await Promise.all([
    nullIfUnavailable(assess(statistics, { ...query, range: between(fromMs, untilMs), usualAsOfMs: onsetMs })),
    isAssessedAlone ? null : nullIfUnavailable(statistics.distribution({ ...query, range: between(onsetMs, untilMs) })),
  ]);
  const distribution = isAssessedAlone ? (assessment?.categories ?? null) : ownCategories;
  const usual = assessment === null ? null : usualDuring(assessment.verdict, untilMs - onsetMs);
  const figures = episodeFigures(span, timeline, { distribution, usual });
  return { figures, leading: leadingIn(figures) };
}

/** Scales what the verdict expected to a part of its window. */
function usualDuring(
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

/** An episode as answers show it. */
export type CountedEpisode = Pick<Episode, 'leading'> & { readonly figures: EpisodeFigures };

/** Counts the episode a verdict found. What a watch reported about it takes precedence, its figures once it's over. */
export async function countEpisode(
  statistics: Statistics,
  query: Omit<StatisticsQuery, 'range'>,
  { level, onsetMs, endedMs, toMs }: Verdict,
  reported: readonly ReportedEpisode[],
): Promise<CountedEpisode | null> {
  if (onsetMs === null || level === 'calm' || level === 'not_enough_data') return null;
  const known = reported.find((episode) => isRise(episode) && episode.onsetMs === onsetMs);
  const isWhole = endedMs !== null && known?.endMs === endedMs;
  // Earlier versions didn't store what was expected.
  if (isWhole && known.figures?.expected != null) return { leading: known.leading, figures: known.figures };
  const measured = await measureEpisode(statistics, query, { onsetMs, endMs: endedMs }, toMs);
  return measured === null
    ? null
    : { leading: known === undefined ? leadingCategories(measured) : known.leading, figures: measured.figures };
}

/** As a list, the way episodes store it. */
export const leadingCategories = ({ leading }: EpisodeMeasure): string[] => (leading === null ? [] : [leading]);
