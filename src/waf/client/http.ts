/**
 * HTTP to both services: one call with a time limit, and the retry policy around it, with waits and jitter where they help
 * and a circuit breaker, so that a service that is down costs milliseconds and not timeouts.
 */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhenResult } from 'cockatiel';
import ky from 'ky';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { systemClock, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { readBody } from '../../untrusted-input.ts';
import type { ServiceName } from '../rules.ts';
import {
  type CallFailure,
  circuitOpen,
  type HttpReply,
  since,
  stillThrottled,
  timedOut,
  tooLarge,
  unreachable,
} from './failure.ts';

/** A token alone can be longer than the 16 KiB that Node allows for all headers by default. */
const MAX_HEADER_BYTES = 64 * 1024;
/** More than a month of single minutes, requests and attacks. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Node closes a connection after four seconds without a call, and people pause for longer than that. */
const KEEP_ALIVE_MS = 55_000;

export interface HttpRequest {
  readonly service: ServiceName;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type CallOutcome =
  | { readonly ok: true; readonly value: HttpReply }
  | { readonly ok: false; readonly failure: CallFailure; readonly reply?: HttpReply };

export interface HttpTransport {
  /**
   * Any reply is a success here; failures are broken connections, a reply that is not complete in time, and one that is
   * too long. Throws if `signal` aborts.
   */
  send(request: HttpRequest, timeoutMs: number, signal: AbortSignal): Promise<CallOutcome>;
  close(): Promise<void>;
}

const utf8 = new TextDecoder();
const COMMON_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'wafbot' };

function unpacked({ body, headers }: Dispatcher.ResponseData): Readable {
  // A failure of either ends both, and is met by whoever reads.
  return headers['content-encoding'] === 'gzip' ? pipeline(body, createGunzip(), () => {}) : body;
}

/** Names are in lower case. */
const readable = (headers: Dispatcher.ResponseData['headers']): HttpReply['headers'] => ({
  get: (name) => (headers[name] === undefined ? null : String(headers[name])),
});

/** Nothing is retried here. */
export function createTransport({ proxyFromEnvironment = false, maxBodyBytes = MAX_BODY_BYTES } = {}): HttpTransport {
  const options = { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  const dispatcher: Dispatcher = proxyFromEnvironment ? new EnvHttpProxyAgent(options) : new Agent(options);
  const http = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // A redirect would carry the token to another host.
    redirect: 'manual',
  });

  return {
    async send({ service, method, url, headers, body }, timeoutMs, signal) {
      signal.throwIfAborted();
      try {
        return await withTimeout<CallOutcome>(
          systemClock,
          timeoutMs,
          async (abort) => {
            let read: Awaited<ReturnType<typeof readBody>> = { bytes: Buffer.alloc(0), whole: true };
            let replied: Dispatcher.ResponseData['headers'] = {};
            // Beneath ky, because its errors carry the request, and that one must have no secret in it. Not Node's own
            // `fetch`, which takes three times as long for the same call. The headers and the body, as far as it may go,
            // are read here and not handed on: as parts of a `Response` they would take as long again.
            const call = async (): Promise<Response> => {
              const { origin, pathname, search } = new URL(url);
              const reply = await dispatcher.request({
                ...{ origin, path: `${pathname}${search}`, method, signal: abort },
                headers: { ...COMMON_HEADERS, ...headers },
                body,
              });
              read = await readBody(unpacked(reply), maxBodyBytes);
              replied = reply.headers;
              return new Response(null, { status: reply.statusCode });
            };
            const { ok, status } = await http(url, { method, fetch: call });
            // Of a refusal the beginning is enough: its status says the most.
            if (!read.whole && ok) return { ok: false, failure: tooLarge(service, maxBodyBytes) };
            return { ok: true, value: { status, headers: readable(replied), body: utf8.decode(read.bytes) } };
          },
          () => ({ ok: false, failure: timedOut(service, timeoutMs) }),
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, failure: unreachable(service, error) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

export interface RetryOptions {
  readonly service: ServiceName;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Logger;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** For one try. */
  readonly tryTimeoutMs?: number | undefined;
  /** For all tries and the waits between them. */
  readonly totalTimeoutMs?: number | undefined;
  readonly maxTries?: number | undefined;
  /** How long, and in how many questions, nothing but failures came until the circuit opens; and for how long it does. */
  readonly breakAfterMs?: number | undefined;
  readonly breakAfterFailures?: number | undefined;
  readonly breakMs?: number | undefined;
}

interface Attempt<T> {
  /** Fewer than the policy would make. */
  readonly tries?: number;
  /** Called before every try, because credentials expire. What it throws ends the run. */
  readonly prepare: () => Promise<T>;
  readonly send: (prepared: T, timeoutMs: number, signal: AbortSignal) => Promise<CallOutcome>;
}

export interface RetryPolicy {
  /** Tries until one succeeds or no further one helps. Throws only what `prepare` throws, or if `signal` aborts. */
  run<T>(attempt: Attempt<T>, signal: AbortSignal): Promise<CallOutcome>;
  /** Until when the service wants to be left alone; `null` while it has not asked for that. */
  heldUntilMs(): number | null;
}

const FIRST_WAIT_MS = 250;
const FIRST_THROTTLED_WAIT_MS = 1_000;

const isOutage = (outcome: unknown) => {
  const { ok, failure } = outcome as { ok: boolean; failure?: CallFailure };
  return !ok && failure?.outage === true;
};

/**
 * Opens the circuit after an outage that different questions have met over some time: the retries of one question, or the
 * calls that it makes side by side, say no more than that this moment was bad.
 */
function createOutageBreaker(now: () => number, minFailures: number, minMs: number) {
  const outage = { failures: 0, sinceMs: 0 };
  return {
    state: outage,
    success() {
      outage.failures = 0;
    },
    failure(circuit: CircuitState): boolean {
      if (outage.failures === 0) outage.sinceMs = now();
      outage.failures += 1;
      // A failed test whether the service is back leaves it open.
      if (circuit === CircuitState.HalfOpen) return true;
      return outage.failures >= minFailures && now() - outage.sinceMs >= minMs;
    },
  };
}

export function createRetryPolicy(options: RetryOptions): RetryPolicy {
  const { service, now, random, log, sleep, tryTimeoutMs = 10_000, totalTimeoutMs = 25_000, maxTries = 3 } = options;
  const breaker = createOutageBreaker(now, options.breakAfterFailures ?? 5, options.breakAfterMs ?? 15_000);
  const circuit = circuitBreaker(handleWhenResult(isOutage), { halfOpenAfter: options.breakMs ?? 10_000, breaker });
  circuit.onBreak(() => log.warn({ service }, 'the service is down; its circuit is open'));
  circuit.onReset(() => log.info({ service }, 'the service answers again'));
  let throttled: { failure: CallFailure; untilMs: number } | undefined;

  const isOpen = (): CallOutcome => ({ ok: false, failure: circuitOpen(service, now() - breaker.state.sinceMs) });

  async function throughCircuit(question: () => Promise<CallOutcome>): Promise<CallOutcome> {
    // While one question tests whether the service is back, nobody else waits for it.
    if (circuit.state === CircuitState.HalfOpen) return isOpen();
    try {
      return await circuit.execute(question);
    } catch (error) {
      if (error instanceof BrokenCircuitError) return isOpen();
      throw error;
    }
  }

  /** Half of a wait is random, so that many bots do not come back at the same moment. */
  function waitAfter(failure: CallFailure, tries: number): number {
    if (failure.waitMs !== undefined) return Math.round(failure.waitMs * (1 + 0.1 * random()));
    const first = failure.error.code === 'upstream_rate_limited' ? FIRST_THROTTLED_WAIT_MS : FIRST_WAIT_MS;
    return Math.round(first * 2 ** (tries - 1) * (0.5 + 0.5 * random()));
  }

  async function tryAll<T>(
    { prepare, send, tries: most = maxTries }: Attempt<T>,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const deadlineMs = now() + totalTimeoutMs;
    for (let tries = 1; ; tries++) {
      const pauseMs = throttled === undefined ? 0 : throttled.untilMs - now();
      // A wait that the service asked for applies to every call.
      if (throttled !== undefined && pauseMs > 0) {
        if (now() + pauseMs >= deadlineMs) return { ok: false, failure: stillThrottled(throttled.failure, pauseMs) };
        await sleep(pauseMs, signal);
      }
      const prepared = await prepare();
      const timeoutMs = Math.max(1, Math.min(tryTimeoutMs, deadlineMs - now()));
      const outcome = await send(prepared, timeoutMs, signal);
      if (outcome.ok) return outcome;
      const { failure } = outcome;
      if (failure.waitMs !== undefined) throttled = { failure, untilMs: now() + failure.waitMs };
      const waitMs = waitAfter(failure, tries);
      if (!failure.retry || tries >= most || now() + waitMs >= deadlineMs) return outcome;
      log.debug({ service, tries, waitMs, ...failure.error.detail }, 'trying again');
      await sleep(waitMs, signal);
    }
  }

  return {
    async run(attempt, signal) {
      const outcome = await throughCircuit(() => tryAll(attempt, signal));
      if (outcome.ok || !outcome.failure.outage) return outcome;
      return { ...outcome, failure: since(outcome.failure, breaker.state.sinceMs) };
    },
    heldUntilMs: () => (throttled !== undefined && throttled.untilMs > now() ? throttled.untilMs : null),
  };
}
