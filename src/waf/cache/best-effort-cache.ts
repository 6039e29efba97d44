/**
 * A Keyv that may fail. It only saves calls and never holds the only copy of anything: a store that is down, or an entry
 * that can't be read, is logged and counts as a miss.
 */
import type { Keyv } from 'keyv';
import type { z } from 'zod';
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
