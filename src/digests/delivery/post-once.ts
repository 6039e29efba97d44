/**
 * Posts a message exactly once under a name, for what is not a digest: the message that opens a watch's episode. It
 * follows the same order as delivery: mark, send, record; after a doubt look before sending again. Editing a message
 * later needs none of this, because an edit may safely be made twice.
 */
import type { Clock } from '../../clock.ts';
import type { Log, Outbox, PauseReason, Records } from '../ports.ts';
import type { Pace } from './pace.ts';
import { backoffMs, type DeliveryPolicy, defaultPolicy } from './policy.ts';

export interface PostOnceDeps<M> {
  readonly records: Records;
  readonly outbox: Outbox<M>;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly log: Log;
  readonly policy?: Partial<DeliveryPolicy>;
}

export type PostOnceResult =
  | { readonly is: 'sent'; readonly ts: string }
  /** Call again after a while; nothing may be assumed until then. */
  | { readonly is: 'later'; readonly retryAfterMs: number }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'permanent'; readonly reason: PauseReason };

interface Mark {
  readonly token: string;
  readonly sendingAt: string;
  readonly ts?: string;
}

const SPACE = 'posts';

/** The caller sees to it that only one at a time works on a name: a lease, or the engine's own order of runs. */
export function createPostOnce<M>({ records, outbox, pace, clock, log, policy: given }: PostOnceDeps<M>) {
  const policy = { ...defaultPolicy, ...given };
  const shelf = records.space<Mark>(SPACE);
  const later = (retryAfterMs: number): PostOnceResult => ({ is: 'later', retryAfterMs });

  /** Undefined when the message is certainly not there and may be sent. */
  async function lookBack(
    channel: string,
    name: string,
    mark: Mark,
    attempt: number,
  ): Promise<PostOnceResult | undefined> {
    const sendingAt = Temporal.Instant.from(mark.sendingAt);
    const restMs = policy.settleMs - (clock.now().epochMilliseconds - sendingAt.epochMilliseconds);
    if (restMs > 0) return later(restMs);
    try {
      const found = await outbox.find(channel, name, sendingAt.subtract({ milliseconds: policy.clockSkewMs }));
      if (found && 'permanent' in found) return { is: 'permanent', reason: found.permanent };
      return found ? await sent(name, mark, found.ts) : undefined;
    } catch (error) {
      log.warn({ name, error }, 'cannot look for a message that may have been posted; will look again');
      return later(backoffMs(attempt));
    }
  }

  async function sent(name: string, mark: Mark, ts: string): Promise<PostOnceResult> {
    await records.update<Mark>(SPACE, name, (current) => ({ ...(current ?? mark), ts }));
    return { is: 'sent', ts };
  }

  return {
    /** `name` is unique to the message for all time and goes into its metadata. */
    async post(channel: string, name: string, message: M, attempt = 1): Promise<PostOnceResult> {
      const before = await shelf.get(name);
      if (before?.ts !== undefined) return { is: 'sent', ts: before.ts };
      const known = before && (await lookBack(channel, name, before, attempt));
      if (known) return known;
      await pace.slot(channel);
      const mark: Mark = { token: crypto.randomUUID(), sendingAt: clock.now().toString() };
      const current = await records.update<Mark>(SPACE, name, (now) => (now?.token === before?.token ? mark : now));
      if (current?.token !== mark.token) return later(policy.settleMs);
      const result = await outbox
        .send(channel, message, name)
        .catch(() => ({ is: 'ambiguous', reason: 'threw' }) as const);
      if (result.is === 'sent') return sent(name, mark, result.ts);
      if (result.is === 'ambiguous') return later(policy.settleMs);
      // Certainly not posted: the mark goes, so that the next attempt need not look.
      await records.update<Mark>(SPACE, name, (now) => (now?.token === mark.token ? undefined : now));
      if (result.is !== 'retryable') return result;
      if (result.retryAfterMs !== undefined) pace.hold(result.retryAfterMs);
      return later(result.retryAfterMs ?? backoffMs(attempt));
    },
    /** Once nothing will ask for this name again. */
    forget: (name: string) => records.update<Mark>(SPACE, name, () => undefined),
  };
}
