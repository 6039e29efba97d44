/** Puts store, engine and digests together for the fault tests and benchmarks, as the app does for the real thing. */
import { systemClock } from '../../src/clock.ts';
import type { BookingPointer } from '../../src/digests/booking.ts';
import { createLocalLeases } from '../../src/digests/delivery/lease.ts';
import { createPace } from '../../src/digests/delivery/pace.ts';
import { createDigests } from '../../src/digests/digests.ts';
import type { Outbox } from '../../src/digests/ports.ts';
import { type Timing, timetable } from '../../src/digests/timing.ts';
import { openEngine, openStore } from '../../src/store/index.ts';

export interface Told {
  readonly from: string;
  readonly to: string;
}

const log = {
  info: () => undefined,
  warn: () => undefined,
  // That Redis is away is the point of the exercise; a run that breaks is not.
  error: (detail: object, message: string) => {
    if ('error' in detail) console.error(message, detail);
  },
};

/** Everything shortened in proportion, so that two hundred crashes fit into minutes. */
const POLICY = { settleMs: 250, leaseMs: 2_500, clockSkewMs: 60_000 };
const SEND_LIMIT_MS = 600;

export async function openReplica(url: string, peerPort: number, owner: string) {
  const store = await openStore(url, { log, now: systemClock.now });
  const engine = await openEngine<Timing, BookingPointer>(url, {
    store,
    clock: systemClock,
    timetable,
    log,
    lockMs: 2_000,
    stallCheckMs: 500,
  });
  const digests = createDigests<Told>({
    records: store,
    leases: store.exclusive ? createLocalLeases(systemClock.now) : store.claims,
    engine,
    outbox: httpOutbox(`http://127.0.0.1:${peerPort}/`),
    pace: createPace({ clock: systemClock, perChannelMs: 20, betweenMs: 1 }),
    clock: systemClock,
    log,
    owner,
    compose: async (_, { from, to }) => ({ from: `${from}`, to: `${to}` }),
    apologise: (_, { from, to }) => ({ from: `${from}`, to: `${to}` }),
    tell: async () => undefined,
    policy: POLICY,
  });
  return { store, engine, digests };
}

function httpOutbox(peer: string): Outbox<Told> {
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
