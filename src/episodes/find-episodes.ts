/** Finds all episodes in a period that no watch covered, day by day, and measures them. Digests use this. */

import { nullIfUnavailable } from '../errors.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Range } from '../time/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time-units.ts';
import { type AssessmentQuery, followDrop } from './assess.ts';
import { detectEpisode } from './detect-episode.ts';
import { dropFigures, type Episode } from './episode.ts';
import { leadingCategories, measureEpisode } from './measure-episode.ts';
import type { Verdict } from './verdict/index.ts';

const at = Temporal.Instant.fromEpochMilliseconds;
/** Longer periods would take too many calls. */
const MAX_DAYS = 8;
/** The gap between two separate episodes. */
const GAP_MS = 30 * MINUTE_MS;
/** A shorter part isn't searched on its own. */
const MIN_PART_MS = 2 * HOUR_MS;
/** How often the parts before and after an episode are searched again. */
const MAX_DEPTH = 2;

export interface JudgedTime {
  /** Whether the whole period could be judged. */
  readonly judged: boolean;
  /** Oldest first. */
  readonly episodes: readonly Episode[];
  /** Verdicts that found something without a definite time, such as a category that's unusual as a whole. */
  readonly verdicts: readonly Verdict[];
}

export async function findEpisodes(statistics: Statistics, query: AssessmentQuery): Promise<JudgedTime> {
  const { from, to } = query.range;
  const toMs = to.epochMilliseconds;
  if (toMs - from.epochMilliseconds > MAX_DAYS * DAY_MS) return { judged: false, episodes: [], verdicts: [] };
  const searched = await Promise.all(
    daysOf(query).map((range) => searchIn(statistics, { ...query, range, needsPast: true }, toMs)),
  );
  const all = searched.flatMap(({ found }) => found);
  const kinds = [undefined, 'requests', 'attacks'] as const;
  const merged = kinds.flatMap((kind) => mergeAdjacent(all.filter(({ drop }) => drop === kind)));
  const episodes = await Promise.all(merged.map((episode) => measured(statistics, query, episode)));
  return {
    judged: searched.every((day) => day.judged),
    episodes: episodes.toSorted((a, b) => a.onsetMs - b.onsetMs),
    verdicts: searched.flatMap(({ verdicts }) => verdicts),
  };
}

/** Calendar days; a short rest is part of the last one. */
function daysOf({ range: { from, to }, zone }: AssessmentQuery): Range[] {
  const days: Range[] = [];
  const toMs = to.epochMilliseconds;
  for (let start = from; start.epochMilliseconds < toMs; start = days.at(-1)?.to ?? to) {
    const next = start.toZonedDateTimeISO(zone).add({ days: 1 }).toInstant();
    days.push({ from: start, to: toMs - next.epochMilliseconds < MIN_PART_MS ? to : next });
  }
  return days;
}

async function measured(
  statistics: Statistics,
  { hosts, zone, range }: AssessmentQuery,
  episode: FoundEpisode,
): Promise<Episode> {
  const { drop, onsetMs, endMs } = episode;
  const toMs = range.to.epochMilliseconds;
  const common = { ...episode, id: String(onsetMs), acknowledged: null };
  if (drop !== undefined) {
    const known = { what: drop, sinceMs: onsetMs, endedMs: endMs };
    const followed = await followDrop(statistics, { hosts, zone }, known, toMs);
    return { ...common, leading: [], figures: followed === null ? null : dropFigures(followed) };
  }
  const measure = await measureEpisode(statistics, { hosts, zone }, episode, toMs);
  const leading = measure === null ? [] : leadingCategories(measure);
  return { ...common, leading, figures: measure?.figures ?? null };
}

type FoundEpisode = Omit<Episode, 'id' | 'leading' | 'figures' | 'acknowledged'>;

interface SearchedPart extends Pick<JudgedTime, 'judged' | 'verdicts'> {
  readonly found: readonly FoundEpisode[];
}

/** An episode that is ongoing at the end of a part ends there, unless the whole period does too. */
async function searchIn(
  statistics: Statistics,
  query: AssessmentQuery,
  lastMs: number,
  depth = 0,
): Promise<SearchedPart> {
  const assessment = await nullIfUnavailable(detectEpisode(statistics, query));
  const verdict = assessment?.verdict;
  if (verdict === undefined || verdict.level === 'not_enough_data') return { judged: false, found: [], verdicts: [] };
  const { onsetMs, level, endedMs, toMs, kind } = verdict;
  const isUnusual = level !== 'calm' && (verdict.score ?? 0) >= verdict.bar;
  const { from, to } = query.range;
  const untilOf = (ended: number | null): number | null => ended ?? (to.epochMilliseconds < lastMs ? toMs : null);
  const drops = verdict.drops.map(({ what, sinceMs, endedMs: ended }): FoundEpisode => {
    return { drop: what, onsetMs: sinceMs, endMs: untilOf(ended), worst: 'elevated', shape: null };
  });
  if (!isUnusual || onsetMs === null) return { judged: true, found: drops, verdicts: isUnusual ? [verdict] : [] };
  const endMs = untilOf(endedMs);
  const episode = { onsetMs, endMs, worst: level, shape: kind };
  const rest = [
    { from, to: at(onsetMs - GAP_MS) },
    ...(endMs === null ? [] : [{ from: at(endMs + GAP_MS), to }]),
  ].filter((part) => part.to.epochMilliseconds - part.from.epochMilliseconds >= MIN_PART_MS);
  const search = (range: Range) => searchIn(statistics, { ...query, range }, lastMs, depth + 1);
  const others = depth === MAX_DEPTH ? [] : await Promise.all(rest.map(search));
  return { judged: true, found: [episode, ...drops, ...others.flatMap(({ found }) => found)], verdicts: [] };
}

/** Merges episodes that continue across a day boundary. */
function mergeAdjacent(found: readonly FoundEpisode[]): FoundEpisode[] {
  const merged: FoundEpisode[] = [];
  for (const episode of found.toSorted((a, b) => a.onsetMs - b.onsetMs)) {
    const before = merged.at(-1);
    const isApart = before === undefined || (before.endMs !== null && episode.onsetMs > before.endMs + GAP_MS / 2);
    if (isApart) {
      merged.push(episode);
      continue;
    }
    const endMs = before.endMs === null || episode.endMs === null ? null : Math.max(before.endMs, episode.endMs);
    const worst = episode.worst === 'surge' ? episode.worst : before.worst;
    merged[merged.length - 1] = { ...before, endMs, worst };
  }
  return merged;
}
