/**
 * Assesses a time window: its episodes, read from the log that every answer shares, and a description of the window: what
 * was counted, what was to be expected and what is usual. Only the numbers of the window must be available.
 */
import { inTurns, nextTurn } from '../clock.ts';
import { nullIfUnavailable } from '../errors.ts';
import { totalOf } from '../statistics/categories.ts';
import { comparableDistributions } from '../statistics/comparison.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { Distribution, Timeline } from '../statistics/timeline.ts';
import { type Range, wholeMinutes } from '../time/index.ts';
import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { between, blockStart, daysEarlier, lagsOf, since, weeksBefore } from './block.ts';
import { type EpisodeRecord, withExpected } from './episode.ts';
import { type EpisodeLog, leadOf, rankEpisodes } from './episode-log.ts';
import {
  type CategoryChange,
  type Drop,
  describeWindow,
  RULE,
  type Verdict,
  type WindowFinding,
} from './verdict/index.ts';

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
  const dayBefore = shifted(range, wholeDays(range), zone);
  const countsIn = (part: Range) => nullIfUnavailable(statistics.distribution({ range: part, hosts, zone }));
  const [list, recent, categories, categoriesBefore, weeks, pieces] = await Promise.all([
    nullIfUnavailable(log.within({ fromMs, toMs, hosts })),
    withHoursBefore(log, (part) => statistics.timeline({ range: part, hosts, zone }), range, hosts),
    countsIn(range),
    query.withDayBefore === true ? countsIn(dayBefore) : null,
    nullIfUnavailable(statistics.distribution({ range: weeksBefore(blockStart(fromMs)), hosts, zone: 'UTC' })),
    log.weeksBefore(fromMs, hosts),
  ]);
  // Describing weeks of data takes a while; let other requests have the event loop first.
  await nextTurn();
  const history = pieces.filter((piece) => piece !== null);
  const episodes = rankEpisodes(list?.episodes ?? []);
  const isUsable = (each: Distribution | null): each is Distribution =>
    each !== null && totalOf(each) > 0 && isComparable(categories, each);
  // The hours before only if there is nothing else: after a surge, what is usual would look like too little.
  const reference = [isUsable(weeks) ? weeks : await countsIn(hoursBefore(range))].filter(isUsable);
  const verdict = await inTurns(
    describeWindow({
      fromMs,
      toMs: Math.min(toMs, recent.toMs),
      recent,
      history,
      lags: lagsOf(toMs, zone),
      finding: findingOf(episodes),
      held: list?.held ?? [],
      judged: list?.judged === true,
      categoriesFor: (expected) =>
        categories === null ? [] : changesOf(withExpected(categories, reference, expected)),
    }),
  );
  const timeline = since(recent, fromMs);
  const compared = [timeline, ...history];
  return { verdict, episodes, timeline, categories, categoriesBefore, compared, dayBefore };
}

/** The leading episode decides; what has stopped is said beside a rise. */
function findingOf(episodes: readonly EpisodeRecord[]): WindowFinding {
  const lead = leadOf(episodes.filter(({ drop }) => drop === undefined));
  const drops = episodes.flatMap((episode) => dropOf(episode) ?? []);
  if (lead === undefined) {
    const score = Math.max(0, ...episodes.map(({ strength, ignored }) => (ignored === true ? 0 : strength)));
    const says = drops.length === 0 ? 'calm' : 'drop';
    return { level: 'calm', says, score, onsetMs: null, endedMs: null, ongoing: null, moved: [], drops };
  }
  const { onsetMs, endMs, worst, strength, figures } = lead;
  return {
    level: worst,
    says: lead.mix === undefined ? 'rise' : 'category',
    score: strength,
    onsetMs,
    endedMs: endMs,
    ongoing: endMs === null,
    moved: changesOf(figures.categories).filter(({ observed, expected }) => observed > expected),
    drops,
  };
}

function dropOf({ drop: what, onsetMs: sinceMs, endMs, figures }: EpisodeRecord): Drop | null {
  if (what === undefined) return null;
  const { untilMs, total: observed, expected } = figures;
  return { what, sinceMs, untilMs, endedMs: endMs, observed, expected: expected ?? 0 };
}

const changesOf = (categories: EpisodeRecord['figures']['categories']): CategoryChange[] =>
  categories.flatMap(({ category, count, expected }) =>
    expected === null ? [] : [{ name: category, observed: count, expected }],
  );

/** Unless the service can't report the earlier categories as it does those of the window. */
const isComparable = (window: Distribution | null, earlier: Distribution): boolean =>
  window !== null && typeof comparableDistributions(window, earlier) !== 'string';

/** Up to a day comes by the minute, together with the hours before it; longer windows in one call of their own. */
async function withHoursBefore(
  log: EpisodeLog,
  numbersIn: (range: Range) => Promise<Timeline>,
  { from, to }: Range,
  hosts: readonly string[],
): Promise<Timeline> {
  const earlier = { from: from.subtract({ milliseconds: RULE.trailingMs }), to };
  const isShort = msBetween(from, to) <= DAY_MS;
  // The weeks before end with a whole day, and what has passed of this one belongs to them.
  const dayMs = Math.floor(from.epochMilliseconds / DAY_MS) * DAY_MS;
  const window = { fromMs: Math.min(earlier.from.epochMilliseconds, dayMs), toMs: to.epochMilliseconds, hosts };
  return (isShort ? await log.numbers(window) : null) ?? numbersIn(earlier);
}

function shifted({ from, to }: Range, days: number, zone: string): Range {
  return { from: daysEarlier(from, days, zone), to: daysEarlier(to, days, zone) };
}

/** Enough whole days to cover the window, so that the days before can't overlap it. */
function wholeDays({ from, to }: Range): number {
  return Math.max(1, Math.ceil(msBetween(from, to) / DAY_MS));
}

const msBetween = (from: Temporal.Instant, to: Temporal.Instant): number =>
  to.epochMilliseconds - from.epochMilliseconds;

/** Six hours before the hour in which the window begins, or as long as the window if that's longer. */
function hoursBefore({ from, to }: Range): Range {
  const endMs = Math.floor(from.epochMilliseconds / HOUR_MS) * HOUR_MS;
  return between(endMs - Math.max(RULE.trailingMs, msBetween(from, to)), endMs);
}
