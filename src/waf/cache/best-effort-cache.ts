/**
 * A Keyv that may fail. It only saves calls and never holds the only copy of anything: a store that is down or returns
 * nonsense reads as empty, is logged, and costs no answer.
 */
import type { Keyv } from 'keyv';
import type { Logger } from '../../observability/logger.ts';

export interface BestEffortCache {
  get(key: string): Promise<unknown>;
  /** Resolves when it is written or has failed; callers usually need not wait for that. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  /** Resolves when all pending writes are done. */
  flush(): Promise<void>;
}

export function createBestEffortCache(keyv: Keyv, log: Logger): BestEffortCache {
  const writing = new Set<Promise<void>>();
  const failed = (error: unknown) => {
    log.warn({ reason: error instanceof Error ? error.name : typeof error }, 'the store failed; going on without it');
  };
  async function attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      failed(error);
    }
  }
  function write(work: () => Promise<unknown>): Promise<void> {
    const done = attempt(work);
    writing.add(done);
    return done.finally(() => writing.delete(done));
  }
  return {
    async get(key) {
      try {
        return await keyv.get<unknown>(key);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
    set: (key, value, ttlMs) => write(() => keyv.set(key, value, Math.max(1, Math.round(ttlMs)))),
    async flush() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}
