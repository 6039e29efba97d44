/**
 * The buttons on the Home tab. Those of a digest or watch run in its channel, with the same permissions as if the person had
 * typed it there, and an answer that others there can see. Questions are answered in a direct message.
 */
import type { BlockButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import { openDirectMessage } from '../../posting/reply-target.ts';
import type { ListenerContext } from '../context.ts';

export function homeButtonListener({
  answerQuestion,
  publishHome,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  return async function onHomeButton({ action, body, ack }) {
    await ack();
    if (typeof action.value !== 'string') return;
    const [, channel, text] = /^(\S+) (.+)$/.exec(action.value) ?? [];
    if (channel === undefined || text === undefined) return;
    const user = body.user.id;
    await answerQuestion(text, { channel, user, userIsElsewhere: true });
    await publishHome(user);
  };
}

export function homeQuestionListener({
  answerQuestion,
  clients,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  return async function onHomeQuestion({ action, body, ack }) {
    await ack();
    const user = body.user.id;
    if (typeof action.value === 'string')
      await answerQuestion(action.value, { channel: await openDirectMessage(clients, user), user });
  };
}
