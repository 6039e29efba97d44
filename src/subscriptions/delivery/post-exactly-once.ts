/**
 * Posts a message exactly once, for digests and watches. Slack has no idempotency key for posts, so the guarantee comes
 * from the order of these steps, all taken while holding the subscription's lease:
 *
 *   1. resolve what an earlier attempt left open: give Slack time to show the message, then search the channel for it
 *   2. compose the message
 *   3. wait for a slot of the rate limiter
 *   4. check that the lease is still held
 *   5. mark the message as being sent, by compare-and-set in the record
 *   6. send it, without retries, unless the mark took so long that another run may hold the lease
 *   7. record the outcome
 *
 * A crash before step 5 leaves nothing unclear. A crash or a lost response after it leaves the mark, and the next attempt
 * starts with the search. docs/decisions/delivery.md has the failure table.
 */
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { RunOutcome } from '../../scheduler/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../time-units.ts';
import { BUSY, type HeldLease } from './lease.ts';
import type { FindResult, MessageSender, PauseReason } from './outbox.ts';
import type { PostRateLimiter } from './post-rate-limiter.ts';

export interface ComposedPost<M> {
  /** The same for every attempt at this message, on any replica: the search looks for it. */
  readonly runId: string;
  readonly message: M;
}

/** Set before a message is sent and removed with its outcome; a leftover mark means the post is unconfirmed. */
interface SendMark {
  readonly runId: string;
  readonly sendingAt: Temporal.Instant;
  /** Identifies the attempt. */
  readonly token: string;
}

/** The stored state of one message. It survives a crash; each method is one atomic change. */
export interface PostRecord<P> {
  /** The mark that an earlier attempt left behind. */
  unconfirmed(): Promise<SendMark | null>;
  /** The search found the message. */
  found(mark: SendMark, ts: string): Promise<unknown>;
  /** The search did not find it. The mark may stay: a new one replaces it. */
  absent(mark: SendMark): Promise<unknown>;
  /** Compare-and-set: false, without a change, unless the record's mark is exactly `replaces` (or none). */
  markSending(post: P, mark: SendMark, replaces: SendMark | null): Promise<boolean>;
  sent(post: P, ts: string): Promise<unknown>;
  /** The message was definitely not posted: removes the mark. */
  notSent(mark: SendMark): Promise<unknown>;
  /** Slack will never accept this message. Resolves to a replacement to post instead, or to `done`. */
  refused(post: P, reason: string): Promise<P | 'done'>;
  /** Nothing can be posted to the channel until somebody acts. */
  undeliverable(reason: PauseReason): Promise<unknown>;
}

interface PostAttempt<P> {
  readonly lease: HeldLease;
  /** For the log. */
  readonly job: string;
  readonly channel: string;
  readonly threadTs?: string;
  /** Counts from 1; the wait before the next attempt grows with it. */
  readonly attempt: number;
  readonly record: PostRecord<P>;
  /** Resolves to an outcome instead of a message if there's nothing to post now. */
  readonly compose: () => Promise<P | RunOutcome>;
}

interface PostingPolicy {
  /** How long Slack gets to show a message in the history before the search. */
  readonly settleMs: number;
  /** How much earlier the search begins, because clocks differ. */
  readonly clockSkewMs: number;
}

const DEFAULT_POLICY: PostingPolicy = { settleMs: 3 * SECOND_MS, clockSkewMs: 5 * MINUTE_MS };

export interface PostExactlyOnceDeps<M> {
  readonly outbox: MessageSender<M>;
  readonly rateLimiter: PostRateLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly policy?: Partial<PostingPolicy>;
}

export type PostExactlyOnce<M> = <P extends ComposedPost<M>>(attempt: PostAttempt<P>) => Promise<RunOutcome>;

export function createPostExactlyOnce<M>(deps: PostExactlyOnceDeps<M>): PostExactlyOnce<M> {
  return async function postExactlyOnce(attempt) {
    const mark = await attempt.record.unconfirmed();
    const outcome = mark === null ? null : await resolve(deps, attempt, mark);
    if (outcome !== null) return outcome;
    const composed = await attempt.compose();
    return composed === 'done' || 'retryAfterMs' in composed ? composed : post(deps, attempt, composed, mark);
  };
}

/** Finds out what became of an unconfirmed message. `null` once that's known and recorded. */
async function resolve<M, P>(
  { outbox, clock, log, policy }: PostExactlyOnceDeps<M>,
  { job, channel, threadTs, attempt, record }: PostAttempt<P>,
  mark: SendMark,
): Promise<RunOutcome | null> {
  const { settleMs, clockSkewMs } = { ...DEFAULT_POLICY, ...policy };
  const sinceMs = clock.now().epochMilliseconds - mark.sendingAt.epochMilliseconds;
  // A mark from the future is from before the clock was set back.
  if (sinceMs >= 0 && sinceMs < settleMs) return { retryAfterMs: settleMs - sinceMs };
  const since = mark.sendingAt.subtract({ milliseconds: clockSkewMs });
  let result: FindResult;
  try {
    result = await outbox.find(channel, mark.runId, since, threadTs);
  } catch (err) {
    log.warn({ job, err }, 'could not search for an unconfirmed message, will retry');
    return { retryAfterMs: backoffMs(attempt) };
  }
  if (result === null) await record.absent(mark);
  else if ('ts' in result) await record.found(mark, result.ts);
  else {
    await record.undeliverable(result.permanent);
    return 'done';
  }
  return null;
}

async function post<M, P extends ComposedPost<M>>(
  deps: PostExactlyOnceDeps<M>,
  attempt: PostAttempt<P>,
  composed: P,
  replaces: SendMark | null,
): Promise<RunOutcome> {
  const { outbox, rateLimiter, clock, log } = deps;
  const { lease, job, channel, threadTs, record } = attempt;
  await rateLimiter.slot(channel);
  if (!(await lease.stillHeld())) return BUSY;
  const mark = { runId: composed.runId, sendingAt: clock.now(), token: crypto.randomUUID() };
  if (!(await record.markSending(composed, mark, replaces))) return BUSY;
  // Another run may have searched for this message, not found it, and be sending it.
  if (lease.hasExpired()) {
    await record.notSent(mark);
    return BUSY;
  }
  const result = await outbox.send(channel, composed.message, composed.runId, threadTs).catch((err: unknown) => {
    log.error({ job, err }, 'could not build a message');
    return { is: 'refused', reason: 'internal' } as const;
  });
  switch (result.is) {
    case 'sent':
      await record.sent(composed, result.ts);
      return 'done';
    case 'ambiguous': {
      log.warn({ job, reason: result.reason }, 'no response to a post, will search before sending again');
      const { settleMs } = { ...DEFAULT_POLICY, ...deps.policy };
      // Soon at first; less and less often while Slack's responses keep getting lost.
      return { retryAfterMs: attempt.attempt === 1 ? settleMs : Math.max(settleMs, backoffMs(attempt.attempt - 1)) };
    }
    case 'retryable':
      await record.notSent(mark);
      if (result.retryAfterMs !== undefined) rateLimiter.hold(result.retryAfterMs);
      return { retryAfterMs: result.retryAfterMs ?? backoffMs(attempt.attempt) };
    case 'refused': {
      log.error({ job, reason: result.reason }, 'Slack refused a message');
      await record.notSent(mark);
      const replacement = await record.refused(composed, result.reason);
      return replacement === 'done' ? 'done' : post(deps, attempt, replacement, null);
    }
    case 'permanent':
      await record.notSent(mark);
      await record.undeliverable(result.reason);
      return 'done';
  }
}

/** 5, 10, 20 … seconds, at most five minutes. */
export function backoffMs(attempt: number): number {
  return Math.min(5 * SECOND_MS * 2 ** Math.max(0, attempt - 1), 5 * MINUTE_MS);
}
