/**
 * The store's interface: spaces of records (Keyv), atomic updates of one record, and locks. SQLite (one process),
 * Redis (any number of replicas) and memory (tests, playground) implement it and pass the same contract suite.
 */
import type { Keyv } from 'keyv';
import type { Logger } from '../observability/logger.ts';

export interface StoreDeps {
  readonly log: Logger;
  readonly now: () => Temporal.Instant;
  /** Wait for an unreachable Redis when opening, however long, instead of failing. */
  readonly waitUntilReachable?: boolean;
  /** How much the cache spaces may hold. */
  readonly cacheBytes?: number;
  /** Called when an operation fails. */
  readonly onFailure?: ((cause: 'full' | 'away' | 'failed') => void) | undefined;
}

/** Thousands of answers: more than a team requests in the week they're cached for. */
export const CACHE_BYTES = 256 * 2 ** 20;

/** Evicting is as expensive as several writes, so it runs only once in this many. */
export const WRITES_BETWEEN_EVICTIONS = 1_000;

/**
 * Locks held by one owner at a time. They use the database's own atomic operation: with get-then-set, two replicas could
 * both believe they won. A lock with a lifetime is a lease; on an exclusive store it also ends with the process.
 */
export interface Locks {
  /** True for exactly one caller while the lock is held. Not reentrant: the holder extends it with `renew`. */
  acquire(key: string, owner: string, ttlMs?: number): Promise<boolean>;
  /** Extends a lease. False once it has expired or passed to another owner: the caller must then stop. */
  renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
  /** False if this owner no longer held the lock. */
  release(key: string, owner: string): Promise<boolean>;
}

/** A rate limit shared by all processes on a store: each key grants one turn per period. */
export interface Turns {
  /**
   * Takes a turn under all of the keys or under none. Resolves to how long each key is still taken, in milliseconds and
   * in order: all zeros if the turn was granted.
   */
  take(turns: readonly { readonly key: string; readonly everyMs: number }[]): Promise<readonly number[]>;
  /** Grants no turn under the key for this long. */
  hold(key: string, ms: number): Promise<void>;
}

/**
 * Records that aren't what the bot wrote there, for example after a manual edit. They're left as they are: whoever runs the
 * bot can repair them.
 */
export interface DamagedRecords {
  /** Records whether it's damaged, and logs it once. */
  note(space: string, key: string, isDamaged: boolean): void;
  list(): readonly { readonly space: string; readonly key: string }[];
}

export interface Store {
  /** The records of one space. Returns the same Keyv each time; spaces never see each other's entries. */
  space<T>(name: string): Keyv<T>;
  /**
   * Reads, changes and writes one record atomically, also between replicas. `change` is called again after a lost race,
   * so it must be pure. Returning its argument writes nothing; returning `undefined` removes the record. Resolves to the
   * record as stored.
   */
  update<T>(name: string, key: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /**
   * All unexpired entries of a space, without damaged ones. Entries added or removed during the iteration may or may not
   * be included.
   */
  list<T>(name: string): AsyncIterable<readonly [key: string, value: T]>;
  /** The spaces that aren't empty. By convention, losing a space whose name starts with `cache` does no harm. */
  spaces(): Promise<readonly string[]>;
  readonly damaged: DamagedRecords;
  readonly locks: Locks;
  /** Only if several processes can use the store at once. */
  readonly turns?: Turns;
  /** True if no other process can be using this store. */
  readonly exclusive: boolean;
  /** Rejects while the store is unreachable. For health checks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The part of a store that holds lasting records. */
export interface Records extends Pick<Store, 'update' | 'list' | 'damaged'> {
  space<V>(name: string): { get(key: string): Promise<V | undefined> };
}
