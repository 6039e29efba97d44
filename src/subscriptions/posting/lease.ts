/**
 * Holds a subscription while one of its runs is under way, so that two replicas, or a late run and the next one, do not
 * work on it at once. The lease is renewed for as long as the work takes; right before posting it is checked once more.
 */
import type { Clock } from '../../clock.ts';
import type { Leases } from '../ports.ts';

export interface HeldLease {
  /** Renews now. False means that another may have taken over: nothing may be posted any more. */
  stillHeld(): Promise<boolean>;
}

export interface LeaseOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly owner: string;
  readonly ttlMs: number;
}

/** Resolves to undefined, without having worked, when somebody else holds the lease. */
export async function underLease<R>(
  { leases, clock, owner, ttlMs }: LeaseOptions,
  key: string,
  work: (lease: HeldLease) => Promise<R>,
): Promise<R | undefined> {
  if (!(await leases.acquire(key, owner, ttlMs))) return undefined;
  let lost = false;
  let cancel = () => {};
  const stillHeld = async (): Promise<boolean> => {
    if (!lost) lost = !(await leases.renew(key, owner, ttlMs));
    return !lost;
  };
  const beat = () => {
    cancel = clock.after(ttlMs / 3, () => {
      // A store that does not answer is no proof of loss; the check before posting decides.
      stillHeld().then(beat, beat);
    });
  };
  beat();
  try {
    return await work({ stillHeld });
  } finally {
    cancel();
    if (!lost) await leases.release(key, owner).catch(() => false);
  }
}

/** Leases for a store that only this process can use: a map will do, and it dies with the process. */
export function createLocalLeases(now: () => Temporal.Instant): Leases {
  const held = new Map<string, { readonly owner: string; readonly untilMs: number }>();
  const nowMs = () => now().epochMilliseconds;
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
