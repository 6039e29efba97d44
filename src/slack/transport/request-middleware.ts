/**
 * Global Bolt middleware: drops deliveries that were handled before, and keeps track of the requests under way.
 *
 * Slack repeats what it thinks was lost, two sockets can both get the same envelope, and a signed request can be
 * replayed; Bolt would run the listeners each time. A retry of a delivery that really was lost is new to us.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import type { Clock } from '../../clock.ts';

/** True the first time a key is seen, false after that, for ten minutes: longer than Slack repeats anything. */
export type Deduplicate = (key: string) => Promise<boolean>;

const KEEP_MS = 10 * 60_000;

/** For one process; several replicas need a shared one. */
export function createDeduplicate(clock: Clock): Deduplicate {
  const seen = new Map<string, number>();
  return async function deduplicate(key) {
    const nowMs = clock.now().epochMilliseconds;
    // A map keeps the order of insertion, so the oldest keys come first.
    for (const [old, seenAtMs] of seen) {
      if (nowMs - seenAtMs < KEEP_MS) break;
      seen.delete(old);
    }
    if (seen.has(key)) return false;
    seen.set(key, nowMs);
    return true;
  };
}

export function dropRepeated(deduplicate: Deduplicate): Middleware<AnyMiddlewareArgs> {
  return async function drop({ body, context, next }) {
    const key = deliveryKey(body, context);
    if (key === null || (await deduplicate(key))) await next();
  };
}

/** What stays the same when Slack sends the same thing again. */
function deliveryKey(body: object, { envelopeId, requestSignature }: Readonly<Record<string, unknown>>): string | null {
  if ('event_id' in body && typeof body.event_id === 'string') return `event_id:${body.event_id}`;
  if ('trigger_id' in body && typeof body.trigger_id === 'string') return `trigger_id:${body.trigger_id}`;
  if (typeof envelopeId === 'string') return `envelope:${envelopeId}`;
  return typeof requestSignature === 'string' ? `signature:${requestSignature}` : null;
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
