/**
 * The same delivery twice is answered once. Slack repeats what it thinks was lost, two sockets can both get it, and a
 * signed request can be replayed; Bolt handles each. A retry of one that really was lost is new to us and is answered.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';

/** True the first time a key is seen, false ever after (within ten minutes, longer than Slack repeats anything). */
export type Deduplicate = (key: string) => Promise<boolean>;

const KEEP_MS = 10 * 60_000;

/** For one process. Several replicas need a shared one. */
export function createDeduplicate(now: () => number): Deduplicate {
  const seen = new Map<string, number>();
  return async (key) => {
    const at = now();
    // Entries are in the order of time, so the old ones are at the front.
    for (const [old, seenAt] of seen) {
      if (at - seenAt < KEEP_MS) break;
      seen.delete(old);
    }
    if (seen.has(key)) return false;
    seen.set(key, at);
    return true;
  };
}

export function dropRepeated(deduplicate: Deduplicate): Middleware<AnyMiddlewareArgs> {
  return async ({ body, context, next }) => {
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
