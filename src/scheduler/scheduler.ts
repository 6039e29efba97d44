/**
 * The scheduler's interface: it stores jobs, knows when each is due, and calls one function for each due time, at least
 * once; after an outage, once for everything that was missed. The function makes sure that nothing is *sent* twice. A
 * timing is opaque JSON here: the repeat strategy does the arithmetic.
 *
 * Whether a digest is late by the clock is decided in `isLate` below; whether it also covers a gap or waits for a
 * failing service, in `subscriptions/digest/digest-runner.ts`. Lost runs are recovered by `reconcile-periodically.ts`.
 */
import type { Clock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { MINUTE_MS } from '../time-units.ts';

export interface Job<T, P> {
  /** Letters, digits, `.`, `_`, `/` and `-`. */
  readonly id: string;
  readonly timing: T;
  readonly payload: P;
}

export interface NewJob<T, P> extends Job<T, P> {
  /**
   * Due times after this haven't run yet, so one that has passed is due now: for a job that's new to the scheduler, and
   * for one whose run was lost, whatever the scheduler believes.
   */
  readonly since?: Temporal.Instant;
}

export interface DueTime {
  readonly at: Temporal.Instant;
  readonly key: string;
}

/** When a timing is due. Pure. */
export interface RepeatStrategy<T> {
  /** The first due time strictly after. */
  next(timing: T, after: Temporal.Instant): DueTime;
  /** The latest due time at or before. */
  latest(timing: T, at: Temporal.Instant): DueTime;
  /** The last due time strictly before. */
  previous(timing: T, before: Temporal.Instant): DueTime;
}

export interface RunContext {
  /** The due time of this run; after an outage the latest one missed. */
  readonly due: DueTime;
  readonly previousDueAt: Temporal.Instant;
  /** It began noticeably after its due time, or covers several missed ones. */
  readonly late: boolean;
  /** 1 for the first call for this due time in this process. */
  readonly attempt: number;
}

/** Anything but `done` requests another call for the same due time. A throw is retried too. */
export type RunOutcome = 'done' | { readonly retryAfterMs: number };

export type Run<T, P> = (job: Job<T, P>, context: RunContext) => Promise<RunOutcome>;

export interface Scheduler<T, P> {
  /** Adds or changes a job. Putting an equal job again changes nothing, unless a run since `since` was lost. */
  put(job: NewJob<T, P>): Promise<void>;
  remove(id: string): Promise<void>;
  /** When the job runs next, or undefined if there's no such job. */
  nextRunAt(id: string): Promise<Temporal.Instant | undefined>;
  /** Makes the jobs exactly these: adds missing ones, removes all others, and recovers lost runs. */
  reconcile(jobs: Iterable<NewJob<T, P>> | AsyncIterable<NewJob<T, P>>): Promise<void>;
  start(run: Run<T, P>): Promise<void>;
  /** Starts no new runs and waits for those in progress. */
  stop(): Promise<void>;
}

export interface EngineDeps<T> {
  readonly clock: Clock;
  readonly repeatStrategy: RepeatStrategy<T>;
  readonly log: Logger;
  /** How many runs this process may have in progress at once. */
  readonly concurrency?: number;
}

/** Up to this is an ordinary wait in the queue. */
const LATE_AFTER_MS = 5 * MINUTE_MS;

/** After an unexpected error: the run must neither be lost nor retried without pause. Doubles with each attempt. */
const RETRY_AFTER_BUG_MS = 30_000;
const MAX_RETRY_AFTER_BUG_MS = 15 * MINUTE_MS;
/** After a failure of the store or the service, which is usually short. */
const RETRY_AFTER_FAULT_MS = 5_000;

export function outcomeOfThrow(error: unknown, job: string, attempt: number, log: Logger): RunOutcome {
  if (error instanceof BotError && /^(upstream_|storage$|stopping$)/.test(error.code)) {
    log.warn({ job, code: error.code, ...error.detail }, 'run failed, will retry');
    return { retryAfterMs: RETRY_AFTER_FAULT_MS };
  }
  log.error({ job, err: error }, 'run failed with a bug, will retry');
  return { retryAfterMs: Math.min(RETRY_AFTER_BUG_MS * 2 ** (attempt - 1), MAX_RETRY_AFTER_BUG_MS) };
}

export function contextFor<T>(
  repeatStrategy: RepeatStrategy<T>,
  timing: T,
  nominalMs: number,
  now: Temporal.Instant,
  attempt: number,
): RunContext {
  const nominal = Temporal.Instant.fromEpochMilliseconds(nominalMs);
  // A worker with a slow clock may be called a moment early; the due time it was called for still counts.
  const due = repeatStrategy.latest(timing, Temporal.Instant.compare(now, nominal) < 0 ? nominal : now);
  return {
    due,
    previousDueAt: repeatStrategy.previous(timing, due.at).at,
    late: isLate(due, now) || due.at.epochMilliseconds > nominalMs,
    attempt,
  };
}

export const isLate = ({ at }: DueTime, now: Temporal.Instant): boolean =>
  now.epochMilliseconds - at.epochMilliseconds > LATE_AFTER_MS;
