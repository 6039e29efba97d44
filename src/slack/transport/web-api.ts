/**
 * Calls to Slack's Web API: one client for calls that are safe to repeat and one for calls that are not, with one pool of
 * connections, also for the one-time addresses that Slack hands out (upload URLs and response_urls); what a failed call
 * means for the bot, and what follows a 429. The only place that inspects the errors of the SDK and of ky.
 *
 * After a 429 the limited method is paused for as long as Slack asks, within bounds, while other methods carry on; calls
 * that certainly had no effect are repeated after the wait. The delivery of digests and watches
 * (`subscriptions/delivery/`) gets it as a `retryable` result from `posting/slack-outbox.ts` and holds back all of its
 * posts. The SDK's own handling is switched off.
 */
import { LogLevel, type Logger as SlackLogger } from '@slack/bolt';
import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import ky, { NetworkError, TimeoutError } from 'ky';
import { Agent, EnvHttpProxyAgent, getGlobalDispatcher } from 'undici';
import { type Clock, elapsedMsOf, sleep, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { isRecord, parseJson, readBody } from '../../untrusted-input.ts';

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

/** Without retries: the callers here retry themselves. A new object each time, because the SDK writes into it. */
export const singleCalls = (apiUrl: string | undefined) => ({
  slackApiUrl: apiUrl,
  timeout: TIMEOUT_MS,
  retryConfig: { retries: 0 },
  // Otherwise the SDK would pause all methods when Slack limits one.
  rejectRateLimitedCalls: true,
  fetch: boundedFetch(),
});

export function createClients({ token, apiUrl, clock, log }: ClientOptions): SlackClients {
  const http = createSlackHttp(apiUrl);
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
/** Several times the size of a message, which the answer to a post repeats. */
const MAX_ANSWER_BYTES = 2_000_000;
/** Far above a usual page of messages; a larger page is requested in parts. */
const MAX_PAGE_BYTES = 20_000_000;
const PAGED = new Set(['conversations.history', 'conversations.replies']);
const MAX_ONE_TIME_ANSWER_BYTES = 100_000;

/** Uses the proxy that the operator configured for Node, if any. */
function createDispatcher(): Agent | EnvHttpProxyAgent {
  const options = { keepAliveTimeout: KEEP_ALIVE_MS };
  const isProxied = getGlobalDispatcher().constructor.name === EnvHttpProxyAgent.name;
  return isProxied ? new EnvHttpProxyAgent(options) : new Agent(options);
}

const methodOf = (url: unknown): string => String(url).split('/').at(-1) ?? '';

/** The reason of a page that's larger than what is read. These methods have no effect, so it's a refusal. */
const PAGE_TOO_LARGE = 'page_too_large';

/** A `fetch` that reads only as much as an answer to the method can have. */
function boundedFetch(dispatcher?: Agent | EnvHttpProxyAgent): FetchFunction {
  return async (url, init) => {
    const response = await fetch(url, dispatcher === undefined ? init : { ...init, dispatcher });
    const isPaged = PAGED.has(methodOf(url));
    const { bytes, whole } = await readBody(response.body, isPaged ? MAX_PAGE_BYTES : MAX_ANSWER_BYTES);
    if (!whole && isPaged) return Response.json({ ok: false, error: PAGE_TOO_LARGE });
    if (!whole) throw new Error('the answer from Slack is too long');
    // A proxy's error page, for example. The SDK would take it for Slack's reason to refuse the call.
    if (response.status === 200 && !isRecord(parseJson(bytes.toString()))) throw new Error('not an answer from Slack');
    const { status, headers } = response;
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  };
}

/** The one-time addresses that Slack hands out are on its own hosts, or where its Web API is. */
function isSlackAddress(url: string, apiUrl: string | undefined): boolean {
  const address = URL.parse(url);
  if (address === null) return false;
  if (apiUrl !== undefined && address.origin === URL.parse(apiUrl)?.origin) return true;
  return address.protocol === 'https:' && /(^|\.)slack(-gov)?\.com$/.test(address.hostname);
}

function createSlackHttp(apiUrl: string | undefined) {
  const dispatcher = createDispatcher();
  const oneTimeUrls = ky.create({ retry: 0, redirect: 'manual', throwHttpErrors: false, dispatcher });
  const post: SlackClients['postToUrl'] = async (url, { timeoutMs, ...content }) => {
    if (!isSlackAddress(url, apiUrl)) throw new SlackCallError({ kind: 'not_posted', reason: 'foreign_address' });
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
    fetch: boundedFetch(dispatcher),
    post,
    cutOff: () => void dispatcher.destroy(new Error('the bot is stopping')),
  };
}

export type SlackFailure =
  /** Slack understood and refused; the call had no effect. */
  | { readonly kind: 'refused'; readonly reason: string; readonly messages: readonly string[] }
  /** The call had no effect, and Slack said when to try again. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number }
  /** The call failed and certainly posted nothing. */
  | { readonly kind: 'not_posted'; readonly reason: string }
  /** No answer, or one that doesn't say whether the call took effect. */
  | { readonly kind: 'ambiguous'; readonly reason: string };

/** A failure detected here rather than reported by the SDK. */
export class SlackCallError extends Error {
  override readonly name = 'SlackCallError';
  readonly failure: SlackFailure;

  constructor(failure: SlackFailure, cause?: unknown) {
    super(`call to Slack failed: ${failure.kind}`, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** A longer wait would look like a dead bot, and one extra call every five minutes does no harm. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

function boundedRetryAfterMs(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1000, MAX_RETRY_AFTER_MS) : 1_000;
}

/** Errors on Slack's side. According to its documentation, the call may have taken partial effect. */
const SERVER_ERRORS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);

/** `null` for errors that don't come from Slack. */
export function slackFailure(error: unknown): SlackFailure | null {
  if (error instanceof SlackCallError) return error.failure;
  if (error instanceof WebAPIRateLimitedError)
    return { kind: 'rate_limited', retryAfterMs: boundedRetryAfterMs(error.retryAfter) };
  if (error instanceof WebAPIPlatformError) {
    const reason = String(error.data.error);
    const { messages = [], retryAfter = Number.NaN } = error.data.response_metadata ?? {};
    if (reason === 'ratelimited' || reason === 'rate_limited')
      return { kind: 'rate_limited', retryAfterMs: boundedRetryAfterMs(retryAfter) };
    if (SERVER_ERRORS.has(reason)) return { kind: 'ambiguous', reason };
    // Slack's reasons are single words. Anything else isn't Slack's, and must not be shown to anyone.
    if (!/^\w+$/.test(reason)) return { kind: 'ambiguous', reason: 'no_answer' };
    return { kind: 'refused', reason, messages };
  }
  if (error instanceof WebAPIHTTPError) return { kind: 'ambiguous', reason: `http_${error.statusCode}` };
  if (error instanceof WebAPIRequestError) return { kind: 'ambiguous', reason: 'no_answer' };
  return null;
}

export const TIMED_OUT = 'timed_out';

/** The result of a call to Slack, or an `ambiguous` failure if it takes longer than the limit. */
export function withinLimit<T>(clock: Clock, limitMs: number, call: () => Promise<T>): Promise<T> {
  return withTimeout<T>(clock, Math.max(1, limitMs), call, () => {
    throw new SlackCallError({ kind: 'ambiguous', reason: TIMED_OUT });
  });
}

/** No connection was made, so nothing was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** From an error of ky's. Without the original as its cause, which contains the address. */
function oneTimeUrlError(error: unknown): SlackCallError {
  if (error instanceof TimeoutError || (error instanceof Error && error.name === 'TimeoutError'))
    return new SlackCallError({ kind: 'ambiguous', reason: TIMED_OUT });
  const code = error instanceof NetworkError ? errorCode(error) : undefined;
  if (code !== undefined && NOT_CONNECTED.has(code)) return new SlackCallError({ kind: 'not_posted', reason: code });
  return new SlackCallError({ kind: 'ambiguous', reason: 'no_answer' });
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? String(error.code) : errorCode(error.cause);
}

/** A page of messages is larger than what is read. */
export const isPageTooLarge = (error: unknown): boolean => {
  const failure = slackFailure(error);
  return failure?.kind === 'refused' && failure.reason === PAGE_TOO_LARGE;
};

/** The message to edit was deleted, can no longer be edited, or isn't the bot's. */
export function isMessageGone(failure: SlackFailure): boolean {
  const reasons = ['message_not_found', 'cant_update_message', 'edit_window_closed'];
  return failure.kind === 'refused' && reasons.includes(failure.reason);
}

const BLOCK_REFUSALS = [
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'invalid_attachments',
];

export function isRefusedBlock(failure: SlackFailure): boolean {
  return failure.kind === 'refused' && BLOCK_REFUSALS.includes(failure.reason);
}

/** Slack is still processing an uploaded file that the message shows. */
export function isFileNotReady(failure: SlackFailure): boolean {
  return (
    isRefusedBlock(failure) && failure.kind === 'refused' && failure.messages.some((text) => /slack.?file/i.test(text))
  );
}

/** The `fetch` that the SDK calls the Web API with. */
type FetchFunction = NonNullable<WebClientOptions['fetch']>;

interface LimitedMethod {
  readonly method: string;
  readonly until: Temporal.Instant;
}

/** A `fetch` that answers 429 by itself while a method is paused. */
function pauseLimitedMethods(call: FetchFunction, clock: Clock) {
  const limits = new Map<string, LimitedMethod & { readonly endsMs: number; readonly cancel: () => void }>();
  const elapsedMs = elapsedMsOf(clock);

  function pause(key: string, method: string, retryAfterMs: number): void {
    limits.get(key)?.cancel();
    const until = clock.now().add({ milliseconds: retryAfterMs });
    const endsMs = elapsedMs() + retryAfterMs;
    const cancel = clock.after(retryAfterMs, () => void limits.delete(key));
    limits.set(key, { method, until, endsMs, cancel });
  }

  const pausing: FetchFunction = async (url, init) => {
    const method = methodOf(url);
    const key = limitKey(method, String(init?.body ?? ''));
    const known = limits.get(key);
    if (known !== undefined) return rateLimited(known.endsMs - elapsedMs());
    const response = await call(url, init);
    if (response.status !== 429) return response;
    const retryAfterMs = boundedRetryAfterMs(Number.parseInt(String(response.headers.get('retry-after')), 10));
    pause(key, method, retryAfterMs);
    return rateLimited(retryAfterMs);
  };

  return {
    fetch: pausing,
    limited: (): LimitedMethod[] => [...limits.values()].map(({ method, until }) => ({ method, until })),
    clear(): void {
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

/** What every call to Slack needs. */
export interface CallDependencies {
  readonly clients: SlackClients;
  readonly retryOnRateLimit: RetryOnRateLimit;
  readonly clock: Clock;
  readonly log: Logger;
}

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
