/**
 * Posts a message for which somebody is waiting, and confirms it after a doubtful outcome. Slack has no idempotency keys,
 * so each message carries an ID in its metadata; when it's unknown whether a call took effect, the channel's history is
 * searched for that ID before anything is posted again.
 *
 * This takes seconds and remembers nothing. Digests and watches, which must survive a crash, decide in
 * `subscriptions/delivery/post-exactly-once.ts` and use only `postWithId` and `findPosted` from here.
 */
import type { ChatPostMessageArguments, ConversationsHistoryResponse } from '@slack/web-api';
import { type Clock, sleep } from '../../clock.ts';
import type { Logger } from '../../observability/logger.ts';
import type { SlackClients } from '../transport/web-api.ts';
import {
  isPageTooLarge,
  type RetryOnRateLimit,
  SlackCallError,
  slackFailure,
  TIMED_OUT,
  withinLimit,
} from '../transport/web-api.ts';

/**
 * `id` must never be reused: a message that already carries it counts as posted. Rejects with a `not_posted` or
 * `ambiguous` failure if Slack doesn't recover within seconds.
 */
export type PostAndConfirm = (message: ChatPostMessageArguments, id: string) => Promise<PostedMessage>;

interface PostedMessage {
  readonly ts: string;
}

export interface CallDependencies {
  readonly clients: SlackClients;
  readonly retryOnRateLimit: RetryOnRateLimit;
  readonly clock: Clock;
  readonly log: Logger;
}

const MAX_ATTEMPTS = 4;
/** For all attempts together. */
export const POST_LIMIT_MS = 10_000;
const SEARCH_LIMIT_MS = 3_000;
/** A posted message takes a moment to appear in the history. */
const CONFIRM_AFTER_MS = 1_000;
/** Slack's clock and ours may differ. */
const CLOCK_TOLERANCE_MS = 60_000;
const EVENT_TYPE = 'wafbot_message';

export function createPostAndConfirm(deps: CallDependencies): PostAndConfirm {
  const { clients, retryOnRateLimit, clock, log } = deps;

  /** `null` if the message certainly wasn't posted. Rejects with the `error` if the channel can't be searched. */
  const search = (query: PostedMessageQuery, error: unknown) =>
    withinLimit(clock, SEARCH_LIMIT_MS, () => findPosted(clients, query)).catch((searchError: unknown) => {
      log.warn({ channel: query.channel, err: searchError }, 'could not search the channel');
      throw error;
    });

  return async function postAndConfirm(message, id) {
    const { channel, thread_ts: threadTs } = message;
    const since = clock.now();
    const leftMs = (): number => POST_LIMIT_MS - (clock.now().epochMilliseconds - since.epochMilliseconds);
    for (let attempt = 1; ; attempt++) {
      try {
        const post = () => retryOnRateLimit(() => postWithId(clients, message, id));
        return await withinLimit(clock, leftMs(), post);
      } catch (error) {
        const failure = slackFailure(error);
        if (failure?.kind !== 'ambiguous') throw error;
        const { reason } = failure;
        log.warn({ reason, attempt, channel }, 'unclear whether a message was posted, searching for it');
        await sleep(clock, CONFIRM_AFTER_MS * attempt);
        const posted = await search({ channel, threadTs, id, since }, error);
        if (posted !== null) return posted;
        // A call that still hangs may yet post it.
        if (reason === TIMED_OUT) throw error;
        if (attempt >= MAX_ATTEMPTS || leftMs() <= 0) throw new SlackCallError({ kind: 'not_posted', reason }, error);
      }
    }
  };
}

/** Posts once, with the ID that `findPosted` looks for. */
export async function postWithId(
  { post }: SlackClients,
  message: ChatPostMessageArguments,
  id: string,
): Promise<PostedMessage> {
  const metadata = { event_type: EVENT_TYPE, event_payload: { id } };
  const { ts } = await post.chat.postMessage({ ...message, metadata });
  if (ts === undefined) throw new SlackCallError({ kind: 'ambiguous', reason: 'no_ts' });
  return { ts };
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
/** Slack doesn't post a message later than this after the call. */
const SEARCHED_MS = 3_600_000;

/**
 * The message with this ID in the channel or thread; `null` if it certainly isn't there. Rejects if not every message
 * since then could be read.
 */
export async function findPosted(
  { read }: SlackClients,
  { channel, threadTs, id, since }: PostedMessageQuery,
): Promise<PostedMessage | null> {
  const seconds = (ms: number): string => ((since.epochMilliseconds + ms) / 1000).toFixed(6);
  const range = { oldest: seconds(-CLOCK_TOLERANCE_MS), latest: seconds(SEARCHED_MS), inclusive: true };
  const options = { channel, ...range, include_all_metadata: true } as const;
  let cursor: string | undefined;
  let limit = PAGE;
  const readPage = (): Promise<ConversationsHistoryResponse> => {
    const page = { ...options, limit, cursor };
    return threadTs === undefined
      ? read.conversations.history(page)
      : read.conversations.replies({ ...page, ts: threadTs });
  };
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const answer = await readPage().catch((error: unknown) => {
      if (!isPageTooLarge(error) || limit === 1) throw error;
      return null;
    });
    if (answer === null) {
      limit = Math.floor(limit / 2);
      continue;
    }
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
