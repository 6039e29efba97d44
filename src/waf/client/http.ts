/**
 * HTTP to both services: one ky instance per peer, with its address, credentials, size limit and time limit; and the requests
 * to the statistics service, sent in turn, fairly between askers, with retries. Failures leave here as a `ServiceFailure`.
 */
import ky, { type AfterResponseHook, type Hooks } from 'ky';
import { Agent, EnvHttpProxyAgent, Pool } from 'undici';
import type { Logger } from '../../observability/logger.ts';
import type { AuthMethod } from '../rules.ts';
import { type QueryParameters, queryString } from '../wire/query-window.ts';
import { type FailureContext, failureFrom, type HttpReply, tooLarge } from './failure.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** A token alone can be longer than the 16 KiB that Node allows for all headers by default. */
const MAX_HEADER_BYTES = 64 * 1024;
/** More than a month of single minutes, requests and attacks. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Node closes a connection after four seconds without a call, and people pause for longer than that. */
const KEEP_ALIVE_MS = 55_000;

export interface HttpOptions {
  /** Respect `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly proxyFromEnvironment?: boolean;
  /** Maximum length of a body after decompression, in bytes. */
  readonly maxBodyBytes?: number;
}

interface PeerOptions extends FailureContext {
  readonly prefix: string;
  /** Adds the credentials and handles their refusal. */
  readonly hooks?: Hooks;
}

interface CallOptions {
  /** For the whole call, including the body. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent with `POST`. */
  readonly json?: unknown;
}

export interface Peer {
  /** Throws a `ServiceFailure`, what a hook throws, or the signal's reason. */
  send(path: string, options: CallOptions): Promise<HttpReply>;
  /** Requests the root without credentials; any status counts as a reply. */
  reach(options: CallOptions): Promise<HttpReply>;
}

export function createHttp({ proxyFromEnvironment = false, maxBodyBytes = MAX_BODY_BYTES }: HttpOptions = {}) {
  const connection = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  // A proxy for plain HTTP gets no connection options by itself.
  const factory = (origin: string | URL, options: object) => new Pool(origin, { ...options, ...connection });
  const dispatcher = proxyFromEnvironment ? new EnvHttpProxyAgent({ ...connection, factory }) : new Agent(connection);

  function createPeer({ prefix, hooks = {}, ...context }: PeerOptions): Peer {
    const bare = ky.create({
      prefix,
      dispatcher,
      headers: { accept: '*/*', 'user-agent': 'wafbot' },
      // A redirect would carry the token to another host.
      redirect: 'manual',
      // Retries are left to `retry-policy.ts`, because calls share its pauses and its circuit breaker and it follows our
      // clock. The one retry allowed here is what a hook forces after it has renewed the token.
      retry: { limit: 1, methods: [] },
      timeout: false,
      hooks: { afterResponse: [limitBody(() => tooLarge(context.service, maxBodyBytes), maxBodyBytes)] },
    });
    const authorized = bare.extend({ hooks });

    async function call(
      http: typeof ky,
      path: string,
      { timeoutMs, signal, ...options }: CallOptions & { throwHttpErrors?: boolean },
    ) {
      signal.throwIfAborted();
      try {
        const method = options.json === undefined ? 'get' : 'post';
        const pending = http(path, { ...options, method, signal, totalTimeout: timeoutMs });
        const { status, headers } = await pending;
        return { status, headers, body: await pending.text() };
      } catch (error) {
        signal.throwIfAborted();
        throw failureFrom(error, timeoutMs, context);
      }
    }

    return {
      send: (path, options) => call(authorized, path, options),
      reach: (options) => call(bare, '', { ...options, throwHttpErrors: false }),
    };
  }

  return { createPeer, close: () => dispatcher.destroy() };
}

/** Ends a body that is too long with an error, so that it can't fill the memory of the process. */
function limitBody(createError: () => Error, maxBytes: number): AfterResponseHook {
  return ({ response }) => {
    if (response.body === null) return;
    let bytes = 0;
    const limit = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > maxBytes) controller.error(createError());
        else controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(limit), response);
  };
}

/** One way to authenticate. */
export interface Authorizer {
  readonly method: AuthMethod;
  /** Waits until one more request may be sent; the caller must call the returned function at the end. */
  admit(): Promise<() => void>;
  /** Makes sure there are credentials to send, so that waiting for them doesn't count as the service's time. */
  prepare(): Promise<unknown>;
  /** Add the credentials to a request and handle their refusal. */
  readonly hooks: Hooks;
}

interface RequestOptions {
  /** Aborted when no more calls may be made. */
  readonly closing: AbortSignal;
  readonly peer: Peer;
  readonly retries: RetryPolicy;
  readonly authorizer: Authorizer;
  readonly now: () => number;
  readonly log: Logger;
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** Whose question it is for; left out for the bot's own. */
  readonly asker?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum tries; defaults to the retry policy. */
  readonly tries?: number | undefined;
  /** For a line that the answer can do without: tried once, briefly, and a failure says nothing about the service. */
  readonly isExtra?: boolean | undefined;
}

export type SendRequest = (path: string, query: QueryParameters, options: SendOptions) => Promise<HttpReply>;

export function createRequest({ closing, peer, retries, authorizer, now, log }: RequestOptions): SendRequest {
  const queue = createFairQueue();

  async function send(path: string, query: QueryParameters, options: SendOptions): Promise<HttpReply> {
    closing.throwIfAborted();
    const { signal, headers, tries, isExtra } = options;
    const url = `${path}?${queryString(query)}`;
    let sentMs = 0;
    const attempt = {
      tries,
      isExtra,
      prepare: authorizer.prepare,
      send: (timeoutMs: number) => {
        sentMs = now();
        return peer.send(url, { headers, timeoutMs, signal });
      },
    };
    const release = await authorizer.admit();
    try {
      const reply = await retries.run(attempt, signal);
      const requestId = reply.headers.get('x-request-id') ?? undefined;
      log.debug({ path: path.split('/').slice(3).join('/'), ms: now() - sentMs, requestId }, 'service answered');
      return reply;
    } finally {
      release();
    }
  }

  return (path, query, options) => queue.run(options.asker, () => send(path, query, options), options.signal);
}

const MAX_RUNNING = 16;
const MAX_RUNNING_PER_ASKER = MAX_RUNNING / 2;

/** Digests and watches. */
const BOT_ASKER = '';

interface FairQueue {
  /** Rejects with the signal's reason when it aborts before the work has started. */
  run<T>(asker: string | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

function createFairQueue(): FairQueue {
  /** In the order of their next turn. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  function admit(): void {
    // Map iteration visits entries added during the loop, so an asker who had a turn comes up again at the end.
    for (const [asker, turns] of waiting) {
      if (total >= MAX_RUNNING) return;
      if ((running.get(asker) ?? 0) >= MAX_RUNNING_PER_ASKER) continue;
      const start = turns.shift();
      waiting.delete(asker);
      if (turns.length > 0) waiting.set(asker, turns);
      if (start === undefined) continue;
      total += 1;
      running.set(asker, (running.get(asker) ?? 0) + 1);
      start();
    }
  }

  function finish(asker: string): void {
    total -= 1;
    const left = (running.get(asker) ?? 0) - 1;
    if (left > 0) running.set(asker, left);
    else running.delete(asker);
    admit();
  }

  return {
    async run(asker = BOT_ASKER, work, signal) {
      signal.throwIfAborted();
      const turn = Promise.withResolvers<void>();
      const turns = waiting.get(asker) ?? [];
      turns.push(turn.resolve);
      waiting.set(asker, turns);
      const leave = (): void => {
        const at = turns.indexOf(turn.resolve);
        if (at < 0) return;
        turns.splice(at, 1);
        turn.reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      admit();
      await turn.promise.finally(() => signal.removeEventListener('abort', leave));
      try {
        return await work();
      } finally {
        finish(asker);
      }
    },
  };
}
