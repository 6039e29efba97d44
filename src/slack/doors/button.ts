/** Buttons below an answer. Each carries its sentence; it acts on the message it belongs to. */
import type { App, BlockButtonAction } from '@slack/bolt';
import { effectOf, SAY_ACTION } from '../blocks/actions-block.ts';
import type { Place } from '../place.ts';
import { createResponder } from '../responder.ts';
import type { DoorContext } from './context.ts';

export function registerButtonDoor(app: App, door: DoorContext): void {
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: SAY_ACTION }, async ({ action, body, ack }) => {
    await ack();
    const channel = body.channel?.id;
    const text = action.value;
    if (channel === undefined || text === undefined) return;
    door.inBackground(
      (async () => {
        const user = body.user.id;
        const question = { text, user, channel, userZone: await door.zones.zoneOf(user) };
        await door.conversation.converse(question, placeOf(body, channel, user, action.action_id));
      })(),
    );
  });
}

function placeOf(body: BlockButtonAction, channel: string, user: string, actionId: string): Place {
  const responder = body.response_url === undefined ? {} : { responder: createResponder(body.response_url) };
  const message = body.message;
  // A message for one pair of eyes has no place in the channel to edit or to answer below.
  if (message === undefined || body.container.is_ephemeral === true) {
    return { channel, user, ...responder, ephemeral: effectOf(actionId) === 'replace' };
  }
  const threadTs: string = typeof message.thread_ts === 'string' ? message.thread_ts : message.ts;
  if (effectOf(actionId) === 'replace') return { channel, user, replaceTs: message.ts, ...responder };
  return { channel, user, threadTs };
}
