/**
 * The HTTP calls beneath Slack's SDK. A method that Slack limits is left alone for as long as Slack asked, within
 * bounds, and no other method waits for it. What is not an answer of Slack's counts as none.
 */
import type { WebClientOptions } from '@slack/web-api';
import ky from 'ky';
import { Agent, EnvHttpProxyAgent, getGlobalDispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { isRecord, parseJson } from '../../untrusted-input.ts';

type FetchFunction = NonNullable<WebClientOptions['fetch']>;

export interface LimitedMethod {
  readonly method: string;
  readonly until: Temporal.Instant;
}

interface SlackCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal?: AbortSignal | null;
}

interface SlackAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface SlackFetch {
  readonly fetch: FetchFunction;
  /** Posts to an address that Slack named. Any answer is a success; a redirect is not followed. */
  send(url: string, call: SlackCall): Promise<Pick<SlackAnswer, 'status' | 'text'>>;
  /** The methods that Slack limits right now. */
  limited(): LimitedMethod[];
  /** Ends the calls under way, and lets none begin: the process stops. */
  cutOff(): void;
}

/** A longer wait would look like a bot that is gone; asking again once in five minutes does no harm. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Node closes a connection after four seconds without a call, and people pause for longer: each of the calls of an answer
 * would then wait for the handshakes of a new one. Less than the minute after which many servers close it themselves.
 */
const KEEP_ALIVE_MS = 55_000;

/** Through the proxy where the operator has told Node to use one. */
function createAgent(): Agent | EnvHttpProxyAgent {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS };
  const isProxied = getGlobalDispatcher().constructor.name === EnvHttpProxyAgent.name;
  return isProxied ? new EnvHttpProxyAgent(options) : new Agent(options);
}

export function createSlackFetch(clock: Clock): SlackFetch {
  const agent = createAgent();
  const limits = new Map<string, LimitedMethod & { readonly cancel: () => void }>();

  function limit(key: string, method: string, retryAfterMs: number): void {
    limits.get(key)?.cancel();
    const until = clock.now().add({ milliseconds: retryAfterMs });
    const cancel = clock.after(retryAfterMs, () => void limits.delete(key));
    limits.set(key, { method, until, cancel });
  }

  async function post(url: string, call: SlackCall): Promise<SlackAnswer> {
    const { origin, pathname, search } = new URL(url);
    // Not `fetch`, which takes three times as long for the same call.
    const answer = await agent.request({ ...call, origin, path: `${pathname}${search}`, method: 'POST' });
    return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
  }

  return {
    async send(url, call) {
      const fetch = async (): Promise<Response> => {
        const { status, text } = await post(url, call);
        return new Response(text === '' ? null : text, { status });
      };
      const options = { retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual' } as const;
      const response = await ky.post(url, { ...options, fetch });
      return { status: response.status, text: await response.text() };
    },
    async fetch(url, init) {
      const address = String(url);
      const method = address.slice(address.lastIndexOf('/') + 1);
      const body = String(init?.body ?? '');
      const key = limitKey(method, body);
      const known = limits.get(key);
      if (known !== undefined) return rateLimited(known.until.epochMilliseconds - clock.now().epochMilliseconds);
      const { status, headers, text } = await post(address, {
        // The SDK gives a plain object.
        headers: init?.headers as Record<string, string>,
        body,
        signal: init?.signal ?? null,
      });
      if (status === 429) {
        const retryAfterMs = boundedRetryAfterMs(Number.parseInt(String(headers['retry-after']), 10));
        limit(key, method, retryAfterMs);
        return rateLimited(retryAfterMs);
      }
      if (status >= 300 && status < 400) throw new Error('Slack named another address');
      const answer = status === 200 ? parseJson(text) : null;
      if (status !== 200) return new Response(text === '' ? null : text, { status });
      if (!isRecord(answer)) throw new Error('not an answer of Slack');
      // Slack repeats a message that was posted. Nobody here reads that, and the SDK would go through all of it twice.
      const { message: _, ...rest } = answer;
      return new TextResponse('message' in answer ? JSON.stringify(rest) : text);
    },
    limited: () => [...limits.values()].map(({ method, until }) => ({ method, until })),
    cutOff() {
      for (const { cancel } of limits.values()) cancel();
      limits.clear();
      void agent.destroy(new Error('the bot is stopping'));
    },
  };
}

/** What the SDK reads of an answer is its text. As the stream of a `Response` it would be encoded and decoded again. */
class TextResponse extends Response {
  override readonly text: () => Promise<string>;
  constructor(text: string) {
    super(null);
    this.text = async () => text;
  }
}

const CHANNEL = /(?:^|&)channel=([^&]*)/;

/** Posting is limited for each channel by itself. */
function limitKey(method: string, body: string): string {
  return method.startsWith('chat.') ? `${method} ${CHANNEL.exec(body)?.[1] ?? ''}` : method;
}

export function boundedRetryAfterMs(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1000, MAX_RETRY_AFTER_MS) : 1_000;
}

function rateLimited(retryAfterMs: number): Response {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return Response.json({ ok: false, error: 'ratelimited' }, { status: 429, headers });
}
