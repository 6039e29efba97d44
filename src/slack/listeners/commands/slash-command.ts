/** The slash command: acknowledged at once, answered in the background. */
import type { App } from '@slack/bolt';
import { plainFromSlack } from '../../incoming-text.ts';
import { createResponder } from '../../posting/response-url.ts';
import type { ListenerContext } from '../context.ts';

export function registerSlashCommand(app: App, listener: ListenerContext): void {
  // One listener for every command of the app: one that the configuration does not name would be met with silence.
  app.command(/.*/, async ({ command, ack, context }) => {
    if (command.command !== listener.command) {
      await ack(
        `This bot answers to ${listener.command}; ${command.command} is not set up. WAFBOT_COMMAND names the command.`,
      );
      return;
    }
    await ack();
    const { user_id: user, channel_id: channel } = command;
    const text = plainFromSlack(command.text ?? '', context.botUserId);
    const responder = createResponder(command.response_url);
    listener.inBackground(listener.conversation.converse({ text, user, channel }, { channel, user, responder }));
  });
}
