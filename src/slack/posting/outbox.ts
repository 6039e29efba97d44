/**
 * Where digests go out. Unlike an answer to a person, every doubtful outcome is handed back: whoever keeps the deliveryLog
 * of runs decides, after a look into the channel, whether anything is posted again.
 */
import type { FindResult, PauseReason, SendResult } from '../../commands/posting.ts';
import type { Reply } from '../../commands/replies/reply.ts';
import { isGone, slackFailure } from '../slack-failure.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { MakePicture } from './chart-upload.ts';
import { directChannel } from './direct-channel.ts';
import type { FallbackRendering } from './fallback-rendering.ts';
import { MESSAGE_EVENT, type Poster } from './post-once.ts';

export interface Outbox {
  send(channel: string, reply: Reply, runId: string): Promise<SendResult>;
  find(channel: string, runId: string, since: Temporal.Instant): Promise<FindResult>;
  /** Makes a message that is there into this one; `gone` when it is not there any more. */
  edit(channel: string, ts: string, reply: Reply): Promise<SendResult | { readonly is: 'gone' }>;
  /** A word to a person, in a direct message, once for each `id`. */
  tell(user: string, reply: Reply, id: string): Promise<void>;
}

const PERMANENT: ReadonlyMap<string, PauseReason> = new Map([
  ['channel_not_found', 'channel_gone'],
  ['is_archived', 'channel_archived'],
  ['not_in_channel', 'bot_removed'],
  ['restricted_action', 'not_allowed'],
  ['restricted_action_read_only_channel', 'not_allowed'],
  ['missing_scope', 'not_allowed'],
  ['no_permission', 'not_allowed'],
  ['token_revoked', 'token_revoked'],
  ['token_expired', 'token_revoked'],
  ['invalid_auth', 'token_revoked'],
  ['not_authed', 'token_revoked'],
  ['account_inactive', 'token_revoked'],
]);

export interface OutboxDependencies {
  readonly clients: SlackClients;
  readonly poster: Poster;
  readonly fallback: FallbackRendering;
  readonly makePicture: MakePicture;
}

export function createOutbox({ clients, poster, fallback, makePicture }: OutboxDependencies): Outbox {
  return {
    async send(channel, reply, runId) {
      const metadata = { event_type: MESSAGE_EVENT, event_payload: { id: runId } };
      const fileId = await makePicture(reply);
      try {
        return await fallback.descend(reply, { fileId }, async (message): Promise<SendResult> => {
          const { ts } = await clients.post.chat.postMessage({ channel, metadata, unfurl_links: false, ...message });
          return ts === undefined ? { is: 'ambiguous', reason: 'no_ts' } : { is: 'sent', ts };
        });
      } catch (error) {
        return resultOf(error);
      }
    },
    async find(channel, runId, since) {
      try {
        return await poster.find(channel, runId, since.epochMilliseconds);
      } catch (error) {
        const result = resultOf(error);
        if (result.is === 'permanent') return { permanent: result.reason };
        throw error;
      }
    },
    async edit(channel, ts, reply) {
      const fileId = await makePicture(reply);
      try {
        return await fallback.descend(reply, { fileId }, async (message): Promise<SendResult> => {
          await clients.post.chat.update({ channel, ts, blocks: [], ...message });
          return { is: 'sent', ts };
        });
      } catch (error) {
        const failure = slackFailure(error);
        return failure !== null && isGone(failure) ? { is: 'gone' } : resultOf(error);
      }
    },
    async tell(user, reply, id) {
      const channel = await directChannel(clients, user);
      await fallback.descend(reply, {}, (message) => poster.postOnce({ channel, ...message }, id));
    },
  };
}

function resultOf(error: unknown): SendResult {
  const failure = slackFailure(error);
  if (failure === null) throw error;
  if (failure.kind === 'throttled')
    return { is: 'retryable', retryAfterMs: failure.retryAfterMs, reason: 'rate_limited' };
  if (failure.kind === 'doubtful') return { is: 'ambiguous', reason: failure.reason };
  const permanent = PERMANENT.get(failure.reason);
  if (permanent !== undefined) return { is: 'permanent', reason: permanent };
  return { is: 'refused', reason: failure.reason };
}
