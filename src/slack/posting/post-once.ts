/**
 * Posting a message exactly once. Slack has no idempotency key, so each message carries an id in its metadata; when an
 * answer is lost, the channel's history is read before anything is posted again.
 */
import type { ChatPostMessageArguments } from '@slack/web-api';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import { slackFailure } from '../slack-failure.ts';
import type { SlackClients } from '../transport/clients.ts';

export interface Poster {
  /** `id` names this message for all time; a message with it that is already there counts as posted. */
  postOnce(message: ChatPostMessageArguments, id: string): Promise<{ ts: string }>;
  /** A message with this id in the channel, or in the thread. */
  find(channel: string, id: string, sinceMs: number, threadTs?: string): Promise<{ ts: string } | null>;
  /** A call that may be repeated after a rate limit, within bounds. */
  patiently<T>(call: () => Promise<T>): Promise<T>;
}

export interface PosterDependencies {
  readonly clients: SlackClients;
  readonly clock: Clock;
  readonly log: Logger;
}

export const MESSAGE_EVENT = 'wafbot_message';
const MOST_TRIES = 4;
const LONGEST_WAIT_MS = 30_000;
const SETTLE_MS = 1_000;

export function createPoster({ clients, clock, log }: PosterDependencies): Poster {
  async function patiently<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'throttled' || attempt >= MOST_TRIES || failure.retryAfterMs > LONGEST_WAIT_MS)
          throw error;
        log.warn({ retryAfterMs: failure.retryAfterMs, attempt }, 'Slack asks to slow down');
        await sleep(clock, failure.retryAfterMs);
      }
    }
  }

  async function find(channel: string, id: string, sinceMs: number, threadTs?: string) {
    const oldest = ((sinceMs - 60_000) / 1000).toFixed(6);
    const common = { channel, oldest, inclusive: true, include_all_metadata: true, limit: 100 } as const;
    const { messages = [] } =
      threadTs === undefined
        ? await clients.read.conversations.history(common)
        : await clients.read.conversations.replies({ ...common, ts: threadTs });
    const found = messages.find(({ metadata }) => {
      if (metadata?.event_type !== MESSAGE_EVENT) return false;
      const payload: unknown = metadata.event_payload;
      return typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id;
    });
    return found?.ts === undefined ? null : { ts: found.ts };
  }

  return {
    patiently,
    find,
    async postOnce(message, id) {
      const startedMs = clock.now().epochMilliseconds;
      const metadata = { event_type: MESSAGE_EVENT, event_payload: { id } };
      const post = async () => {
        const { ts } = await clients.post.chat.postMessage({ ...message, metadata });
        if (ts === undefined) throw new Error('Slack confirmed a message without a timestamp');
        return { ts };
      };
      for (let attempt = 1; ; attempt++) {
        try {
          return await patiently(post);
        } catch (error) {
          const failure = slackFailure(error);
          if (failure?.kind !== 'doubtful' || attempt >= MOST_TRIES) throw error;
          log.warn(
            { reason: failure.reason, attempt, channel: message.channel },
            'no clear answer from Slack, looking before posting again',
          );
          await sleep(clock, SETTLE_MS * attempt);
          const there = await find(message.channel, id, startedMs, message.thread_ts);
          if (there !== null) return there;
        }
      }
    },
  };
}
