/**
 * What a job scheduler is: it keeps jobs, knows when each is due, and calls one function for each due time. It promises
 * "at least once, and after an outage once for all that was missed"; that nothing is *sent* twice is the business of
 * whoever is called. The scheduler knows no schedules: a timing is opaque JSON, and the repeatStrategy does the arithmetic.
 */
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';

export interface Job<T, P> {
  /** Letters, digits, `.`, `_`, `/` and `-`. */
  readonly id: string;
  readonly timing: T;
  readonly payload: P;
}

/** A job to be put. */
export interface NewJob<T, P> extends Job<T, P> {
  /** For a job the scheduler does not know: due times after this have not been run, and if one has passed, it is due now. */
  readonly since?: Temporal.Instant;
}

export interface DueTime {
  readonly at: Temporal.Instant;
  readonly key: string;
}

/** The arithmetic of a kind of timing. Pure. */
export interface RepeatStrategy<T> {
  /** The first due time strictly after. */
  next(timing: T, after: Temporal.Instant): DueTime;
  /** The latest due time at or before. */
  latest(timing: T, at: Temporal.Instant): DueTime;
  /** The last due time strictly before. */
  previous(timing: T, before: Temporal.Instant): DueTime;
}

export interface RunContext {
  /** The due time this run stands for; after an outage the latest one missed. */
  readonly due: DueTime;
  readonly previousDueAt: Temporal.Instant;
  /** It comes noticeably after its time, or stands for several that were missed. */
  readonly late: boolean;
  /** 1 for the first call for this due time in this process. */
  readonly attempt: number;
}

/** Anything but `done` means: call me again for this due time after a while. A throw counts as a retry too. */
export type RunOutcome = 'done' | { readonly retryAfterMs: number };

export type Run<T, P> = (job: Job<T, P>, context: RunContext) => Promise<RunOutcome>;

export interface Scheduler<T, P> {
  /** Adds a job, or changes it. Putting the same job again changes nothing: a run that is waiting stays. */
  put(job: NewJob<T, P>): Promise<void>;
  remove(id: string): Promise<void>;
  /** When the job runs next, or undefined when there is no such job. */
  nextRunAt(id: string): Promise<Temporal.Instant | undefined>;
  /** Makes the jobs exactly these: adds what is missing, removes what is not named, leaves equal ones alone. */
  reconcile(jobs: Iterable<NewJob<T, P>> | AsyncIterable<NewJob<T, P>>): Promise<void>;
  start(run: Run<T, P>): Promise<void>;
  /** Takes no new runs and waits for those under way. */
  stop(): Promise<void>;
}

/** A run is late from here on; below it is the ordinary wait in the queue. */
export const LATE_AFTER_MS = 5 * 60_000;

/** After a run that threw something unexpected: it must neither be lost nor spin. */
const RETRY_AFTER_BUG_MS = 30_000;
/** After a run that could not reach the store or the like: soon, because such things pass. */
const RETRY_AFTER_FAULT_MS = 5_000;

export function outcomeOfThrow(error: unknown, job: string, log: Logger): RunOutcome {
  if (error instanceof BotError && error.code.startsWith('upstream_')) {
    log.warn({ job, code: error.code, ...error.detail }, 'a run could not be finished; it will be tried again');
    return { retryAfterMs: RETRY_AFTER_FAULT_MS };
  }
  log.error({ job, error }, 'a run broke; it will be tried again');
  return { retryAfterMs: RETRY_AFTER_BUG_MS };
}

export function contextFor<T>(
  repeatStrategy: RepeatStrategy<T>,
  timing: T,
  nominalMs: number,
  now: Temporal.Instant,
  attempt: number,
): RunContext {
  const nominal = Temporal.Instant.fromEpochMilliseconds(nominalMs);
  // A worker whose clock runs behind may be woken a moment early; the due time it was woken for still counts.
  const due = repeatStrategy.latest(timing, Temporal.Instant.compare(now, nominal) < 0 ? nominal : now);
  const behindMs = now.epochMilliseconds - due.at.epochMilliseconds;
  return {
    due,
    previousDueAt: repeatStrategy.previous(timing, due.at).at,
    late: behindMs > LATE_AFTER_MS || due.at.epochMilliseconds > nominalMs,
    attempt,
  };
}
