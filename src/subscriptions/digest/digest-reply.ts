/** The content of a digest: what happened since the one before, then the totals, like with like. */
import { timelineChart } from '../../charts/spec/index.ts';
import { type Clock, nextTurn } from '../../clock.ts';
import { type AssessmentQuery, freshOnly } from '../../episodes/assess.ts';
import type { ReportedEpisode } from '../../episodes/episode.ts';
import { overlaps } from '../../episodes/episode.ts';
import { findEpisodes, type JudgedTime } from '../../episodes/find-episodes.ts';
import { BARS } from '../../episodes/verdict/index.ts';
import { BotError, nullIfNotOffered, nullIfUnavailable } from '../../errors.ts';
import { findHost, type Host, type HostNames, type HostSources, hostNames, resolveHosts } from '../../grammar/hosts.ts';
import { adviceOf } from '../../replies/error-reply.ts';
import { writeSentence } from '../../replies/follow-ups.ts';
import {
  againstWords,
  CATEGORIES_NOT_TOLD,
  categoryTable,
  changeWords,
  counted,
  lengthRatio,
  limitNotes,
  timelineNotes,
} from '../../replies/phrases.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { noData } from '../../replies/without-numbers.ts';
import { briefCount, formatCount } from '../../statistics/format.ts';
import { type Comparison, compareLikeWithLike } from '../../statistics/like-with-like.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import { rankCategories, readable, summarise, summariseUntil, type TimelineSummary } from '../../statistics/summary.ts';
import type { Timeline } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import type { Subscription } from '../subscription.ts';
import {
  periodName,
  type Story,
  storyFinding,
  storyLevel,
  storyLines,
  type ToldEpisode,
  worstOf,
} from './digest-story.ts';

export interface DigestReplyDeps extends HostSources {
  readonly statistics: Statistics;
  readonly clock: Pick<Clock, 'now'>;
  /** What the channel's watches saw in that time. */
  readonly episodes: (channel: string, range: Range) => Promise<readonly ReportedEpisode[]>;
  readonly linkTo: (channel: string, ts: string) => Promise<string | null>;
}

/** What is still filling may change after this. */
const JUDGED_FOR_MS = 60_000;

/** The part of a subscription that its digest depends on. */
type DigestSubject = Pick<Subscription, 'id' | 'channel' | 'zone' | 'hosts'>;

export function createDigestReply({ statistics: anyStatistics, ...deps }: DigestReplyDeps) {
  // A digest can wait, so it never tells old numbers: whoever reads it later could not tell them from those of its window.
  const statistics = freshOnly(anyStatistics);

  const judgedLately = new Map<string, { readonly atMs: number; readonly time: Promise<JudgedTime | null> }>();

  /** Many channels have the same digest at the same moment: its time is judged once for all of them. */
  function judgedTime(query: AssessmentQuery): Promise<JudgedTime | null> {
    const nowMs = deps.clock.now().epochMilliseconds;
    const { range, hosts, zone } = query;
    const key = JSON.stringify([String(range.from), String(range.to), hosts, zone]);
    const lately = judgedLately.get(key);
    if (lately !== undefined && nowMs - lately.atMs < JUDGED_FOR_MS) return lately.time;
    for (const [each, { atMs }] of judgedLately) if (nowMs - atMs >= JUDGED_FOR_MS) judgedLately.delete(each);
    const time = nullIfUnavailable(findEpisodes(statistics, query));
    judgedLately.set(key, { atMs: nowMs, time });
    time.then(
      (found) => found?.judged === true || judgedLately.delete(key),
      () => judgedLately.delete(key),
    );
    return time;
  }

  /** Of the watches for any of these hosts; a host that is known no more is told by its name. */
  async function toldIn(channel: string, range: Range, hosts: readonly Host[], known: HostNames) {
    const reported = await deps.episodes(channel, range);
    const named = reported.map((episode) => {
      const whose = episode.hosts.map((name) => ({ name, id: findHost(name, known)?.id ?? name }));
      return { ...episode, hosts: whose };
    });
    const isAbout = (whose: readonly Host[]): boolean =>
      hosts.length === 0 || whose.length === 0 || whose.some(({ id }) => hosts.some((host) => host.id === id));
    return Promise.all(
      named
        .filter((episode) => isAbout(episode.hosts))
        .map(async (episode): Promise<ToldEpisode> => {
          const { firstTs } = episode;
          return { ...episode, link: firstTs === null ? null : await deps.linkTo(channel, firstTs) };
        }),
    );
  }

  /** What a watch has told is told in its words; the rest of the time is judged here, at the bar of a watch. */
  async function storyOf(subject: DigestSubject, range: Range, hosts: readonly Host[], known: HostNames) {
    const { channel, zone } = subject;
    const query = { range, hosts: hosts.map(({ id }) => id), zone, bar: BARS.normal };
    const nothing: JudgedTime = { judged: false, episodes: [], verdicts: [] };
    const [told, found] = await Promise.all([toldIn(channel, range, hosts, known), judgedTime(query)]);
    const { judged, episodes, verdicts } = found ?? nothing;
    const untold = episodes.filter(
      ({ drop, onsetMs, endMs }) =>
        !told.some((each) => each.limit === null && each.drop === drop && overlaps(each, onsetMs, endMs ?? Infinity)),
    );
    const own = untold.map((episode): ToldEpisode => ({ ...episode, hosts, limit: null, openedMs: null, link: null }));
    const all = [...told, ...own].toSorted((a, b) => a.onsetMs - b.onsetMs);
    return { range, zone, hosts, episodes: all, judged, verdicts } satisfies Story;
  }

  return async function composeDigest(
    subject: DigestSubject,
    range: Range,
    { late }: { readonly late: boolean },
  ): Promise<Reply> {
    const { id, zone, hosts: names } = subject;
    const known = await hostNames(deps);
    const hosts = resolveHosts(names, known, 'digest');
    const query = { range, hosts: hosts.map((host) => host.id), zone };
    const comparison = compareLikeWithLike({ range, now: deps.clock.now(), zone });
    const before = comparison === null ? null : { ...query, range: comparison.against };
    const [timeline, distribution, timelineBefore, distributionBefore, story] = await Promise.all([
      statistics.timeline(query),
      nullIfNotOffered(statistics.distribution(query)),
      before === null ? null : nullIfUnavailable(statistics.timeline(before)),
      before === null ? null : nullIfUnavailable(statistics.distribution(before)),
      storyOf(subject, range, hosts, known),
    ]);
    // Digests that are due together share their numbers, and get them at the same moment.
    await nextTurn();
    const summary = summarise(timeline);
    const common = {
      subject: { hosts, range, zone },
      notes: [
        ...(late ? [['This digest is late: it covers all of the time since the one before.']] : []),
        ...timelineNotes(timeline, summary),
        ...limitNotes([distribution]),
        ...(distribution === null ? [CATEGORIES_NOT_TOLD] : []),
      ],
      actions: digestActions(id, story),
    };
    const titled = (finding: string): string =>
      late ? `Late digest: ${finding}` : `${periodName(range, zone)}: ${finding}`;
    if (summary.intervals === 0) {
      return { ...common, title: titled('no data'), level: 'not_enough_data', headline: noData() };
    }
    const title = titled(
      storyFinding(story) ?? (summary.attacks === 0 ? 'no attacks' : 'not known whether it was normal'),
    );
    const level = storyLevel(story);
    // A digest counts all of its time, since no other one will; only what is complete is compared.
    const change = comparison === null ? '' : changeOf(timeline, timelineBefore, comparison, zone);
    const totals = totalsLine(summary, change);
    const [headline = [], ...body] = [...storyLines(story), totals];
    const worst = worstOf(story.episodes);
    return {
      ...common,
      title,
      ...(level === null ? {} : { level }),
      headline,
      body,
      chart: timelineChart({
        timeline: readable(timeline),
        zone,
        title,
        hosts,
        ...(worst === undefined || worst.onsetMs < timeline.fromMs ? {} : { onsetMs: worst.onsetMs }),
        ...(worst === undefined || worst.endMs === null ? {} : { endMs: worst.endMs }),
      }),
      ...(distribution === null
        ? {}
        : {
            table: categoryTable(
              rankCategories(distribution, distributionBefore),
              comparison === null ? 1 : lengthRatio(comparison),
            ),
          }),
    };
  };
}

export type DigestReply = ReturnType<typeof createDigestReply>;

/** `1.9 M requests, 18,204 attacks, +6 % on the day before.` */
function totalsLine({ requests, attacks }: TimelineSummary, change: string): Line {
  const asked = requests === null ? 'Requests not known' : `${briefCount(requests)} requests`;
  const found = attacks === null ? 'attacks not known' : counted(attacks, 'attack');
  return [`${asked}, `, { bold: found }, `${change}.`];
}

function changeOf(timeline: Timeline, before: Timeline | null, comparison: Comparison, zone: string): string {
  const { attacks } = summariseUntil(timeline, comparison.counted.to.epochMilliseconds);
  const earlier = before === null ? null : summarise(before).attacks;
  const against = againstWords(comparison, zone);
  if (attacks === null || earlier === null) return `, not compared: ${against} is not known`;
  const change = changeWords(attacks, earlier, comparison);
  return change === null ? ` (${formatCount(earlier)} ${against})` : `, ${change} on ${against}`;
}

const AROUND_MS = 30 * 60_000;

function digestActions(id: string, { range, hosts, zone, episodes }: Story): Action[] {
  const say = (verb: string): string => writeSentence({ verb, range, hosts, zone });
  const worst = worstOf(episodes);
  return [
    ...(worst === undefined ? [] : [whatHappened(worst, range, zone)]),
    { label: 'By category', sentence: say('attacks'), effect: 'thread' },
    { label: 'Over time', sentence: say('timeline'), effect: 'thread' },
    { label: 'Compare', sentence: say('compare'), effect: 'thread' },
    { label: 'Pause this digest', sentence: `digest pause ${id}`, effect: 'thread' },
  ];
}

/** The episode with some time around it, on the hosts it was seen on. */
function whatHappened({ onsetMs, endMs, hosts }: ToldEpisode, { to }: Range, zone: string): Action {
  const at = Temporal.Instant.fromEpochMilliseconds;
  const untilMs = endMs === null ? to.epochMilliseconds : endMs + AROUND_MS;
  const range = { from: at(onsetMs - AROUND_MS), to: at(Math.min(untilMs, to.epochMilliseconds)) };
  return {
    label: 'What happened',
    sentence: writeSentence({ verb: 'incident', range, hosts, zone }),
    effect: 'thread',
  };
}

/** The short, honest message for a window whose digest could not be composed. */
export function apology({ zone }: DigestSubject, range: Range, error: unknown): Reply {
  const why: Line =
    error instanceof BotError
      ? [[error.message, adviceOf(error)].filter((part) => part !== undefined).join(' ')]
      : ['The reason is in the log.'];
  return {
    title: 'The digest could not be made',
    headline: why,
    subject: { hosts: [], range, zone },
    body: [['It was tried again for a quarter of an hour. The next digest covers this time too.']],
    actions: [
      { label: 'Try now', sentence: writeSentence({ verb: 'timeline', range, hosts: [], zone }), effect: 'thread' },
    ],
    failed: true,
  };
}
