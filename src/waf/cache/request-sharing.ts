/**
 * Equal questions at the same time make one call: in this process by sharing the pending request, between replicas by a
 * lock in the store. A replica without the lock waits for the answer of the one that holds it.
 */
import { z } from 'zod';
import { BotError, type BotErrorCode } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { BestEffortCache } from './best-effort-cache.ts';

interface PendingRequest<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

/** One pending request for each key. It is aborted when its last caller has aborted. */
export function createSingleFlight<T>() {
  const pending = new Map<string, PendingRequest<T>>();

  function start(key: string, run: (signal: AbortSignal) => Promise<T>): PendingRequest<T> {
    const abort = new AbortController();
    const request: PendingRequest<T> = { result: run(abort.signal), abort, waiting: 0 };
    pending.set(key, request);
    const settled = () => {
      if (pending.get(key) === request) pending.delete(key);
    };
    request.result.then(settled, settled);
    return request;
  }

  async function join(request: PendingRequest<T>, key: string, signal: AbortSignal | undefined): Promise<T> {
    request.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await (signal === undefined ? request.result : Promise.race([request.result, left.promise]));
    } finally {
      signal?.removeEventListener('abort', leave);
      request.waiting -= 1;
      if (request.waiting === 0 && pending.get(key) === request) {
        pending.delete(key);
        request.abort.abort();
      }
    }
  }

  return {
    async run(key: string, run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      return join(pending.get(key) ?? start(key, run), key, signal);
    },
    abortAll(reason: Error): void {
      for (const request of pending.values()) request.abort.abort(reason);
      pending.clear();
    },
  };
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
