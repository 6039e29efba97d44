/**
 * Creates, pauses, resumes and removes the subscriptions of one kind. The repository is the truth: once it has a change,
 * the change is made, whether or not the scheduler took it. The scheduler is told, and put right by the next
 * reconciliation where that failed or the process died.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { NewJob, RunContext, RunOutcome, Scheduler } from '../scheduler/index.ts';
import type { PauseReason } from './delivery/outbox.ts';
import type { RunEntry } from './digest/delivery-log.ts';
import { repeatStrategy, whyUnschedulable } from './recurrence/due-times.ts';
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

type SubscriptionScheduler = Pick<Scheduler<Recurrence, SubscriptionRef>, 'put' | 'remove'>;

/** How subscriptions of a kind run, and what is recorded of their runs. */
interface SubscriptionRuns {
  run(ref: SubscriptionRef, context: RunContext): Promise<RunOutcome>;
  /** The last runs, oldest first. */
  history(ref: SubscriptionRef): Promise<readonly RunEntry[]>;
  /** What lies before the instant is not reported. */
  startFrom(ref: SubscriptionRef, instant: Temporal.Instant): Promise<unknown>;
  /** Until when every due time has had its run; undefined where missed ones are not made up for. */
  completedUntil(subscription: Subscription): Promise<Temporal.Instant | undefined>;
  forget(ref: SubscriptionRef): Promise<unknown>;
}

export type WhyForbidden = (subscription: Pick<Subscription, 'channel' | 'project'>) => OperatorsReason | null;

type OperatorsReason = Extract<PauseReason, 'channel_forbidden' | 'project_forbidden' | 'project_gone'>;

export interface SubscriptionServiceDeps<D> {
  readonly repository: SubscriptionRepository<D>;
  readonly scheduler: SubscriptionScheduler;
  readonly runs: SubscriptionRuns;
  readonly now: () => Temporal.Instant;
  readonly log: Logger;
  /** Tells the owner, in a direct message, that a subscription was paused. A throw means that it may be tried again. */
  readonly notifyOwner: (subscription: Subscription<D>, reason: string) => Promise<void>;
  /** Why the operator does not allow to post to the channel, about a project; `null`, and when left out, where he does. */
  readonly whyForbidden?: WhyForbidden | undefined;
}

export interface SubscriptionStatus<D> {
  readonly subscription: Subscription<D>;
  readonly lastRun: RunEntry | undefined;
}

export function createSubscriptionService<D>({
  repository,
  scheduler,
  runs,
  now,
  log,
  notifyOwner,
  whyForbidden = () => null,
}: SubscriptionServiceDeps<D>) {
  /** Those that the log has named as impossible to schedule. */
  const reported = new Set<string>();

  /** With what has been done, so that what was missed comes late. */
  async function jobOf(subscription: Subscription<D>): Promise<NewJob<Recurrence, SubscriptionRef>> {
    const since = await runs.completedUntil(subscription);
    const job = { id: jobIdOf(subscription), timing: subscription.timing, payload: refOf(subscription) };
    return since === undefined ? job : { ...job, since };
  }

  /** For what follows a change in the repository: its failure must not look as if the change had failed. */
  async function followUp(subscription: Subscription<D>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const job = jobIdOf(subscription);
      log.warn({ job, error }, 'the scheduler does not know of a change yet; it will be told again');
    }
  }

  function assertMayPost(wanted: Pick<Subscription, 'channel' | 'project'>): void {
    const reason = whyForbidden(wanted);
    if (reason !== null) throw forbidden(reason);
  }

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
            reason,
            ...(by === PAUSED_BY_BOT ? { owner: 'to-be-told' as const } : {}),
          },
    );
    await followUp(subscription, () => scheduler.remove(jobIdOf(subscription)));
    return subscription;
  }

  /** Because it cannot be delivered: pauses and notifies the owner, once. */
  async function pauseUndeliverable({ channel, id }: Subscription<D>, reason: string): Promise<void> {
    await notify(await pause(channel, id, PAUSED_BY_BOT, reason));
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

  const schedule = (subscription: Subscription<D>): Promise<void> =>
    followUp(subscription, async () => scheduler.put(await jobOf(subscription)));

  /** From the latest due time on everything is reported, even if the first runs fail; nothing before it. */
  async function startFromHere(subscription: Subscription<D>): Promise<void> {
    const latest = repeatStrategy.latest(subscription.timing, now()).at;
    await followUp(subscription, () => runs.startFrom(subscription, latest));
    await schedule(subscription);
  }

  /** Whether it was paused until now. */
  async function activate(channel: string, id: string) {
    let wasPaused = false;
    const subscription = await setState(channel, id, (state) => {
      wasPaused = state.is === 'paused';
      return wasPaused ? { is: 'active' } : state;
    });
    return { subscription, wasPaused };
  }

  async function statusOf(subscription: Subscription<D>): Promise<SubscriptionStatus<D>> {
    return { subscription, lastRun: (await runs.history(subscription)).at(-1) };
  }

  /** The job of an active subscription, or why there can be none. */
  async function jobOrFault(subscription: Subscription<D>): Promise<NewJob<Recurrence, SubscriptionRef> | string> {
    const fault = whyUnschedulable(subscription.timing);
    if (fault !== null) return fault;
    try {
      return await jobOf(subscription);
    } catch (error) {
      if (error instanceof BotError) throw error;
      return 'the record of its runs cannot be read';
    }
  }

  /** Once for each, until it is put right. */
  function reportFault(subscription: Subscription<D>, reason: string): void {
    const job = jobIdOf(subscription);
    if (!reported.has(job)) log.error({ job, reason }, 'a stored subscription cannot be scheduled');
    reported.add(job);
  }

  async function* allActive(): AsyncGenerator<Subscription<D>> {
    for await (const subscription of repository.all()) if (subscription.state.is === 'active') yield subscription;
  }

  return {
    async create(wanted: NewSubscription<D>): Promise<Subscription<D>> {
      assertMayPost(wanted);
      const subscription = await repository.create(wanted);
      await startFromHere(subscription);
      return subscription;
    },
    /** Throws where nothing may be told of it, for whoever asks what it would say. */
    assertMayPost,
    pause,
    /** By a person: the time of the pause is not reported. */
    async resume(channel: string, id: string): Promise<Subscription<D>> {
      assertMayPost((await repository.get(channel, id)) ?? { channel });
      const { subscription, wasPaused } = await activate(channel, id);
      const reason = whyUnschedulable(subscription.timing);
      if (reason !== null) throw cannotRun(subscription, reason);
      await (wasPaused ? startFromHere(subscription) : schedule(subscription));
      return subscription;
    },
    pauseUndeliverable,
    async setDetails(channel: string, id: string, details: D): Promise<Subscription<D>> {
      const subscription = await repository.setDetails(channel, id, details);
      if (!subscription) throw unknownSubscription();
      return subscription;
    },
    /** What a run is for. One in a channel that is not allowed any more is paused instead. */
    async findRunnable({ channel, id }: SubscriptionRef): Promise<Subscription<D> | undefined> {
      const subscription = await repository.get(channel, id);
      if (subscription?.state.is !== 'active') return undefined;
      const reason = whyForbidden(subscription);
      if (reason === null) return subscription;
      await pauseUndeliverable(subscription, reason);
      return undefined;
    },
    async remove(channel: string, id: string): Promise<Subscription<D>> {
      const removed = await repository.remove(channel, id);
      if (!removed) throw unknownSubscription();
      await followUp(removed, () => scheduler.remove(jobIdOf(removed)));
      await followUp(removed, () => runs.forget(removed));
      return removed;
    },
    listChannel: async (channel: string) => Promise.all((await repository.listByChannel(channel)).map(statusOf)),
    listOwner: async (owner: string) => Promise.all((await repository.listByOwner(owner)).map(statusOf)),
    history: (ref: SubscriptionRef) => runs.history(ref),
    /** Delivers at once what has come up since the last digest. `attempt` counts the caller's own repeats. */
    async runNow(subscription: Subscription<D>, at = now(), attempt = 1): Promise<RunOutcome> {
      assertMayPost(subscription);
      const context: RunContext = {
        due: { at, key: `now/${at}` },
        previousDueAt: repeatStrategy.previous(subscription.timing, at).at,
        late: false,
        attempt,
      };
      return runs.run(refOf(subscription), context);
    },
    /** The jobs there should be, to reconcile the scheduler with. A record that cannot be scheduled costs only itself. */
    async *jobs() {
      for await (const subscription of allActive()) {
        const job = await jobOrFault(subscription);
        if (typeof job === 'string') reportFault(subscription, job);
        else yield job;
      }
    },
    /** For the doctor: the active subscriptions that cannot be scheduled. */
    async unschedulable(): Promise<{ readonly subscription: Subscription<D>; readonly reason: string }[]> {
      const found = [];
      for await (const subscription of allActive()) {
        const job = await jobOrFault(subscription);
        if (typeof job === 'string') found.push({ subscription, reason: job });
      }
      return found;
    },
    /** Owners who have not been told yet, because they could not be reached or the process died. */
    async notifyOwners(): Promise<void> {
      for await (const subscription of repository.all()) await notify(subscription);
    },
    /** Resumes what the bot paused for a reason that is gone, such as a token that works again. What was not told comes late. */
    async resumeWhere(matches: (subscription: Subscription<D>, reason: string) => boolean): Promise<number> {
      let count = 0;
      for await (const subscription of repository.all()) {
        const { state } = subscription;
        if (state.is !== 'paused' || state.by !== PAUSED_BY_BOT || !matches(subscription, state.reason ?? '')) continue;
        await schedule((await activate(subscription.channel, subscription.id)).subscription);
        count += 1;
      }
      return count;
    },
  };
}

function forbidden(reason: OperatorsReason): BotError {
  const told = {
    channel_forbidden: [
      'This bot may not post in this channel by itself.',
      'Whoever runs it can add the channel to WAFBOT_ALLOWED_CHANNELS.',
    ],
    project_forbidden: [
      'This project is not for this channel.',
      'Whoever runs the bot can add the channel to its allowed_channels.',
    ],
    project_gone: ['This project is not set up any more.', 'Remove this one, and make one for another project.'],
  } as const;
  const [message, hint] = told[reason];
  return new BotError('forbidden', message, { hint });
}

function cannotRun({ kind }: Subscription, reason: string): BotError {
  return new BotError('config', `This ${kind} cannot run: ${reason}.`, { hint: 'Remove it and make it anew.' });
}

export type SubscriptionService<D> = ReturnType<typeof createSubscriptionService<D>>;

function unknownSubscription(): BotError {
  return new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
}
