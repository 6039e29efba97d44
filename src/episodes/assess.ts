/**
 * Assesses a time window: its episodes, read from the log that every answer shares, and a description of the window: what
 * was counted, what was to be expected and what is usual. Only the numbers of the window must be available.
 */
import { nextTurn } from '../clock.ts';
import { nullIfUnavailable } from '../errors.ts';
import { totalOf } from '../statistics/categories.ts';
import { comparableDistributions } from '../statistics/comparison.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { clockOffsets, type Range, wholeMinutes } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { between, dayStart, daysEarlier, learnedSite, monthBefore, since, until } from './block.ts';
import { byNature, changesOf, type EpisodeRecord, withExpected } from './episode.ts';
import { type EpisodeLog, isMinor, leadOf, rankEpisodes } from './episode-log.ts';
import { describeWindow, RULE, type Verdict, type WindowFinding } from './verdict/index.ts';

export interface AssessmentQuery {
  readonly range: Range;
  /** Domain IDs; none means all of the project. */
  readonly hosts: readonly string[];
  readonly zone: string;
  /** Whether the categories of the day before are needed. */
  readonly withDayBefore?: boolean;
}

export interface Assessment {
  readonly verdict: Verdict;
  /** Every episode of the window, the leading one first. */
  readonly episodes: readonly EpisodeRecord[];
  /** The window alone, at the service's interval. */
  readonly timeline: Timeline;
  readonly categories: Distribution | null;
  /** Of the day before, if they were requested. */
  readonly categoriesBefore: Distribution | null;
  /** The window's own timeline, then all that it was compared with. */
  readonly compared: readonly Timeline[];
  /** The same hours a day earlier; for a window of several days, that many days earlier. */
  readonly dayBefore: Range;
}

/** Where the numbers and the episodes of a project come from. */
export interface AssessmentSources {
  readonly statistics: Statistics;
  readonly episodes: EpisodeLog;
}

/** Never answers from stale cache entries. For callers that can retry. */
export const freshOnly = (statistics: Statistics): Statistics => ({
  timeline: (query) => statistics.timeline({ ...query, freshOnly: true }),
  distribution: (query) => statistics.distribution({ ...query, freshOnly: true }),
});

export async function assess(
  { statistics, episodes: log }: AssessmentSources,
  query: AssessmentQuery,
): Promise<Assessment> {
  const { hosts, zone } = query;
  const range = wholeMinutes(query.range);
  const [fromMs, toMs] = [range.from.epochMilliseconds, range.to.epochMilliseconds];
  // Enough whole days to cover the window, so that the days before can't overlap it.
  const days = Math.max(1, Math.ceil((toMs - fromMs) / DAY_MS));
  const dayBefore = { from: daysEarlier(range.from, days, zone), to: daysEarlier(range.to, days, zone) };
  const countsIn = (part: Range) => nullIfUnavailable(statistics.distribution({ range: part, hosts, zone }));
  const [list, { recent, earlier }, categories, categoriesBefore, month, pieces] = await Promise.all([
    nullIfUnavailable(log.within({ fromMs, toMs, hosts })),
    withHoursBefore({ statistics, episodes: log }, query, fromMs, toMs),
    countsIn(range),
    query.withDayBefore === true ? countsIn(dayBefore) : null,
    nullIfUnavailable(statistics.distribution({ range: monthBefore(fromMs), hosts, zone: 'UTC' })),
    log.weeksBefore(fromMs, hosts),
  ]);
  // Describing weeks of data takes a while; let other requests have the event loop first.
  await nextTurn();
  const history = [...pieces, earlier].filter((piece) => piece !== null);
  const episodes = rankEpisodes(list?.episodes ?? []);
  const isUsable = (each: Distribution | null): each is Distribution =>
    each !== null && totalOf(each) > 0 && isComparable(categories, each);
  // The hours before only if there is nothing else: after a surge, what is usual would look like too little.
  const reference = [isUsable(month) ? month : await countsIn(hoursBefore(fromMs, toMs))].filter(isUsable);
  const offsets = clockOffsets(fromMs, toMs, zone);
  // A window of days is its own past as well.
  const past = toMs - fromMs >= RULE.longMs ? [...history, recent] : history;
  const verdict = describeWindow({
    fromMs,
    toMs: Math.min(toMs, recent.toMs),
    recent,
    history,
    offsets,
    site: await learnedSite(past, offsets),
    finding: leadingFinding(episodes),
    held: list?.held ?? [],
    judged: list?.judged === true,
    categoriesFor: (expected) => (categories === null ? [] : changesOf(withExpected(categories, reference, expected))),
  });
  const timeline = since(recent, fromMs);
  const compared = [timeline, ...history];
  return { verdict, episodes, timeline, categories, categoriesBefore, compared, dayBefore };
}

/** The leading episode decides; what has stopped is said beside a rise. */
function leadingFinding(episodes: readonly EpisodeRecord[]): WindowFinding {
  const lead = leadOf(episodes.filter(({ drop }) => drop === undefined));
  const drops = episodes.flatMap((episode) => {
    const { drop: what, onsetMs: sinceMs } = episode;
    return what === undefined || isMinor(episode) ? [] : [{ what, sinceMs }];
  });
  if (lead === undefined) {
    const score = Math.max(0, ...episodes.map(({ strength, ignored }) => (ignored === true ? 0 : strength)));
    const says = drops.length === 0 ? 'calm' : 'drop';
    return { level: 'calm', says, score, onsetMs: null, endedMs: null, moved: [], drops };
  }
  const { onsetMs, endMs, worst, strength, figures } = lead;
  return {
    level: worst,
    says: byNature(lead, { rise: () => 'rise', mix: () => 'category', drop: () => 'drop' }),
    score: strength,
    onsetMs,
    endedMs: endMs,
    moved: changesOf(figures.categories).filter(({ observed, expected }) => observed > expected),
    drops,
  };
}

/** Unless the service can't report the earlier categories as it does those of the window. */
const isComparable = (window: Distribution | null, earlier: Distribution): boolean =>
  window !== null && typeof comparableDistributions(window, earlier) !== 'string';

/**
 * Up to a day comes by the minute, together with the hours before it; longer windows, and those that the service doesn't give so,
 * in one call of their own. `earlier`: what else of the day is known.
 */
async function withHoursBefore(
  { statistics, episodes }: AssessmentSources,
  { hosts, zone }: AssessmentQuery,
  fromMs: number,
  toMs: number,
): Promise<{ readonly recent: Timeline; readonly earlier: Timeline | null }> {
  const earlierMs = fromMs - RULE.trailingMs;
  // The weeks before end with a whole day, and what has passed of this one belongs to them.
  const startMs = Math.min(earlierMs, dayStart(fromMs));
  const byMinute = toMs - fromMs <= DAY_MS ? await episodes.numbers({ fromMs: startMs, toMs, hosts }) : null;
  if (byMinute?.isExact === true) return { recent: byMinute.numbers, earlier: null };
  const recent = await statistics.timeline({ range: between(earlierMs, toMs), hosts, zone });
  return { recent, earlier: startMs < earlierMs && byMinute !== null ? until(byMinute.numbers, earlierMs) : null };
}

/** Six hours before the hour in which the window begins, or as long as the window if that's longer. */
function hoursBefore(fromMs: number, toMs: number): Range {
  const endMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  return between(endMs - Math.max(RULE.trailingMs, toMs - fromMs), endMs);
}
