/** The slash command: acknowledged at once, answered in the background. */
import type { App } from '@slack/bolt';
import { plainFromSlack } from '../incoming-text.ts';
import { createResponder } from '../responder.ts';
import type { DoorContext } from './context.ts';

export function registerCommandDoor(app: App, door: DoorContext): void {
  app.command(door.command, async ({ command, ack, context }) => {
    await ack();
    door.inBackground(
      (async () => {
        const { user_id: user, channel_id: channel } = command;
        const question = {
          text: plainFromSlack(command.text ?? '', context.botUserId),
          user,
          channel,
          userZone: await door.zones.zoneOf(user),
        };
        await door.conversation.converse(question, { channel, user, responder: createResponder(command.response_url) });
      })(),
    );
  });
  // A command of the app that the configuration does not name would otherwise be met with silence.
  app.command(/.*/, async ({ command, ack }) => {
    await ack(
      `This bot answers to ${door.command}; ${command.command} is not set up. WAFBOT_COMMAND names the command.`,
    );
  });
}
