/**
 * The interface of a store: spaces of records (Keyv), atomic changes of one record, and locks. SQLite (one process),
 * Redis (any number of replicas) and memory (tests, playground) implement it and pass one contract suite.
 */
import type { Keyv } from 'keyv';
import type { Logger } from '../observability/logger.ts';

export interface StoreDeps {
  readonly log: Logger;
  readonly now: () => Temporal.Instant;
  /** Opening waits for a Redis that does not answer, however long, instead of failing. */
  readonly waitUntilReachable?: boolean;
  /** How much may be kept of what may be lost. */
  readonly cacheBytes?: number;
}

/** Answers of thousands of windows; more than a team asks for within the week in which they are kept. */
export const CACHE_BYTES = 256 * 2 ** 20;

/** Looking for what is too much costs as much as some writes, so it is done once after so many. */
export const WRITES_BETWEEN_SWEEPS = 1_000;

/**
 * Locks that one owner at a time can hold. They use the database's own atomic operation, because with get-then-set two
 * replicas could both believe they won. A lock with a lifetime is a lease; on an exclusive store it also ends with the
 * process, since nobody else can be alive to hold it.
 */
export interface Locks {
  /** True for exactly one caller while the lock is held. Not re-entrant: the holder extends it with `renew`. */
  acquire(key: string, owner: string, ttlMs?: number): Promise<boolean>;
  /** Extends a lease. False once it has run out or passed to another: the caller must then stop. */
  renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
  /** False when the lock was no longer held by this owner. */
  release(key: string, owner: string): Promise<boolean>;
}

/** Turns that all processes on a store take one after another, at a pace that they agree on. */
export interface Turns {
  /**
   * Takes a turn under all of the keys, each of which is free again after its time, or under none. Resolves to how long
   * each is still taken, in milliseconds and in order: only zeros when the turn was granted.
   */
  take(turns: readonly { readonly key: string; readonly everyMs: number }[]): Promise<readonly number[]>;
  /** Nobody gets a turn under the key for so long. */
  hold(key: string, ms: number): Promise<void>;
}

export interface Store {
  /** The records of one space. The same Keyv each time; entries of different spaces are kept apart. */
  space<T>(name: string): Keyv<T>;
  /**
   * Reads, changes and writes one record as a single step, also between replicas. `change` is called again when
   * somebody else was faster, so it must be pure. Returning the value it was given writes nothing; returning
   * `undefined` removes the record. Resolves to the record as it then is.
   */
  update<T>(name: string, key: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /** Every entry of a space that has not expired. Entries added or removed meanwhile may or may not be included. */
  list<T>(name: string): AsyncIterable<readonly [key: string, value: T]>;
  /** The spaces that are not empty. By convention a name that starts with `cache` holds what may be lost. */
  spaces(): Promise<readonly string[]>;
  readonly locks: Locks;
  /** Only where several processes can use the store at the same time. */
  readonly turns?: Turns;
  /** True when no other process can be using this store at the same time. */
  readonly exclusive: boolean;
  /** Fails when the store does not answer. For health checks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
