/**
 * What follows a 429 from Slack. The limited method is paused for as long as Slack asks, within bounds, while other methods
 * carry on; calls that certainly had no effect are repeated after the wait.
 */
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { boundedRetryAfterMs, slackFailure } from './slack-failure.ts';
import type { FetchFunction } from './slack-http.ts';

export interface LimitedMethod {
  readonly method: string;
  readonly until: Temporal.Instant;
}

interface PausingFetch {
  /** Answers 429 by itself while the method is paused. */
  readonly fetch: FetchFunction;
  /** The methods that are paused right now. */
  limited(): LimitedMethod[];
  /** Ends all pauses. */
  clear(): void;
}

export function pauseLimitedMethods(call: FetchFunction, clock: Clock): PausingFetch {
  const limits = new Map<string, LimitedMethod & { readonly cancel: () => void }>();

  function pause(key: string, method: string, retryAfterMs: number): void {
    limits.get(key)?.cancel();
    const until = clock.now().add({ milliseconds: retryAfterMs });
    const cancel = clock.after(retryAfterMs, () => void limits.delete(key));
    limits.set(key, { method, until, cancel });
  }

  return {
    async fetch(url, init) {
      const method = String(url).split('/').at(-1) ?? '';
      const key = limitKey(method, String(init?.body ?? ''));
      const known = limits.get(key);
      if (known !== undefined) return rateLimited(clock.now().until(known.until).total('milliseconds'));
      const response = await call(url, init);
      if (response.status !== 429) return response;
      const retryAfterMs = boundedRetryAfterMs(Number.parseInt(String(response.headers.get('retry-after')), 10));
      pause(key, method, retryAfterMs);
      return rateLimited(retryAfterMs);
    },
    limited: () => [...limits.values()].map(({ method, until }) => ({ method, until })),
    clear() {
      for (const { cancel } of limits.values()) cancel();
      limits.clear();
    },
  };
}

const CHANNEL = /(?:^|&)channel=([^&]*)/;

/** Slack limits posting per channel, everything else per method. */
function limitKey(method: string, body: string): string {
  return method.startsWith('chat.') ? `${method} ${CHANNEL.exec(body)?.[1] ?? ''}` : method;
}

/** The SDK fails without retrying on a 429 that has no `retry-after` header. */
function rateLimited(retryAfterMs: number): Response {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return Response.json({ ok: false, error: 'ratelimited' }, { status: 429, headers });
}

/** For calls that certainly had no effect when Slack answers "rate limited". Gives up after a few waits. */
export type RetryOnRateLimit = <T>(call: () => Promise<T>) => Promise<T>;

/** A person waits: an answer that would take longer is delivered in another way. */
const INTERACTIVE_RETRY = { attempts: 4, maxWaitMs: 5_000 };
/** For work after the answer. Slack's limits are per minute. */
export const BACKGROUND_RETRY = { attempts: 10, maxWaitMs: 60_000 };

export function createRetryOnRateLimit(clock: Clock, log: Logger, policy = INTERACTIVE_RETRY): RetryOnRateLimit {
  return async function retryOnRateLimit(call) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'rate_limited' || attempt >= policy.attempts || failure.retryAfterMs > policy.maxWaitMs)
          throw error;
        log.warn({ retryAfterMs: failure.retryAfterMs, attempt }, 'rate limited by Slack, retrying');
        await sleep(clock, failure.retryAfterMs);
      }
    }
  };
}
