/**
 * The buttons on the Home tab: each runs its command in the channel of its digest or watch, with the same permissions
 * as if the person had typed it there, and an answer that others there can see.
 */
import type { BlockButtonAction, Middleware, SlackActionMiddlewareArgs } from '@slack/bolt';
import type { ListenerContext } from '../context.ts';

export function homeButtonListener({
  answerQuestion,
  publishHome,
}: ListenerContext): Middleware<SlackActionMiddlewareArgs<BlockButtonAction>> {
  return async function onHomeButton({ action, body, ack }) {
    await ack();
    const [, channel, text] = /^(\S+) (.+)$/.exec(action.value ?? '') ?? [];
    if (channel === undefined || text === undefined) return;
    const user = body.user.id;
    await answerQuestion(text, { channel, user, userIsElsewhere: true });
    await publishHome(user);
  };
}
