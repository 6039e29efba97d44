/**
 * What replicas and restarts share through the store: a Keyv that may fail, and a lock for each question, so that equal
 * questions at the same time make one call. A replica without the lock waits for the answer of the one that holds it.
 *
 * The cache only saves calls and never holds the only copy of anything: a store that is down, or an entry that can't be
 * read, is logged and counts as a miss.
 */
import type { Keyv } from 'keyv';
import { z } from 'zod';
import { BotError, type BotErrorCode } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import { parseJson } from '../../untrusted-input.ts';

export interface BestEffortCache {
  /** `undefined` for a miss. */
  get<T>(key: string, schema: z.ZodType<T>): Promise<T | undefined>;
  /** Resolves when the entry is stored, or the store has failed. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  /** Resolves when all pending writes are done. */
  flush(): Promise<void>;
}

export function createBestEffortCache(keyv: Keyv, log: Logger): BestEffortCache {
  const pending = new Set<Promise<void>>();

  // Only the name of the error is logged: its message may carry the address of the store.
  const logFailure = (error: unknown): undefined => {
    const reason = error instanceof Error ? error.name : typeof error;
    log.warn({ reason }, 'cache store failed, continuing without it');
  };

  async function write(key: string, value: unknown, ttlMs: number): Promise<void> {
    try {
      // As one text: Keyv's serializer visits every value it reads, and a day has thousands of numbers, which took
      // 7 ms of every digest.
      await keyv.set(key, JSON.stringify(value), Math.max(1, Math.round(ttlMs)));
    } catch (error) {
      logFailure(error);
    }
  }

  return {
    async get(key, schema) {
      const stored = await keyv.get<unknown>(key).catch(logFailure);
      if (stored === undefined) return undefined;
      const parsed = schema.safeParse(parseEntry(stored));
      if (parsed.success) return parsed.data;
      // Usually an entry of another version of the bot.
      log.info({ kind: key.split(':')[0] }, 'ignoring an unreadable cache entry');
      return undefined;
    },
    set(key, value, ttlMs) {
      const done = write(key, value, ttlMs).finally(() => pending.delete(done));
      pending.add(done);
      return done;
    },
    async flush() {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

/** Earlier versions stored some entries in other forms, which their schemas read. */
function parseEntry(stored: unknown): unknown {
  return typeof stored === 'string' ? (parseJson(stored) ?? stored) : stored;
}

/** The locks of a store that several replicas use. */
export interface ReplicaLocks {
  acquire(key: string, owner: string, ttlMs: number): Promise<boolean>;
  release(key: string, owner: string): Promise<boolean>;
}

interface ReplicaSharingOptions {
  readonly cache: BestEffortCache;
  /** `null` when no other process uses the store. */
  readonly locks: ReplicaLocks | null;
  readonly owner: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly log: Logger;
}

/** What is stored of a failure, to throw it again. */
export const failureSchema = z.object({
  code: z.custom<BotErrorCode>((value) => typeof value === 'string'),
  message: z.string(),
  hint: z.string().optional(),
  service: z.enum(['statistics', 'identity']).optional(),
});

const POLL_MS = 100;
/** Longer than any request takes with its retries, so that a lock outlives only a replica that died. */
const LOCK_MS = 60_000;
/** A failure is shared briefly, so that a thousand waiting digests don't ask a struggling service one by one. */
const FAILURE_TTL_MS = 2_000;

export type ReplicaSharing = ReturnType<typeof createReplicaSharing>;

export function createReplicaSharing({ cache, locks, owner, sleep, log }: ReplicaSharingOptions) {
  const failureKey = (key: string) => `failure:${key}`;
  const lockKey = (key: string) => `ask/${key}`;
  const logFailure = (error: unknown): void =>
    log.warn(
      { reason: error instanceof Error ? error.name : typeof error },
      'lock store failed, continuing without it',
    );

  async function throwSharedFailure(key: string): Promise<void> {
    const failure = await cache.get(failureKey(key), failureSchema);
    if (failure !== undefined) throw new BotError(failure.code, failure.message, failure);
  }

  async function askAndShare<A>(key: string, ask: () => Promise<A>, signal: AbortSignal): Promise<A> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof BotError && !signal.aborted) {
        const { code, message, hint, service } = error;
        await cache.set(failureKey(key), { code, message, hint, service }, FAILURE_TTL_MS);
      }
      throw error;
    }
  }

  return {
    /** `read` finds the answer that another replica has stored; `ask` asks the service and stores the answer. */
    async once<A>(
      key: string,
      read: () => Promise<A | undefined>,
      ask: () => Promise<A>,
      signal: AbortSignal,
    ): Promise<A> {
      if (locks === null) return ask();
      for (;;) {
        signal.throwIfAborted();
        const lock = await acquire(locks, key);
        if (lock === 'unavailable') return ask();
        try {
          // Also after acquiring: another replica may have finished in the meantime.
          const answer = await read();
          if (answer !== undefined) return answer;
          await throwSharedFailure(key);
          if (lock === 'acquired') return await askAndShare(key, ask, signal);
        } finally {
          if (lock === 'acquired') await locks.release(lockKey(key), owner).catch(logFailure);
        }
        await sleep(POLL_MS, signal);
      }
    },
  };

  async function acquire(store: ReplicaLocks, key: string): Promise<'acquired' | 'taken' | 'unavailable'> {
    try {
      return (await store.acquire(lockKey(key), owner, LOCK_MS)) ? 'acquired' : 'taken';
    } catch (error) {
      logFailure(error);
      return 'unavailable';
    }
  }
}
