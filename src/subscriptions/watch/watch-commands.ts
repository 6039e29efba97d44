/** What the watch commands do: create, list, pause, tune, acknowledge, snooze and preview a channel's watches. */

import { assess } from '../../episodes/assess.ts';
import { type Acknowledgment, natureOf, overlaps, type ReportedEpisode } from '../../episodes/episode.ts';
import { BotError, nullIfUnavailable } from '../../errors.ts';
import type { CommandTable } from '../../grammar/command-table.ts';
import { findHosts, hostNames, resolveHosts } from '../../grammar/hosts.ts';
import { labelOf, type Project, type Projects, storedProject } from '../../projects/project.ts';
import { bareName } from '../../replies/episode-lines.ts';
import { inProject } from '../../replies/follow-ups.ts';
import type { Action, Line, Reply } from '../../replies/reply.ts';
import type { Statistics } from '../../statistics/statistics.ts';
import type { Range } from '../../time/index.ts';
import { pauseSummary, projectGone, unschedulableSummary } from '../paused-notice.ts';
import { repeatStrategy, whyUnschedulable } from '../recurrence/due-times.ts';
import { holdAt, isPast, type TimeWindow } from '../recurrence/time-window.ts';
import type { SubscriptionService } from '../service.ts';
import type {
  CreatedSubscription,
  EditableValues,
  EditedSubscription,
  RunSummary,
  SubscriptionEdit,
  SubscriptionRequest,
  SubscriptionSummary,
} from '../subscription-summary.ts';
import { type AlertPolicy, policyLines } from './alert-policy.ts';
import { applyEdit, editedWatch, fixedLimit, watchValues } from './edit-watch.ts';
import { acknowledge, answered, assign, snooze, wake } from './episode-lifecycle.ts';
import { whyWithoutData } from './evaluate.ts';
import { createHandover } from './handover.ts';
import { createHoldCommands, withTypedHolds } from './hold-commands.ts';
import { windowLine } from './hold-words.ts';
import type { ObservedLevel } from './observation.ts';
import type { PreviewRequest, RunPreview } from './preview.ts';
import { callingStrength, isSensitivity, stepsOf, type WatchSensitivity } from './sensitivity.ts';
import { DEFAULT_EVERY_MS, describeLength, describeRule, everyMsOf, parseWatch, type WatchRule } from './watch-rule.ts';
import { holdsOf, type Watch, type WatchDetails, type WatchRunner } from './watch-runner.ts';
import {
  allEpisodesOf,
  courseOf,
  coursesOf,
  episodesOf,
  inEachCourse,
  isOpen,
  type WatchRecord,
  type WatchState,
  withCourse,
} from './watch-state.ts';
import { belowLines, changeInWords, previewReply, sensitivityLines, stepsInWords } from './watch-words.ts';
import { type LastHour, type Silence, silenceLines } from './why-silent.ts';

/** Somebody's opinion of an episode; it moves the watch's bar. */
export interface EpisodeAnswer {
  /** `null` takes an answer back. */
  readonly says: 'expected' | 'earlier' | null;
  readonly by: string;
  /** `null`: the last one. */
  readonly episode: string | null;
}

interface WatchCommandsDeps {
  readonly service: SubscriptionService<WatchDetails>;
  readonly runner: WatchRunner;
  readonly preview: RunPreview;
  readonly projects: Projects;
  readonly commands: CommandTable;
  readonly now: () => Temporal.Instant;
}

const LEVELS: Readonly<Record<ObservedLevel, string>> = {
  calm: 'calm',
  between: 'slightly raised',
  elevated: 'elevated',
  surge: 'surge',
  unknown: 'no data',
};

const ANYTHING: WatchRule = { kind: 'verdict' };

const ruleOf = ({ details }: Pick<Watch, 'details'>): WatchRule => details?.rule ?? ANYTHING;

const sensitivityOf = ({ details }: Pick<Watch, 'details'>): WatchSensitivity => details?.sensitivity ?? 'normal';

/** The threshold in words; `null` for a watch for anything unusual. */
const limitOf = (watch: Watch): string | null => {
  const rule = ruleOf(watch);
  return rule.kind === 'threshold' ? describeRule(rule) : null;
};

type WatchSubject = Pick<Watch, 'details' | 'hosts' | 'project'>;

/** Two watches for the same thing would alert twice, however often each of them runs. */
export function watchesTheSame(a: WatchSubject, b: WatchSubject): boolean {
  const subject = (watch: WatchSubject) => JSON.stringify([ruleOf(watch), watch.hosts.toSorted(), watch.project]);
  return subject(a) === subject(b);
}

export type Watches = ReturnType<typeof createWatchCommands>;

export function createWatchCommands(deps: WatchCommandsDeps) {
  const { service, runner, now } = deps;
  const find = (channel: string, id: string): Promise<Watch> => findWatch(service, channel, id);
  const summaryOf = (watch: Watch): Promise<SubscriptionSummary> => summarize(watch, deps);
  const summaries = (statuses: readonly { readonly subscription: Watch }[]): Promise<SubscriptionSummary[]> =>
    Promise.all(statuses.map(({ subscription }) => summaryOf(subscription)));

  async function change(channel: string, id: string, next: (state: WatchState) => WatchState) {
    const watch = await find(channel, id);
    await runner.change(watch, (record) => inEachCourse(record, next));
    return summaryOf(watch);
  }

  /** Resolves to who is on it now; `null` if it was over by then. */
  async function takeOn(
    channel: string,
    id: string,
    next: (state: WatchState) => WatchState,
  ): Promise<Acknowledgment | null> {
    const watch = await find(channel, id);
    await runner.change(watch, (record) => inEachCourse(record, next));
    const open = statesOf(await runner.state(watch)).filter(isOpen);
    return open.flatMap(({ episode }) => episode?.acknowledged ?? []).at(-1) ?? null;
  }

  return {
    create: (request: SubscriptionRequest): Promise<CreatedSubscription> => createWatch(request, deps),
    edit: (edit: SubscriptionEdit): Promise<EditedSubscription> => editWatch(edit, deps),
    /** What its form shows. */
    async values(channel: string, id: string): Promise<EditableValues> {
      const watch = await find(channel, id);
      return watchValues(watch, labelOf(deps.projects, watch.project));
    },
    list: async (channel: string) => summaries(await service.listChannel(channel)),
    /** The same, each with why it's silent. */
    explained: async (channel: string) =>
      Promise.all((await service.listChannel(channel)).map(({ subscription }) => summarize(subscription, deps, true))),
    listOwned: async (owner: string) => summaries(await service.listOwner(owner)),
    async pause(channel: string, id: string, by: string): Promise<SubscriptionSummary> {
      const watch = await service.pause(channel, id, by);
      await runner.abandon(watch, await runner.state(watch), 'paused');
      return summaryOf(watch);
    },
    resume: async (channel: string, id: string) => summaryOf(await service.resume(channel, id)),
    async remove(channel: string, id: string): Promise<SubscriptionSummary> {
      const last = await runner.state({ kind: 'watch', channel, id });
      const watch = await service.remove(channel, id);
      await runner.abandon(watch, last, 'removed');
      return summaryOf(watch);
    },
    async history(channel: string, id: string): Promise<RunSummary[]> {
      const last = lastEvaluation(await runner.state(await find(channel, id)));
      return last === null ? [] : [last];
    },
    /** Whether an episode is open. */
    isOpen: async (channel: string, id: string) => isAnyOpen(await runner.state(await find(channel, id))),
    acknowledge: (channel: string, id: string, by: string) =>
      takeOn(channel, id, (state) => acknowledge(state, by, now().epochMilliseconds)),
    /** Assigns the episode to somebody, whoever had it before. */
    assign: (channel: string, id: string, to: string, by: string) =>
      takeOn(channel, id, (state) => assign(state, to, by, now().epochMilliseconds)),
    /** Posts nothing new until then. */
    snooze: (channel: string, id: string, by: string, until: Temporal.Instant) =>
      change(channel, id, (state) => snooze(state, by, until.epochMilliseconds)),
    wake: (channel: string, id: string) => change(channel, id, wake),
    setSensitivity: async (channel: string, id: string, word: string) =>
      summaryOf(await setSensitivity(service, await find(channel, id), word)),
    /** Whom its alerts mention; undefined removes it. */
    setPolicy: async (channel: string, id: string, policy: AlertPolicy) =>
      summaryOf(await changeDetails(service, await find(channel, id), policy)),
    answer: async (channel: string, id: string, answer: EpisodeAnswer): Promise<Reply> =>
      answerEpisode(await find(channel, id), answer, deps),
    /** When this watch, or one like it, would have alerted in the last days. */
    preview: (request: PreviewRequest): Promise<Reply> => previewWatch(request, deps),
    holds: createHoldCommands({ service, runner, now }),
    /** What the next shift has to know. */
    handover: createHandover({ service, runner, now }),
    /** What the channel's watches of a project saw in that time, oldest first. */
    episodes: (channel: string, range: Range, project: string | null) => episodesIn(channel, range, project, deps),
  };
}

async function findWatch(service: WatchCommandsDeps['service'], channel: string, id: string): Promise<Watch> {
  const found = (await service.listChannel(channel)).find(({ subscription }) => subscription.id === id);
  if (found !== undefined) return found.subscription;
  throw new BotError('not_found', 'There is no such watch in this channel.', { hint: 'List them with `watches`.' });
}

/** `explains`: why it's silent, which may take a query. */
async function summarize(watch: Watch, deps: WatchCommandsDeps, explains = false): Promise<SubscriptionSummary> {
  const { id, channel, owner, zone, hosts, state, timing } = watch;
  const record = await deps.runner.state(watch);
  const project = labelOf(deps.projects, watch.project);
  const common = { id, channel, owner, project, hosts, lastRun: lastEvaluation(record) };
  const fault = whyUnschedulable(timing);
  if (fault !== null) return { ...common, ...unschedulableSummary(watch, fault) };
  const rule = ruleOf(watch);
  // The service is asked only about a watch that got no data.
  const blind = record.seen === 'unknown' ? await whyBlind(watch, deps) : null;
  return {
    ...common,
    what: `${describeRule(rule)}, every ${describeLength(everyMsOf(watch))}`,
    zone,
    nextRuns: state.is === 'active' ? [repeatStrategy.next(timing, deps.now()).at] : [],
    paused: pauseSummary(state),
    isTunable: rule.kind === 'verdict',
    more: [
      ...(explains && state.is === 'active' ? silenceLines(await silenceOf(watch, record, deps)) : []),
      ...(rule.kind === 'verdict'
        ? [
            ...belowLines(record, sensitivityOf(watch), zone, deps.now()),
            ...sensitivityLines(sensitivityOf(watch), record.feedback),
          ]
        : []),
      ...(blind === null ? [] : [[`No data: ${blind}.`]]),
      ...policyLines(watch.details ?? {}),
      ...quietLines(watch, deps.now()),
    ],
  };
}

async function silenceOf(watch: Watch, record: WatchRecord, deps: WatchCommandsDeps): Promise<Silence> {
  const { zone } = watch;
  const now = deps.now();
  const nowMs = now.epochMilliseconds;
  const project = storedProject(deps.projects, watch.project);
  const isThreshold = ruleOf(watch).kind === 'threshold';
  const pause = project?.heldBack?.() ?? null;
  const hold = holdAt(holdsOf(watch, nowMs, nowMs), nowMs);
  const isCalm = record.seen === 'calm' && !isThreshold && pause === null && hold === null;
  const hour = isCalm && project !== undefined ? await lastHourOf(watch, record, project) : null;
  return { record, isThreshold, zone, now, pause, hold, hour };
}

/** Described as in answers, based on the numbers that the last evaluation read. */
async function lastHourOf(watch: Watch, { lookedMs }: WatchRecord, project: Project): Promise<LastHour | null> {
  const known = await hostNames(project);
  const hosts = watch.hosts.flatMap((name) => findHosts(name, known).map(({ id }) => id));
  const to = Temporal.Instant.fromEpochMilliseconds(lookedMs);
  const assessed = await nullIfUnavailable(
    assess(
      { statistics: withoutCategories(project.statistics), episodes: project.episodes },
      { range: { from: to.subtract({ hours: 1 }), to }, hosts, zone: watch.zone },
    ),
  );
  if (assessed === null) return null;
  const { totals, usual, toMs, unjudged } = assessed.verdict;
  return { untilMs: toMs, attacks: totals.attacks, usual, unjudged };
}

/** The line has no categories, and they would take another call. */
const withoutCategories = (statistics: Statistics): Statistics => ({
  timeline: (query) => statistics.timeline(query),
  distribution: () => Promise.reject(new BotError('limit', 'Categories aren’t needed here.')),
});

/** Its quiet hours and maintenance, each with what comes next. */
const quietLines = ({ details }: Watch, now: Temporal.Instant): Line[] =>
  (details?.quiet ?? [])
    .filter((window) => !isPast(window, now.epochMilliseconds))
    .map((window) => windowLine(window, now));

/** Why the service can't provide any data for this watch; `null` when it can. */
async function whyBlind(
  watch: Pick<Watch, 'details' | 'hosts' | 'zone' | 'project'>,
  { projects, now }: WatchCommandsDeps,
): Promise<string | null> {
  const project = storedProject(projects, watch.project);
  const rule = ruleOf(watch);
  if (project === undefined || rule.kind === 'verdict') return null;
  const known = await hostNames(project);
  const hosts = watch.hosts.flatMap((name) => findHosts(name, known).map(({ id }) => id));
  return whyWithoutData(project.statistics, { rule, hosts, zone: watch.zone, now: now() });
}

async function createWatch(
  { channel, owner, text, zone, project, hosts }: SubscriptionRequest,
  deps: WatchCommandsDeps,
): Promise<CreatedSubscription> {
  const { service } = deps;
  const { rule, everyMs, sensitivity, holds } = parseWatch(text);
  const hasHolds = Object.keys(holds).length > 0;
  const quiet = (windows: readonly TimeWindow[] = []) =>
    hasHolds ? { quiet: withTypedHolds(windows, holds, { zone, by: owner, now: deps.now() }) } : {};
  const requested = {
    channel,
    owner,
    timing: { everyMs },
    zone,
    project: project ?? undefined,
    hosts,
    sentence: text.trim().replace(/\s+/g, ' '),
    details: {
      rule,
      sensitivity: rule.kind === 'verdict' ? (sensitivity ?? 'normal') : undefined,
      ...quiet(),
    },
  };
  const listed = await service.listChannel(channel);
  const same = listed.find(({ subscription }) => watchesTheSame(subscription, requested))?.subscription;
  if (same === undefined) {
    const blind = await whyBlind(requested, deps);
    if (blind !== null) throw wouldHaveNoData(rule, blind);
    return summarize(await service.create(requested), deps);
  }
  const isTuned = sensitivity !== null && sensitivity !== sensitivityOf(same);
  if (!isTuned && !hasHolds) return { ...(await summarize(same, deps)), existed: 'unchanged' };
  if (isTuned) await setSensitivity(service, same, sensitivity);
  const changed = await service.changeDetails(channel, same.id, (details) => ({
    ...(details ?? { rule }),
    ...quiet(details?.quiet),
  }));
  return { ...(await summarize(changed, deps)), existed: 'changed' };
}

async function editWatch(edit: SubscriptionEdit, deps: WatchCommandsDeps): Promise<EditedSubscription> {
  const before = await findWatch(deps.service, edit.channel, edit.id);
  const change = editedWatch(before, edit, deps.now());
  const blind = await whyBlind({ ...before, ...change }, deps);
  if (blind !== null) throw wouldHaveNoData(change.details.rule, blind);
  const { watch, startsAfresh } = await applyEdit(before, change, deps);
  return { ...(await summarize(watch, deps)), startsAfresh };
}

async function setSensitivity(service: WatchCommandsDeps['service'], watch: Watch, word: string): Promise<Watch> {
  if (!isSensitivity(word)) throw new Error(`unknown sensitivity: ${word}`);
  const rule = ruleOf(watch);
  if (rule.kind === 'threshold') throw fixedLimit(rule, watch.id);
  return changeDetails(service, watch, { sensitivity: word });
}

/** What isn't named stays as it is, also if somebody else has just changed it. */
const changeDetails = (service: WatchCommandsDeps['service'], { channel, id }: Watch, change: Partial<WatchDetails>) =>
  service.changeDetails(channel, id, (details) => ({ ...(details ?? { rule: ANYTHING }), ...change }));

async function answerEpisode(
  watch: Watch,
  { says, by, episode }: EpisodeAnswer,
  { runner, now }: WatchCommandsDeps,
): Promise<Reply> {
  const rule = ruleOf(watch);
  if (rule.kind === 'threshold') throw fixedLimit(rule, watch.id);
  const state = await runner.state(watch);
  const rises = episodesOf(state);
  if (allEpisodesOf(state).some((each) => each.id === episode && natureOf(each) !== 'rise')) throw fixedDropBar();
  const about = episode === null ? rises.at(-1) : rises.find(({ id }) => id === episode);
  if (about === undefined) {
    throw new BotError('not_found', 'This watch has no such alert.', {
      hint: 'Answer in the thread of one of its alerts.',
    });
  }
  const atMs = now().epochMilliseconds;
  await runner.change(watch, (record) =>
    withCourse(record, 'rise', answered(record, about.id, says === null ? null : { says, by, atMs })),
  );
  const { feedback } = await runner.state(watch);
  const sensitivity = sensitivityOf(watch);
  const undo: Action = { label: 'Undo', sentence: `watch undo ${watch.id} ${about.id}`, effect: 'thread' };
  return {
    title: says === null ? 'Answer withdrawn' : 'Noted',
    headline: [
      `${stepsInWords(stepsOf(feedback))} ${changeInWords(callingStrength(sensitivity, state.feedback), callingStrength(sensitivity, feedback))}`,
    ],
    body: sensitivityLines(sensitivity, []),
    actions: [
      ...(says === null ? [] : [undo]),
      { label: 'Preview alerts', sentence: `watch preview ${watch.id}`, effect: 'thread' },
    ],
  };
}

async function previewWatch(request: PreviewRequest, deps: WatchCommandsDeps): Promise<Reply> {
  const { channel, id, zone, asker } = request;
  const { service, projects, now } = deps;
  const watch = id === null ? null : await findWatch(service, channel, id);
  if (watch !== null) service.assertMayPost(watch);
  const rule = watch === null ? ANYTHING : ruleOf(watch);
  const storedAs = watch === null ? (request.project ?? undefined) : watch.project;
  const project = storedProject(projects, storedAs);
  if (project === undefined) throw projectGone({ kind: 'watch', project: storedAs });
  const hosts = resolveHosts(watch?.hosts ?? request.hosts, await hostNames(project), 'watch');
  const everyMs = watch === null ? DEFAULT_EVERY_MS : everyMsOf(watch);
  const answers = watch === null ? [] : (await deps.runner.state(watch)).feedback;
  const ids = hosts.map((host) => host.id);
  const quiet = watch?.details?.quiet ?? [];
  const preview = await deps.preview({ project, rule, everyMs, answers, quiet, hosts: ids, zone, asker });
  const subject = { id, what: describeRule(rule), isThreshold: rule.kind === 'threshold', hosts, zone };
  const sensitivity = watch === null ? 'normal' : sensitivityOf(watch);
  return inProject(previewReply(preview, { ...subject, sensitivity }, now()), project.label, deps.commands);
}

async function episodesIn(
  channel: string,
  { from, to }: Range,
  project: string | null,
  { service, runner }: WatchCommandsDeps,
): Promise<readonly ReportedEpisode[]> {
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
}

function wouldHaveNoData(rule: WatchRule, why: string): BotError {
  return new BotError('limit', `A watch for ${describeRule(rule)} would have no data here.`, {
    hint: `This is because ${why}. Watch for anything unusual, or count all attacks, for example \`watch attacks over 500 per 15m\`.`,
    next: [{ label: 'New watch', sentence: 'watch new', opensForm: true }],
  });
}

const statesOf = (record: WatchRecord): readonly WatchState[] =>
  coursesOf(record).map((course) => courseOf(record, course));

const isAnyOpen = (record: WatchRecord): boolean => statesOf(record).some(isOpen);

function fixedDropBar(): BotError {
  return new BotError('usage', 'Only alerts about a rise can be tuned: this kind has a fixed sensitivity.', {
    hint: 'To silence this watch for a while, use `watch snooze 2h`.',
  });
}

function lastEvaluation(record: WatchRecord): RunSummary | null {
  const { seen, lookedMs, snoozed } = record;
  if (seen === null || lookedMs < 0) return null;
  const at = Temporal.Instant.fromEpochMilliseconds(lookedMs);
  const dropped = coursesOf(record).flatMap((course) => {
    const state = courseOf(record, course);
    return course === 'rise' || state.episode === null || !isOpen(state) ? [] : [bareName(state.episode)];
  });
  const levels = dropped.length > 0 && seen === 'calm' ? dropped : [LEVELS[seen], ...dropped];
  const says = `${levels.join(', ')}${snoozed === null ? '' : ', snoozed'}`;
  return { due: at, at, late: false, ok: seen !== 'unknown', says };
}
