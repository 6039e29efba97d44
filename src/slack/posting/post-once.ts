/**
 * Posting a message exactly once. Slack has no idempotency keys, so each message carries an ID in its metadata; when
 * the outcome of a call is unknown, the channel's history is searched for that ID before anything is posted again.
 */
import type { ChatPostMessageArguments, ConversationsHistoryResponse } from '@slack/web-api';
import { type Clock, sleep, withTimeout } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackClients } from '../transport/clients.ts';
import { SlackCallError, slackFailure } from '../transport/slack-failure.ts';

/**
 * `id` must be unique for ever: a message that already carries it counts as posted. Somebody waits for the message, so
 * this takes seconds, not minutes; it rejects with a `not_posted` or `ambiguous` failure where Slack does not recover.
 */
export type PostOnce = (message: ChatPostMessageArguments, id: string) => Promise<{ readonly ts: string }>;

/** For calls that certainly had no effect when Slack answers "rate limited". Gives up after a few waits. */
export type RetryOnRateLimit = <T>(call: () => Promise<T>) => Promise<T>;

const MAX_ATTEMPTS = 4;
/** Whoever would have to wait longer is answered in another way. */
const SOMEBODY_WAITS = { attempts: MAX_ATTEMPTS, waitMs: 5_000 };
/** For what follows an answer: Slack counts by the minute. */
export const NOBODY_WAITS = { attempts: 10, waitMs: 60_000 };
/** For all attempts together. */
export const POST_LIMIT_MS = 10_000;
export const LOOK_UP_LIMIT_MS = 3_000;
/** A message that was posted takes a moment to appear in the history. */
const SETTLE_MS = 1_000;
/** Slack's clock and ours may differ. */
const CLOCK_TOLERANCE_MS = 60_000;
const EVENT_TYPE = 'wafbot_message';

export const messageMetadata = (id: string) => ({ event_type: EVENT_TYPE, event_payload: { id } });

export function createRetryOnRateLimit(clock: Clock, log: Logger, most = SOMEBODY_WAITS): RetryOnRateLimit {
  return async function retryOnRateLimit(call) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'rate_limited' || attempt >= most.attempts || failure.retryAfterMs > most.waitMs)
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

const TIMED_OUT = 'timed_out';

/** The result of a call to Slack, or an ambiguous failure when it takes longer than the limit. */
export function withinLimit<T>(clock: Clock, limitMs: number, call: () => Promise<T>): Promise<T> {
  return withTimeout<T>(clock, Math.max(1, limitMs), call, () => {
    throw new SlackCallError({ kind: 'ambiguous', reason: TIMED_OUT });
  });
}

export function createPostOnce({ clients, retryOnRateLimit, clock, log }: PostOnceDependencies): PostOnce {
  return async function postOnce(message, id) {
    const since = clock.now();
    const leftMs = (): number => POST_LIMIT_MS - (clock.now().epochMilliseconds - since.epochMilliseconds);
    const post = async () => {
      const { ts } = await clients.post.chat.postMessage({ ...message, metadata: messageMetadata(id) });
      if (ts === undefined) throw new SlackCallError({ kind: 'ambiguous', reason: 'no_ts' });
      return { ts };
    };
    /** `null` when it is certainly not there; the `error` again when that cannot be found out. */
    const lookUp = (error: unknown) =>
      withinLimit(clock, LOOK_UP_LIMIT_MS, () =>
        findPosted(clients, { channel: message.channel, threadTs: message.thread_ts, id, since }),
      ).catch((unknown: unknown) => {
        log.warn({ channel: message.channel, err: unknown }, 'the channel could not be searched');
        throw error;
      });
    for (let attempt = 1; ; attempt++) {
      try {
        return await withinLimit(clock, leftMs(), () => retryOnRateLimit(post));
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'ambiguous') throw error;
        const { reason } = failure;
        log.warn({ reason, attempt, channel: message.channel }, 'no clear answer from Slack, looking for the message');
        await sleep(clock, SETTLE_MS * attempt);
        const posted = await lookUp(error);
        if (posted !== null) return posted;
        // A call that still hangs may post it yet.
        if (reason === TIMED_OUT) throw error;
        if (attempt >= MAX_ATTEMPTS || leftMs() <= 0) throw new SlackCallError({ kind: 'not_posted', reason }, error);
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

const PAGE = 200;
/** More than a channel gets in the hour that is searched. */
const MAX_PAGES = 50;
/** Slack does not post a message later than this after it was asked to. */
const SEARCHED_MS = 3_600_000;

/**
 * The message with this ID in the channel or in the thread; `null` when it is certainly not there. Rejects when not all
 * of the messages since then could be read: what was not seen may still be there.
 */
export async function findPosted(
  { read }: SlackClients,
  { channel, threadTs, id, since }: PostedMessageQuery,
): Promise<{ readonly ts: string } | null> {
  const seconds = (ms: number): string => ((since.epochMilliseconds + ms) / 1000).toFixed(6);
  const range = { oldest: seconds(-CLOCK_TOLERANCE_MS), latest: seconds(SEARCHED_MS), inclusive: true };
  const options = { channel, ...range, include_all_metadata: true, limit: PAGE } as const;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = { ...options, cursor };
    const answer: ConversationsHistoryResponse =
      threadTs === undefined
        ? await read.conversations.history(page)
        : await read.conversations.replies({ ...page, ts: threadTs });
    const found = (answer.messages ?? []).find(({ metadata }) => {
      if (metadata?.event_type !== EVENT_TYPE) return false;
      const payload: unknown = metadata.event_payload;
      return typeof payload === 'object' && payload !== null && 'id' in payload && payload.id === id;
    });
    if (found?.ts !== undefined) return { ts: found.ts };
    cursor = answer.response_metadata?.next_cursor;
    if (!cursor && answer.has_more !== true) return null;
    if (!cursor) break;
  }
  throw new SlackCallError({ kind: 'ambiguous', reason: 'incomplete_history' });
}
