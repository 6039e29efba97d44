/** Everything beneath the digests, joined as the app joins it, on a store in memory and a clock held by hand. */

import { BotError } from '../../src/errors.ts';
import { openScheduler, reconcilePeriodically } from '../../src/scheduler/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createLocalLeases } from '../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import type { ReportedTail } from '../../src/subscriptions/digest/delivery-log.ts';
import type { DigestFacts } from '../../src/subscriptions/digest/digest-runner.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import { parseSchedule } from '../../src/subscriptions/recurrence/parse-schedule.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { Subscription, SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import type { Range } from '../../src/time/index.ts';
import { createFakeOutbox } from './channel.ts';
import { createManualClock, type ManualClock } from './clock.ts';
import { createRecordingLog } from './log.ts';

export interface Digest {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  readonly late: boolean;
  /** What the digest before it reported of its end. */
  readonly tail?: ReportedTail | null;
}

export interface WorldOptions {
  readonly start?: string;
  /** Less often than in production saves most of the time of a test that passes days. */
  readonly reconcileEveryMs?: number;
}

export async function createDigestWorld({
  start = '2027-01-04T00:00:00Z',
  reconcileEveryMs = 10 * 60_000,
}: WorldOptions = {}) {
  const clock: ManualClock = createManualClock(start);
  const log = createRecordingLog();
  const store: Store = await openStore('memory:', { log, now: clock.now });
  const slack = createFakeOutbox<Digest>(clock.now);
  const told: Array<{ owner: string; reason: string }> = [];
  const statistics: { broken: boolean; asked: number; gate?: Promise<void>; failure?: BotError | undefined } = {
    broken: false,
    asked: 0,
  };
  const tellFaults: Error[] = [];
  const leases = createLocalLeases(clock);
  let schedulerIsBroken = false;
  let lostRuns = 0;

  const compose = async (_: Subscription, window: Range, { late, tail }: DigestFacts) => {
    statistics.asked += 1;
    await statistics.gate;
    if (statistics.broken) throw new Error('the service is down');
    const { failure } = statistics;
    const message: Digest = {
      text: failure === undefined ? 'digest' : 'part',
      from: `${window.from}`,
      to: `${window.to}`,
      late,
      tail,
    };
    if (failure !== undefined) return { message, tail: null, failure };
    return { message, tail: { from: message.from, to: message.to, requests: statistics.asked, attacks: 0 } };
  };
  const apologise = (_: Subscription, window: Range): Digest => ({
    text: 'sorry',
    from: `${window.from}`,
    to: `${window.to}`,
    late: true,
  });

  /** A process of the bot. A second one on the same store is what comes after a crash, or another replica. */
  async function boot(owner: string) {
    const scheduler = await openScheduler<Recurrence, SubscriptionRef>('memory:', {
      store,
      clock,
      repeatStrategy,
      log,
    });
    const rateLimiter = createPostRateLimiter({ clock });
    const failing = async <R>(work: () => Promise<R>): Promise<R> => {
      if (schedulerIsBroken) throw new BotError('storage', 'The scheduler does not answer.');
      return work();
    };
    const digests = createDigestDelivery<Digest>({
      records: store,
      leases,
      scheduler: {
        put: (job) => failing(() => scheduler.put(job)),
        remove: (id) => failing(() => scheduler.remove(id)),
      },
      outbox: slack.outbox,
      rateLimiter,
      clock,
      log,
      owner,
      compose,
      apologise,
      notifyOwner: async (subscription, reason) => {
        const fault = tellFaults.shift();
        if (fault) throw fault;
        told.push({ owner: subscription.owner, reason });
      },
    });
    await scheduler.reconcile(digests.service.jobs());
    await scheduler.start(async (job, context) => {
      lostRuns -= 1;
      return lostRuns >= 0 ? 'done' : digests.runner.run(job.payload, context);
    });
    const stopReconciling = reconcilePeriodically({
      scheduler,
      jobs: () => digests.service.jobs(),
      takeTurn: async () => true,
      clock,
      log,
      everyMs: reconcileEveryMs,
    });
    const stop = () => {
      stopReconciling();
      return scheduler.stop();
    };
    return { ...digests, scheduler: { ...scheduler, stop } };
  }

  const first = await boot('first');
  return {
    clock,
    log,
    store,
    slack,
    told,
    tellFaults,
    statistics,
    boot,
    ...first,
    /** From now on the service cannot reach the scheduler, which goes on by itself. */
    breakScheduler(broken: boolean) {
      schedulerIsBroken = broken;
    },
    /** The next runs are taken, and nothing comes of them. */
    loseRuns(count: number) {
      lostRuns = count;
    },
    make: (words: string, channel = 'C1') =>
      first.service.create({
        channel,
        owner: 'U1',
        zone: 'UTC',
        hosts: [],
        timing: { schedule: parseSchedule(words, 'UTC') },
      }),
    windows: () => slack.posted.map(({ message }) => `${message.text} ${message.from} – ${message.to}`),
    close: async () => {
      // Not awaited: a run that a test left hanging for good would be waited for.
      void first.scheduler.stop();
      await store.close();
    },
  };
}

export type DigestWorld = Awaited<ReturnType<typeof createDigestWorld>>;
