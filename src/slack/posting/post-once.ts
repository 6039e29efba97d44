/**
 * Posting a message exactly once. Slack has no idempotency keys, so each message carries an ID in its metadata; when
 * the outcome of a call is unknown, the channel's history is searched for that ID before anything is posted again.
 */
import type { ChatPostMessageArguments } from '@slack/web-api';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackClients } from '../transport/clients.ts';
import { slackFailure } from '../transport/slack-failure.ts';

/** `id` must be unique for ever: a message that already carries it counts as posted. */
export type PostOnce = (message: ChatPostMessageArguments, id: string) => Promise<{ readonly ts: string }>;

/** For calls that certainly had no effect when Slack answers "rate limited". Gives up after a few bounded waits. */
export type RetryOnRateLimit = <T>(call: () => Promise<T>) => Promise<T>;

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 30_000;
/** A message that was posted takes a moment to appear in the history. */
const SETTLE_MS = 1_000;
/** Slack's clock and ours may differ. */
const CLOCK_TOLERANCE_MS = 60_000;
const EVENT_TYPE = 'wafbot_message';

export const messageMetadata = (id: string) => ({ event_type: EVENT_TYPE, event_payload: { id } });

export function createRetryOnRateLimit(clock: Clock, log: Logger): RetryOnRateLimit {
  return async function retryOnRateLimit(call) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'rate_limited' || attempt >= MAX_ATTEMPTS || failure.retryAfterMs > MAX_WAIT_MS)
          throw error;
        log.warn({ retryAfterMs: failure.retryAfterMs, attempt }, 'Slack asks to slow down');
        await sleep(clock, failure.retryAfterMs);
      }
    }
  };
}

interface PostOnceDependencies {
  readonly clients: SlackClients;
  readonly retryOnRateLimit: RetryOnRateLimit;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createPostOnce({ clients, retryOnRateLimit, clock, log }: PostOnceDependencies): PostOnce {
  return async function postOnce(message, id) {
    const since = clock.now();
    const post = async () => {
      const { ts } = await clients.post.chat.postMessage({ ...message, metadata: messageMetadata(id) });
      if (ts === undefined) throw new Error('Slack confirmed a message without a timestamp');
      return { ts };
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return await retryOnRateLimit(post);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'ambiguous' || attempt >= MAX_ATTEMPTS) throw error;
        const facts = { reason: failure.reason, attempt, channel: message.channel };
        log.warn(facts, 'no clear answer from Slack, looking before posting again');
        await sleep(clock, SETTLE_MS * attempt);
        const posted = await findPosted(clients, { channel: message.channel, threadTs: message.thread_ts, id, since });
        if (posted !== null) return posted;
      }
    }
  };
}

interface PostedMessageQuery {
  readonly channel: string;
  readonly threadTs?: string | undefined;
  readonly id: string;
  readonly since: Temporal.Instant;
}

/** The message with this ID in the channel, or in the thread. */
export async function findPosted(
  { read }: SlackClients,
  { channel, threadTs, id, since }: PostedMessageQuery,
): Promise<{ readonly ts: string } | null> {
  const oldest = ((since.epochMilliseconds - CLOCK_TOLERANCE_MS) / 1000).toFixed(6);
  const options = { channel, oldest, inclusive: true, include_all_metadata: true, limit: 100 } as const;
  const { messages = [] } =
    threadTs === undefined
      ? await read.conversations.history(options)
      : await read.conversations.replies({ ...options, ts: threadTs });
  const found = messages.find(({ metadata }) => {
    if (metadata?.event_type !== EVENT_TYPE) return false;
    const payload: unknown = metadata.event_payload;
    return typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id;
  });
  return found?.ts === undefined ? null : { ts: found.ts };
}
