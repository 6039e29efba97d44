/**
 * How often and how long a service is tried: retries with jitter where they help, a wait where the service asks for one,
 * and a circuit breaker, so that a service that is down costs milliseconds and not timeouts.
 */
import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel';
import type { Logger } from '../../observability/logger.ts';
import type { ServiceName } from '../rules.ts';
import { type CallFailure, circuitOpen } from './failure.ts';
import type { CallOutcome } from './transport.ts';

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
  /** Failures in a row until the circuit opens, and how long it then stays open. */
  readonly breakAfterFailures?: number | undefined;
  readonly breakMs?: number | undefined;
}

interface Attempt<T> {
  /** Called before every try, because credentials expire. What it throws ends the run. */
  readonly prepare: () => Promise<T>;
  readonly send: (prepared: T, timeoutMs: number, signal: AbortSignal) => Promise<CallOutcome>;
}

export interface RetryPolicy {
  /** Tries until one succeeds or no further one helps. Throws only what `prepare` throws, or if `signal` aborts. */
  run<T>(attempt: Attempt<T>, signal: AbortSignal): Promise<CallOutcome>;
}

const FIRST_WAIT_MS = 250;
const FIRST_THROTTLED_WAIT_MS = 1_000;

const isOutage = (outcome: unknown) => {
  const { ok, failure } = outcome as { ok: boolean; failure?: CallFailure };
  return !ok && failure?.outage === true;
};

export function createRetryPolicy(options: RetryOptions): RetryPolicy {
  const { service, now, random, log, sleep, tryTimeoutMs = 10_000, totalTimeoutMs = 25_000, maxTries = 3 } = options;
  const circuit = circuitBreaker(handleWhenResult(isOutage), {
    halfOpenAfter: options.breakMs ?? 10_000,
    breaker: new ConsecutiveBreaker(options.breakAfterFailures ?? 5),
  });
  circuit.onBreak(() => log.warn({ service }, 'the service is down; its circuit is open'));
  circuit.onReset(() => log.info({ service }, 'the service answers again'));
  let throttled: { failure: CallFailure; untilMs: number } | undefined;

  async function once(send: () => Promise<CallOutcome>): Promise<CallOutcome> {
    // While one call tests whether the service is back, nobody else waits for it.
    if (circuit.state === CircuitState.HalfOpen) return { ok: false, failure: circuitOpen(service) };
    try {
      return await circuit.execute(send);
    } catch (error) {
      if (error instanceof BrokenCircuitError) return { ok: false, failure: circuitOpen(service) };
      throw error;
    }
  }

  /** Half of a wait is random, so that many bots do not come back at the same moment. */
  function waitAfter(failure: CallFailure, tries: number): number {
    if (failure.waitMs !== undefined) return Math.round(failure.waitMs * (1 + 0.1 * random()));
    const first = failure.error.code === 'upstream_rate_limited' ? FIRST_THROTTLED_WAIT_MS : FIRST_WAIT_MS;
    return Math.round(first * 2 ** (tries - 1) * (0.5 + 0.5 * random()));
  }

  return {
    async run({ prepare, send }, signal) {
      const deadlineMs = now() + totalTimeoutMs;
      for (let tries = 1; ; tries++) {
        const pauseMs = throttled === undefined ? 0 : throttled.untilMs - now();
        // A wait that the service asked for applies to every call.
        if (throttled !== undefined && pauseMs > 0) {
          if (now() + pauseMs >= deadlineMs) return { ok: false, failure: throttled.failure };
          await sleep(pauseMs, signal);
        }
        const prepared = await prepare();
        const timeoutMs = Math.max(1, Math.min(tryTimeoutMs, deadlineMs - now()));
        const outcome = await once(() => send(prepared, timeoutMs, signal));
        if (outcome.ok) return outcome;
        const { failure } = outcome;
        if (failure.waitMs !== undefined) throttled = { failure, untilMs: now() + failure.waitMs };
        const waitMs = waitAfter(failure, tries);
        if (!failure.retry || tries >= maxTries || now() + waitMs >= deadlineMs) return outcome;
        log.debug({ service, tries, waitMs, ...failure.error.detail }, 'trying again');
        await sleep(waitMs, signal);
      }
    },
  };
}
