/**
 * What a store is to the rest of the house: spaces of records (Keyv), atomic changes of one record, and locks.
 * SQLite (one process), Redis (any number of replicas) and memory (tests, playground) all fulfil it, and one contract
 * suite holds them to it.
 */
import type { Keyv } from 'keyv';
import type { Logger } from '../observability/logger.ts';

export interface StoreDeps {
  readonly log: Logger;
  readonly now: () => Temporal.Instant;
}

/**
 * Marks that only one party can hold. They go through the database's own atomic operation, because get-then-set lets
 * two replicas both believe they won. A claim with a lifetime is a lease: it also ends with the process on an
 * exclusive store, where nobody else can be alive to hold it.
 */
export interface Locks {
  /** True for exactly one caller while the claim stands. Not re-entrant: the holder extends it with `renew`. */
  acquire(key: string, owner: string, ttlMs?: number): Promise<boolean>;
  /** Extends a lease. False once it has run out or passed to another: the caller must then stop. */
  renew(key: string, owner: string, ttlMs: number): Promise<boolean>;
  /** Compare and set: hands the claim on only if `from` still holds it. */
  transfer(key: string, from: string, to: string, ttlMs?: number): Promise<boolean>;
  release(key: string, owner: string): Promise<boolean>;
  holder(key: string): Promise<string | undefined>;
  list(prefix: string): AsyncIterable<{ readonly key: string; readonly owner: string }>;
}

export interface Store {
  /** The records of one name. The same Keyv each time; entries of different spaces never meet. */
  space<T>(name: string): Keyv<T>;
  /**
   * Reads, changes and writes one record as a single step, also between replicas. `change` may be called again when
   * somebody else was faster, so it must be pure. Returning the value it was given writes nothing; returning
   * `undefined` removes the record. Resolves to the record as it then stands.
   */
  update<T>(name: string, key: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined>;
  /** Every entry of a space that has not expired. Entries added or removed meanwhile may or may not be seen. */
  list<T>(name: string): AsyncIterable<readonly [key: string, value: T]>;
  /** The spaces that hold anything. By convention a name that starts with `cache` holds what may be lost. */
  spaces(): Promise<readonly string[]>;
  readonly locks: Locks;
  /** True when no other process can be using this store at the same time. */
  readonly exclusive: boolean;
  /** Fails when the store does not answer. For health checks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
