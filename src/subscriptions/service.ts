/**
 * Where digests (or watches) are made, paused, resumed and removed: keeps the repository, the scheduler and the deliveryLog in step.
 * The repository is the truth; whatever a crash left undone between the three is put right at the next start.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Delivered, Delivery, RunContext } from './digest/deliver.ts';
import type { Scheduler } from './ports.ts';
import type { RunEntry } from './posting/delivery-log.ts';
import { type Recurrence, repeatStrategy } from './recurrence/recurrence.ts';
import type { NewSubscription, SubscriptionRepository } from './repository.ts';
import { jobIdOf, refOf, type Subscription, type SubscriptionRef, type SubscriptionState } from './subscription.ts';

export interface SubscriptionServiceDeps<M, D> {
  readonly repository: SubscriptionRepository<D>;
  readonly scheduler: Scheduler<Recurrence, SubscriptionRef>;
  readonly delivery: Pick<Delivery<M, D>, 'run' | 'history' | 'skipTo' | 'settledUntil' | 'forget'>;
  readonly now: () => Temporal.Instant;
  readonly log: Logger;
  /** Tells the owner, in a direct message, that a subscription was paused. A throw means that it may be tried again. */
  readonly tell: (subscription: Subscription<D>, reason: string) => Promise<void>;
}

export interface SubscriptionStatus<D> {
  readonly subscription: Subscription<D>;
  readonly nextRunAt: Temporal.Instant | undefined;
  readonly lastRun: RunEntry | undefined;
}

export const BOT = 'wafbot';

export function createSubscriptionService<M, D>({
  repository,
  scheduler,
  delivery,
  now,
  log,
  tell,
}: SubscriptionServiceDeps<M, D>) {
  const jobOf = (subscription: Subscription<D>) => ({
    id: jobIdOf(subscription),
    timing: subscription.timing,
    payload: refOf(subscription),
  });

  async function setState(channel: string, id: string, change: (state: SubscriptionState) => SubscriptionState) {
    const subscription = await repository.setState(channel, id, change);
    if (!subscription)
      throw new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
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
            ...(by === BOT ? { owner: 'to-be-told' as const } : {}),
          },
    );
    await scheduler.remove(jobIdOf(subscription));
    return subscription;
  }

  /** Says it once: whoever moves the mark on speaks, and a mark left by a crash is not spoken for again. */
  async function tellOwner({ channel, id, state: before }: Subscription<D>): Promise<void> {
    if (before.is !== 'paused' || before.owner !== 'to-be-told') return;
    let mine = false;
    const mark = (from: string, to: 'to-be-told' | 'being-told' | 'told') => (state: SubscriptionState) => {
      mine = state.is === 'paused' && state.owner === from;
      return mine && state.is === 'paused' ? { ...state, owner: to } : state;
    };
    const subscription = await repository.setState(channel, id, mark('to-be-told', 'being-told'));
    if (!subscription || !mine) return;
    try {
      await tell(subscription, before.reason ?? '');
      await repository.setState(channel, id, mark('being-told', 'told'));
    } catch (error) {
      log.warn(
        { job: jobIdOf(subscription), error },
        'cannot tell an owner that a subscription was paused; will try again',
      );
      await repository.setState(channel, id, mark('being-told', 'to-be-told'));
    }
  }

  async function resume(channel: string, id: string): Promise<Subscription<D>> {
    const subscription = await setState(channel, id, (state) => (state.is === 'active' ? state : { is: 'active' }));
    await delivery.skipTo(subscription, repeatStrategy.latest(subscription.timing, now()).at);
    await scheduler.put(jobOf(subscription));
    return subscription;
  }

  async function view(subscription: Subscription<D>): Promise<SubscriptionStatus<D>> {
    const [nextRunAt, runs] = await Promise.all([
      scheduler.nextRunAt(jobIdOf(subscription)),
      delivery.history(subscription),
    ]);
    return { subscription, nextRunAt, lastRun: runs.at(-1) };
  }

  return {
    async create(wanted: NewSubscription<D>): Promise<Subscription<D>> {
      const subscription = await repository.create(wanted);
      // From here on everything is to be told, also if the first runs fail: the first digest covers a whole period.
      await delivery.skipTo(subscription, repeatStrategy.latest(subscription.timing, now()).at);
      await scheduler.put(jobOf(subscription));
      return subscription;
    },
    pause,
    resume,
    /** Because it cannot be delivered: pauses and tells the owner, once. */
    async pauseUndeliverable(subscription: Subscription<D>, reason: string): Promise<void> {
      await tellOwner(await pause(subscription.channel, subscription.id, BOT, reason));
    },
    async remove(channel: string, id: string): Promise<Subscription<D>> {
      const removed = await repository.remove(channel, id);
      if (!removed)
        throw new BotError('not_found', 'There is no such entry in this channel.', { hint: 'List them first.' });
      await scheduler.remove(jobIdOf(removed));
      await delivery.forget(removed);
      return removed;
    },
    listChannel: async (channel: string) => Promise.all((await repository.listByChannel(channel)).map(view)),
    listOwner: async (owner: string) => Promise.all((await repository.listByOwner(owner)).map(view)),
    history: (pointer: SubscriptionRef) => delivery.history(pointer),
    /** Delivers at once what has come up since the last digest. `attempt` counts the caller's own repeats. */
    runNow(subscription: Subscription<D>, at = now(), attempt = 1): Promise<Delivered> {
      const context: RunContext = {
        due: { at, key: `now/${at}` },
        previousDueAt: repeatStrategy.previous(subscription.timing, at).at,
        late: false,
        attempt,
      };
      return delivery.run(refOf(subscription), context);
    },
    /** The jobs there should be, for the scheduler to be reconciled with at the start; what was missed comes late. */
    async *jobs() {
      for await (const subscription of repository.all()) {
        if (subscription.state.is !== 'active') continue;
        const since = await delivery.settledUntil(subscription);
        yield since ? { ...jobOf(subscription), since } : jobOf(subscription);
      }
    },
    /** Owners who have not heard yet, because they could not be reached or the process died. */
    async tellOwners(): Promise<void> {
      for await (const subscription of repository.all()) await tellOwner(subscription);
    },
    /** Takes up again what was paused for a reason that is gone: a token that works again, a channel rejoined. */
    async resumeWhere(matches: (subscription: Subscription<D>, reason: string) => boolean): Promise<number> {
      let count = 0;
      for await (const subscription of repository.all()) {
        const { state } = subscription;
        if (state.is !== 'paused' || state.by !== BOT || !matches(subscription, state.reason ?? '')) continue;
        await resume(subscription.channel, subscription.id);
        count += 1;
      }
      return count;
    },
  };
}

export type SubscriptionService<M, D> = ReturnType<typeof createSubscriptionService<M, D>>;
