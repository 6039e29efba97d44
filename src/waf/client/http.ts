/**
 * HTTP to both services: one ky instance per peer, with its address, credentials, size limit and time limit; the requests to
 * the statistics service, sent in turn and fairly between askers; and the retry policy of both: waits with jitter, pauses
 * that all calls share, and a circuit breaker, so that a service that is down costs milliseconds instead of timeouts.
 * Failures leave here as a `ServiceFailure`, and the services' texts without secrets and addresses.
 */
import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhenResult, type IBreaker } from 'cockatiel';
import ky, { type AfterResponseHook, type Hooks } from 'ky';
import { Agent, EnvHttpProxyAgent, getGlobalDispatcher, Pool } from 'undici';
import { codeOf } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { ServiceObserver } from '../../observability/observers.ts';
import type { ServicePause } from '../../statistics/statistics.ts';
import type { ServiceName } from '../rules.ts';
import { type QueryParameters, queryString } from '../wire/exchange.ts';
import {
  circuitOpen,
  type FailureContext,
  failureFrom,
  type HttpReply,
  type Scrubber,
  ServiceFailure,
  since,
  stillThrottled,
  tooLarge,
} from './failure.ts';

/** A token alone can be longer than the 16 KiB that Node allows for all headers by default. */
const MAX_HEADER_BYTES = 64 * 1024;
/** More than a month of single minutes, requests and attacks. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Node closes a connection after four seconds without a call, and people pause for longer than that. */
const KEEP_ALIVE_MS = 55_000;

export interface HttpOptions {
  /** Maximum length of a body after decompression, in bytes. */
  readonly maxBodyBytes?: number;
}

interface PeerOptions extends FailureContext {
  readonly prefix: string;
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

/** Uses the proxy that the operator configured for Node, if any. */
function createDispatcher(): Agent | EnvHttpProxyAgent {
  const connection = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  const isProxied = getGlobalDispatcher().constructor.name === EnvHttpProxyAgent.name;
  // A proxy for plain HTTP gets no connection options by itself.
  const factory = (origin: string | URL, options: object) => new Pool(origin, { ...options, ...connection });
  return isProxied ? new EnvHttpProxyAgent({ ...connection, factory }) : new Agent(connection);
}

export function createHttp({ maxBodyBytes = MAX_BODY_BYTES }: HttpOptions = {}) {
  const dispatcher = createDispatcher();

  function createPeer({ prefix, hooks = {}, ...context }: PeerOptions): Peer {
    const bare = ky.create({
      prefix,
      dispatcher,
      headers: { accept: '*/*', 'user-agent': 'wafbot' },
      // A redirect would carry the token to another host.
      redirect: 'manual',
      // Retries are left to the retry policy, because calls share its pauses and its circuit breaker and it follows our
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

export interface Authorizer {
  /** Waits until one more request may be sent; the caller must call the returned function at the end. */
  admit(): Promise<() => void>;
  /** Makes sure there are credentials to send, so that waiting for them doesn't count as the service's time. */
  prepare(): Promise<unknown>;
  /** Add the credentials to a request and handle their refusal. */
  readonly hooks: Hooks;
}

interface RequestOptions {
  readonly closing: AbortSignal;
  readonly peer: Peer;
  readonly retries: RetryPolicy;
  readonly authorizer: Authorizer;
  readonly now: () => number;
  readonly log: Logger;
  readonly observer?: ServiceObserver | undefined;
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** Whose question it is for; left out for the bot's own. */
  readonly asker?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum tries; defaults to the retry policy. */
  readonly tries?: number | undefined;
  /** For a line that the answer can do without: tried once, briefly, and not counted toward opening the circuit. */
  readonly isExtra?: boolean | undefined;
}

export type SendRequest = (path: string, query: QueryParameters, options: SendOptions) => Promise<HttpReply>;

export function createRequest({ closing, peer, retries, authorizer, now, log, observer }: RequestOptions): SendRequest {
  const inTurn = createFairQueue();

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

  return async (path, query, options) => {
    const end = observer?.request();
    try {
      const reply = await inTurn(() => send(path, query, options), options.signal, options.asker);
      end?.('answered');
      return reply;
    } catch (error) {
      end?.(codeOf(error));
      throw error;
    }
  };
}

const MAX_RUNNING = 16;
const MAX_RUNNING_PER_ASKER = MAX_RUNNING / 2;

/** Digests and watches. */
const BOT_ASKER = '';

function createFairQueue() {
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

  /** Rejects with the signal's reason when it aborts before the work has started. */
  return async function inTurn<T>(work: () => Promise<T>, signal: AbortSignal, asker = BOT_ASKER): Promise<T> {
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
  };
}

export interface RetryOptions {
  readonly service: ServiceName;
  readonly now: () => number;
  /** For durations, which setting the clock must not change; `now` by default. */
  readonly elapsedMs?: (() => number) | undefined;
  readonly random: () => number;
  readonly log: Logger;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** For one try. */
  readonly tryTimeoutMs?: number | undefined;
  /** For all tries and the waits between them. */
  readonly totalTimeoutMs?: number | undefined;
  readonly maxTries?: number | undefined;
  /** How many failed questions open the circuit. */
  readonly breakAfterFailures?: number | undefined;
}

interface Attempt<T> extends Pick<SendOptions, 'tries' | 'isExtra'> {
  /** Runs before every try and outside its time limit, because credentials expire. What it throws ends the run. */
  readonly prepare?: () => Promise<unknown>;
  readonly send: (timeoutMs: number) => Promise<T>;
}

export interface RetryPolicy {
  /** Tries until one succeeds or no further one helps. Throws the last failure, or the signal's reason. */
  run<T>(attempt: Attempt<T>, signal: AbortSignal): Promise<T>;
  /** Why requests are paused, and until when; `null` if they aren't. */
  heldBack(): ServicePause | null;
}

/** How long an answer waits for an optional line. */
const EXTRA_TIMEOUT_MS = 4_000;
const FIRST_WAIT_MS = 250;
const FIRST_THROTTLED_WAIT_MS = 1_000;
/** The circuit opens after this long without a success. */
const MIN_OUTAGE_MS = 15_000;
/** How long it stays open before one question may test the service. */
const OPEN_MS = 10_000;

/**
 * Opens the circuit once several questions have failed over some time: the retries or parallel calls of one question
 * only show one bad moment. cockatiel's own breakers count failures but not the time.
 */
class OutageBreaker implements IBreaker {
  readonly state = { failures: 0, sinceMs: 0 };
  readonly #now: () => number;
  readonly #minFailures: number;

  constructor({ now, breakAfterFailures = 5 }: RetryOptions) {
    this.#now = now;
    this.#minFailures = breakAfterFailures;
  }

  success(): void {
    this.state.failures = 0;
  }

  failure(circuit: CircuitState): boolean {
    if (this.state.failures === 0) this.state.sinceMs = this.#now();
    this.state.failures += 1;
    if (circuit === CircuitState.HalfOpen) return true;
    return this.state.failures >= this.#minFailures && this.#now() - this.state.sinceMs >= MIN_OUTAGE_MS;
  }
}

/** A failure of the identity service can surface in a call to the statistics service, and doesn't count against it. */
const isFailureOf = (service: ServiceName, error: unknown): error is ServiceFailure =>
  error instanceof ServiceFailure && error.service === service;

function createCircuit(options: RetryOptions) {
  const { service, now, elapsedMs = now, log } = options;
  const breaker = new OutageBreaker(options);
  const isOutage = (result: unknown) => result instanceof ServiceFailure && result.outage;
  // cockatiel uses the machine's clock, which may be set back, so this decides how long the circuit stays open.
  const circuit = circuitBreaker(handleWhenResult(isOutage), { halfOpenAfter: Number.NEGATIVE_INFINITY, breaker });
  let openUntilMs = Number.NEGATIVE_INFINITY;
  circuit.onBreak(() => {
    openUntilMs = elapsedMs() + OPEN_MS;
    log.warn({ service }, 'service is down, circuit opened');
  });
  /** How much longer requests are paused. */
  const leftMs = (): number => (circuit.state === CircuitState.Open ? Math.max(0, openUntilMs - elapsedMs()) : 0);
  circuit.onReset(() => log.info({ service }, 'service is back, circuit closed'));

  async function resultOf<T>(question: () => Promise<T>, isExtra: boolean): Promise<T | ServiceFailure> {
    const refused = () => circuitOpen(service, now() - breaker.state.sinceMs, leftMs());
    // While one question tests whether the service is back, the others don't wait for it.
    if (circuit.state === CircuitState.HalfOpen || leftMs() > 0) return refused();
    // A failure is a result here, because most of them show that the service is up.
    const settle = () => question().catch((error) => (isFailureOf(service, error) ? error : Promise.reject(error)));
    if (isExtra) return circuit.state === CircuitState.Closed ? settle() : refused();
    try {
      return await circuit.execute(settle);
    } catch (error) {
      if (error instanceof BrokenCircuitError) return refused();
      throw error;
    }
  }

  return {
    leftMs,
    async execute<T>(question: () => Promise<T>, isExtra = false): Promise<T> {
      const result = await resultOf(question, isExtra);
      if (!(result instanceof ServiceFailure)) return result;
      throw result.outage && !isExtra ? since(result, breaker.state.sinceMs) : result;
    },
  };
}

export function createRetryPolicy(options: RetryOptions): RetryPolicy {
  const {
    service,
    now,
    elapsedMs = now,
    random,
    log,
    sleep,
    tryTimeoutMs = 10_000,
    totalTimeoutMs = 25_000,
    maxTries = 3,
  } = options;
  const circuit = createCircuit(options);
  let throttled: { readonly failure: ServiceFailure; readonly endsMs: number } | undefined;

  /** Half of a wait is random, so that many bots don't come back at the same moment. */
  function waitAfter({ waitMs, code }: ServiceFailure, tries: number): number {
    if (waitMs !== undefined) return Math.round(waitMs * (1 + 0.1 * random()));
    const first = code === 'upstream_rate_limited' ? FIRST_THROTTLED_WAIT_MS : FIRST_WAIT_MS;
    return Math.round(first * 2 ** (tries - 1) * (0.5 + 0.5 * random()));
  }

  /** A pause that the service asked for applies to every call. */
  async function waitForPause(deadlineMs: number, signal: AbortSignal): Promise<void> {
    const pauseMs = throttled === undefined ? 0 : throttled.endsMs - elapsedMs();
    if (throttled === undefined || pauseMs <= 0) return;
    if (elapsedMs() + pauseMs >= deadlineMs) throw stillThrottled(throttled.failure, pauseMs);
    await sleep(pauseMs, signal);
  }

  async function tryAll<T>({ prepare, send, isExtra, ...attempt }: Attempt<T>, signal: AbortSignal): Promise<T> {
    const most = isExtra ? 1 : (attempt.tries ?? maxTries);
    const deadlineMs = elapsedMs() + (isExtra ? Math.min(EXTRA_TIMEOUT_MS, totalTimeoutMs) : totalTimeoutMs);
    for (let tries = 1; ; tries++) {
      await waitForPause(deadlineMs, signal);
      await prepare?.();
      try {
        return await send(Math.max(1, Math.min(tryTimeoutMs, deadlineMs - elapsedMs())));
      } catch (error) {
        if (!isFailureOf(service, error)) throw error;
        if (error.waitMs !== undefined) throttled = { failure: error, endsMs: elapsedMs() + error.waitMs };
        const waitMs = waitAfter(error, tries);
        if (!error.retry || tries >= most || elapsedMs() + waitMs >= deadlineMs) throw error;
        log.debug({ tries, waitMs, ...error.detail }, 'retrying a call');
        await sleep(waitMs, signal);
      }
    }
  }

  return {
    run: (attempt, signal) => circuit.execute(() => tryAll(attempt, signal), attempt.isExtra),
    heldBack() {
      const pauseMs = throttled === undefined ? 0 : throttled.endsMs - elapsedMs();
      if (pauseMs > 0) return { why: 'throttled', untilMs: now() + pauseMs };
      const leftMs = circuit.leftMs();
      return leftMs > 0 ? { why: 'down', untilMs: now() + leftMs } : null;
    },
  };
}

/** The lookbehind makes each run of letters match from its start only; without it, long dotted texts take seconds. */
const ADDRESS = /(?<![a-z0-9+.-])[a-z0-9+.-]+:\/\/[^\s"'<>]+/gi;
/** Unknown tokens, signatures and keys, recognized by their form. */
const LONG_OPAQUE = /[A-Za-z0-9+/_=-]{40,}/g;
const ACCESS_KEY = /\b(AK|Access(?:\s*Key)?)\s*[:=]\s*[^\s,;"']+/gi;
const MAX_LENGTH = 300;
/** The rest of a longer message is dropped before it is searched. */
const MAX_READ = 8_192;

/** The encodings in which a service may echo a secret. */
function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret.toWellFormed()), Buffer.from(secret).toString('base64')];
}

/** Cut at a space, because half a token would not be recognized. */
function beginningOf(text: string): string {
  return text.length <= MAX_READ ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ', MAX_READ)));
}

export function createScrubber(secrets: readonly string[]): Scrubber {
  const given = secrets.filter((secret) => secret !== '');
  // A very short secret can't be told from ordinary text, so no text is repeated at all.
  const tooShort = given.some((secret) => secret.length < 4);
  const known = new Set(given.flatMap(formsOf));
  let order: string[] = [];
  const sort = () => {
    order = [...known].sort((a, b) => b.length - a.length);
  };
  sort();

  const scrub = (text: string): string => {
    if (tooShort) return '[withheld]';
    let clean = text;
    for (const secret of order) clean = clean.replaceAll(secret, '[redacted]');
    return beginningOf(clean)
      .replace(ADDRESS, '[address]')
      .replace(ACCESS_KEY, '$1:[redacted]')
      .replace(LONG_OPAQUE, '[redacted]')
      .slice(0, MAX_LENGTH);
  };
  return Object.assign(scrub, {
    learn(secret: string) {
      if (secret.length < 4 || known.has(secret)) return;
      for (const form of formsOf(secret)) known.add(form);
      sort();
    },
  });
}
