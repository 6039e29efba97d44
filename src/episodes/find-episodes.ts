/** The episodes of a time that nobody watched, for a digest: found day by day, and counted as every other answer does. */

import { nullIfUnavailable } from '../errors.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Range } from '../time/index.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';
import { type AssessmentQuery, followDrop } from './assess.ts';
import { dropFigures, type Episode } from './episode.ts';
import { assessClosely, kindsOf, measureEpisode } from './trace-episode.ts';
import type { Verdict } from './verdict/index.ts';

const at = Temporal.Instant.fromEpochMilliseconds;
/** Longer windows are not judged: so many days would take too many questions. */
const MOST_DAYS = 8;
/** Between two episodes that are told apart, and the least that is looked at for another one. */
const APART_MS = 30 * MINUTE_MS;
const LEAST_REST_MS = 2 * 60 * MINUTE_MS;
/** A part of a window is looked at again before and after what was found in it, so often. */
const MOST_DEPTH = 2;

export interface JudgedTime {
  /** Whether all of it could be judged. */
  readonly judged: boolean;
  /** The oldest first. */
  readonly episodes: readonly Episode[];
  /** Those that call for something without a time of its own: categories that are odd as a whole. */
  readonly verdicts: readonly Verdict[];
}

/** The episodes of a time that nobody watched, day by day. */
export async function findEpisodes(statistics: Statistics, query: AssessmentQuery): Promise<JudgedTime> {
  const { from, to } = query.range;
  const toMs = to.epochMilliseconds;
  if (toMs - from.epochMilliseconds > MOST_DAYS * DAY_MS) return { judged: false, episodes: [], verdicts: [] };
  const days: Range[] = [];
  for (let start = from; start.epochMilliseconds < toMs; start = days.at(-1)?.to ?? to) {
    const next = start.toZonedDateTimeISO(query.zone).add({ days: 1 }).toInstant();
    // What would be left of a last day belongs to the one before.
    days.push({ from: start, to: toMs - next.epochMilliseconds < LEAST_REST_MS ? to : next });
  }
  const judged = await Promise.all(
    days.map((range) => searchIn(statistics, { ...query, range, needsPast: true }, toMs)),
  );
  const { hosts, zone } = query;
  const all = judged.flatMap(({ found: each }) => each);
  const kinds = [undefined, 'requests', 'attacks'] as const;
  const found = kinds.flatMap((kind) => joined(all.filter(({ drop }) => drop === kind)));
  const episodes = found.map(async (episode): Promise<Episode> => {
    const { drop, onsetMs, endMs } = episode;
    const common = { ...episode, id: String(onsetMs), acknowledged: null };
    if (drop !== undefined) {
      const known = { what: drop, sinceMs: onsetMs, endedMs: endMs };
      const followed = await followDrop(statistics, { hosts, zone }, known, toMs);
      return { ...common, leading: [], figures: followed === null ? null : dropFigures(followed) };
    }
    const measured = await measureEpisode(statistics, { hosts, zone }, episode, toMs);
    const leading = measured === null ? [] : kindsOf(measured);
    return { ...common, leading, figures: measured?.figures ?? null };
  });
  return {
    judged: judged.every((day) => day.judged),
    episodes: (await Promise.all(episodes)).toSorted((a, b) => a.onsetMs - b.onsetMs),
    verdicts: judged.flatMap(({ verdicts }) => verdicts),
  };
}

type FoundEpisode = Omit<Episode, 'id' | 'leading' | 'figures' | 'acknowledged'>;

interface SearchedPart extends Pick<JudgedTime, 'judged' | 'verdicts'> {
  readonly found: readonly FoundEpisode[];
}

/** What goes on at the end of a part is over then, unless all of the time ends there. */
async function searchIn(
  statistics: Statistics,
  query: AssessmentQuery,
  lastMs: number,
  depth = 0,
): Promise<SearchedPart> {
  const assessment = await nullIfUnavailable(assessClosely(statistics, query));
  const verdict = assessment?.verdict;
  if (verdict === undefined || verdict.level === 'not_enough_data') return { judged: false, found: [], verdicts: [] };
  const { onsetMs, level, endedMs, toMs, kind } = verdict;
  const isCalled = level !== 'calm' && (verdict.score ?? 0) >= verdict.bar;
  const { from, to } = query.range;
  const untilOf = (ended: number | null): number | null => ended ?? (to.epochMilliseconds < lastMs ? toMs : null);
  const drops = verdict.drops.map(({ what, sinceMs, endedMs: ended }): FoundEpisode => {
    return { drop: what, onsetMs: sinceMs, endMs: untilOf(ended), worst: 'elevated', shape: null };
  });
  if (!isCalled || onsetMs === null) return { judged: true, found: drops, verdicts: isCalled ? [verdict] : [] };
  const endMs = untilOf(endedMs);
  const episode = { onsetMs, endMs, worst: level, shape: kind };
  const rest = [
    { from, to: at(onsetMs - APART_MS) },
    ...(endMs === null ? [] : [{ from: at(endMs + APART_MS), to }]),
  ].filter((part) => part.to.epochMilliseconds - part.from.epochMilliseconds >= LEAST_REST_MS);
  const search = (range: Range) => searchIn(statistics, { ...query, range }, lastMs, depth + 1);
  const others = depth === MOST_DEPTH ? [] : await Promise.all(rest.map(search));
  return { judged: true, found: [episode, ...drops, ...others.flatMap(({ found }) => found)], verdicts: [] };
}

/** What is seen from two days is one. */
function joined(found: readonly FoundEpisode[]): FoundEpisode[] {
  const whole: FoundEpisode[] = [];
  for (const episode of found.toSorted((a, b) => a.onsetMs - b.onsetMs)) {
    const before = whole.at(-1);
    const isApart = before === undefined || (before.endMs !== null && episode.onsetMs > before.endMs + APART_MS / 2);
    if (isApart) {
      whole.push(episode);
      continue;
    }
    const endMs = before.endMs === null || episode.endMs === null ? null : Math.max(before.endMs, episode.endMs);
    const worst = episode.worst === 'surge' ? episode.worst : before.worst;
    whole[whole.length - 1] = { ...before, endMs, worst };
  }
  return whole;
}
