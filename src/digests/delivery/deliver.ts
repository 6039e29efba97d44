/**
 * One due time, one message. The order of steps is the guarantee: resolve what an earlier attempt left open, make the
 * digest, wait for a slot, mark it as being sent, send, record. Whatever dies or is lost in between, the next attempt
 * finds out what happened before it sends anything.
 */
import type { Clock } from '../../clock.ts';
import type { Range } from '../../time/range.ts';
import { type Booking, type BookingPointer, jobIdOf } from '../booking.ts';
import type { Leases, Log, Outbox, PauseReason, Records } from '../ports.ts';
import type { Due } from '../schedule/due.ts';
import { type HeldLease, underLease } from './lease.ts';
import { isDone, type Ledger, type OpenRun, settledUntil, windowOf } from './ledger.ts';
import { createLedgers } from './ledgers.ts';
import { createMaker, type Made } from './make.ts';
import type { Pace } from './pace.ts';
import { backoffMs, type DeliveryPolicy, defaultPolicy } from './policy.ts';

export interface Occasion {
  readonly due: Due;
  readonly previousDueAt: Temporal.Instant;
  readonly late: boolean;
  readonly attempt: number;
}

export interface DeliveryDeps<M, D> {
  readonly records: Records;
  readonly leases: Leases;
  readonly outbox: Outbox<M>;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly log: Log;
  /** This process, different from every other that ever ran. */
  readonly owner: string;
  readonly bookingOf: (pointer: BookingPointer) => Promise<Booking<D> | undefined>;
  /** Makes the digest of a stretch of time. A throw means that the service fails. */
  readonly compose: (booking: Booking<D>, window: Range, facts: { readonly late: boolean }) => Promise<M>;
  /** The short, honest message for a stretch of time whose digest could not be made. */
  readonly apologise: (booking: Booking<D>, window: Range, error: unknown) => M;
  /** Pauses a booking that cannot be delivered any more, and sees to it that its owner learns why. */
  readonly pause: (booking: Booking<D>, reason: PauseReason) => Promise<void>;
  readonly policy?: Partial<DeliveryPolicy>;
}

export type Delivered = 'done' | { readonly retryAfterMs: number };

/** While another works on the same booking. */
const BUSY_RETRY_MS = 2_000;

export function createDelivery<M, D = unknown>(deps: DeliveryDeps<M, D>) {
  const { outbox, pace, clock, log, owner, leases } = deps;
  const policy = { ...defaultPolicy, ...deps.policy };
  const ledgers = createLedgers(deps.records);
  const make = createMaker({ ...deps, policy, ledgers });
  const iso = () => clock.now().toString();

  /** Finds out what became of a message that may have been posted. Resolves to the ledger when that is settled. */
  async function resolveOpen(
    booking: Booking<D>,
    open: OpenRun,
    { due, attempt }: Occasion,
  ): Promise<Ledger | Delivered> {
    const job = jobIdOf(booking);
    const sendingAt = Temporal.Instant.from(open.sendingAt);
    const restMs = policy.settleMs - (clock.now().epochMilliseconds - sendingAt.epochMilliseconds);
    if (restMs > 0) return { retryAfterMs: restMs };
    const since = sendingAt.subtract({ milliseconds: policy.clockSkewMs });
    try {
      const found = await outbox.find(booking.channel, open.runId, since);
      if (found && 'permanent' in found) return giveUp(booking, open, found.permanent);
      if (found) return ledgers.delivered(job, open, 'found', iso(), found.ts);
      if (open.key === due.key) return ledgers.read(job);
      return ledgers.superseded(job, { ...entryOf(open), at: iso(), outcome: 'superseded' });
    } catch (error) {
      log.warn({ job, error }, 'cannot look for a message that may have been posted; will look again');
      return { retryAfterMs: backoffMs(attempt) };
    }
  }

  async function giveUp(booking: Booking<D>, open: OpenRun, reason: PauseReason): Promise<'done'> {
    // Paused first: dying between the two leaves a paused booking, never an active one that looks finished.
    await deps.pause(booking, reason);
    await ledgers.gaveUp(jobIdOf(booking), { ...entryOf(open), at: iso(), outcome: 'failed', reason });
    return 'done';
  }

  async function post(booking: Booking<D>, made: Made<M>, occasion: Occasion, lease: HeldLease): Promise<Delivered> {
    const job = jobIdOf(booking);
    await pace.slot(booking.channel);
    if (!(await lease.stillHeld())) return { retryAfterMs: BUSY_RETRY_MS };
    const open: OpenRun = {
      key: occasion.due.key,
      due: occasion.due.at.toString(),
      runId: runIdOf(job, occasion.due),
      from: made.window.from.toString(),
      to: made.window.to.toString(),
      late: occasion.late,
      apology: made.apology,
      sendingAt: iso(),
      token: crypto.randomUUID(),
    };
    if (!(await ledgers.opened(job, open))) return { retryAfterMs: BUSY_RETRY_MS };
    const result = await outbox
      .send(booking.channel, made.message, open.runId)
      .catch((error: unknown) => ({ is: 'ambiguous', reason: nameOf(error) }) as const);
    switch (result.is) {
      case 'sent':
        await ledgers.delivered(job, open, 'sent', iso(), result.ts);
        return 'done';
      case 'ambiguous':
        log.warn({ job, reason: result.reason }, 'no answer to a post; looking for it before sending again');
        return { retryAfterMs: policy.settleMs };
      case 'retryable':
        await ledgers.notSent(job, open.token);
        if (result.retryAfterMs !== undefined) pace.hold(result.retryAfterMs);
        return { retryAfterMs: result.retryAfterMs ?? backoffMs(occasion.attempt) };
      case 'refused':
        await ledgers.notSent(job, open.token);
        return refused(booking, made, occasion, lease, open, result.reason);
      case 'permanent':
        return giveUp(booking, open, result.reason);
    }
  }

  /** Slack does not take this message. The channel still hears something; if not even that goes, the history says so. */
  async function refused(
    booking: Booking<D>,
    made: Made<M>,
    occasion: Occasion,
    lease: HeldLease,
    open: OpenRun,
    reason: string,
  ): Promise<Delivered> {
    log.error({ job: jobIdOf(booking), reason, apology: made.apology }, 'Slack refuses the message');
    if (made.apology) {
      await ledgers.gaveUp(jobIdOf(booking), { ...entryOf(open), at: iso(), outcome: 'failed', reason });
      return 'done';
    }
    const message = deps.apologise(booking, made.window, new Error(reason));
    return post(booking, { ...made, message, apology: true }, occasion, lease);
  }

  async function attempt(booking: Booking<D>, occasion: Occasion, lease: HeldLease): Promise<Delivered> {
    const job = jobIdOf(booking);
    let ledger = await ledgers.read(job);
    if (ledger.open && !isDone(ledger, occasion.due)) {
      const settled = await resolveOpen(booking, ledger.open, occasion);
      if (settled === 'done' || 'retryAfterMs' in settled) return settled;
      ledger = settled;
    }
    if (isDone(ledger, occasion.due)) return 'done';
    // Where the telling begins is settled before the first attempt, so that failed ones leave no gap behind.
    if (ledger.coveredTo === undefined) ledger = await ledgers.skipTo(job, occasion.previousDueAt);
    const made = await make(booking, ledger, occasion);
    return 'retryAfterMs' in made ? made : post(booking, made, occasion, lease);
  }

  return {
    /** What the engine calls. */
    async run(pointer: BookingPointer, occasion: Occasion): Promise<Delivered> {
      const booking = await deps.bookingOf(pointer);
      if (booking?.state.is !== 'active') return 'done';
      const options = { leases, clock, owner: `${owner}/${crypto.randomUUID()}`, ttlMs: policy.leaseMs };
      const result = await underLease(options, `run/${jobIdOf(booking)}`, (lease) => attempt(booking, occasion, lease));
      return result ?? { retryAfterMs: BUSY_RETRY_MS };
    },
    /** The last runs, oldest first. */
    history: async (pointer: BookingPointer) => (await ledgers.read(jobIdOf(pointer))).runs,
    /** What a digest at this moment would cover. */
    async windowAt(booking: Booking<D>, at: Temporal.Instant, previousDueAt: Temporal.Instant): Promise<Range> {
      return windowOf(await ledgers.read(jobIdOf(booking)), at, previousDueAt);
    },
    /** Until when everything due has had its run; undefined before the first. */
    settledUntil: async (pointer: BookingPointer) => settledUntil(await ledgers.read(jobIdOf(pointer))),
    skipTo: (pointer: BookingPointer, instant: Temporal.Instant) => ledgers.skipTo(jobIdOf(pointer), instant),
    forget: (pointer: BookingPointer) => ledgers.forget(jobIdOf(pointer)),
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
