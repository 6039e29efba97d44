/**
 * Runs a digest that's due: composes it for the time since the previous one, or a short apology if the service has failed
 * for too long, and posts it exactly once. When it's due is decided in `scheduler/scheduler.ts`; late is what that calls
 * late, or what also covers time before the previous digest. A failing service is retried here for 15 minutes.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, withTimeout } from '../../clock.ts';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { JobObserver } from '../../observability/observers.ts';
import { type DueTime, isLate, type RunContext, type RunOutcome } from '../../scheduler/index.ts';
import { lastSettledMinute } from '../../statistics/timeline.ts';
import type { Range } from '../../time/index.ts';
import { MINUTE_MS } from '../../time-units.ts';
import type { RunUnderLease } from '../delivery/lease.ts';
import type { PauseReason } from '../delivery/outbox.ts';
import { backoffMs, type PostExactlyOnce } from '../delivery/post-exactly-once.ts';
import { type FindRunnable, jobIdOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import {
  type ComposedDigest,
  type Coverage,
  completedUntil,
  coverageOf,
  createDeliveryRecord,
  type DeliveryLogs,
  isDone,
  type ReportedTail,
} from './delivery-log.ts';

/** Whether it's about a shift change instead of the numbers. */
export const isHandover = ({ details }: Pick<Subscription, 'details'>): boolean =>
  typeof details === 'object' && details !== null && 'content' in details && details.content === 'handover';

export interface DigestFacts {
  readonly late: boolean;
  readonly tail: ReportedTail | null;
}

export interface DigestContent<M> {
  readonly message: M;
  /** `null` if the service's numbers can't be compared later. */
  readonly tail: ReportedTail | null;
  /** Why only a part could be composed. That is posted like an apology: the next digest covers the time too. */
  readonly failure?: BotError;
}

export interface DigestRunnerDeps<M> {
  readonly logs: DeliveryLogs;
  readonly runUnderLease: RunUnderLease;
  readonly postExactlyOnce: PostExactlyOnce<M>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: JobObserver | undefined;
  readonly findRunnable: FindRunnable<unknown>;
  /** A throw means that the statistics are unavailable. */
  readonly compose: (subscription: Subscription, window: Range, facts: DigestFacts) => Promise<DigestContent<M>>;
  /** The short message for a window whose digest could not be composed. */
  readonly apologise: (subscription: Subscription, window: Range, error: unknown) => M;
  /** Pauses a digest that can't be delivered and notifies its owner. */
  readonly pause: (subscription: Subscription, reason: PauseReason) => Promise<void>;
  /**
   * Until when a digest due at an instant covers; by default the last settled minute. The due time decides, not the time
   * of the attempt, so that all attempts and all digests due at once have the same window.
   */
  readonly coversTo?: ((dueAt: Temporal.Instant) => Temporal.Instant) | undefined;
}

/** A failing service is retried for this long; then an apology is posted instead of the digest. */
const APOLOGISE_AFTER_MS = 15 * MINUTE_MS;
/** A digest that takes longer than this to compose counts as failed. */
const COMPOSE_LIMIT_MS = MINUTE_MS;

async function composeDigest<M>(
  deps: DigestRunnerDeps<M>,
  subscription: Subscription,
  context: RunContext,
): Promise<ComposedDigest<M> | RunOutcome> {
  const { logs, clock, coversTo = lastSettledMinute } = deps;
  const previousTo = coversTo(context.previousDueAt);
  const job = jobIdOf(subscription);
  let deliveryLog = await logs.read(job);
  if (isDone(deliveryLog, context.due)) return 'done';
  // The start of the window is stored before the first attempt, so failed attempts leave no gap.
  if (deliveryLog.coveredTo === undefined) {
    deliveryLog = await logs.startFrom(job, context.previousDueAt, previousTo);
  }
  const { window, tail } = coverageOf(deliveryLog, coversTo(context.due.at), previousTo);
  // Decided again here, because the process may have been frozen since the run began. A digest that also covers earlier
  // time is marked as late, whatever the cause.
  const late =
    context.late || isLate(context.due, clock.now()) || Temporal.Instant.compare(window.from, previousTo) < 0;
  const run = { runId: runIdOf(job, context.due), window, late };
  try {
    const content = await withTimeout(
      clock,
      COMPOSE_LIMIT_MS,
      () => deps.compose(subscription, window, { late, tail }),
      () => {
        throw new BotError('upstream_timeout', 'The statistics took too long.');
      },
    );
    const { failure, ...complete } = content;
    if (failure === undefined) return { ...run, ...complete, apology: false };
    // Retrying doesn't help against a missing permission.
    const leftMs = failure.reason?.is === 'not_permitted' ? 0 : await noteTrouble(deps, job, context.due, failure);
    if (leftMs > 0) return { retryAfterMs: Math.min(backoffMs(context.attempt), leftMs) };
    return { ...run, ...complete, apology: true };
  } catch (error) {
    const leftMs = await noteTrouble(deps, job, context.due, error);
    if (leftMs > 0) return { retryAfterMs: Math.min(backoffMs(context.attempt), leftMs) };
    return { ...run, message: deps.apologise(subscription, window, error), tail: null, apology: true };
  }
}

/** Logs and records that a digest could not be composed. Resolves to how long it's still retried. */
async function noteTrouble<M>(
  { logs, clock, log }: DigestRunnerDeps<M>,
  job: string,
  due: DueTime,
  err: unknown,
): Promise<number> {
  const now = clock.now();
  const { troubleSince } = await logs.trouble(job, now.toString(), due);
  const sinceMs = Temporal.Instant.from(troubleSince ?? now).epochMilliseconds;
  const leftMs = sinceMs + APOLOGISE_AFTER_MS - now.epochMilliseconds;
  log[err instanceof BotError ? 'warn' : 'error']({ job, err, leftMs }, 'could not compose a digest');
  return leftMs;
}

export function createDigestRunner<M>(deps: DigestRunnerDeps<M>) {
  const { logs, runUnderLease, postExactlyOnce, clock, apologise, coversTo = lastSettledMinute } = deps;
  return {
    /** Called by the scheduler for each due time. */
    async run(ref: SubscriptionRef, context: RunContext): Promise<RunOutcome> {
      const subscription = await deps.findRunnable(ref);
      if (subscription === undefined) return 'done';
      const job = jobIdOf(subscription);
      if (context.attempt === 1) deps.observer?.digestDue();
      const record = createDeliveryRecord<M>({
        logs,
        now: clock.now,
        job,
        context,
        apologise: (window, error) => apologise(subscription, window, error),
        pause: (reason) => deps.pause(subscription, reason),
        observe: deps.observer?.digest,
      });
      return runUnderLease(job, (lease) =>
        postExactlyOnce({
          lease,
          job,
          channel: subscription.channel,
          attempt: context.attempt,
          record,
          compose: () => composeDigest(deps, subscription, context),
        }),
      );
    },
    history: async (ref: SubscriptionRef) => (await logs.read(jobIdOf(ref))).runs,
    /** What a digest sent at this moment would cover. */
    coverageAt: async (
      ref: SubscriptionRef,
      at: Temporal.Instant,
      previousDueAt: Temporal.Instant,
    ): Promise<Coverage> => coverageOf(await logs.read(jobIdOf(ref)), coversTo(at), coversTo(previousDueAt)),
    completedUntil: async (subscription: Subscription) =>
      completedUntil(await logs.read(jobIdOf(subscription))) ?? Temporal.Instant.from(subscription.createdAt),
    startFrom: (ref: SubscriptionRef, dueAt: Temporal.Instant) => logs.startFrom(jobIdOf(ref), dueAt, coversTo(dueAt)),
    edited: (before: Subscription, after: Subscription, latest: Temporal.Instant) =>
      logs.edited(jobIdOf(after), latest, isDeepStrictEqual(before.hosts, after.hosts)),
    forget: (ref: SubscriptionRef) => logs.remove(jobIdOf(ref)),
  };
}

export type DigestRunner = ReturnType<typeof createDigestRunner>;

/** The same for every attempt at a due time, on any replica. */
const runIdOf = (job: string, due: DueTime): string => `${job}@${due.key}`;
