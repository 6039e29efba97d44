/**
 * Global Bolt middleware: drops deliveries that were already handled, and tracks the requests under way.
 *
 * Slack repeats what it thinks was lost, two sockets can both get the same envelope, and a signed request can be replayed;
 * Bolt would run the listeners each time. A retry of a delivery that really was lost is new to us. The process's own memory
 * decides first, and alone while the store is down or slow: a request must be acknowledged within three seconds, and a
 * second answer is better than none.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { LRUCache } from 'lru-cache';
import { type Clock, epochMsOf, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';

export function dropRepeated(deduplicate: Deduplicate): Middleware<AnyMiddlewareArgs> {
  return async function drop(args) {
    const { body, context, next } = args;
    const key = deliveryKey(body, context);
    if (key === null || (await deduplicate(key))) return next();
    // Unacknowledged, Slack would show a timeout or send it again. For a form, the first delivery acknowledges, because it
    // may say what to correct.
    if ('ack' in args && !('view' in args)) await args.ack?.();
  };
}

/** Stays the same when Slack repeats a delivery. */
function deliveryKey(body: object, { envelopeId }: Readonly<Record<string, unknown>>): string | null {
  if ('event_id' in body && typeof body.event_id === 'string') return `event_id:${body.event_id}`;
  if ('trigger_id' in body && typeof body.trigger_id === 'string') return `trigger_id:${body.trigger_id}`;
  return typeof envelopeId === 'string' ? `envelope:${envelopeId}` : null;
}

/** Bolt doesn't wait for running listeners when it stops; this does. */
export function createRequestTracker() {
  const running = new Set<Promise<void>>();
  return {
    async middleware({ next }: { next(): Promise<void> }): Promise<void> {
      const request = next();
      running.add(request);
      await request.finally(() => running.delete(request));
    },
    /** Resolves when the requests under way are finished. */
    async finished(): Promise<void> {
      await Promise.allSettled(running);
    },
  };
}

/** True the first time a key is seen, false after that. Never rejects. */
export type Deduplicate = (key: string) => Promise<boolean>;

/** Longer than Slack retries, and than a signature is valid: five minutes before and after its time. */
export const REMEMBER_MS = 11 * 60_000;
const MAX_KEYS = 20_000;
export const STORE_LIMIT_MS = 500;

/** `firstInStore` asks a store that outlives the process or is shared with replicas; it may fail or hang. */
export function createDeduplicate(clock: Clock, log: Logger, firstInStore?: Deduplicate): Deduplicate {
  const seen = new LRUCache<string, true>({
    max: MAX_KEYS,
    ttl: REMEMBER_MS,
    ttlResolution: 0,
    perf: { now: epochMsOf(clock) },
  });

  return async function deduplicate(key) {
    if (seen.has(key)) return false;
    seen.set(key, true);
    if (firstInStore === undefined) return true;
    try {
      return await withTimeout(clock, STORE_LIMIT_MS, () => firstInStore(key), storeTooSlow);
    } catch (error) {
      log.warn({ err: error }, 'could not check for a repeated request in the store, relying on this process');
      return true;
    }
  };
}

function storeTooSlow(): never {
  throw new Error('the store took too long');
}
