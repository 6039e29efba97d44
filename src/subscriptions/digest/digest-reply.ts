/** The content of a digest: what happened since the previous one, then the totals compared with an equal time before. */
import { timelineChart } from '../../charts/spec/index.ts';
import { type Clock, nextTurn, withTimeout } from '../../clock.ts';
import { freshOnly } from '../../episodes/assess.ts';
import { coincides, type EpisodeRecord, isReportOf, type ReportedEpisode, traitsOf } from '../../episodes/episode.ts';
import { type EpisodeLog, isMinor, rankEpisodes } from '../../episodes/episode-log.ts';
import { countIgnored, type IgnoredCategories } from '../../episodes/ignored.ts';
import { BARS } from '../../episodes/verdict/index.ts';
import { type ExcessByHost, findHostsOf } from '../../episodes/which-host.ts';
import { BotError, nullIfUnavailable, orFailure } from '../../errors.ts';
import {
  type Host,
  type HostNames,
  type HostSources,
  hostNames,
  hostsOrNames,
  resolveHosts,
} from '../../grammar/hosts.ts';
import { adviceOf } from '../../replies/error-reply.ts';
import { writeSentence } from '../../replies/follow-ups.ts';
import { hostWords } from '../../replies/host-lines.ts';
import {
  againstWords,
  categoryTable,
  changeWords,
  compareCategories,
  compareTimelines,
  counted,
  ignoredNotes,
  lengthRatio,
  limitNotes,
  missingLine,
  NO_CATEGORIES,
  obstacleWords,
  retentionNote,
  timelineNotes,
  withGap,
} from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { noData } from '../../replies/without-numbers.ts';
import { rankCategories, totalOf } from '../../statistics/categories.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/comparison.ts';
import { briefCount, formatCount } from '../../statistics/format.ts';
import type { Statistics, StatisticsQuery } from '../../statistics/statistics.ts';
import {
  type Distribution,
  readable,
  summarise,
  type Timeline,
  type TimelineSummary,
  upTo,
} from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { Subscription } from '../subscription.ts';
import type { ReportedTail } from './delivery-log.ts';
import type { DigestContent, DigestFacts } from './digest-runner.ts';
import {
  type ChannelReport,
  type DigestEpisode,
  detailedIn,
  namedIn,
  periodName,
  type Story,
  sameHosts,
  storyFinding,
  storyLevel,
  storyLines,
} from './digest-story.ts';
import { type DigestTimeline, fetchDigestTimeline, lateNote, withLate } from './logged-late.ts';

export interface DigestReplyDeps extends HostSources {
  readonly statistics: Statistics;
  readonly clock: Clock;
  readonly episodes: EpisodeLog;
  readonly ignored: Pick<IgnoredCategories, 'list'>;
  /** What the channel's watches saw in that time. */
  readonly reported: (channel: string, range: Range) => Promise<readonly ReportedEpisode[]>;
  readonly linkTo: (channel: string, ts: string) => Promise<string | null>;
}

/** The part of a subscription that its digest depends on. */
type DigestSubject = Pick<Subscription, 'id' | 'channel' | 'zone' | 'hosts'>;

export type DigestReply = ReturnType<typeof createDigestReply>;

export function createDigestReply({ statistics: anyStatistics, ...others }: DigestReplyDeps) {
  // A digest can wait, so it never shows stale data: a later reader could not tell it apart from the window's own.
  const deps = { ...others, anyStatistics, statistics: freshOnly(anyStatistics) };

  return async function composeDigest(
    subject: DigestSubject,
    range: Range,
    { late, tail }: DigestFacts,
  ): Promise<DigestContent<Reply>> {
    const known = await hostNames(deps);
    const hosts = resolveHosts(subject.hosts, known, 'digest');
    const comparison = compareLikeWithLike({ range, now: deps.clock.now(), zone: subject.zone });
    const query = { range, hosts: hosts.map(({ id }) => id), zone: subject.zone };
    const [numbers, story, ignored] = await Promise.all([
      orFailure(fetchNumbers(deps.statistics, query, comparison, tail)),
      tellStory(deps, subject, { range, hosts, known }),
      countIgnored(deps, query, deps.clock.now()),
    ]);
    if (numbers instanceof BotError) {
      const categories = await orFailure(deps.statistics.distribution(query));
      if (categories instanceof BotError) throw numbers;
      return { message: categoriesAlone(subject, { range, hosts }, categories, numbers), tail: null, failure: numbers };
    }
    // Digests due at once get their shared data at the same moment; each waits for a turn of the event loop.
    await nextTurn();
    const message = digestReply(subject, story, numbers, { comparison, late });
    const notes = [...(message.notes ?? []), ...ignoredNotes(ignored, { range, zone: subject.zone })];
    return { message: { ...message, notes }, tail: numbers.tail };
  };
}

/** The counts of a digest's time, and those to compare them with. */
interface DigestNumbers extends DigestTimeline {
  readonly distribution: Distribution | BotError;
  readonly timelineBefore: Timeline | BotError | null;
  readonly distributionBefore: Distribution | BotError | null;
}

async function fetchNumbers(
  statistics: Statistics,
  query: StatisticsQuery,
  comparison: Comparison | null,
  tail: ReportedTail | null,
): Promise<DigestNumbers> {
  const before = comparison === null ? null : { ...query, range: comparison.against };
  const [timeline, distribution, timelineBefore, distributionBefore] = await Promise.all([
    fetchDigestTimeline(statistics, query, tail),
    orFailure(statistics.distribution(query)),
    before === null ? null : orFailure(statistics.timeline(before)),
    before === null ? null : orFailure(statistics.distribution(before)),
  ]);
  return { ...timeline, distribution, timelineBefore, distributionBefore };
}

/** The previous digest may have called it ongoing, because its end only showed later. */
const JUST_BEFORE_MS = 15 * MINUTE_MS;

interface StoryDeps extends DigestReplyDeps {
  /** Includes what a service reports besides timelines, such as its busiest hosts. */
  readonly anyStatistics: Statistics;
}

interface StoryScope {
  readonly range: Range;
  readonly hosts: readonly Host[];
  readonly known: HostNames;
}

/** The recorded episodes, the same for everyone, plus what the channel's watches reported about or besides them. */
async function tellStory(deps: StoryDeps, { channel, zone }: DigestSubject, scope: StoryScope): Promise<Story> {
  const { range, hosts } = scope;
  const fromMs = range.from.epochMilliseconds;
  const query = {
    fromMs: fromMs - JUST_BEFORE_MS,
    toMs: range.to.epochMilliseconds,
    hosts: hosts.map(({ id }) => id),
    freshOnly: true,
  };
  const [reports, list] = await Promise.all([
    reportedEpisodes(deps, channel, scope),
    nullIfUnavailable(deps.episodes.within(query)),
  ]);
  const isBefore = ({ endMs }: EpisodeRecord): boolean => endMs !== null && endMs <= fromMs;
  const records = (list?.episodes ?? []).filter((record) => !isBefore(record));
  const matched = reports.map((report) => ({ report, record: recordOf(report, records, hosts) }));
  const recorded = records.map((record): DigestEpisode => {
    const about = matched.filter((each) => each.record === record).map(({ report }) => report.report);
    // Of several watches that reported it, the one that somebody has answered.
    const report = about.find(({ acknowledged }) => acknowledged !== null) ?? about[0] ?? null;
    return { ...record, hosts, on: null, limit: null, report };
  });
  const others = matched.filter(({ record }) => record === undefined).map(({ report }) => report);
  return {
    ...{ range, zone, hosts },
    episodes: await withHosts(deps, rankEpisodes([...recorded, ...others]), zone),
    ended: rankEpisodes((list?.episodes ?? []).filter((record) => isBefore(record) && !isMinor(record))),
    judged: list?.judged === true,
  };
}

/** A digest isn't edited later, so it waits a little longer for its hosts than an answer does. */
const HOSTS_WAIT_MS = 5_000;

/** Those that get a full line, with the hosts that carry them. */
function withHosts(
  { anyStatistics, clock, ...names }: StoryDeps,
  episodes: readonly DigestEpisode[],
  zone: string,
): Promise<readonly DigestEpisode[]> {
  const detailed = detailedIn({ episodes });
  return Promise.all(
    episodes.map(async (episode) => {
      const { figures, limit, hosts } = episode;
      if (figures === null || limit !== null || !detailed.includes(episode)) return episode;
      const where = { zone, hosts: hosts.map(({ id }) => id) };
      const on = await withTimeout<ExcessByHost | null>(
        clock,
        HOSTS_WAIT_MS,
        () => findHostsOf(anyStatistics, names, { ...episode, figures }, where),
        () => null,
      );
      return { ...episode, on: hostWords(on) };
    }),
  );
}

type ReportOfWatch = DigestEpisode & { readonly report: ChannelReport };

/** The record of a watch's report: its own, or one of the same kind and time if the watch is for other hosts. */
function recordOf(
  episode: ReportOfWatch,
  records: readonly EpisodeRecord[],
  hosts: readonly Host[],
): EpisodeRecord | undefined {
  if (episode.limit !== null) return undefined;
  const reported = { ...episode, acknowledged: null };
  const own = sameHosts(episode.hosts, hosts) ? records.filter((record) => isReportOf(reported, record)) : [];
  const alike = records.filter((record) => coincides(episode, record));
  const sharedMs = ({ onsetMs, figures }: EpisodeRecord): number =>
    Math.min(figures.untilMs, episode.endMs ?? figures.untilMs) - Math.max(onsetMs, episode.onsetMs);
  return (own.length > 0 ? own : alike).toSorted((a, b) => sharedMs(b) - sharedMs(a))[0];
}

/** What watches for any of these hosts reported. A host that's no longer known keeps its name as ID. */
async function reportedEpisodes(
  deps: DigestReplyDeps,
  channel: string,
  { range, hosts, known }: StoryScope,
): Promise<ReportOfWatch[]> {
  const reported = (await deps.reported(channel, range)).map((episode) => ({
    ...episode,
    hosts: hostsOrNames(episode.hosts, known),
  }));
  const isAbout = (whose: readonly Host[]): boolean =>
    hosts.length === 0 || whose.length === 0 || whose.some(({ id }) => hosts.some((host) => host.id === id));
  return Promise.all(
    reported
      .filter((episode) => isAbout(episode.hosts))
      .map(async ({ acknowledged, openedMs, firstTs, heldBack, ...episode }): Promise<ReportOfWatch> => {
        const link = firstTs === null ? null : await deps.linkTo(channel, firstTs);
        // A watch alerted on it, so it counts as no less than what one alerts on by default.
        return {
          ...episode,
          on: null,
          strength: BARS.normal,
          report: { hosts: episode.hosts, acknowledged, openedMs, link, heldBack },
        };
      }),
  );
}

function digestReply(
  { id }: DigestSubject,
  story: Story,
  numbers: DigestNumbers,
  { comparison, late }: { readonly comparison: Comparison | null; readonly late: boolean },
): Reply {
  const { range, hosts, zone } = story;
  const { timeline, late: loggedLate, distribution, timelineBefore, distributionBefore } = numbers;
  const summary = withLate(summarise(timeline), loggedLate);
  const change = comparison === null ? null : changeOf(numbers, comparison, zone);
  const common = {
    subject: { hosts, range, zone },
    notes: [
      ...(late ? [['This digest is late. It covers all the time since the previous one.']] : []),
      ...lateNote(loggedLate, summary, { range, zone, hasCategories: !(distribution instanceof BotError) }),
      ...timelineNotes(timeline, summary),
      ...categoryNotes(distribution),
      ...retentionNote([timeline, timelineBefore], range.to, zone),
      ...(change?.note ?? []),
    ],
    actions: digestActions(id, story),
  };
  const titled = (finding: string): string =>
    late ? `Late digest: ${finding}` : `${periodName(range, zone)}: ${finding}`;
  if (summary.intervals === 0) {
    return { ...common, title: titled('no data'), level: 'not_enough_data', headline: noData() };
  }
  const title = titled(
    storyFinding(story) ?? (summary.attacks === 0 ? 'no attacks' : 'unknown whether this is normal'),
  );
  const [headline = [], ...body] = [...storyLines(story), totalsLine(summary, change?.words ?? '')];
  const ranked = distribution instanceof BotError ? null : compareCategories(distribution, distributionBefore).rows;
  return {
    ...common,
    title,
    level: storyLevel(story) ?? undefined,
    headline: withGap(headline, timeline),
    body,
    chart: digestChart(title, story, timeline),
    table: ranked === null ? undefined : categoryTable(ranked, comparison === null ? 1 : lengthRatio(comparison)),
  };
}

/** The categories alone, without a verdict, if the service fails to return the timeline. */
function categoriesAlone(
  { id, zone }: DigestSubject,
  { range, hosts }: Pick<Story, 'range' | 'hosts'>,
  distribution: Distribution,
  failure: BotError,
): Reply {
  const total = counted(totalOf(distribution), 'attack');
  const say = (verb: string): string => writeSentence({ verb, range, hosts, zone });
  return {
    title: `${periodName(range, zone)}: ${total}, unknown whether that is normal`,
    level: 'not_enough_data',
    headline: missingLine('timeline', failure),
    body: [['The next digest covers this time too.']],
    subject: { hosts, range, zone },
    table: categoryTable(rankCategories(distribution, null), 1, distribution.unknownCategories),
    notes: [...limitNotes([distribution]), ...retentionNote([distribution], range.to, zone)],
    actions: [
      { label: 'By category', sentence: say('attacks'), effect: 'thread' },
      { label: 'Doctor', sentence: 'doctor', effect: 'thread' },
      { label: 'Pause this digest', sentence: `digest pause ${id}`, effect: 'thread' },
    ],
  };
}

/** Marks what the text names. */
function digestChart(title: string, story: Story, timeline: Timeline) {
  const { hosts, zone } = story;
  const marks = namedIn(story).map((episode) => ({
    onsetMs: episode.onsetMs,
    endMs: episode.endMs,
    of: episode.limit?.startsWith('requests') === true ? 'requests' : traitsOf(episode).series,
  }));
  return timelineChart({ timeline: readable(timeline), zone, title, hosts, marks });
}

/** `1.9 M requests, 18,204 attacks, +6 % vs the day before.` */
function totalsLine({ requests, attacks }: TimelineSummary, change: string): Line {
  const requested = requests === null ? 'Requests unknown' : `${briefCount(requests)} requests`;
  const found = attacks === null ? 'attacks unknown' : counted(attacks, 'attack');
  return [`${requested}, `, { bold: found }, `${change}.`];
}

function categoryNotes(distribution: Distribution | BotError): Line[] {
  if (!(distribution instanceof BotError)) return limitNotes([distribution]);
  return [distribution.code === 'limit' ? NO_CATEGORIES : missingLine('categories', distribution)];
}

/** `, +6 % on the day before`, and which part was compared if not all of it could be. */
function changeOf(
  { timeline, late, timelineBefore }: DigestNumbers,
  comparison: Comparison,
  zone: string,
): { readonly words: string; readonly note: readonly Line[] } {
  const completeMs = comparison.counted.to.epochMilliseconds;
  const complete = completeMs < timeline.toMs ? upTo(timeline, completeMs) : timeline;
  const compared = compareTimelines(complete, timelineBefore, comparison, zone);
  // Attacks logged late in the last window stand in for those of this window still to come, unless only a part is
  // compared.
  const { attacks } = compared.note.length === 0 ? withLate(compared.now, late) : compared.now;
  const earlier = compared.before?.attacks ?? null;
  const against = againstWords(comparison, zone);
  if (attacks === null || earlier === null) {
    const why = compared.obstacle === 'retention' || compared.obstacle === 'steps' ? compared.obstacle : null;
    const words = why === null ? `not compared: no data for ${against}` : obstacleWords(why, against);
    return { words: `, ${words.replace(/^N/, 'n').replace(/\.$/, '')}`, note: [] };
  }
  const change = changeWords(attacks, earlier, compared.comparison);
  const words = change === null ? ` (${formatCount(earlier)} ${against})` : `, ${change} vs ${against}`;
  return { words, note: compared.note };
}

const AROUND_MS = 30 * MINUTE_MS;

function digestActions(id: string, { range, hosts, zone, episodes }: Story): Action[] {
  const say = (verb: string): string => writeSentence({ verb, range, hosts, zone });
  const [lead] = episodes;
  return [
    ...(lead === undefined ? [] : [whatHappened(lead, range, zone)]),
    { label: 'By category', sentence: say('attacks'), effect: 'thread' },
    { label: 'Over time', sentence: say('timeline'), effect: 'thread' },
    { label: 'Compare', sentence: say('compare'), effect: 'thread' },
    { label: 'Pause this digest', sentence: `digest pause ${id}`, effect: 'thread' },
  ];
}

/** The episode with some time before and after, on its hosts. */
function whatHappened({ onsetMs, endMs, hosts }: DigestEpisode, { to }: Range, zone: string): Action {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const untilMs = endMs === null ? to.epochMilliseconds : endMs + AROUND_MS;
  const range = { from: at(onsetMs - AROUND_MS), to: at(Math.min(untilMs, to.epochMilliseconds)) };
  return {
    label: 'What happened',
    sentence: writeSentence({ verb: 'incident', range, hosts, zone }),
    effect: 'thread',
  };
}

/** The short message for a window whose digest could not be composed. */
export function apology({ zone }: DigestSubject, range: Range, error: unknown): Reply {
  const why: Line =
    error instanceof BotError
      ? [[error.message, adviceOf(error)].filter((part) => part !== undefined).join(' ')]
      : ['The reason is in the bot’s log.'];
  return {
    title: 'Digest failed',
    headline: why,
    subject: { hosts: [], range, zone },
    body: [['Retried for 15 minutes. The next digest covers this time too.']],
    actions: [
      { label: 'Try now', sentence: writeSentence({ verb: 'timeline', range, hosts: [], zone }), effect: 'thread' },
    ],
    failed: true,
  };
}
