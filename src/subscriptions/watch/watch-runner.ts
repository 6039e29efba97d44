/**
 * Runs a watch: evaluates its rule, advances the stored state, then publishes what the channel has not seen yet. The state
 * is stored before anything is posted and says what is still pending, so the next run repairs a crash at any point.
 */
import type { Clock } from '../../clock.ts';
import { hostNames, resolveHosts } from '../../commands/grammar/hosts.ts';
import { labelOf, type Project, type Projects, storedProject } from '../../commands/project.ts';
import { inProject } from '../../commands/replies/in-project.ts';
import type { Reply } from '../../commands/replies/reply.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { RunContext, RunOutcome } from '../../scheduler/index.ts';
import { projectGone } from '../paused-notice.ts';
import type { HeldLease, RunUnderLease } from '../posting/lease.ts';
import type { MessageEditor } from '../posting/outbox.ts';
import { type FindRunnable, jobIdOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import { advance, pendingUpdate, withMeasure } from './episode-lifecycle.ts';
import { abandonedReply, episodeReply, plainEpisodeReply } from './episode-reply.ts';
import type { ResolvedWatch } from './episode-words.ts';
import {
  confirmCalm,
  type Evaluation,
  evaluate,
  evaluationWithoutData,
  type Measurement,
  measure,
} from './evaluate.ts';
import type { CallingBar } from './observation.ts';
import type { PublishEpisode } from './publish-episode.ts';
import { barNow, callingBar, type WatchSensitivity } from './sensitivity.ts';
import type { WatchRule } from './watch-rule.ts';
import { GONE, isOpen, type WatchedEpisode, type WatchState, type WatchStates } from './watch-state.ts';

export interface WatchDetails {
  readonly rule: WatchRule;
  /** Normal where nothing is stored, as for watches of version 0.1. */
  readonly sensitivity?: WatchSensitivity;
}

export interface WatchRunnerDeps {
  readonly states: WatchStates;
  readonly runUnderLease: RunUnderLease;
  readonly publish: PublishEpisode;
  readonly outbox: MessageEditor<Reply>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly projects: Projects;
  readonly findRunnable: FindRunnable<WatchDetails>;
  /** The reason is a `PauseReason` or a sentence. */
  readonly pause: (subscription: Subscription<WatchDetails>, reason: string) => Promise<void>;
}

/** The job, for the log, and the numbers of its project. */
type LookedAt = Pick<Project, 'statistics'> & { readonly job: string };

interface WatchRun {
  readonly attempt: number;
  /** False when people, not time, are the reason for the run: then the state does not advance. */
  readonly advances: boolean;
}

export function createWatchRunner(deps: WatchRunnerDeps) {
  const { states, clock, log, projects } = deps;

  function projectOf(subscription: Subscription<WatchDetails>): Project {
    const project = storedProject(projects, subscription.project);
    if (project === undefined) throw projectGone(subscription);
    return project;
  }

  async function resolve(subscription: Subscription<WatchDetails>): Promise<ResolvedWatch> {
    const { id, details, hosts: names, zone } = subscription;
    const known = names.length === 0 ? { aliases: [] } : await hostNames(projectOf(subscription));
    return {
      id,
      rule: details?.rule ?? { kind: 'verdict' },
      sensitivity: details?.sensitivity ?? 'normal',
      hosts: resolveHosts(names, known, 'watch'),
      zone,
    };
  }

  async function evaluateNow(
    { job, statistics }: LookedAt,
    { rule, hosts, zone }: ResolvedWatch,
    bar: CallingBar,
    open: WatchedEpisode | null,
    now: Temporal.Instant,
  ): Promise<Evaluation> {
    const query = { rule, bar, hosts: hosts.map(({ id }) => id), zone, now };
    try {
      const evaluation = await evaluate(statistics, query);
      const observation = await confirmCalm(statistics, query, evaluation.observation, open);
      return { ...evaluation, observation };
    } catch (error) {
      const level = error instanceof BotError ? 'warn' : 'error';
      log[level]({ job, error }, 'a watch gets no numbers');
      return evaluationWithoutData(now);
    }
  }

  /** Counts the episode that the channel is to be told of; without numbers it is told what is known. */
  async function measureNow(
    { job, statistics }: LookedAt,
    { rule, hosts, zone }: ResolvedWatch,
    state: WatchState,
    now: Temporal.Instant,
  ): Promise<Measurement | null> {
    const { episode } = state;
    if (episode === null || pendingUpdate(state) === null) return null;
    try {
      return await measure(statistics, { rule, hosts: hosts.map(({ id }) => id), zone, now }, episode);
    } catch (error) {
      log.error({ job, error }, 'an episode cannot be counted');
      return null;
    }
  }

  async function perform(
    subscription: Subscription<WatchDetails>,
    { attempt, advances }: WatchRun,
    lease: HeldLease,
  ): Promise<RunOutcome> {
    const watch = await resolve(subscription).catch(missingHost);
    if (typeof watch === 'string') {
      await deps.pause(subscription, watch);
      return 'done';
    }
    const { statistics, label } = projectOf(subscription);
    const looked = { job: jobIdOf(subscription), statistics };
    const now = clock.now();
    const before = await states.read(subscription);
    const bar = barNow(callingBar(watch.sensitivity, before.feedback), before, now.epochMilliseconds);
    const evaluation = await evaluateNow(looked, watch, bar, isOpen(before) ? before.episode : null, now);
    const nowMs = clock.now().epochMilliseconds;
    const advanced = (state: WatchState): WatchState =>
      advances ? advance(state, evaluation.observation, nowMs) : state;
    // Only people change the state meanwhile, and they move neither its beginning nor its end.
    const measurement = await measureNow(looked, watch, advanced(before), now);
    const state = await states.change(subscription, (current) => withMeasure(advanced(current), measurement));
    const { episode } = state;
    if (episode === null || pendingUpdate(state) === null) return 'done';
    const look = { now, measurement };
    return deps.publish({
      lease,
      subscription,
      attempt,
      render: (current, update) =>
        inProject(episodeReply(current, current.episode ?? episode, update, watch, look), label),
      renderPlainly: (current) => inProject(plainEpisodeReply(current.episode ?? episode, watch), label),
      pause: (reason) => deps.pause(subscription, reason),
    });
  }

  async function run(ref: SubscriptionRef, watchRun: WatchRun): Promise<RunOutcome> {
    const subscription = await deps.findRunnable(ref);
    if (subscription === undefined) return 'done';
    return deps.runUnderLease(jobIdOf(subscription), (lease) => perform(subscription, watchRun, lease));
  }

  return {
    /** Called by the scheduler for each due time. */
    run: (ref: SubscriptionRef, { attempt }: Pick<RunContext, 'attempt'>) => run(ref, { attempt, advances: true }),
    /** Changes the state as people ask and shows that at once; if it cannot, the next run does. */
    async change(ref: SubscriptionRef, next: (state: WatchState) => WatchState): Promise<void> {
      await states.change(ref, next);
      await run(ref, { attempt: 1, advances: false });
    },
    /** An open episode that nobody follows any more: its message must not go on saying that it goes on. */
    async abandon(
      subscription: Subscription<WatchDetails>,
      state: WatchState,
      why: 'paused' | 'removed',
    ): Promise<void> {
      const { episode, message } = state;
      if (episode === null || !isOpen(state) || !message?.ts || message.shown === GONE) return;
      const { channel, zone } = subscription;
      const label = labelOf(projects, subscription.project);
      const reply = inProject(abandonedReply(episode, why, zone, clock.now()), label);
      await deps.outbox.edit(channel, message.ts, reply).catch((error: unknown) => {
        log.warn({ job: jobIdOf(subscription), error }, 'the message of a watch that was stopped is left as it is');
      });
    },
    state: (ref: SubscriptionRef): Promise<WatchState> => states.read(ref),
    forget: (ref: SubscriptionRef) => states.remove(ref),
  };
}

export type WatchRunner = ReturnType<typeof createWatchRunner>;

/** A host name that was removed is for the owner to repair. */
function missingHost(error: unknown): string {
  if (error instanceof BotError && error.code === 'not_found') return error.message;
  throw error;
}
