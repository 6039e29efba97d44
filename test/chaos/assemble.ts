/** Puts store, scheduler and digests together for the fault tests, as the bot does for the real thing. */
import { systemClock } from '../../src/clock.ts';
import { openScheduler } from '../../src/scheduler/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import { createLocalLeases } from '../../src/subscriptions/posting/lease.ts';
import type { MessageSender } from '../../src/subscriptions/posting/outbox.ts';
import { createPostRateLimiter } from '../../src/subscriptions/posting/post-rate-limiter.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from '../../src/subscriptions/subscription.ts';

export interface Told {
  readonly from: string;
  readonly to: string;
}

const log = {
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
/** Answers that take longer count as lost. */
export const SEND_LIMIT_MS = 1_500;

export async function openReplica(url: string, peerPort: number, owner: string) {
  const store = await openStore(url, { log, now: systemClock.now });
  const scheduler = await openScheduler<Recurrence, SubscriptionRef>(url, {
    store,
    clock: systemClock,
    repeatStrategy,
    log,
    lockMs: LOCK_MS,
    stallCheckMs: 1_000,
  });
  const digests = createDigestDelivery<Told>({
    records: store,
    leases: store.exclusive ? createLocalLeases(systemClock.now) : store.locks,
    scheduler,
    outbox: httpOutbox(`http://127.0.0.1:${peerPort}/`),
    rateLimiter: createPostRateLimiter({ clock: systemClock, perChannelMs: 20, betweenMs: 1 }),
    clock: systemClock,
    log,
    owner,
    compose: async (_, { from, to }) => ({ from: `${from}`, to: `${to}` }),
    apologise: (_, { from, to }) => ({ from: `${from}`, to: `${to}` }),
    notifyOwner: async () => undefined,
    leaseMs: LEASE_MS,
    policy: POLICY,
  });
  return { store, scheduler, digests };
}

function httpOutbox(peer: string): MessageSender<Told> {
  return {
    async send(channel, message, runId) {
      const response = await fetch(peer, {
        method: 'POST',
        body: JSON.stringify({ channel, runId, ...message }),
        signal: AbortSignal.timeout(SEND_LIMIT_MS),
      });
      if (response.status === 429) return { is: 'retryable', retryAfterMs: 100, reason: 'limited' };
      if (!response.ok) return { is: 'ambiguous', reason: `${response.status}` };
      return { is: 'sent', ts: tsOf(await response.json()) ?? '' };
    },
    async find(channel, runId) {
      const query = new URLSearchParams({ channel, runId });
      const response = await fetch(`${peer}?${query}`, { signal: AbortSignal.timeout(SEND_LIMIT_MS) });
      if (!response.ok) throw new Error(`history: ${response.status}`);
      const ts = tsOf(await response.json());
      return ts === undefined ? null : { ts };
    },
  };
}

function tsOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'ts' in body ? String(body.ts) : undefined;
}
