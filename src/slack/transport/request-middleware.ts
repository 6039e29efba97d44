/**
 * Global Bolt middleware: drops deliveries that were handled before, and keeps track of the requests under way.
 *
 * Slack repeats what it thinks was lost, two sockets can both get the same envelope, and a signed request can be
 * replayed; Bolt would run the listeners each time. A retry of a delivery that really was lost is new to us. The process's
 * own memory decides first, and alone while the store is away or slow: an acknowledgement has three seconds, and a doubled
 * answer is better than none.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { type Clock, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';

export function dropRepeated(deduplicate: Deduplicate): Middleware<AnyMiddlewareArgs> {
  return async function drop(args) {
    const { body, context, next } = args;
    const key = deliveryKey(body, context);
    if (key === null || (await deduplicate(key))) return next();
    // Without an acknowledgement Slack would show a timeout, or send it once more. A form's is left to its first
    // delivery, because it may say what to correct.
    if ('ack' in args && !('view' in args)) await args.ack?.();
  };
}

/** What stays the same when Slack sends the same thing again. */
function deliveryKey(body: object, { envelopeId }: Readonly<Record<string, unknown>>): string | null {
  if ('event_id' in body && typeof body.event_id === 'string') return `event_id:${body.event_id}`;
  if ('trigger_id' in body && typeof body.trigger_id === 'string') return `trigger_id:${body.trigger_id}`;
  return typeof envelopeId === 'string' ? `envelope:${envelopeId}` : null;
}

interface RequestTracker {
  readonly middleware: Middleware<AnyMiddlewareArgs>;
  /** Resolves when the requests under way are finished. */
  finished(): Promise<void>;
}

/** Bolt does not wait for running listeners when it stops; this does. */
export function createRequestTracker(): RequestTracker {
  const running = new Set<Promise<void>>();
  return {
    async middleware({ next }) {
      const request = next();
      running.add(request);
      await request.finally(() => running.delete(request));
    },
    async finished() {
      await Promise.allSettled(running);
    },
  };
}

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
