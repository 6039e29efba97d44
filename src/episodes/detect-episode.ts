/**
 * Detects the episode in a time window: the verdict with its onset and end to the minute. An episode that a watch has
 * already reported keeps the times it was reported with.
 */

import { nullIfUnavailable } from '../errors.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Timeline } from '../statistics/timeline.ts';
import { HOUR_MS, MINUTE_MS } from '../time-units.ts';
import { type Assessment, type AssessmentQuery, assess, between, followDrop } from './assess.ts';
import { type Episode, type EpisodeSpan, isRise, overlaps } from './episode.ts';
import { type Drop, type Verdict, withDrops } from './verdict/index.ts';

/** How much the closer evaluation adds before the onset and after the end. */
const MARGIN_MS = HOUR_MS;
/** Together with the hours before it, a longer window doesn't come by the minute. */
const MAX_BY_MINUTE_MS = 17 * HOUR_MS;
/** Two evaluations mean the same episode if its edges differ by no more than this. */
const SAME_EDGE_MS = 30 * MINUTE_MS;

type KnownEpisode = EpisodeSpan & Pick<Episode, 'worst' | 'shape' | 'drop' | 'figures'>;

export async function detectEpisode(
  statistics: Statistics,
  query: AssessmentQuery,
  reported: readonly KnownEpisode[] = [],
): Promise<Assessment> {
  const wide = await withReportedDrops(statistics, query, await assess(statistics, query), reported);
  const { verdict, timeline } = wide;
  const known = longestShared(reported.filter(isRise), verdict);
  if (known !== undefined) {
    const { worst, shape } = known;
    // A watch may be more sensitive than this verdict; an answer must not call calm what it reported.
    const level = verdict.level === 'calm' ? { level: worst, kind: shape ?? verdict.kind } : {};
    return { ...wide, verdict: { ...withSpan(verdict, known), ...level } };
  }
  if (verdict.onsetMs === null || timeline.intervalMs <= MINUTE_MS) return wide;
  const close = await spanByMinute(statistics, query, verdict.onsetMs, verdict.endedMs ?? verdict.toMs, timeline);
  return close === null ? wide : { ...wide, verdict: withSpan(verdict, close) };
}

/** The episode that shares the most time with what the verdict sees, or with its whole window if it sees nothing. */
function longestShared(
  reported: readonly KnownEpisode[],
  { level, fromMs, toMs, onsetMs, endedMs }: Verdict,
): KnownEpisode | undefined {
  if (level === 'not_enough_data') return undefined;
  const since = onsetMs === null ? fromMs : onsetMs - SAME_EDGE_MS;
  const until = onsetMs === null ? toMs : (endedMs ?? toMs) + SAME_EDGE_MS;
  const sharedMs = (episode: EpisodeSpan): number =>
    Math.min(episode.endMs ?? until, until) - Math.max(episode.onsetMs, since);
  return reported.filter((episode) => sharedMs(episode) > 0).toSorted((a, b) => sharedMs(b) - sharedMs(a))[0];
}

/** An end after the evaluated time isn't known yet. */
function withSpan(verdict: Verdict, { onsetMs, endMs }: EpisodeSpan): Verdict {
  const isOver = endMs !== null && endMs <= verdict.toMs;
  return { ...verdict, onsetMs, endedMs: isOver ? endMs : null, ongoing: !isOver };
}

async function spanByMinute(
  statistics: Statistics,
  query: AssessmentQuery,
  onsetMs: number,
  endMs: number,
  { intervalMs, toMs: knownToMs }: Timeline,
): Promise<EpisodeSpan | null> {
  const fromMs = onsetMs - MARGIN_MS;
  const toMs = Math.min(endMs + MARGIN_MS, knownToMs);
  if (toMs - fromMs > MAX_BY_MINUTE_MS) return null;
  const closer = await nullIfUnavailable(assess(statistics, { ...query, range: between(fromMs, toMs) }));
  const closeOnsetMs = closer?.verdict.onsetMs ?? null;
  if (closer === null || closeOnsetMs === null) return null;
  const isSame = Math.abs(closeOnsetMs - onsetMs) <= Math.max(SAME_EDGE_MS, intervalMs);
  return isSame ? { onsetMs: closeOnsetMs, endMs: closer.verdict.endedMs } : null;
}

/** Gives the drops that a watch reported the same times, and the same figures once final, in every answer. */
async function withReportedDrops(
  statistics: Statistics,
  { hosts, zone, range }: AssessmentQuery,
  assessment: Assessment,
  reported: readonly KnownEpisode[],
): Promise<Assessment> {
  const { verdict } = assessment;
  const { fromMs, toMs } = verdict;
  if (verdict.level === 'not_enough_data') return assessment;
  const latest = new Map<Drop['what'], Drop>();
  for (const { drop: what, onsetMs: sinceMs, endMs, figures } of reported) {
    if (what === undefined || !overlaps({ onsetMs: sinceMs, endMs }, fromMs, toMs)) continue;
    const endedMs = endMs !== null && endMs <= toMs ? endMs : null;
    const known = { what, sinceMs, endedMs };
    const drop =
      endedMs !== null && figures?.expected != null
        ? { ...known, untilMs: endedMs, observed: figures.total, expected: figures.expected }
        : await followDrop(statistics, { hosts, zone }, known, range.to.epochMilliseconds);
    if (drop !== null) latest.set(what, { ...drop, endedMs });
  }
  if (latest.size === 0) return assessment;
  const others = verdict.drops.filter(({ what }) => !latest.has(what));
  return { ...assessment, verdict: withDrops(verdict, [...latest.values(), ...others]) };
}
