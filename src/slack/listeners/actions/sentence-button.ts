/** Buttons below an answer. Each carries its sentence; it acts on the message it belongs to. */
import type { App, BlockButtonAction } from '@slack/bolt';
import { replaces, SAY_ACTION } from '../../blocks/actions-block.ts';
import type { ReplyTarget } from '../../posting/reply-target.ts';
import { createResponder } from '../../posting/response-url.ts';
import type { ListenerContext } from '../context.ts';

export function registerSentenceButton(app: App, listener: ListenerContext): void {
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: SAY_ACTION }, async ({ action, body, ack }) => {
    await ack();
    const { value: text, action_id: actionId } = action;
    const channel = body.channel?.id;
    if (text === undefined || channel === undefined) return;
    const asked = { text, user: body.user.id, channel };
    listener.inBackground(listener.conversation.converse(asked, placeOf(body, channel, actionId)));
  });
}

function placeOf(body: BlockButtonAction, channel: string, actionId: string): ReplyTarget {
  const { message, container, response_url: url } = body;
  const base = { channel, user: body.user.id, ...(url === undefined ? {} : { responder: createResponder(url) }) };
  // A message for one pair of eyes has no place in the channel to edit or to answer below.
  if (message === undefined || container.is_ephemeral === true) {
    return { ...base, ephemeral: true, replaceEphemeral: replaces(actionId) };
  }
  const thread: string | undefined = typeof message.thread_ts === 'string' ? message.thread_ts : undefined;
  if (replaces(actionId))
    return { ...base, replaceTs: message.ts, ...(thread === undefined ? {} : { threadTs: thread }) };
  return { ...base, threadTs: thread ?? message.ts, threadIsNew: thread === undefined };
}
