/**
 * The retry policy around calls to one service: waits with jitter, pauses that all calls share, and a circuit breaker, so
 * that a service that is down costs milliseconds instead of timeouts.
 */
import { BrokenCircuitError, CircuitState, circuitBreaker, handleWhenResult, type IBreaker } from 'cockatiel';
import type { Logger } from '../../observability/logger.ts';
import type { ServiceName } from '../rules.ts';
import { circuitOpen, ServiceFailure, since, stillThrottled } from './failure.ts';

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
  /** The circuit opens after this long without a success… */
  readonly breakAfterMs?: number | undefined;
  /** …and this many failed questions. */
  readonly breakAfterFailures?: number | undefined;
  /** How long it stays open before one question may test the service. */
  readonly breakMs?: number | undefined;
}

interface Attempt<T> {
  /** Maximum tries; defaults to the policy's. */
  readonly tries?: number | undefined;
  /** Tried once, briefly, and not counted toward opening the circuit. */
  readonly isExtra?: boolean | undefined;
  /** Runs before every try and outside its time limit, because credentials expire. What it throws ends the run. */
  readonly prepare?: () => Promise<unknown>;
  readonly send: (timeoutMs: number) => Promise<T>;
}

export interface RetryPolicy {
  /** Tries until one succeeds or no further one helps. Throws the last failure, or the signal's reason. */
  run<T>(attempt: Attempt<T>, signal: AbortSignal): Promise<T>;
  /** When the pause ends that the service asked for; `null` while there is none. */
  pausedUntilMs(): number | null;
}

/** Nobody waits longer for an extra line. */
const EXTRA_TIMEOUT_MS = 4_000;
const FIRST_WAIT_MS = 250;
const FIRST_THROTTLED_WAIT_MS = 1_000;

/**
 * Opens the circuit after an outage that several questions have met over some time: the retries of one question, or its
 * parallel calls, only say that this moment was bad. cockatiel's own breakers count failures but not the time.
 */
class OutageBreaker implements IBreaker {
  readonly state = { failures: 0, sinceMs: 0 };
  readonly #now: () => number;
  readonly #minFailures: number;
  readonly #minMs: number;

  constructor({ now, breakAfterFailures = 5, breakAfterMs = 15_000 }: RetryOptions) {
    this.#now = now;
    this.#minFailures = breakAfterFailures;
    this.#minMs = breakAfterMs;
  }

  success(): void {
    this.state.failures = 0;
  }

  failure(circuit: CircuitState): boolean {
    if (this.state.failures === 0) this.state.sinceMs = this.#now();
    this.state.failures += 1;
    if (circuit === CircuitState.HalfOpen) return true;
    return this.state.failures >= this.#minFailures && this.#now() - this.state.sinceMs >= this.#minMs;
  }
}

/** A failure of the identity service can surface in a call to the statistics service, and doesn't count against it. */
const isFailureOf = (service: ServiceName, error: unknown): error is ServiceFailure =>
  error instanceof ServiceFailure && error.service === service;

function createCircuit(options: RetryOptions) {
  const { service, now, log } = options;
  const breaker = new OutageBreaker(options);
  const isOutage = (result: unknown) => result instanceof ServiceFailure && result.outage;
  const circuit = circuitBreaker(handleWhenResult(isOutage), { halfOpenAfter: options.breakMs ?? 10_000, breaker });
  circuit.onBreak(() => log.warn({ service }, 'service is down, circuit opened'));
  circuit.onReset(() => log.info({ service }, 'service is back, circuit closed'));

  async function resultOf<T>(question: () => Promise<T>, isExtra: boolean): Promise<T | ServiceFailure> {
    const refused = () => circuitOpen(service, now() - breaker.state.sinceMs);
    // While one question tests whether the service is back, the others don't wait for it.
    if (circuit.state === CircuitState.HalfOpen) return refused();
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

  return async function execute<T>(question: () => Promise<T>, isExtra = false): Promise<T> {
    const result = await resultOf(question, isExtra);
    if (!(result instanceof ServiceFailure)) return result;
    throw result.outage && !isExtra ? since(result, breaker.state.sinceMs) : result;
  };
}

export function createRetryPolicy(options: RetryOptions): RetryPolicy {
  const { service, now, random, log, sleep, tryTimeoutMs = 10_000, totalTimeoutMs = 25_000, maxTries = 3 } = options;
  const throughCircuit = createCircuit(options);
  let throttled: { readonly failure: ServiceFailure; readonly untilMs: number } | undefined;

  /** Half of a wait is random, so that many bots don't come back at the same moment. */
  function waitAfter({ waitMs, code }: ServiceFailure, tries: number): number {
    if (waitMs !== undefined) return Math.round(waitMs * (1 + 0.1 * random()));
    const first = code === 'upstream_rate_limited' ? FIRST_THROTTLED_WAIT_MS : FIRST_WAIT_MS;
    return Math.round(first * 2 ** (tries - 1) * (0.5 + 0.5 * random()));
  }

  /** A pause that the service asked for applies to every call. */
  async function waitForPause(deadlineMs: number, signal: AbortSignal): Promise<void> {
    const pauseMs = throttled === undefined ? 0 : throttled.untilMs - now();
    if (throttled === undefined || pauseMs <= 0) return;
    if (now() + pauseMs >= deadlineMs) throw stillThrottled(throttled.failure, pauseMs);
    await sleep(pauseMs, signal);
  }

  async function tryAll<T>({ prepare, send, isExtra, ...attempt }: Attempt<T>, signal: AbortSignal): Promise<T> {
    const most = isExtra ? 1 : (attempt.tries ?? maxTries);
    const deadlineMs = now() + (isExtra ? Math.min(EXTRA_TIMEOUT_MS, totalTimeoutMs) : totalTimeoutMs);
    for (let tries = 1; ; tries++) {
      await waitForPause(deadlineMs, signal);
      await prepare?.();
      try {
        return await send(Math.max(1, Math.min(tryTimeoutMs, deadlineMs - now())));
      } catch (error) {
        if (!isFailureOf(service, error)) throw error;
        if (error.waitMs !== undefined) throttled = { failure: error, untilMs: now() + error.waitMs };
        const waitMs = waitAfter(error, tries);
        if (!error.retry || tries >= most || now() + waitMs >= deadlineMs) throw error;
        log.debug({ tries, waitMs, ...error.detail }, 'retrying a call');
        await sleep(waitMs, signal);
      }
    }
  }

  return {
    run: (attempt, signal) => throughCircuit(() => tryAll(attempt, signal), attempt.isExtra),
    pausedUntilMs: () => (throttled !== undefined && throttled.untilMs > now() ? throttled.untilMs : null),
  };
}
