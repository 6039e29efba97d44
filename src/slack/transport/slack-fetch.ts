/**
 * The HTTP calls beneath Slack's SDK. A method that Slack limits is left alone for as long as Slack asked, within
 * bounds, and no other method waits for it. What is not an answer of Slack's counts as none.
 */
import type { WebClientOptions } from '@slack/web-api';
import type { Clock } from '../../clock.ts';
import { isRecord, parseJson } from '../../untrusted-input.ts';

type FetchFunction = NonNullable<WebClientOptions['fetch']>;

export interface LimitedMethod {
  readonly method: string;
  readonly until: Temporal.Instant;
}

export interface SlackFetch {
  readonly fetch: FetchFunction;
  /** The methods that Slack limits right now. */
  limited(): LimitedMethod[];
  /** Aborted by `cutOff`. For calls to addresses that Slack named. */
  readonly signal: AbortSignal;
  /** Ends the calls under way, and lets none begin: the process stops. */
  cutOff(): void;
}

/** A longer wait would look like a bot that is gone; asking again once in five minutes does no harm. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

export function createSlackFetch(clock: Clock): SlackFetch {
  const limits = new Map<string, LimitedMethod & { readonly cancel: () => void }>();
  const stopping = new AbortController();

  function limit(key: string, method: string, retryAfterMs: number): void {
    limits.get(key)?.cancel();
    const until = clock.now().add({ milliseconds: retryAfterMs });
    const cancel = clock.after(retryAfterMs, () => void limits.delete(key));
    limits.set(key, { method, until, cancel });
  }

  return {
    async fetch(url, init) {
      const method = String(url).split('/').at(-1) ?? '';
      const key = limitKey(method, init?.body);
      const known = limits.get(key);
      if (known !== undefined) return rateLimited(known.until.epochMilliseconds - clock.now().epochMilliseconds);
      const signals = [stopping.signal, ...(init?.signal ? [init.signal] : [])];
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      // Read here, because the SDK does not report a body that breaks off as a failed call.
      const text = await response.text();
      if (response.status === 429) {
        const retryAfterMs = boundedRetryAfterMs(Number.parseInt(response.headers.get('retry-after') ?? '', 10));
        limit(key, method, retryAfterMs);
        return rateLimited(retryAfterMs);
      }
      if (response.status === 200 && !isRecord(parseJson(text))) throw new Error('not an answer of Slack');
      const { status, statusText, headers } = response;
      return new Response(text === '' ? null : text, { status, statusText, headers });
    },
    limited: () => [...limits.values()].map(({ method, until }) => ({ method, until })),
    signal: stopping.signal,
    cutOff() {
      for (const { cancel } of limits.values()) cancel();
      limits.clear();
      stopping.abort(new Error('the bot is stopping'));
    },
  };
}

/** Posting is limited for each channel by itself. */
function limitKey(method: string, body: unknown): string {
  const channel =
    method.startsWith('chat.') && typeof body === 'string' ? new URLSearchParams(body).get('channel') : '';
  return `${method} ${channel}`;
}

export function boundedRetryAfterMs(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1000, MAX_RETRY_AFTER_MS) : 1_000;
}

function rateLimited(retryAfterMs: number): Response {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return Response.json({ ok: false, error: 'ratelimited' }, { status: 429, headers });
}
