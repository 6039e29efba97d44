/**
 * Whether something was seen before. The process's own memory decides first and alone while the store is away or slow:
 * an acknowledgement has three seconds, and a doubled answer is better than none.
 */
import { type Clock, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';

/** True the first time a key is seen, false after that. Never rejects. */
export type Deduplicate = (key: string) => Promise<boolean>;

/** Longer than Slack repeats anything, and than a signature can be valid: five minutes before and after its time. */
export const REMEMBER_MS = 11 * 60_000;
export const STORE_LIMIT_MS = 500;

/** `firstInStore` is the same question to what outlives the process or is shared with others; it may fail or hang. */
export function createDeduplicate(clock: Clock, log: Logger, firstInStore?: Deduplicate): Deduplicate {
  const seen = new Map<string, number>();

  function isFirstHere(key: string): boolean {
    const nowMs = clock.now().epochMilliseconds;
    // A map keeps the order of insertion, so the oldest keys come first.
    for (const [old, seenAtMs] of seen) {
      if (nowMs - seenAtMs < REMEMBER_MS) break;
      seen.delete(old);
    }
    if (seen.has(key)) return false;
    seen.set(key, nowMs);
    return true;
  }

  return async function deduplicate(key) {
    if (!isFirstHere(key)) return false;
    if (firstInStore === undefined) return true;
    try {
      return await withTimeout(clock, STORE_LIMIT_MS, () => firstInStore(key), storeTooSlow);
    } catch (error) {
      log.warn({ err: error }, 'requests are told apart by this process alone: the store does not answer');
      return true;
    }
  };
}

function storeTooSlow(): never {
  throw new Error('the store took too long');
}
