/** Puts store, scheduler, digests and Slack's client together for the fault tests, as the bot does for the real thing. */
import { systemClock } from '../../src/clock.ts';
import type { Reply } from '../../src/replies/reply.ts';
import { openScheduler } from '../../src/scheduler/index.ts';
import { createSendWithFallbacks } from '../../src/slack/posting/picture-messages.ts';
import { createOutbox } from '../../src/slack/posting/slack-outbox.ts';
import { createClients } from '../../src/slack/transport/web-api.ts';
import { lastSettledMinute, SETTLE_MS } from '../../src/statistics/timeline.ts';
import { openStore } from '../../src/store/index.ts';
import { type MigrationStep, migrateStore } from '../../src/store/layout.ts';
import { createLocalLeases } from '../../src/subscriptions/delivery/lease.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import type { Range } from '../../src/time/index.ts';

export const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  // That Redis is away is the point of the exercise; a run that breaks is not.
  error: (detail: object, message: string) => {
    if ('error' in detail) console.error(message, detail);
  },
};

/**
 * Shorter than in production, so that two hundred crashes fit into minutes, but long beside what a busy machine delays a
 * live process by: a lease that a slow replica loses would test the machine, not the bot.
 */
const LEASE_MS = 10_000;
const LOCK_MS = 8_000;
const POLICY = { settleMs: 1_000, clockSkewMs: 60_000 };

/**
 * Until when a digest covers: what is due once is cut to whole settled minutes, as in production. Due times seconds apart
 * would share a window then, so those are only moved by the time that logging takes.
 */
export const SHIFTS = {
  minutes: lastSettledMinute,
  exact: (dueAt: Temporal.Instant) => dueAt.subtract({ milliseconds: SETTLE_MS }),
} as const;

export interface ReplicaOptions {
  readonly store: string;
  /** Of Slack. */
  readonly apiUrl: string;
  readonly shift: keyof typeof SHIFTS;
  /** Is of a version that stores digests with one field more, and migrates those that lack it. */
  readonly isNewer?: boolean;
}

/** Replicas of the previous version ignore the field, and go on. */
const ADD_FIELD: MigrationStep = {
  to: 2,
  minVersion: 1,
  does: 'add a field to digests',
  async run(records) {
    for await (const [channel] of records.list('digests')) {
      await records.update<readonly object[]>('digests', channel, (current) =>
        current?.every((digest) => 'added' in digest)
          ? current
          : current?.map((digest) => ({ ...digest, added: true })),
      );
    }
  },
};

export async function openReplica({ store: url, apiUrl, shift, isNewer }: ReplicaOptions, owner: string) {
  const store = await openStore(url, { log, now: systemClock.now });
  if (isNewer === true) await migrateStore(store, { log, now: systemClock.now, steps: [ADD_FIELD] });
  const scheduler = await openScheduler<Recurrence, SubscriptionRef>(url, {
    store,
    clock: systemClock,
    repeatStrategy,
    log,
    lockMs: LOCK_MS,
    stallCheckMs: 1_000,
  });
  const sendWithFallbacks = createSendWithFallbacks(systemClock, log, () => {});
  const digests = createDigestDelivery<Reply>({
    records: store,
    leases: store.exclusive ? createLocalLeases(systemClock) : store.locks,
    scheduler,
    outbox: createOutbox({
      clients: createClients({ token: 'xoxb-chaos', apiUrl, clock: systemClock, log }),
      sendWithFallbacks,
      pictureMessages: { send: (reply, { send }) => sendWithFallbacks(reply, {}, send), finished: async () => {} },
      userName: async () => null,
      postAndConfirm: () => Promise.reject(new Error('nobody is told anything here')),
    }),
    rateLimiter: createPostRateLimiter({ clock: systemClock, shared: store.turns, perChannelMs: 20, betweenMs: 1 }),
    clock: systemClock,
    log,
    owner,
    compose: async (_, window, { late }) => ({ message: tell(window, late ? 'late digest' : 'digest'), tail: null }),
    apologise: (_, window) => tell(window, 'apology'),
    notifyOwner: async () => undefined,
    coversTo: SHIFTS[shift],
    leaseMs: LEASE_MS,
    policy: POLICY,
  });
  return { store, scheduler, digests };
}

/** The peer reads the window from the text. */
function tell({ from, to }: Range, title: string): Reply {
  return { title, headline: [`${from} – ${to}`] };
}
