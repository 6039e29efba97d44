/** The buttons below an answer: each runs the command it carries, and replaces that message or answers below it. */
import type { BlockButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import { replacesMessage } from '../../blocks/buttons.ts';
import type { ReplyTarget } from '../../posting/reply-target.ts';
import type { ListenerContext } from '../context.ts';

export function replyButtonListener({
  answerQuestion,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  return async function onReplyButton({ action, body, ack }) {
    await ack();
    const { value: text, action_id: actionId } = action;
    const channel = body.channel?.id;
    if (text === undefined || channel === undefined) return;
    await answerQuestion(text, targetOf(body, channel, actionId));
  };
}

function targetOf(body: BlockButtonAction, channel: string, actionId: string): ReplyTarget {
  const { message, container, response_url: url } = body;
  const base = { channel, user: body.user.id, ...(url === undefined ? {} : { responseUrl: url }) };
  // An ephemeral message cannot be edited through the API, and has no thread.
  if (message === undefined || container.is_ephemeral === true) {
    return { ...base, ephemeral: true, replaceEphemeral: replacesMessage(actionId) };
  }
  const threadTs: string | undefined = typeof message.thread_ts === 'string' ? message.thread_ts : undefined;
  if (replacesMessage(actionId))
    return { ...base, replaceTs: message.ts, ...(threadTs === undefined ? {} : { threadTs }) };
  return { ...base, threadTs: threadTs ?? message.ts, threadIsNew: threadTs === undefined };
}
