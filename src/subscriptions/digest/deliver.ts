/**
 * One due time, one message. The order of steps is the guarantee: resolve what an earlier attempt left open, make the
 * digest, wait for a slot, mark it as being sent, send, record. Whatever dies or is lost in between, the next attempt
 * finds out what happened before it sends anything.
 */
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Range } from '../../time/index.ts';
import type { Leases, Outbox, PauseReason, Records } from '../ports.ts';
import { type DeliveryLog, isDone, type OpenRun, settledUntil, windowOf } from '../posting/delivery-log.ts';
import { createDeliveryLogs } from '../posting/delivery-logs.ts';
import { backoffMs, type DeliveryPolicy, defaultPolicy } from '../posting/delivery-policy.ts';
import { type HeldLease, underLease } from '../posting/lease.ts';
import type { PostRateLimiter } from '../posting/post-rate-limiter.ts';
import type { Due } from '../recurrence/due-times.ts';
import { jobIdOf, type Subscription, type SubscriptionRef } from '../subscription.ts';
import { createMaker, type Made } from './compose.ts';

export interface RunContext {
  readonly due: Due;
  readonly previousDueAt: Temporal.Instant;
  readonly late: boolean;
  readonly attempt: number;
}

export interface DeliveryDeps<M, D> {
  readonly records: Records;
  readonly leases: Leases;
  readonly outbox: Outbox<M>;
  readonly rateLimiter: PostRateLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  /** This process, different from every other that ever ran. */
  readonly owner: string;
  readonly subscriptionOf: (pointer: SubscriptionRef) => Promise<Subscription<D> | undefined>;
  /** Makes the digest of a stretch of time. A throw means that the service fails. */
  readonly compose: (subscription: Subscription<D>, window: Range, facts: { readonly late: boolean }) => Promise<M>;
  /** The short, honest message for a stretch of time whose digest could not be made. */
  readonly apologise: (subscription: Subscription<D>, window: Range, error: unknown) => M;
  /** Pauses a subscription that cannot be delivered any more, and sees to it that its owner learns why. */
  readonly pause: (subscription: Subscription<D>, reason: PauseReason) => Promise<void>;
  readonly policy?: Partial<DeliveryPolicy>;
}

export type Delivered = 'done' | { readonly retryAfterMs: number };

/** While another works on the same subscription. */
const BUSY_RETRY_MS = 2_000;

export function createDelivery<M, D = unknown>(deps: DeliveryDeps<M, D>) {
  const { outbox, rateLimiter, clock, log, owner, leases } = deps;
  const policy = { ...defaultPolicy, ...deps.policy };
  const deliveryLogs = createDeliveryLogs(deps.records);
  const make = createMaker({ ...deps, policy, deliveryLogs });
  const iso = () => clock.now().toString();

  /** Finds out what became of a message that may have been posted. Resolves to the deliveryLog when that is settled. */
  async function resolveOpen(
    subscription: Subscription<D>,
    open: OpenRun,
    { due, attempt }: RunContext,
  ): Promise<DeliveryLog | Delivered> {
    const job = jobIdOf(subscription);
    const sendingAt = Temporal.Instant.from(open.sendingAt);
    const restMs = policy.settleMs - (clock.now().epochMilliseconds - sendingAt.epochMilliseconds);
    if (restMs > 0) return { retryAfterMs: restMs };
    const since = sendingAt.subtract({ milliseconds: policy.clockSkewMs });
    try {
      const found = await outbox.find(subscription.channel, open.runId, since);
      if (found && 'permanent' in found) return giveUp(subscription, open, found.permanent);
      if (found) return deliveryLogs.delivered(job, open, 'found', iso(), found.ts);
      if (open.key === due.key) return deliveryLogs.read(job);
      return deliveryLogs.superseded(job, { ...entryOf(open), at: iso(), outcome: 'superseded' });
    } catch (error) {
      log.warn({ job, error }, 'cannot look for a message that may have been posted; will look again');
      return { retryAfterMs: backoffMs(attempt) };
    }
  }

  async function giveUp(subscription: Subscription<D>, open: OpenRun, reason: PauseReason): Promise<'done'> {
    // Paused first: dying between the two leaves a paused subscription, never an active one that looks finished.
    await deps.pause(subscription, reason);
    await deliveryLogs.gaveUp(jobIdOf(subscription), { ...entryOf(open), at: iso(), outcome: 'failed', reason });
    return 'done';
  }

  async function post(
    subscription: Subscription<D>,
    made: Made<M>,
    context: RunContext,
    lease: HeldLease,
  ): Promise<Delivered> {
    const job = jobIdOf(subscription);
    await rateLimiter.slot(subscription.channel);
    if (!(await lease.stillHeld())) return { retryAfterMs: BUSY_RETRY_MS };
    const open: OpenRun = {
      key: context.due.key,
      due: context.due.at.toString(),
      runId: runIdOf(job, context.due),
      from: made.window.from.toString(),
      to: made.window.to.toString(),
      late: context.late,
      apology: made.apology,
      sendingAt: iso(),
      token: crypto.randomUUID(),
    };
    if (!(await deliveryLogs.opened(job, open))) return { retryAfterMs: BUSY_RETRY_MS };
    const result = await outbox
      .send(subscription.channel, made.message, open.runId)
      .catch((error: unknown) => ({ is: 'ambiguous', reason: nameOf(error) }) as const);
    switch (result.is) {
      case 'sent':
        await deliveryLogs.delivered(job, open, 'sent', iso(), result.ts);
        return 'done';
      case 'ambiguous':
        log.warn({ job, reason: result.reason }, 'no answer to a post; looking for it before sending again');
        return { retryAfterMs: policy.settleMs };
      case 'retryable':
        await deliveryLogs.notSent(job, open.token);
        if (result.retryAfterMs !== undefined) rateLimiter.hold(result.retryAfterMs);
        return { retryAfterMs: result.retryAfterMs ?? backoffMs(context.attempt) };
      case 'refused':
        await deliveryLogs.notSent(job, open.token);
        return refused(subscription, made, context, lease, open, result.reason);
      case 'permanent':
        return giveUp(subscription, open, result.reason);
    }
  }

  /** Slack does not take this message. The channel still hears something; if not even that goes, the history says so. */
  async function refused(
    subscription: Subscription<D>,
    made: Made<M>,
    context: RunContext,
    lease: HeldLease,
    open: OpenRun,
    reason: string,
  ): Promise<Delivered> {
    log.error({ job: jobIdOf(subscription), reason, apology: made.apology }, 'Slack refuses the message');
    if (made.apology) {
      await deliveryLogs.gaveUp(jobIdOf(subscription), { ...entryOf(open), at: iso(), outcome: 'failed', reason });
      return 'done';
    }
    const message = deps.apologise(subscription, made.window, new Error(reason));
    return post(subscription, { ...made, message, apology: true }, context, lease);
  }

  async function attempt(subscription: Subscription<D>, context: RunContext, lease: HeldLease): Promise<Delivered> {
    const job = jobIdOf(subscription);
    let deliveryLog = await deliveryLogs.read(job);
    if (deliveryLog.open && !isDone(deliveryLog, context.due)) {
      const settled = await resolveOpen(subscription, deliveryLog.open, context);
      if (settled === 'done' || 'retryAfterMs' in settled) return settled;
      deliveryLog = settled;
    }
    if (isDone(deliveryLog, context.due)) return 'done';
    // Where the telling begins is settled before the first attempt, so that failed ones leave no gap behind.
    if (deliveryLog.coveredTo === undefined) deliveryLog = await deliveryLogs.skipTo(job, context.previousDueAt);
    const made = await make(subscription, deliveryLog, context);
    return 'retryAfterMs' in made ? made : post(subscription, made, context, lease);
  }

  return {
    /** What the scheduler calls. */
    async run(pointer: SubscriptionRef, context: RunContext): Promise<Delivered> {
      const subscription = await deps.subscriptionOf(pointer);
      if (subscription?.state.is !== 'active') return 'done';
      const options = { leases, clock, owner: `${owner}/${crypto.randomUUID()}`, ttlMs: policy.leaseMs };
      const result = await underLease(options, `run/${jobIdOf(subscription)}`, (lease) =>
        attempt(subscription, context, lease),
      );
      return result ?? { retryAfterMs: BUSY_RETRY_MS };
    },
    /** The last runs, oldest first. */
    history: async (pointer: SubscriptionRef) => (await deliveryLogs.read(jobIdOf(pointer))).runs,
    /** What a digest at this moment would cover. */
    async windowAt(
      subscription: Subscription<D>,
      at: Temporal.Instant,
      previousDueAt: Temporal.Instant,
    ): Promise<Range> {
      return windowOf(await deliveryLogs.read(jobIdOf(subscription)), at, previousDueAt);
    },
    /** Until when everything due has had its run; undefined before the first. */
    settledUntil: async (pointer: SubscriptionRef) => settledUntil(await deliveryLogs.read(jobIdOf(pointer))),
    skipTo: (pointer: SubscriptionRef, instant: Temporal.Instant) => deliveryLogs.skipTo(jobIdOf(pointer), instant),
    forget: (pointer: SubscriptionRef) => deliveryLogs.forget(jobIdOf(pointer)),
  };
}

export type Delivery<M, D> = ReturnType<typeof createDelivery<M, D>>;

/** The same for every attempt at a due time, by whichever replica: it is what the search looks for. */
export const runIdOf = (job: string, due: Due): string => `${job}@${due.key}`;

function entryOf({ key, due, late }: OpenRun) {
  return { key, due, late };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
