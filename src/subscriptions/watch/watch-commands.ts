/** What the watch commands do, and a channel's watches in words: the rule and how it stood last. */

import { overlaps, type ReportedEpisode } from '../../episodes/episode.ts';
import { BotError } from '../../errors.ts';
import { findHost, hostNames, resolveHosts } from '../../grammar/hosts.ts';
import { labelOf, type Projects, storedProject } from '../../projects/project.ts';
import { inProject } from '../../replies/in-project.ts';
import type { Reply } from '../../replies/reply.ts';
import type { Range } from '../../time/index.ts';
import { pauseSummary, projectGone, unschedulableSummary } from '../paused-notice.ts';
import { repeatStrategy, whyUnschedulable } from '../recurrence/due-times.ts';
import type { SubscriptionService } from '../service.ts';
import type { Subscription } from '../subscription.ts';
import type { RunSummary, SubscriptionSummary, Subscriptions } from '../subscription-summary.ts';
import { acknowledge, answered, snooze, wake } from './episode-lifecycle.ts';
import { whyBlind } from './evaluate.ts';
import { stepsOf } from './feedback.ts';
import type { ObservedLevel } from './observation.ts';
import { parseWatch } from './parse-watch.ts';
import type { MakePreview, PreviewRequest } from './preview.ts';
import { isSensitivity } from './sensitivity.ts';
import { DEFAULT_EVERY_MS, describeLength, describeRule, type WatchRule } from './watch-rule.ts';
import type { WatchDetails, WatchRunner } from './watch-runner.ts';
import {
  allEpisodesOf,
  COURSES,
  courseOf,
  DROP_COURSES,
  episodesOf,
  inEachCourse,
  isOpen,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';
import { previewReply, sensitivityLines, stepsInWords } from './watch-words.ts';

export interface Watches extends Subscriptions {
  /** Whether it has an episode that is not over. */
  isOpen(channel: string, id: string): Promise<boolean>;
  acknowledge(channel: string, id: string, by: string): Promise<SubscriptionSummary>;
  /** Nothing new is posted until then. */
  snooze(channel: string, id: string, by: string, until: Temporal.Instant): Promise<SubscriptionSummary>;
  wake(channel: string, id: string): Promise<SubscriptionSummary>;
  setSensitivity(channel: string, id: string, word: string): Promise<SubscriptionSummary>;
  /** What somebody thinks of an episode, the last one where none is named; it moves the bar. `null` takes it back. */
  answer(channel: string, id: string, answer: EpisodeAnswer): Promise<Reply>;
  /** When it, or one like it, would have called in the last days. */
  preview(request: PreviewRequest): Promise<Reply>;
  /** What the channel's watches of a project saw in that time, the oldest first. */
  episodes(channel: string, range: Range, project: string | null): Promise<readonly ReportedEpisode[]>;
}

export interface EpisodeAnswer {
  readonly says: 'expected' | 'earlier' | null;
  readonly by: string;
  readonly episode: string | null;
}

interface WatchCommandsDeps {
  readonly service: SubscriptionService<WatchDetails>;
  readonly runner: WatchRunner;
  readonly preview: MakePreview;
  readonly projects: Projects;
  readonly now: () => Temporal.Instant;
}

type Watch = Subscription<WatchDetails>;

const LEVELS: Readonly<Record<ObservedLevel, string>> = {
  calm: 'calm',
  between: 'slightly raised',
  elevated: 'elevated',
  surge: 'surge',
  unknown: 'no numbers',
};

const DROPPED = { requests: 'visitors gone', attacks: 'no attacks' } as const;

const ANYTHING: WatchRule = { kind: 'verdict' };

const ruleOf = ({ details }: Pick<Watch, 'details'>): WatchRule => details?.rule ?? ANYTHING;

/** What it must not pass, in words; `null` for a watch for anything unusual. */
const limitOf = (watch: Watch): string | null => {
  const rule = ruleOf(watch);
  return rule.kind === 'threshold' ? describeRule(rule) : null;
};

type WatchWish = Pick<Watch, 'details' | 'hosts' | 'project'>;

/** Two watches for the same would call twice, however often each of them looks. */
export function watchesTheSame(a: WatchWish, b: WatchWish): boolean {
  const wish = (watch: WatchWish) => JSON.stringify([ruleOf(watch), watch.hosts.toSorted(), watch.project]);
  return wish(a) === wish(b);
}

export function createWatchCommands({ service, runner, preview, projects, now }: WatchCommandsDeps): Watches {
  async function summaryOf(subscription: Watch): Promise<SubscriptionSummary> {
    const { id, channel, owner, zone, hosts: names, state, timing, details } = subscription;
    const course = await runner.state(subscription);
    const project = labelOf(projects, subscription.project);
    const common = { id, channel, owner, project, hosts: names, lastRun: lastEvaluation(course) };
    const fault = whyUnschedulable(timing);
    if (fault !== null) return { ...common, ...unschedulableSummary(subscription, fault) };
    const everyMs = 'everyMs' in timing ? timing.everyMs : DEFAULT_EVERY_MS;
    const rule = ruleOf(subscription);
    // Only one that got no numbers is asked about.
    const blind = course.seen === 'unknown' ? await blindness(subscription) : null;
    return {
      ...common,
      what: `${describeRule(rule)}, every ${describeLength(everyMs)}`,
      zone,
      nextRuns: state.is === 'active' ? [repeatStrategy.next(timing, now()).at] : [],
      paused: pauseSummary(state),
      isTunable: rule.kind === 'verdict',
      more:
        rule.kind === 'verdict'
          ? sensitivityLines(details?.sensitivity ?? 'normal', course.feedback)
          : blind === null
            ? []
            : [[`It sees nothing: ${blind}.`]],
    };
  }

  /** Why the service can give this watch no number at all. */
  async function blindness(watch: Pick<Watch, 'details' | 'hosts' | 'zone' | 'project'>): Promise<string | null> {
    const project = storedProject(projects, watch.project);
    const rule = ruleOf(watch);
    if (project === undefined || rule.kind === 'verdict') return null;
    const known = await hostNames(project);
    const hosts = watch.hosts.flatMap((name) => findHost(name, known)?.id ?? []);
    return whyBlind(project.statistics, { rule, hosts, zone: watch.zone, now: now() });
  }

  async function find(channel: string, id: string): Promise<Watch> {
    const found = (await service.listChannel(channel)).find(({ subscription }) => subscription.id === id);
    if (found !== undefined) return found.subscription;
    throw new BotError('not_found', 'There is no such watch in this channel.', { hint: 'List them with watches.' });
  }

  async function change(
    channel: string,
    id: string,
    next: (state: WatchState) => WatchState,
  ): Promise<SubscriptionSummary> {
    const subscription = await find(channel, id);
    await runner.change(subscription, (record) => inEachCourse(record, next));
    return summaryOf(subscription);
  }

  async function setSensitivity(channel: string, id: string, word: string): Promise<SubscriptionSummary> {
    if (!isSensitivity(word)) throw new Error(`no sensitivity: ${word}`);
    const rule = ruleOf(await find(channel, id));
    if (rule.kind === 'threshold') throw fixedLimit(rule);
    return summaryOf(await service.setDetails(channel, id, { rule, sensitivity: word }));
  }

  async function answer(channel: string, id: string, { says, by, episode }: EpisodeAnswer): Promise<Reply> {
    const subscription = await find(channel, id);
    const rule = ruleOf(subscription);
    if (rule.kind === 'threshold') throw fixedLimit(rule);
    const state = await runner.state(subscription);
    const known = episodesOf(state);
    if (allEpisodesOf(state).some(({ id: each, drop }) => each === episode && drop !== undefined)) throw barless();
    const about = episode === null ? known.at(-1) : known.find((each) => each.id === episode);
    if (about === undefined) {
      throw new BotError('not_found', 'This watch has not called for that.', {
        hint: 'An answer is about an episode: say it below one of its messages.',
      });
    }
    const atMs = now().epochMilliseconds;
    await runner.change(subscription, (record) =>
      withCourse(record, 'rise', answered(record, about.id, says === null ? null : { says, by, atMs })),
    );
    const { feedback } = await runner.state(subscription);
    return {
      title: says === null ? 'Taken back' : 'Noted',
      headline: [stepsInWords(stepsOf(feedback))],
      body: sensitivityLines(subscription.details?.sensitivity ?? 'normal', []),
      actions: [
        ...(says === null
          ? []
          : [{ label: 'Undo', sentence: `watch undo ${id} ${about.id}`, effect: 'thread' } as const]),
        { label: 'When would it have called?', sentence: `watch preview ${id}`, effect: 'thread' },
      ],
    };
  }

  const summaries = (statuses: readonly { readonly subscription: Watch }[]): Promise<SubscriptionSummary[]> =>
    Promise.all(statuses.map(({ subscription }) => summaryOf(subscription)));

  return {
    async create({ channel, owner, text, zone, project, hosts: names }) {
      const { rule, everyMs, sensitivity } = parseWatch(text);
      const sentence = text.trim().replace(/\s+/g, ' ');
      const details = { rule, ...(rule.kind === 'verdict' ? { sensitivity: sensitivity ?? 'normal' } : {}) };
      const whose = project === null ? {} : { project };
      const wanted = { channel, owner, timing: { everyMs }, zone, ...whose, hosts: names, sentence, details };
      const listed = await service.listChannel(channel);
      const same = listed.find(({ subscription }) => watchesTheSame(subscription, wanted))?.subscription;
      if (same === undefined) {
        const blind = await blindness(wanted);
        if (blind !== null) throw wouldSeeNothing(rule, blind);
        return summaryOf(await service.create(wanted));
      }
      const isOther = sensitivity !== null && sensitivity !== (same.details?.sensitivity ?? 'normal');
      if (!isOther) return { ...(await summaryOf(same)), existed: 'as it is' };
      return { ...(await setSensitivity(channel, same.id, sensitivity)), existed: 'changed' };
    },
    list: async (channel) => summaries(await service.listChannel(channel)),
    listOwned: async (owner) => summaries(await service.listOwner(owner)),
    async pause(channel, id, by) {
      const watch = await service.pause(channel, id, by);
      await runner.abandon(watch, await runner.state(watch), 'paused');
      return summaryOf(watch);
    },
    resume: async (channel, id) => summaryOf(await service.resume(channel, id)),
    async remove(channel, id) {
      const last = await runner.state({ kind: 'watch', channel, id });
      const watch = await service.remove(channel, id);
      await runner.abandon(watch, last, 'removed');
      return summaryOf(watch);
    },
    async history(channel, id) {
      const last = lastEvaluation(await runner.state(await find(channel, id)));
      return last === null ? [] : [last];
    },
    isOpen: async (channel, id) => isAnyOpen(await runner.state(await find(channel, id))),
    acknowledge: (channel, id, by) => change(channel, id, (state) => acknowledge(state, by, now().epochMilliseconds)),
    snooze: (channel, id, by, until) => change(channel, id, (state) => snooze(state, by, until.epochMilliseconds)),
    wake: (channel, id) => change(channel, id, wake),
    setSensitivity,
    answer,
    async preview({ channel, id, project: asked, hosts: names, zone, asker }) {
      const watch = id === null ? null : await find(channel, id);
      if (watch !== null) service.assertMayPost(watch);
      const rule = watch === null ? ANYTHING : ruleOf(watch);
      const storedAs = watch === null ? (asked ?? undefined) : watch.project;
      const project = storedProject(projects, storedAs);
      if (project === undefined) throw projectGone({ kind: 'watch', project: storedAs });
      const { statistics, label } = project;
      const resolved = resolveHosts(watch?.hosts ?? names, await hostNames(project), 'watch');
      const made = await preview({ statistics, rule, hosts: resolved.map((host) => host.id), zone, asker });
      const subject = { id, what: describeRule(rule), isThreshold: rule.kind === 'threshold', hosts: resolved, zone };
      const sensitivity = watch?.details?.sensitivity ?? 'normal';
      return inProject(previewReply(made, { ...subject, sensitivity }, now()), label);
    },
    async episodes(channel, { from, to }, project) {
      const listed = await service.listChannel(channel);
      const own = listed.filter(({ subscription }) => (subscription.project ?? null) === project);
      const found = own.map(async ({ subscription }) =>
        allEpisodesOf(await runner.state(subscription))
          .filter((episode) => overlaps(episode, from.epochMilliseconds, to.epochMilliseconds))
          .map((episode) => ({
            ...episode,
            watch: subscription.id,
            limit: limitOf(subscription),
            hosts: subscription.hosts,
          })),
      );
      return (await Promise.all(found)).flat().sort((a, b) => a.onsetMs - b.onsetMs);
    },
  };
}

function fixedLimit(rule: WatchRule): BotError {
  return new BotError('usage', `This watch calls over the number you gave it: ${describeRule(rule)}.`, {
    hint: 'To call later or sooner, make one with another number and remove this one.',
  });
}

function wouldSeeNothing(rule: WatchRule, why: string): BotError {
  return new BotError('limit', `A watch for ${describeRule(rule)} would see nothing here.`, {
    hint: `This is because ${why}. Watch for anything unusual, or for a number of all attacks, such as \`watch attacks over 500 per 15m\`.`,
    next: [{ label: 'New watch', sentence: 'watch new', opensForm: true }],
  });
}

const isAnyOpen = (record: WatchRecord): boolean => COURSES.some((course) => isOpen(courseOf(record, course)));

function barless(): BotError {
  return new BotError(
    'usage',
    'A drop has no bar that an answer could move: it is called at the same numbers everywhere.',
    {
      hint: 'To hear nothing for some time, say `watch snooze 2h`.',
    },
  );
}

function lastEvaluation(record: WatchRecord): RunSummary | null {
  const { seen, lookedMs, snoozed } = record;
  if (seen === null || lookedMs < 0) return null;
  const at = Temporal.Instant.fromEpochMilliseconds(lookedMs);
  const dropped = DROP_COURSES.filter((what) => isOpen(courseOf(record, what))).map((what) => DROPPED[what]);
  const levels = dropped.length > 0 && seen === 'calm' ? dropped : [LEVELS[seen], ...dropped];
  const says = `${levels.join(', ')}${snoozed === null ? '' : ', snoozed'}`;
  return { due: at, at, late: false, ok: seen !== 'unknown', says };
}
