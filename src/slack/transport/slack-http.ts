/**
 * HTTP to Slack over one pool of connections: the `fetch` that the SDK calls the Web API with, and a ky client for the
 * one-time addresses that Slack hands out (upload URLs and response_urls).
 */
import type { WebClientOptions } from '@slack/web-api';
import ky from 'ky';
import { Agent, EnvHttpProxyAgent, getGlobalDispatcher } from 'undici';
import { isRecord, parseJson, readBody } from '../../untrusted-input.ts';
import { oneTimeUrlError } from './slack-failure.ts';

export type FetchFunction = NonNullable<WebClientOptions['fetch']>;

interface OneTimeRequest {
  readonly json?: unknown;
  readonly body?: FormData;
  /** For the whole exchange. */
  readonly timeoutMs: number;
}

export interface SlackHttp {
  readonly fetch: FetchFunction;
  /**
   * Posts to an address that Slack named. Any status is a result, and redirects aren't followed. Rejects with a
   * `SlackCallError`, which doesn't contain the address: whoever knows it can post.
   */
  post(url: string, request: OneTimeRequest): Promise<{ readonly status: number; readonly text: string }>;
  /** Aborts the calls under way and refuses new ones: the process is stopping. */
  cutOff(): void;
}

/**
 * Node closes a connection after four idle seconds, and people pause for longer: every call of an answer would then wait
 * for new handshakes. Under a minute, after which many servers close it themselves.
 */
const KEEP_ALIVE_MS = 55_000;
/** Far above a full page of a channel's history. */
const MAX_ANSWER_BYTES = 20_000_000;
const MAX_ONE_TIME_ANSWER_BYTES = 100_000;

/** Uses the proxy that the operator configured for Node, if any. */
function createDispatcher(): Agent | EnvHttpProxyAgent {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS };
  const isProxied = getGlobalDispatcher().constructor.name === EnvHttpProxyAgent.name;
  return isProxied ? new EnvHttpProxyAgent(options) : new Agent(options);
}

export function createSlackHttp(): SlackHttp {
  const dispatcher = createDispatcher();
  const oneTimeUrls = ky.create({ retry: 0, redirect: 'manual', throwHttpErrors: false, dispatcher });
  return {
    async fetch(url, init) {
      const response = await fetch(url, { ...init, dispatcher });
      const { bytes, whole } = await readBody(response.body, MAX_ANSWER_BYTES);
      if (!whole) throw new Error('the answer from Slack is too long');
      // A proxy's error page, for example. The SDK would take it for Slack's reason to refuse the call.
      if (response.status === 200 && !isRecord(parseJson(bytes.toString())))
        throw new Error('not an answer from Slack');
      const { status, headers } = response;
      return new Response(bytes.length === 0 ? null : bytes, { status, headers });
    },
    async post(url, { timeoutMs, ...content }) {
      try {
        // ky's timeout ends when the headers arrive; the signal also covers the body.
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await oneTimeUrls.post(url, { ...content, timeout: timeoutMs, signal });
        const { bytes } = await readBody(response.body, MAX_ONE_TIME_ANSWER_BYTES);
        return { status: response.status, text: bytes.toString() };
      } catch (error) {
        throw oneTimeUrlError(error);
      }
    },
    cutOff: () => void dispatcher.destroy(new Error('the bot is stopping')),
  };
}
