/**
 * A Keyv that may fail. It only saves calls and never holds the only copy of anything: a store that is down or returns
 * nonsense reads as empty, is logged, and costs no answer.
 */
import type { Keyv } from 'keyv';
import { once } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';

export interface BestEffortCache {
  get(key: string): Promise<unknown>;
  /** Resolves when all who use the store find it, or it has failed; callers usually need not wait for that. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  /** The same with a text that is made only when it is written or read: whoever waits for the answer does not wait for that. */
  setText(key: string, write: () => string, ttlMs: number): Promise<void>;
  /** Resolves when all pending writes are done. */
  flush(): Promise<void>;
}

/** By then the answer that the numbers were asked for is on its way. */
const WRITE_AFTER_MS = 50;

interface WaitingEntry {
  readonly key: string;
  readonly value: () => unknown;
  readonly ttl: number;
}

/** `isOurs`: no other process uses the store, so that entries can be found before they are written. */
export function createBestEffortCache(keyv: Keyv, log: Logger, { isOurs = false } = {}): BestEffortCache {
  const writing = new Set<Promise<void>>();
  const waiting = new Map<string, WaitingEntry>();
  let timer: NodeJS.Timeout | undefined;
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

  /** A moment later and together: nobody who waits for an answer waits for that, and the store has one transaction of it. */
  function writeLater(entry: WaitingEntry): void {
    waiting.set(entry.key, entry);
    timer ??= setTimeout(() => void writeWaiting(), WRITE_AFTER_MS);
  }

  async function writeWaiting(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const entries = [...waiting.values()];
    const written = () => entries.map(({ key, value, ttl }) => ({ key, value: value(), ttl }));
    if (entries.length > 0) await write(async () => keyv.setMany(written()));
    for (const entry of entries) if (waiting.get(entry.key) === entry) waiting.delete(entry.key);
  }

  async function put(key: string, value: () => unknown, ttlMs: number): Promise<void> {
    const ttl = Math.max(1, Math.round(ttlMs));
    if (isOurs) writeLater({ key, value, ttl });
    else await write(async () => keyv.set(key, value(), ttl));
  }

  return {
    async get(key) {
      const entry = waiting.get(key);
      if (entry !== undefined) return entry.value();
      try {
        return await keyv.get<unknown>(key);
      } catch (error) {
        failed(error);
        return undefined;
      }
    },
    set: (key, value, ttlMs) => put(key, () => value, ttlMs),
    setText: (key, write, ttlMs) => put(key, once(write), ttlMs),
    async flush() {
      await writeWaiting();
      while (writing.size > 0) await Promise.all(writing);
    },
  };
}
