/** The slash command: acknowledged at once, then answered. */
import type { Middleware, SlackCommandMiddlewareArgs } from '@slack/bolt';
import { parseIncomingText } from '../../blocks/message.ts';
import type { ListenerContext } from '../context.ts';

export function slashCommandListener(listener: ListenerContext): Middleware<SlackCommandMiddlewareArgs> {
  return async function onSlashCommand({ command, ack, context }) {
    if (command.command !== listener.command) {
      await ack(
        `This bot responds to ${listener.command}, not ${command.command}. To change that, set WAFBOT_COMMAND.`,
      );
      return;
    }
    await ack();
    const { user_id: user, channel_id: channel } = command;
    const text = parseIncomingText(command.text ?? '', context.botUserId);
    await listener.answerQuestion(text, { channel, user, responseUrl: command.response_url });
  };
}
