/**
 * Creates, pauses, resumes and removes the subscriptions of one kind, and keeps the repository, the scheduler and the
 * records of runs in step. The repository is the truth: what a crash left undone is repaired at the next start.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { RunContext, RunOutcome, Scheduler } from '../scheduler/index.ts';
import type { RunEntry } from './digest/delivery-log.ts';
import { repeatStrategy } from './recurrence/due-times.ts';
import type { Recurrence } from './recurrence/schedule.ts';
import type { NewSubscription, SubscriptionRepository } from './repository.ts';
import {
  jobIdOf,
  PAUSED_BY_BOT,
  refOf,
  type Subscription,
  type SubscriptionRef,
  type SubscriptionState,
} from './subscription.ts';

/** The part of the job scheduler that subscriptions use. */
type SubscriptionScheduler = Pick<Scheduler<Recurrence, SubscriptionRef>, 'put' | 'remove' | 'nextRunAt'>;

/** How subscriptions of a kind run, and what is recorded of their runs. */
interface SubscriptionRuns {
  run(ref: SubscriptionRef, context: RunContext): Promise<RunOutcome>;
  /** The last runs, oldest first. */
  history(ref: SubscriptionRef): Promise<readonly RunEntry[]>;
  /** What lies before the instant is not reported. */
  startFrom(ref: SubscriptionRef, instant: Temporal.Instant): Promise<unknown>;
  /** Until when every due time has had its run; undefined before the first. */
  completedUntil(ref: SubscriptionRef): Promise<Temporal.Instant | undefined>;
  forget(ref: SubscriptionRef): Promise<unknown>;
}

export interface SubscriptionServiceDeps<D> {
  readonly repository: SubscriptionRepository<D>;
  readonly scheduler: SubscriptionScheduler;
  readonly runs: SubscriptionRuns;
  readonly now: () => Temporal.Instant;
  readonly log: Logger;
  /** Tells the owner, in a direct message, that a subscription was paused. A throw means that it may be tried again. */
  readonly notifyOwner: (subscription: Subscription<D>, reason: string) => Promise<void>;
}

export interface SubscriptionStatus<D> {
  readonly subscription: Subscription<D>;
  readonly nextRunAt: Temporal.Instant | undefined;
  readonly lastRun: RunEntry | undefined;
}

export function createSubscriptionService<D>({
  repository,
  scheduler,
  runs,
  now,
  log,
  notifyOwner,
}: SubscriptionServiceDeps<D>) {
  const jobOf = (subscription: Subscription<D>) => ({
    id: jobIdOf(subscription),
    timing: subscription.timing,
    payload: refOf(subscription),
  });

  async function setState(channel: string, id: string, change: (state: SubscriptionState) => SubscriptionState) {
    const subscription = await repository.setState(channel, id, change);
    if (!subscription) throw unknownSubscription();
    return subscription;
  }

  async function pause(channel: string, id: string, by: string, reason?: string): Promise<Subscription<D>> {
    const subscription = await setState(channel, id, (state) =>
      state.is === 'paused'
        ? state
        : {
            is: 'paused',
            at: now().toString(),
            by,
            ...(reason === undefined ? {} : { reason }),
            ...(by === PAUSED_BY_BOT ? { owner: 'to-be-told' as const } : {}),
          },
    );
    await scheduler.remove(jobIdOf(subscription));
    return subscription;
  }

  /** Notifies once: only who moves the mark on sends the notice, and a mark left by a crash is not sent for again. */
  async function notify({ channel, id, state: before }: Subscription<D>): Promise<void> {
    if (before.is !== 'paused' || before.owner !== 'to-be-told') return;
    let moved = false;
    const moveMark = (from: string, to: 'to-be-told' | 'being-told' | 'told') => (state: SubscriptionState) => {
      moved = state.is === 'paused' && state.owner === from;
      return moved && state.is === 'paused' ? { ...state, owner: to } : state;
    };
    const subscription = await repository.setState(channel, id, moveMark('to-be-told', 'being-told'));
    if (!subscription || !moved) return;
    try {
      await notifyOwner(subscription, before.reason ?? '');
      await repository.setState(channel, id, moveMark('being-told', 'told'));
    } catch (error) {
      const job = jobIdOf(subscription);
      log.warn({ job, error }, 'cannot tell an owner that a subscription was paused; will try again');
      await repository.setState(channel, id, moveMark('being-told', 'to-be-told'));
    }
  }

  /** From the latest due time on everything is reported, even if the first runs fail. */
  async function activate(subscription: Subscription<D>): Promise<Subscription<D>> {
    await runs.startFrom(subscription, repeatStrategy.latest(subscription.timing, now()).at);
    await scheduler.put(jobOf(subscription));
    return subscription;
  }

  const resume = async (channel: string, id: string): Promise<Subscription<D>> =>
    activate(await setState(channel, id, (state) => (state.is === 'active' ? state : { is: 'active' })));

  async function statusOf(subscription: Subscription<D>): Promise<SubscriptionStatus<D>> {
    const [nextRunAt, history] = await Promise.all([
      scheduler.nextRunAt(jobIdOf(subscription)),
      runs.history(subscription),
    ]);
    return { subscription, nextRunAt, lastRun: history.at(-1) };
  }

  return {
    create: async (wanted: NewSubscription<D>): Promise<Subscription<D>> => activate(await repository.create(wanted)),
    pause,
    resume,
    /** Because it cannot be delivered: pauses and notifies the owner, once. */
    async pauseUndeliverable(subscription: Subscription<D>, reason: string): Promise<void> {
      await notify(await pause(subscription.channel, subscription.id, PAUSED_BY_BOT, reason));
    },
    async remove(channel: string, id: string): Promise<Subscription<D>> {
      const removed = await repository.remove(channel, id);
      if (!removed) throw unknownSubscription();
      await scheduler.remove(jobIdOf(removed));
      await runs.forget(removed);
      return removed;
    },
    listChannel: async (channel: string) => Promise.all((await repository.listByChannel(channel)).map(statusOf)),
    listOwner: async (owner: string) => Promise.all((await repository.listByOwner(owner)).map(statusOf)),
    history: (ref: SubscriptionRef) => runs.history(ref),
    /** Delivers at once what has come up since the last digest. `attempt` counts the caller's own repeats. */
    runNow(subscription: Subscription<D>, at = now(), attempt = 1): Promise<RunOutcome> {
      const context: RunContext = {
        due: { at, key: `now/${at}` },
        previousDueAt: repeatStrategy.previous(subscription.timing, at).at,
        late: false,
        attempt,
      };
      return runs.run(refOf(subscription), context);
    },
    /** The jobs there should be, to reconcile the scheduler with at the start; what was missed comes late. */
    async *jobs() {
      for await (const subscription of repository.all()) {
        if (subscription.state.is !== 'active') continue;
        const since = await runs.completedUntil(subscription);
        yield since ? { ...jobOf(subscription), since } : jobOf(subscription);
      }
    },
    /** Owners who have not been told yet, because they could not be reached or the process died. */
    async notifyOwners(): Promise<void> {
      for await (const subscription of repository.all()) await notify(subscription);
    },
    /** Resumes what the bot paused for a reason that is gone, such as a token that works again. */
    async resumeWhere(matches: (subscription: Subscription<D>, reason: string) => boolean): Promise<number> {
      let count = 0;
      for await (const subscription of repository.all()) {
        const { state } = subscription;
        if (state.is !== 'paused' || state.by !== PAUSED_BY_BOT || !matches(subscription, state.reason ?? '')) continue;
        await resume(subscription.channel, subscription.id);
        count += 1;
      }
      return count;
    },
  };
}

export type SubscriptionService<D> = ReturnType<typeof createSubscriptionService<D>>;

function unknownSubscription(): BotError {
  return new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
}
