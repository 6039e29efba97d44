/** Buttons below an answer. Each carries its sentence; it acts on the message it belongs to. */
import type { App, BlockButtonAction } from '@slack/bolt';
import { replaces, SAY_ACTION } from '../blocks/actions-block.ts';
import type { SlackClients } from '../clients.ts';
import { directChannel } from '../direct-channel.ts';
import type { Place } from '../place.ts';
import { createResponder } from '../responder.ts';
import type { DoorContext } from './context.ts';

export interface ButtonDoorContext extends DoorContext {
  readonly clients: SlackClients;
  /** What a button on the Home tab changed is shown there at once. */
  readonly refreshHome: (user: string) => Promise<void>;
}

export function registerButtonDoor(app: App, door: ButtonDoorContext): void {
  app.action<BlockButtonAction>({ type: 'block_actions', action_id: SAY_ACTION }, async ({ action, body, ack }) => {
    await ack();
    const text = action.value;
    if (text === undefined) return;
    door.inBackground(
      (async () => {
        const user = body.user.id;
        const onHome = body.channel === undefined;
        const channel = body.channel?.id ?? (await directChannel(door.clients, user));
        const question = { text, user, channel, userZone: await door.zones.zoneOf(user) };
        await door.conversation.converse(
          question,
          onHome ? { channel, user } : placeOf(body, channel, action.action_id),
        );
        if (onHome) await door.refreshHome(user);
      })(),
    );
  });
}

function placeOf(
  { message, container, response_url: url, user }: BlockButtonAction,
  channel: string,
  actionId: string,
): Place {
  const responder = url === undefined ? {} : { responder: createResponder(url) };
  // A message for one pair of eyes has no place in the channel to edit or to answer below.
  if (message === undefined || container.is_ephemeral === true) {
    return { channel, user: user.id, ...responder, ephemeral: true, replaceEphemeral: replaces(actionId) };
  }
  if (replaces(actionId)) return { channel, user: user.id, replaceTs: message.ts };
  const threadTs: string = typeof message.thread_ts === 'string' ? message.thread_ts : message.ts;
  return { channel, user: user.id, threadTs };
}
