/**
 * The scheduler's interface: it stores jobs, knows when each is due, and calls one function for each due time, at least
 * once; after an outage, once for everything that was missed. That nothing is *sent* twice is up to the function. A
 * timing is opaque JSON here: the repeat strategy does the arithmetic.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';

export interface Job<T, P> {
  /** Letters, digits, `.`, `_`, `/` and `-`. */
  readonly id: string;
  readonly timing: T;
  readonly payload: P;
}

export interface NewJob<T, P> extends Job<T, P> {
  /**
   * Due times after this have not been done, so one that has passed is due now: for a job that is new to the scheduler,
   * and for one whose run was lost, whatever the scheduler believes.
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
  /** It runs noticeably after its time, or covers several missed ones. */
  readonly late: boolean;
  /** 1 for the first call for this due time in this process. */
  readonly attempt: number;
}

/** Anything but `done` asks for another call for the same due time. A throw counts as a retry too. */
export type RunOutcome = 'done' | { readonly retryAfterMs: number };

export type Run<T, P> = (job: Job<T, P>, context: RunContext) => Promise<RunOutcome>;

export interface Scheduler<T, P> {
  /** Adds or changes a job. Putting an equal job again changes nothing, unless a run since `since` was lost. */
  put(job: NewJob<T, P>): Promise<void>;
  remove(id: string): Promise<void>;
  /** When the job runs next, or undefined when there is no such job. */
  nextRunAt(id: string): Promise<Temporal.Instant | undefined>;
  /** Makes the jobs exactly these: adds what is missing, removes what is not named, and brings back lost runs. */
  reconcile(jobs: Iterable<NewJob<T, P>> | AsyncIterable<NewJob<T, P>>): Promise<void>;
  start(run: Run<T, P>): Promise<void>;
  /** Takes no new runs and waits for those under way. */
  stop(): Promise<void>;
}

/** Less than this is the ordinary wait in the queue. */
const LATE_AFTER_MS = 5 * 60_000;

/** After an unexpected error: the run must neither be lost nor repeated without pause. Doubled with each attempt. */
const RETRY_AFTER_BUG_MS = 30_000;
const MAX_RETRY_AFTER_BUG_MS = 15 * 60_000;
/** After a failure of the store or the service, which usually passes soon. */
const RETRY_AFTER_FAULT_MS = 5_000;

export function outcomeOfThrow(error: unknown, job: string, attempt: number, log: Logger): RunOutcome {
  if (error instanceof BotError && /^(upstream_|storage$)/.test(error.code)) {
    log.warn({ job, code: error.code, ...error.detail }, 'a run could not be finished; it will be tried again');
    return { retryAfterMs: RETRY_AFTER_FAULT_MS };
  }
  log.error({ job, error }, 'a run broke; it will be tried again');
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
  // A worker whose clock is behind may be called a moment early; the due time it was called for still counts.
  const due = repeatStrategy.latest(timing, Temporal.Instant.compare(now, nominal) < 0 ? nominal : now);
  const behindMs = now.epochMilliseconds - due.at.epochMilliseconds;
  return {
    due,
    previousDueAt: repeatStrategy.previous(timing, due.at).at,
    late: behindMs > LATE_AFTER_MS || due.at.epochMilliseconds > nominalMs,
    attempt,
  };
}
