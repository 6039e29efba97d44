/**
 * A lease on a subscription during a run, so that two replicas, or a late run and the next one, don't work on it at once.
 * It's renewed for as long as the work takes and checked once more right before posting.
 */
import { type Clock, elapsedMsOf } from '../../clock.ts';
import type { RunOutcome } from '../../scheduler/index.ts';

/** Locks with a lifetime, one holder at a time. The store's locks implement this. */
export interface Leases {
  acquire(key: string, owner: string, ttlMs: number): Promise<boolean>;
  renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
  release(key: string, owner: string): Promise<boolean>;
}

export interface HeldLease {
  /** Renews now. False means that another run may have taken over, so nothing may be posted. */
  stillHeld(): Promise<boolean>;
  /** True if the last renewal is so old that another run may hold the lease, for example because this process froze. */
  hasExpired(): boolean;
}

export interface LeaseOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  /** A unique ID of this process. */
  readonly owner: string;
  /** A run that doesn't renew for this long is taken over. */
  readonly leaseMs?: number;
}

const DEFAULT_LEASE_MS = 30_000;

/** Another run holds the lease or has changed the record: retry soon. */
export const BUSY: RunOutcome = { retryAfterMs: 2_000 };

/** Resolves to `BUSY`, without doing the work, if another run holds the lease. */
export type RunUnderLease = (job: string, work: (lease: HeldLease) => Promise<RunOutcome>) => Promise<RunOutcome>;

export function createRunUnderLease(options: LeaseOptions): RunUnderLease {
  const { leases, clock, leaseMs = DEFAULT_LEASE_MS } = options;
  const nowMs = elapsedMsOf(clock);
  return async function runUnderLease(job, work) {
    const key = `run/${job}`;
    const owner = `${options.owner}/${crypto.randomUUID()}`;
    let untilMs = nowMs() + leaseMs;
    if (!(await leases.acquire(key, owner, leaseMs))) return BUSY;
    let lost = false;
    let ended = false;
    let cancel = () => {};
    const stillHeld = async (): Promise<boolean> => {
      const nextMs = nowMs() + leaseMs;
      if (!lost) lost = !(await leases.renew(key, owner, leaseMs));
      if (!lost) untilMs = nextMs;
      return !lost;
    };
    const renewLater = () => {
      if (lost || ended) return;
      cancel = clock.after(leaseMs / 3, () => {
        // A failing store doesn't prove that the lease is lost; the check before posting decides.
        stillHeld().then(renewLater, renewLater);
      });
    };
    renewLater();
    try {
      return await work({ stillHeld, hasExpired: () => lost || nowMs() >= untilMs });
    } finally {
      ended = true;
      cancel();
      if (!lost) await leases.release(key, owner).catch(() => false);
    }
  };
}

/** Leases for a store that only this process uses: a map is enough, because it ends with the process. */
export function createLocalLeases(clock: Clock): Leases {
  const held = new Map<string, { readonly owner: string; readonly untilMs: number }>();
  const nowMs = elapsedMsOf(clock);
  const holds = (key: string, owner: string) => {
    const lease = held.get(key);
    return lease?.owner === owner && lease.untilMs > nowMs();
  };
  return {
    async acquire(key, owner, ttlMs) {
      const lease = held.get(key);
      if (lease && lease.untilMs > nowMs()) return false;
      held.set(key, { owner, untilMs: nowMs() + ttlMs });
      return true;
    },
    async renew(key, owner, ttlMs) {
      if (!holds(key, owner)) return false;
      held.set(key, { owner, untilMs: nowMs() + ttlMs });
      return true;
    },
    async release(key, owner) {
      return holds(key, owner) && held.delete(key);
    },
  };
}
