/**
 * Creates, pauses, resumes and removes the subscriptions of one kind. The repository is the source of truth: once it has a
 * change, the change stands, whether or not the scheduler accepted it. If updating the scheduler fails or the process
 * dies, the next reconciliation repairs it.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { NewJob, RunContext, RunOutcome, Scheduler } from '../scheduler/index.ts';
import { isDamaged, undefinedIfDamaged } from '../store/create-store.ts';
import type { PauseReason } from './delivery/outbox.ts';
import type { RunEntry } from './digest/delivery-log.ts';
import { previousDueAt, repeatStrategy, whyUnschedulable } from './recurrence/due-times.ts';
import type { Recurrence } from './recurrence/schedule.ts';
import type { NewSubscription, SubscriptionChange, SubscriptionRepository } from './repository.ts';
import { jobIdOf, PAUSED_BY_BOT, refOf, type Subscription, type SubscriptionRef } from './subscription.ts';

type SubscriptionScheduler = Pick<Scheduler<Recurrence, SubscriptionRef>, 'put' | 'remove'>;
type SubscriptionJob = NewJob<Recurrence, SubscriptionRef>;

/** How subscriptions of a kind run, and what's recorded of their runs. */
interface SubscriptionRuns {
  run(ref: SubscriptionRef, context: RunContext): Promise<RunOutcome>;
  /** The last runs, oldest first. */
  history(ref: SubscriptionRef): Promise<readonly RunEntry[]>;
  /** The due time counts as done: nothing that its run would cover is reported. */
  startFrom(ref: SubscriptionRef, dueAt: Temporal.Instant): Promise<unknown>;
  /** Until when every due time has had its run; undefined if missed ones are skipped. */
  completedUntil(subscription: Subscription): Promise<Temporal.Instant | undefined>;
  forget(ref: SubscriptionRef): Promise<unknown>;
  /** It runs on another schedule or for other hosts from now on; `latest` is the last due time that has passed by then. */
  edited(before: Subscription, after: Subscription, latest: Temporal.Instant): Promise<unknown>;
}

export type WhyForbidden = (subscription: Pick<Subscription, 'channel' | 'project'>) => OperatorsReason | null;

type OperatorsReason = Extract<PauseReason, 'channel_forbidden' | 'project_forbidden' | 'project_gone'>;

export interface SubscriptionServiceDeps<D> {
  readonly repository: SubscriptionRepository<D>;
  readonly scheduler: SubscriptionScheduler;
  readonly runs: SubscriptionRuns;
  readonly now: () => Temporal.Instant;
  readonly log: Logger;
  /** Sends the owner a direct message that a subscription was paused. If it throws, it may be tried again. */
  readonly notifyOwner: (subscription: Subscription<D>, reason: string) => Promise<void>;
  /** Why the operator doesn't allow posts to the channel or about the project; `null` if allowed, the default. */
  readonly whyForbidden?: WhyForbidden | undefined;
}

export interface SubscriptionStatus<D> {
  readonly subscription: Subscription<D>;
  readonly lastRun: RunEntry | undefined;
}

export type SubscriptionService<D> = ReturnType<typeof createSubscriptionService<D>>;

export function createSubscriptionService<D>(deps: SubscriptionServiceDeps<D>) {
  const { repository, runs, now, whyForbidden = () => null } = deps;
  const { schedule, startFromNow, continueAs, unschedule, forget } = createScheduling(deps);
  const { pause, pauseUndeliverable, notifyOwners } = createPausing(deps, unschedule);

  /** Throws if the operator doesn't allow it to post. */
  function assertMayPost(subscription: Pick<Subscription, 'channel' | 'project'>): void {
    const reason = whyForbidden(subscription);
    if (reason !== null) throw forbidden(reason);
  }

  const statusOf = async (subscription: Subscription<D>): Promise<SubscriptionStatus<D>> => ({
    subscription,
    lastRun: (await runs.history(subscription).catch(undefinedIfDamaged))?.at(-1),
  });

  return {
    ...createReconciliation(deps, schedule),
    async create(requested: NewSubscription<D>): Promise<Subscription<D>> {
      assertMayPost(requested);
      const subscription = await repository.create(requested);
      await startFromNow(subscription);
      return subscription;
    },
    assertMayPost,
    pause,
    /** By a person: the time of the pause isn't reported. */
    async resume(channel: string, id: string): Promise<Subscription<D>> {
      assertMayPost((await repository.get(channel, id)) ?? { channel });
      const { subscription, wasPaused } = await activate(repository, channel, id);
      const reason = whyUnschedulable(subscription.timing);
      if (reason !== null) throw cannotRun(subscription, reason);
      await (wasPaused ? startFromNow(subscription) : schedule(subscription));
      return subscription;
    },
    pauseUndeliverable,
    notifyOwners,
    /** Whoever created it stays its owner, and if it's paused, it stays paused. */
    async edit(before: Subscription<D>, change: SubscriptionChange<D>, ids: 'same' | 'new'): Promise<Subscription<D>> {
      assertMayPost(before);
      const after = existing(await repository.edit(before.channel, before.id, change, ids));
      if (after.id !== before.id) {
        await unschedule(before);
        await forget(before);
      }
      await continueAs(before, after);
      return after;
    },
    changeDetails: async (channel: string, id: string, next: (details: D | undefined) => D) =>
      existing(await repository.changeDetails(channel, id, next)),
    /** The subscription of a run. One that's no longer allowed to post is paused instead. */
    async findRunnable({ channel, id }: SubscriptionRef): Promise<Subscription<D> | undefined> {
      const subscription = await repository.get(channel, id);
      if (subscription?.state.is !== 'active') return undefined;
      const reason = whyForbidden(subscription);
      if (reason === null) return subscription;
      await pauseUndeliverable(subscription, reason);
      return undefined;
    },
    /** The owners of what was stored at the last full read, or has been created since. */
    owners: () => repository.owners(),
    async remove(channel: string, id: string): Promise<Subscription<D>> {
      const removed = existing(await repository.remove(channel, id));
      await unschedule(removed);
      await forget(removed);
      return removed;
    },
    listChannel: async (channel: string) => Promise.all((await repository.listByChannel(channel)).map(statusOf)),
    listOwner: async (owner: string) => Promise.all((await repository.listByOwner(owner)).map(statusOf)),
    history: (ref: SubscriptionRef) => runs.history(ref),
    /** Delivers at once what's new since the last digest. `attempt` counts the caller's own retries. */
    async runNow(subscription: Subscription<D>, at = now(), attempt = 1): Promise<RunOutcome> {
      assertMayPost(subscription);
      const due = { at, key: `now/${at}` };
      const context = { due, previousDueAt: previousDueAt(subscription.timing, at), late: false, attempt };
      return runs.run(refOf(subscription), context);
    },
  };
}

/** Passes changes on to the scheduler. Failing here must not look as if the change itself had failed. */
function createScheduling<D>(deps: SubscriptionServiceDeps<D>) {
  const { scheduler, runs, now, log } = deps;

  async function followUp(subscription: Subscription<D>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (err) {
      log.warn({ job: jobIdOf(subscription), err }, 'scheduler update failed, reconciliation will retry');
    }
  }

  const schedule = (subscription: Subscription<D>): Promise<void> =>
    followUp(subscription, async () => scheduler.put(await jobOf(deps, subscription)));

  return {
    schedule,
    /** Everything from the latest due time on is reported, even if the first runs fail; nothing before it. */
    async startFromNow(subscription: Subscription<D>): Promise<void> {
      const latest = repeatStrategy.latest(subscription.timing, now()).at;
      await followUp(subscription, () => runs.startFrom(subscription, latest));
      await schedule(subscription);
    },
    /** The new schedule doesn't catch up on earlier due times, and no time goes unreported. */
    async continueAs(before: Subscription<D>, after: Subscription<D>): Promise<void> {
      const latest = repeatStrategy.latest(after.timing, now()).at;
      await followUp(after, () => runs.edited(before, after, latest));
      if (after.state.is === 'active') await schedule(after);
    },
    unschedule: (subscription: Subscription<D>) =>
      followUp(subscription, () => scheduler.remove(jobIdOf(subscription))),
    forget: (subscription: Subscription<D>) => followUp(subscription, () => runs.forget(subscription)),
  };
}

/** The stored values of `SubscriptionState.owner`. */
const NOTICE_DUE = 'to-be-told';
const NOTICE_SENDING = 'being-told';
const NOTICE_SENT = 'told';
type OwnerNotice = typeof NOTICE_DUE | typeof NOTICE_SENDING | typeof NOTICE_SENT;

function createPausing<D>(
  { repository, now, log, notifyOwner }: SubscriptionServiceDeps<D>,
  unschedule: (subscription: Subscription<D>) => Promise<void>,
) {
  async function pause(channel: string, id: string, by: string, reason?: string): Promise<Subscription<D>> {
    const owner = by === PAUSED_BY_BOT ? NOTICE_DUE : undefined;
    const subscription = existing(
      await repository.setState(channel, id, (state) =>
        state.is === 'paused' ? state : { is: 'paused', at: now().toString(), by, reason, owner },
      ),
    );
    await unschedule(subscription);
    return subscription;
  }

  /** Whether this call changed the notice: of several replicas, only one does. */
  async function moveNotice({ channel, id }: Subscription<D>, from: OwnerNotice, to: OwnerNotice): Promise<boolean> {
    let moved = false;
    await repository.setState(channel, id, (state) => {
      moved = state.is === 'paused' && state.owner === from;
      return moved && state.is === 'paused' ? { ...state, owner: to } : state;
    });
    return moved;
  }

  /** Notifies the owner once: a notice that a crash interrupted isn't sent again. */
  async function notify(subscription: Subscription<D>): Promise<void> {
    const { state } = subscription;
    if (state.is !== 'paused' || state.owner !== NOTICE_DUE) return;
    if (!(await moveNotice(subscription, NOTICE_DUE, NOTICE_SENDING))) return;
    try {
      await notifyOwner(subscription, state.reason ?? '');
      await moveNotice(subscription, NOTICE_SENDING, NOTICE_SENT);
    } catch (err) {
      log.warn({ job: jobIdOf(subscription), err }, 'could not notify the owner of a paused subscription, will retry');
      await moveNotice(subscription, NOTICE_SENDING, NOTICE_DUE);
    }
  }

  return {
    pause,
    /** Pauses a subscription that can't be delivered and notifies its owner, once. */
    pauseUndeliverable: async ({ channel, id }: Subscription<D>, reason: string) =>
      notify(await pause(channel, id, PAUSED_BY_BOT, reason)),
    /** Retries notices that could not be sent, for example because the process died. */
    async notifyOwners(): Promise<void> {
      for await (const subscription of repository.all()) await notify(subscription);
    },
  };
}

/** What reconciliation and the start of the bot need: all jobs, what can't be scheduled, what can be resumed. */
function createReconciliation<D>(
  deps: SubscriptionServiceDeps<D>,
  schedule: (subscription: Subscription<D>) => Promise<void>,
) {
  const { repository, log } = deps;
  /** The subscriptions logged as unschedulable, so that each is logged once. */
  const logged = new Set<string>();

  function logOnce(subscription: Subscription<D>, reason: string): void {
    const job = jobIdOf(subscription);
    if (!logged.has(job)) log.error({ job, reason }, 'could not schedule a stored subscription');
    logged.add(job);
  }

  async function* active(): AsyncGenerator<readonly [Subscription<D>, SubscriptionJob | string]> {
    for await (const subscription of repository.all()) {
      if (subscription.state.is === 'active') yield [subscription, await jobOrFault(deps, subscription)];
    }
  }

  return {
    /** The jobs the scheduler should have. A subscription that can't be scheduled doesn't affect the others. */
    async *jobs(): AsyncGenerator<SubscriptionJob> {
      for await (const [subscription, job] of active()) {
        if (typeof job === 'string') logOnce(subscription, job);
        else yield job;
      }
    },
    /** For the doctor: the active subscriptions that can't be scheduled. */
    async unschedulable(): Promise<{ readonly subscription: Subscription<D>; readonly reason: string }[]> {
      const found = [];
      for await (const [subscription, job] of active()) {
        if (typeof job === 'string') found.push({ subscription, reason: job });
      }
      return found;
    },
    /** Resumes what the bot paused for a reason that's gone, such as a revoked token. Missed digests come late. */
    async resumeWhere(matches: (subscription: Subscription<D>, reason: string) => boolean): Promise<number> {
      let count = 0;
      for await (const subscription of repository.all()) {
        const { state } = subscription;
        if (state.is !== 'paused' || state.by !== PAUSED_BY_BOT || !matches(subscription, state.reason ?? '')) continue;
        await schedule((await activate(repository, subscription.channel, subscription.id)).subscription);
        count += 1;
      }
      return count;
    },
  };
}

/** With what has been completed, so that missed runs come late. */
async function jobOf<D>({ runs }: SubscriptionServiceDeps<D>, subscription: Subscription<D>): Promise<SubscriptionJob> {
  const since = await runs.completedUntil(subscription);
  return { id: jobIdOf(subscription), timing: subscription.timing, payload: refOf(subscription), since };
}

/** The job of an active subscription, or why it can't have one. */
async function jobOrFault<D>(
  deps: SubscriptionServiceDeps<D>,
  subscription: Subscription<D>,
): Promise<SubscriptionJob | string> {
  const fault = whyUnschedulable(subscription.timing);
  if (fault !== null) return fault;
  try {
    return await jobOf(deps, subscription);
  } catch (error) {
    if (error instanceof BotError && !isDamaged(error)) throw error;
    return 'its delivery log is unreadable';
  }
}

async function activate<D>(repository: SubscriptionRepository<D>, channel: string, id: string) {
  let wasPaused = false;
  const subscription = existing(
    await repository.setState(channel, id, (state) => {
      wasPaused = state.is === 'paused';
      return wasPaused ? { is: 'active' } : state;
    }),
  );
  return { subscription, wasPaused };
}

function existing<D>(subscription: Subscription<D> | undefined): Subscription<D> {
  if (subscription !== undefined) return subscription;
  throw new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
}

const FORBIDDEN: Readonly<Record<OperatorsReason, readonly [message: string, hint: string]>> = {
  channel_forbidden: [
    'This bot isn’t allowed to post in this channel.',
    'Whoever runs it can add the channel to WAFBOT_ALLOWED_CHANNELS.',
  ],
  project_forbidden: [
    'This project isn’t available in this channel.',
    'Whoever runs the bot can add the channel to its allowed_channels.',
  ],
  project_gone: ['This project is no longer set up.', 'Remove this entry and create one for another project.'],
};

function forbidden(reason: OperatorsReason): BotError {
  const [message, hint] = FORBIDDEN[reason];
  return new BotError('forbidden', message, { hint });
}

function cannotRun({ kind }: Subscription, reason: string): BotError {
  return new BotError('config', `This ${kind} can’t run: ${reason}.`, { hint: 'Remove it and create it again.' });
}
