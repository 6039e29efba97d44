/** The messages of an episode: its current state, a link to a newer message, or the summary after its end. */

import { timelineChart } from '../../charts/spec/index.ts';
import { natureOf, traitsOf } from '../../episodes/episode.ts';
import { blockedWords } from '../../replies/detail-lines.ts';
import { runbookLines } from '../../replies/episode-lines.ts';
import { writeSentence } from '../../replies/follow-ups.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import { capitalized } from '../../statistics/format.ts';
import { readable } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { clockOf, type Times } from '../../time/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../time-units.ts';
import type { PendingUpdate } from './episode-lifecycle.ts';
import {
  acknowledgedWords,
  alsoWords,
  categoryLine,
  countedNote,
  courseLine,
  describeWatch,
  instantOf,
  isUsualByNow,
  nameOf,
  noDataNote,
  peopleLine,
  type ResolvedWatch,
  titleOf,
} from './episode-words.ts';
import type { Measurement } from './evaluate.ts';
import { heldWords, plainSummaryReply, summaryReply } from './hold-words.ts';
import { isReminder } from './reminders.ts';
import { describeRule } from './watch-rule.ts';
import type { WatchedEpisode, WatchState } from './watch-state.ts';

/** What a run measured beyond the stored state. */
export interface EpisodeSnapshot {
  readonly now: Temporal.Instant;
  readonly measurement: Measurement | null;
  readonly runbooks?: Parameters<typeof runbookLines>[0];
}

/** Whatever the channel has to see of a watch. */
export function updateReply(
  state: WatchState,
  update: PendingUpdate,
  watch: ResolvedWatch,
  snapshot: EpisodeSnapshot,
): Reply {
  const { episode, summary } = state;
  if (update.is === 'summary' && summary != null) return summaryReply(summary, watch, snapshot.now);
  if (episode === null) throw new Error('a message without an episode');
  return episodeReply(state, episode, update, watch, snapshot);
}

/** The same in the simplest form, if it can't be built or is refused. */
export function plainUpdateReply(state: WatchState, update: PendingUpdate, watch: ResolvedWatch): Reply {
  const { episode, summary } = state;
  if (update.is === 'summary' && summary != null)
    return plainSummaryReply(summary, watch.zone, instantOf(summary.untilMs));
  if (episode === null) throw new Error('a message without an episode');
  return plainEpisodeReply(state, episode, watch);
}

export function episodeReply(
  state: WatchState,
  episode: WatchedEpisode,
  update: PendingUpdate,
  watch: ResolvedWatch,
  snapshot: EpisodeSnapshot,
): Reply {
  const times = clockOf(watch.zone, snapshot.now);
  if (update.is === 'reply') return closingReply(episode, watch, snapshot.now);
  if (update.is === 'retire') return replacedReply(episode, update, watch, times);
  const title = titleOf(episode, state.message?.news ?? 'new', watch, snapshot.now);
  const [headline = [], ...body] = [
    ...withBlocked(courseLine(episode, watch, times), snapshot),
    ...categoryLine(episode),
    ...alsoWords(episode).map((words) => [`${capitalized(words)}: see the thread.`]),
    ...peopleLine(state, episode, watch, snapshot.now, heldWords(state, episode, watch.zone)),
    ...runbookLines(snapshot.runbooks ?? []),
  ];
  return {
    title,
    mentions: state.message?.mentions ?? [],
    level: episode.closedMs !== null ? closedLevel(episode, watch) : episode.endMs === null ? episode.level : 'past',
    headline,
    body,
    subject: { hosts: watch.hosts, range: shownRange(episode, snapshot), zone: watch.zone },
    ...chartOf(title, episode, watch, snapshot),
    notes: [[describeWatch(watch)], ...countedNote(episode, times), ...noDataNote(episode, times)],
    actions: actionsFor(state, episode, watch, snapshot),
  };
}

/** `… 91 % blocked, 9 % only logged.` */
function withBlocked([course = [], ...rest]: readonly Line[], { measurement }: EpisodeSnapshot): readonly Line[] {
  const blocked = blockedWords(measurement?.actions ?? null);
  return blocked === null ? [course, ...rest] : [[...course, ` ${blocked}`], ...rest];
}

/** The final state of a message that a newer one continues. */
function replacedReply(
  { told, onsetMs, drop, mix }: WatchedEpisode,
  { atMs, by }: Extract<PendingUpdate, { is: 'retire' }>,
  { hosts, zone, rule }: ResolvedWatch,
  times: Times,
): Reply {
  if (isReminder(by)) {
    return {
      title: `${nameOf(rule, told.level, { drop, mix })} since ${times(onsetMs)}: nobody had acknowledged it by ${times(atMs)}`,
      level: told.level,
      headline: ['Continued in a newer message in this channel.'],
      subject: { hosts, range: { from: instantOf(onsetMs), to: instantOf(atMs) }, zone },
    };
  }
  const isSurge = rule.kind !== 'threshold' && told.level === 'surge' && by === 'worse';
  const what = isSurge ? 'became a surge' : 'worse';
  const level = by === 'jump' ? told.level : 'elevated';
  return {
    title: `${nameOf(rule, level)} since ${times(onsetMs)}: ${what} at ${times(atMs)}`,
    level,
    headline: ['Continued in a newer message in this channel.'],
    subject: { hosts, range: { from: instantOf(onsetMs), to: instantOf(atMs) }, zone },
  };
}

const closedLevel = (episode: WatchedEpisode, watch: ResolvedWatch): 'calm' | 'past' =>
  isUsualByNow(episode, watch) ? 'past' : 'calm';

/** The reply that closes the thread, in the words of the message itself. */
function closingReply(episode: WatchedEpisode, watch: ResolvedWatch, now: Temporal.Instant): Reply {
  const { acknowledged } = episode;
  const [headline = []] = courseLine(episode, watch, clockOf(watch.zone, now));
  return {
    title: titleOf(episode, 'new', watch, now),
    level: closedLevel(episode, watch),
    headline,
    body: acknowledged === null ? [] : [acknowledgedWords(episode, acknowledged)],
  };
}

/** The message of an episode whose watch was stopped before its end. */
export function abandonedReply(
  { drop, mix, level, onsetMs }: WatchedEpisode,
  why: 'paused' | 'removed' | 'changed',
  zone: string,
  now: Temporal.Instant,
): Reply {
  const times = clockOf(zone, now);
  return {
    title: `${nameOf({ kind: 'verdict' }, level, { drop, mix })} since ${times(onsetMs)}: the watch was ${why} at ${times(now.epochMilliseconds)}`,
    level: 'not_enough_data',
    headline: ['This watch no longer follows it.'],
    actions: [{ label: 'Check now', sentence: 'check', effect: 'thread' }],
  };
}

/** Replaces a message that could not be built or that Slack refused: the essentials, in the simplest form. */
function plainEpisodeReply(
  { message }: WatchState,
  { drop, mix, level, closedMs }: WatchedEpisode,
  { id, rule }: ResolvedWatch,
): Reply {
  return {
    mentions: message?.mentions ?? [],
    title: closedMs === null ? nameOf({ kind: 'verdict' }, level, { drop, mix }) : 'Calm again',
    headline: [
      `This channel watches for ${describeRule(rule)}`,
      closedMs === null ? ', and it’s happening now. ' : ', and it’s over. ',
      'The details can’t be shown; the reason is in the bot’s log.',
    ],
    actions: [{ label: 'Pause this watch', sentence: `watch pause ${id}`, effect: 'thread' }],
  };
}

/** What the chart shows: the episode with some time before it. */
function shownRange({ onsetMs }: WatchedEpisode, { now, measurement }: EpisodeSnapshot): Range {
  const fromMs = measurement?.timeline.fromMs ?? Math.min(onsetMs, now.epochMilliseconds - HOUR_MS);
  return {
    from: instantOf(Math.floor(fromMs / MINUTE_MS) * MINUTE_MS),
    to: now.round({ smallestUnit: 'minute', roundingMode: 'floor' }),
  };
}

function chartOf(
  title: string,
  episode: WatchedEpisode,
  { hosts, zone }: ResolvedWatch,
  { measurement }: EpisodeSnapshot,
): Pick<Reply, 'chart'> {
  if (measurement === null || measurement.timeline.points.length === 0) return {};
  const { onsetMs, endMs } = episode;
  const { band } = measurement;
  const timeline = readable(measurement.timeline);
  return {
    chart: timelineChart({
      timeline,
      zone,
      hosts,
      title,
      baseline: band.length === 0 ? undefined : { points: band },
      onsetMs: onsetMs >= timeline.fromMs ? onsetMs : undefined,
      endMs: endMs ?? undefined,
      about: traitsOf(episode).series,
    }),
  };
}

const BEFORE_ONSET_MS = 30 * MINUTE_MS;

function actionsFor(
  state: WatchState,
  episode: WatchedEpisode,
  watch: ResolvedWatch,
  snapshot: EpisodeSnapshot,
): Action[] {
  const { closedMs, acknowledged, onsetMs, drop, id: episodeId } = episode;
  const { id, hosts, zone, rule } = watch;
  const { to } = shownRange(episode, snapshot);
  const say = (verb: string, range: Range, flags: readonly string[] = []): string =>
    writeSentence({ verb, range, hosts, zone, flags });
  const button = (label: string, sentence: string): Action => ({ label, sentence, effect: 'thread' });
  const around = { from: instantOf(onsetMs - BEFORE_ONSET_MS), to };
  const since = { from: instantOf(Math.min(onsetMs, to.epochMilliseconds - MINUTE_MS)), to };
  const feedback =
    rule.kind === 'threshold' ||
    natureOf(episode) !== 'rise' ||
    state.feedback.some((each) => each.episode === episodeId)
      ? []
      : [
          button('This was expected', `watch expected ${id} ${episodeId}`),
          button('Tell me earlier', `watch earlier ${id} ${episodeId}`),
        ];
  if (closedMs !== null) {
    const during = {
      from: instantOf(onsetMs),
      to: instantOf(Math.max(episode.endMs ?? closedMs, onsetMs + MINUTE_MS)),
    };
    return [
      button('Incident report', say('incident', around, ['canvas'])),
      button('Why?', say('check', around, ['why'])),
      ...(drop === undefined ? [button('Who?', say('who', during))] : []),
      ...feedback,
    ];
  }
  return [
    ...(acknowledged === null
      ? [{ label: 'Acknowledge', sentence: `watch ack ${id}`, effect: 'thread', style: 'primary' } as const]
      : [{ label: 'Assign…', sentence: `watch assign ${id}`, effect: 'modal' } as const]),
    button('Why?', say('check', { from: to.subtract({ hours: 1 }), to }, ['why'])),
    // A drop has no attackers to name.
    drop === undefined ? button('Who?', say('who', since)) : button('Over time', say('timeline', around)),
    button('Incident report', say('incident', around, ['canvas'])),
    button('Snooze 2h', `watch snooze 2h ${id}`),
    ...[
      ...feedback,
      // After a drop, the next question is whether the service itself is healthy.
      drop === undefined ? button('By category', say('attacks', since)) : button('Doctor', 'doctor'),
    ].map((action): Action => ({ ...action, inMenu: true })),
  ];
}
