/**
 * The buttons below an answer, and the Home tab with its buttons. Each button runs the sentence it carries; its effect
 * decides where the answer goes. Those of a digest or watch run in its channel, with the same permissions as if the
 * person had typed it there, and an answer that others there can see. Questions are answered in a direct message.
 */
import type { App, BlockAction, BlockButtonAction, ButtonAction, OverflowAction } from '@slack/bolt';
import { effectOf, HOME_BUTTON, HOME_QUESTION, REPLY_BUTTON } from '../blocks/message.ts';
import { openDirectMessage, type ReplyTarget } from '../posting/reply-target.ts';
import type { ListenerContext } from './questions.ts';

export function listenToButtons(app: App, { answerQuestion, respond, publishHome, clients }: ListenerContext): void {
  const onButton = (id: RegExp | string) => ({ type: 'block_actions', action_id: id }) as const;

  app.action<BlockAction<ButtonAction | OverflowAction>>(onButton(REPLY_BUTTON), async ({ action, body, ack }) => {
    await ack();
    const { action_id: actionId } = action;
    const text = action.type === 'overflow' ? action.selected_option.value : action.value;
    const channel = body.channel?.id;
    if (typeof text !== 'string' || channel === undefined) return;
    const effect = effectOf(actionId);
    await answerQuestion(text, targetOf(body, channel, effect));
    // Removed only now, so that after a failure the button can be pressed again.
    if (effect === 'again' && isEphemeral(body) && body.response_url !== undefined)
      await respond(body.response_url, { text: '' }, { inChannel: false, remove: true });
  });

  app.event('app_home_opened', async ({ event }) => {
    if (event.tab === 'home') await publishHome(event.user);
  });

  app.action<BlockButtonAction>(onButton(HOME_BUTTON), async ({ action, body, ack }) => {
    await ack();
    if (typeof action.value !== 'string') return;
    const [, channel, text] = /^(\S+) (.+)$/.exec(action.value) ?? [];
    if (channel === undefined || text === undefined) return;
    const user = body.user.id;
    await answerQuestion(text, { channel, user, userIsElsewhere: true });
    await publishHome(user);
  });

  app.action<BlockButtonAction>(onButton(HOME_QUESTION), async ({ action, body, ack }) => {
    await ack();
    const user = body.user.id;
    if (typeof action.value === 'string')
      await answerQuestion(action.value, { channel: await openDirectMessage(clients, user), user });
  });
}

const isEphemeral = ({ message, container }: BlockAction): boolean =>
  message === undefined || container.is_ephemeral === true;

function targetOf(body: BlockAction, channel: string, effect: string | undefined): ReplyTarget {
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
