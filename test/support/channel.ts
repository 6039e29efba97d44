/** A stand-in for Slack behind the MessageSender port: channels that remember, and faults that a test scripts in advance. */
import type { FindResult, MessageSender, PauseReason, SendResult } from '../../src/subscriptions/delivery/outbox.ts';

interface Posted<M> {
  readonly channel: string;
  readonly message: M;
  readonly runId: string;
  /** Below which message it was posted. */
  readonly threadTs: string | undefined;
  readonly ts: string;
  readonly at: Temporal.Instant;
}

/** What happens to the next post; without a script it just works. */
export type Fault =
  | 'lost-answer'
  | 'lost-post'
  | 'throws'
  | 'hangs'
  | 'hangs-after-posting'
  | { readonly limited: number }
  | { readonly permanent: PauseReason }
  | 'refused';

export function createFakeOutbox<M>(now: () => Temporal.Instant) {
  const posted: Posted<M>[] = [];
  const faults: Fault[] = [];
  const findResults: FindResult[] = [];
  let finds = 0;
  let findFaults = 0;

  function keep(channel: string, message: M, runId: string, threadTs: string | undefined): SendResult {
    const ts = `${posted.length + 1}.0`;
    posted.push({ channel, message, runId, threadTs, ts, at: now() });
    return { is: 'sent', ts };
  }

  const outbox: MessageSender<M> = {
    async send(channel, message, runId, threadTs) {
      const fault = faults.shift();
      if (fault === undefined) return keep(channel, message, runId, threadTs);
      if (fault === 'lost-post') return { is: 'ambiguous', reason: 'timeout' };
      if (fault === 'throws') throw new TypeError('a block without a type');
      if (fault === 'refused') return { is: 'refused', reason: 'msg_too_long' };
      if (fault === 'hangs') return new Promise(() => undefined);
      if (typeof fault === 'object' && 'limited' in fault) {
        return { is: 'retryable', retryAfterMs: fault.limited, reason: 'ratelimited' };
      }
      if (typeof fault === 'object') return { is: 'permanent', reason: fault.permanent };
      keep(channel, message, runId, threadTs);
      if (fault === 'hangs-after-posting') return new Promise(() => undefined);
      return { is: 'ambiguous', reason: 'timeout' };
    },
    async find(channel, runId, since, threadTs): Promise<FindResult> {
      finds += 1;
      if (findFaults > 0) {
        findFaults -= 1;
        throw new Error('history does not answer');
      }
      const scripted = findResults.shift();
      if (scripted !== undefined) return scripted;
      const found = posted.find(
        (post) =>
          post.channel === channel &&
          post.threadTs === threadTs &&
          post.runId === runId &&
          Temporal.Instant.compare(post.at, since) >= 0,
      );
      return found ? { ts: found.ts } : null;
    },
  };
  return {
    outbox,
    posted,
    faults,
    /** What the next searches find, instead of what is there. */
    findResults,
    finds: () => finds,
    failFinds: (count: number) => {
      findFaults = count;
    },
  };
}
