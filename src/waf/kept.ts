/**
 * A Keyv that may fail. What is kept here saves calls, it is never the only copy of anything: a store that is down or
 * returns nonsense reads as "nothing kept", is logged, and costs no answer.
 */
import type { Keyv } from 'keyv';
import type { Logger } from '../observability/logger.ts';

export interface Kept {
  get(key: string): Promise<unknown>;
  /** Does not make the caller wait for the store. */
  set(key: string, value: unknown, ttlMs: number): void;
  delete(key: string): void;
  /** Settles when everything handed over has been written or has failed. */
  flush(): Promise<void>;
}

export function createKept(keyv: Keyv, log: Logger): Kept {
  const writing = new Set<Promise<unknown>>();
  const failed = (error: unknown) => {
    log.warn({ reason: error instanceof Error ? error.name : typeof error }, 'the store failed; going on without it');
  };
  const background = (work: () => Promise<unknown>) => {
    const write = Promise.resolve().then(work).catch(failed);
    writing.add(write);
    write.finally(() => writing.delete(write));
  };
  return {
    async get(key) {
      try {
        return await keyv.get<unknown>(key);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
    set: (key, value, ttlMs) => background(() => keyv.set(key, value, Math.max(1, Math.round(ttlMs)))),
    delete: (key) => background(() => keyv.delete(key)),
    async flush() {
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}
