/**
 * Global Bolt middleware: drops deliveries that were handled before, and keeps track of the requests under way.
 *
 * Slack repeats what it thinks was lost, two sockets can both get the same envelope, and a signed request can be
 * replayed; Bolt would run the listeners each time. A retry of a delivery that really was lost is new to us.
 */
import type { AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import type { Deduplicate } from './deduplicate.ts';

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
