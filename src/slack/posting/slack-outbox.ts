/**
 * Posts what nobody is waiting for: digests, watches, and notes to their owners. Nothing is retried here: every outcome is
 * reported to `subscriptions/delivery/post-exactly-once.ts`, which decides whether to post again.
 */
import type { Reply } from '../../replies/reply.ts';
import type { Outbox, PauseReason, SendResult } from '../../subscriptions/delivery/outbox.ts';
import { type SlackMessage, withNames } from '../blocks/message.ts';
import { isMessageGone, slackFailure } from '../transport/web-api.ts';
import { findPosted, type PostingDependencies, postWithId } from './deliver-reply.ts';
import { PICTURE_LIMIT_MS } from './picture-messages.ts';
import { openDirectMessage } from './reply-target.ts';

/** Errors from Slack that won't go away until somebody acts. */
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

type OutboxDependencies = Pick<
  PostingDependencies,
  'clients' | 'postAndConfirm' | 'sendWithFallbacks' | 'pictureMessages' | 'userName'
>;

export function createOutbox(deps: OutboxDependencies): Outbox<Reply> {
  const { clients, postAndConfirm, sendWithFallbacks, pictureMessages, userName } = deps;
  const common = {
    limitMs: PICTURE_LIMIT_MS.unasked,
    tsOf: (result: SendResult) => (result.is === 'sent' ? result.ts : null),
  };
  return {
    async send(channel, whole, runId, threadTs) {
      const reply = await withNames(whole, userName);
      const where = { channel, thread_ts: threadTs, unfurl_links: false };
      const send = async (message: SlackMessage): Promise<SendResult> => {
        const { ts } = await postWithId(clients, { ...where, ...message }, runId);
        return { is: 'sent', ts };
      };
      return pictureMessages.send(reply, { ...common, channel, send }).catch(toSendResult);
    },
    async find(channel, runId, since, threadTs) {
      try {
        return await findPosted(clients, { channel, threadTs, id: runId, since });
      } catch (error) {
        const result = toSendResult(error);
        if (result.is === 'permanent') return { permanent: result.reason };
        throw error;
      }
    },
    async edit(channel, ts, reply) {
      const send = async (message: SlackMessage): Promise<SendResult> => {
        await clients.post.chat.update({ channel, ts, blocks: [], ...message });
        return { is: 'sent', ts };
      };
      try {
        return await pictureMessages.send(reply, { ...common, channel, replaces: ts, send });
      } catch (error) {
        const failure = slackFailure(error);
        return failure !== null && isMessageGone(failure) ? { is: 'gone' } : toSendResult(error);
      }
    },
    async linkTo(channel, ts) {
      try {
        return (await clients.read.chat.getPermalink({ channel, message_ts: ts })).permalink ?? null;
      } catch (error) {
        // A missing link is no reason to fail: the message may be deleted, or Slack down.
        if (slackFailure(error) === null) throw error;
        return null;
      }
    },
    async sendDirect(user, reply, id, since) {
      const channel = await openDirectMessage(clients, user);
      if (since !== undefined && (await findPosted(clients, { channel, id, since })) !== null) return;
      await sendWithFallbacks(reply, {}, (message) => postAndConfirm({ channel, ...message }, id));
    },
  };
}

/** Rethrows errors that don't come from Slack: nothing was sent then. */
function toSendResult(error: unknown): SendResult {
  const failure = slackFailure(error);
  if (failure === null) throw error;
  switch (failure.kind) {
    case 'rate_limited':
      return { is: 'retryable', retryAfterMs: failure.retryAfterMs, reason: 'rate_limited' };
    case 'not_posted':
      return { is: 'retryable', reason: failure.reason };
    case 'ambiguous':
      return { is: 'ambiguous', reason: failure.reason };
    case 'refused': {
      const permanent = PERMANENT.get(failure.reason);
      return permanent === undefined
        ? { is: 'refused', reason: failure.reason }
        : { is: 'permanent', reason: permanent };
    }
  }
}
