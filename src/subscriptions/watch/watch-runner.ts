/**
 * Runs a watch: evaluates its rule, advances the stored state, then publishes what the channel has not seen yet. The state
 * is stored before anything is posted and says what is still pending, so the next run repairs a crash at any point.
 */
import type { Clock } from '../../clock.ts';
import { type HostAlias, resolveHosts } from '../../commands/grammar/hosts.ts';
import type { KeyValueStore, Statistics } from '../../commands/ports.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { RunContext, RunOutcome } from '../../scheduler/index.ts';
import type { HeldLease, RunUnderLease } from '../posting/lease.ts';
import { type FindRunnable, jobIdOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import { advance, pendingUpdate } from './episode-lifecycle.ts';
import { episodeReply, plainEpisodeReply, type ResolvedWatch } from './episode-reply.ts';
import { type Evaluation, evaluate, evaluationWithoutData } from './evaluate.ts';
import type { PublishEpisode } from './publish-episode.ts';
import type { WatchRule } from './watch-rule.ts';
import type { WatchState, WatchStates } from './watch-state.ts';

export interface WatchDetails {
  readonly rule: WatchRule;
}

export interface WatchRunnerDeps {
  readonly states: WatchStates;
  readonly runUnderLease: RunUnderLease;
  readonly publish: PublishEpisode;
  readonly clock: Clock;
  readonly log: Logger;
  readonly statistics: Statistics;
  readonly hosts: Pick<KeyValueStore<HostAlias>, 'entries'>;
  readonly findRunnable: FindRunnable<WatchDetails>;
  /** The reason is a `PauseReason` or a sentence. */
  readonly pause: (subscription: Subscription<WatchDetails>, reason: string) => Promise<void>;
}

interface WatchRun {
  readonly attempt: number;
  /** False when people, not time, are the reason for the run: then the state does not advance. */
  readonly advances: boolean;
}

export function createWatchRunner(deps: WatchRunnerDeps) {
  const { states, clock, log, statistics } = deps;

  async function resolve({ id, details, hosts: names, zone }: Subscription<WatchDetails>): Promise<ResolvedWatch> {
    const aliases = names.length === 0 ? [] : (await deps.hosts.entries()).map(([, alias]) => alias);
    return {
      id,
      rule: details?.rule ?? { kind: 'verdict' },
      hosts: resolveHosts(names, aliases, 'watch'),
      zone,
    };
  }

  async function evaluateNow(job: string, { rule, hosts, zone }: ResolvedWatch): Promise<Evaluation> {
    const now = clock.now();
    try {
      return await evaluate(statistics, { rule, hosts: hosts.map(({ id }) => id), zone, now });
    } catch (error) {
      const level = error instanceof BotError ? 'warn' : 'error';
      log[level]({ job, error }, 'a watch gets no numbers');
      return evaluationWithoutData(now);
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
    const evaluation = await evaluateNow(jobIdOf(subscription), watch);
    const nowMs = clock.now().epochMilliseconds;
    const state = advances
      ? await states.change(subscription, (current) => advance(current, evaluation.observation, nowMs))
      : await states.read(subscription);
    const { episode } = state;
    if (episode === null || pendingUpdate(state) === null) return 'done';
    return deps.publish({
      lease,
      subscription,
      attempt,
      render: (current) => episodeReply(current, current.episode ?? episode, watch, evaluation),
      renderPlainly: (current) => plainEpisodeReply(current.episode ?? episode, watch),
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
