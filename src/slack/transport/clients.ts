/**
 * Two Web API clients, one for calls that are safe to repeat and one for calls that are not, and their HTTP: one pool of
 * connections, also for the one-time addresses that Slack hands out (upload URLs and response_urls).
 */
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import ky from 'ky';
import { Agent, EnvHttpProxyAgent, getGlobalDispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { isRecord, parseJson, readBody } from '../../untrusted-input.ts';
import { type FetchFunction, type LimitedMethod, oneTimeUrlError, pauseLimitedMethods } from './slack-failure.ts';

export interface SlackClients {
  /** For calls that are safe to repeat: retried a few times. */
  readonly read: WebClient;
  /** For calls with an effect: never retried by the SDK, so that the caller learns of every ambiguous outcome. */
  readonly post: WebClient;
  /**
   * Posts to a one-time address that Slack named. Any status is a result, and redirects aren't followed. Rejects with a
   * `SlackCallError`, which doesn't contain the address: whoever knows it can post.
   */
  postToUrl(url: string, request: OneTimeRequest): Promise<{ readonly status: number; readonly text: string }>;
  /** The methods that Slack limits right now. */
  limited(): LimitedMethod[];
  /** Aborts the calls under way and refuses new ones: the process is stopping. */
  cutOff(): void;
}

interface ClientOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

const TIMEOUT_MS = 10_000;

/** For one call each, because what calls Slack here retries itself. A new object each time: the SDK writes into it. */
export const singleCalls = (apiUrl: string | undefined) => ({
  slackApiUrl: apiUrl,
  timeout: TIMEOUT_MS,
  retryConfig: { retries: 0 },
  // Otherwise the SDK would pause all methods when Slack limits one.
  rejectRateLimitedCalls: true,
});

export function createClients({ token, apiUrl, clock, log }: ClientOptions): SlackClients {
  const http = createSlackHttp();
  const { fetch, limited, clear } = pauseLimitedMethods(http.fetch, clock);
  const common = () => ({ ...singleCalls(apiUrl), logger: slackLogger(log), fetch });
  return {
    read: new WebClient(token, { ...common(), retryConfig: { retries: 3, minTimeout: 300, maxTimeout: 3_000 } }),
    post: new WebClient(token, common()),
    postToUrl: http.post,
    limited,
    cutOff() {
      clear();
      http.cutOff();
    },
  };
}

/** Sends the SDK's log to ours at debug level: failures are logged where they are handled. */
export function slackLogger(log: Logger): SlackLogger {
  const debug = (...values: unknown[]): void => log.debug({ sdk: values.map(String).join(' ') }, 'slack sdk');
  return {
    debug: () => {},
    info: debug,
    warn: debug,
    error: debug,
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}

interface OneTimeRequest {
  readonly json?: unknown;
  readonly body?: FormData;
  /** For the whole exchange. */
  readonly timeoutMs: number;
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

function createSlackHttp() {
  const dispatcher = createDispatcher();
  const oneTimeUrls = ky.create({ retry: 0, redirect: 'manual', throwHttpErrors: false, dispatcher });
  const bounded: FetchFunction = async (url, init) => {
    const response = await fetch(url, { ...init, dispatcher });
    const { bytes, whole } = await readBody(response.body, MAX_ANSWER_BYTES);
    if (!whole) throw new Error('the answer from Slack is too long');
    // A proxy's error page, for example. The SDK would take it for Slack's reason to refuse the call.
    if (response.status === 200 && !isRecord(parseJson(bytes.toString()))) throw new Error('not an answer from Slack');
    const { status, headers } = response;
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  };
  const post: SlackClients['postToUrl'] = async (url, { timeoutMs, ...content }) => {
    try {
      // ky's timeout ends when the headers arrive; the signal also covers the body.
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await oneTimeUrls.post(url, { ...content, timeout: timeoutMs, signal });
      const { bytes } = await readBody(response.body, MAX_ONE_TIME_ANSWER_BYTES);
      return { status: response.status, text: bytes.toString() };
    } catch (error) {
      throw oneTimeUrlError(error);
    }
  };
  return {
    fetch: bounded,
    post,
    cutOff: () => void dispatcher.destroy(new Error('the bot is stopping')),
  };
}
