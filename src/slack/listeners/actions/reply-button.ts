/** The buttons below an answer: each runs the sentence it carries; its effect decides where the answer goes. */
import type { BlockButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import { effectOf } from '../../blocks/message.ts';
import type { ReplyTarget } from '../../posting/reply-target.ts';
import type { ListenerContext } from '../context.ts';

export function replyButtonListener({
  answerQuestion,
  respond,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  return async function onReplyButton({ action, body, ack }) {
    await ack();
    const { value: text, action_id: actionId } = action;
    const channel = body.channel?.id;
    if (typeof text !== 'string' || channel === undefined) return;
    const effect = effectOf(actionId);
    await answerQuestion(text, targetOf(body, channel, effect));
    // Only now, so that a failure leaves a button to press again.
    if (effect === 'again' && isEphemeral(body) && body.response_url !== undefined)
      await respond(body.response_url, { text: '' }, { inChannel: false, remove: true });
  };
}

const isEphemeral = ({ message, container }: BlockButtonAction): boolean =>
  message === undefined || container.is_ephemeral === true;

function targetOf(body: BlockButtonAction, channel: string, effect: string | undefined): ReplyTarget {
  const { message, response_url: url } = body;
  const base = { channel, user: body.user.id, responseUrl: url };
  const isAsked = effect === 'ask' || effect === 'again';
  if (message === undefined || isEphemeral(body)) {
    // An ephemeral message can't be edited through the API and has no thread. A new question isn't private, though.
    return isAsked ? base : { ...base, ephemeral: true, replaceEphemeral: effect === 'replace' };
  }
  const threadTs: string | undefined = typeof message.thread_ts === 'string' ? message.thread_ts : undefined;
  if (effect === 'replace' || effect === 'again') return { ...base, replaceTs: message.ts, threadTs };
  if (effect === 'ask' && channel.startsWith('D')) return { ...base, threadTs };
  return { ...base, threadTs: threadTs ?? message.ts, threadIsNew: threadTs === undefined };
}
