/**
 * How often and how long one service is tried: retries with jitter where they help, a wait where the service asks for
 * one, and a circuit that opens when it is down, so that a dead service costs milliseconds and not timeouts.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhenResult } from 'cockatiel';
import type { Logger } from '../observability/logger.ts';
import { circuitOpen, type Failure, type HttpReply, type Service } from './failure.ts';
import type { Outcome } from './transport.ts';

export interface PatienceOptions {
  readonly service: Service;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Logger;
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** For one try. */
  readonly tryTimeoutMs?: number | undefined;
  /** For all tries and the waits between them. */
  readonly totalTimeoutMs?: number | undefined;
  readonly maxTries?: number | undefined;
  /** Failures in a row until the circuit opens, and how long it then stays open. */
  readonly breakAfterFailures?: number | undefined;
  readonly breakMs?: number | undefined;
}

export interface Tries<T> {
  /** Before every try: credentials age. What it throws ends the run. */
  readonly prepare: () => Promise<T>;
  readonly send: (prepared: T, timeoutMs: number, signal: AbortSignal) => Promise<Outcome<HttpReply>>;
}

export interface Patience {
  /** Tries until one is good or no further one helps. Throws only what `prepare` throws, or if `signal` aborts. */
  run<T>(tries: Tries<T>, signal: AbortSignal): Promise<Outcome<HttpReply>>;
}

const FIRST_WAIT_MS = 250;
const FIRST_THROTTLED_WAIT_MS = 1_000;

const isOutage = (outcome: unknown) => {
  const { ok, failure } = outcome as { ok: boolean; failure?: Failure };
  return !ok && failure?.outage === true;
};

export function createPatience(options: PatienceOptions): Patience {
  const { service, now, random, log, tryTimeoutMs = 10_000, totalTimeoutMs = 25_000, maxTries = 3 } = options;
  const timer = options.sleep ?? ((ms, signal) => delay(ms, undefined, { signal }));
  const sleep = (ms: number, signal: AbortSignal) =>
    timer(ms, signal).catch((error: unknown) => {
      // Node's own timer has a reason of its own; the one given counts.
      signal.throwIfAborted();
      throw error;
    });
  const circuit = circuitBreaker(handleWhenResult(isOutage), {
    halfOpenAfter: options.breakMs ?? 10_000,
    breaker: new ConsecutiveBreaker(options.breakAfterFailures ?? 5),
  });
  circuit.onBreak(() => log.warn({ service }, 'the service is down; its circuit is open'));
  circuit.onReset(() => log.info({ service }, 'the service answers again'));
  let throttled: { failure: Failure; untilMs: number } | undefined;

  async function once(send: () => Promise<Outcome<HttpReply>>): Promise<Outcome<HttpReply>> {
    // While one call finds out whether the service is back, nobody else waits for it.
    if (circuit.state === CircuitState.HalfOpen) return { ok: false, failure: circuitOpen(service) };
    try {
      return await circuit.execute(send);
    } catch (error) {
      if (error instanceof BrokenCircuitError) return { ok: false, failure: circuitOpen(service) };
      throw error;
    }
  }

  /** Half of a wait is fixed and half is chance, so that many bots do not come back at the same moment. */
  function waitAfter(failure: Failure, tries: number): number {
    if (failure.waitMs !== undefined) return Math.round(failure.waitMs * (1 + 0.1 * random()));
    const first = failure.error.code === 'upstream_rate_limited' ? FIRST_THROTTLED_WAIT_MS : FIRST_WAIT_MS;
    return Math.round(first * 2 ** (tries - 1) * (0.5 + 0.5 * random()));
  }

  return {
    async run({ prepare, send }, signal) {
      const deadlineMs = now() + totalTimeoutMs;
      for (let tries = 1; ; tries++) {
        const pauseMs = throttled === undefined ? 0 : throttled.untilMs - now();
        // Everyone keeps the silence that one was asked for.
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
