/** Whatever a person writes in a direct message is a question. */
import type { Middleware, SlackEventMiddlewareArgs } from '@slack/bolt';
import { parseIncomingText } from '../../blocks/message.ts';
import type { ListenerContext } from '../context.ts';

export function directMessageListener(listener: ListenerContext): Middleware<SlackEventMiddlewareArgs<'message'>> {
  return async function onDirectMessage({ message, context }) {
    // Only what a person wrote: edits, joins and the bot's own messages have a subtype or a bot ID.
    if (message.subtype !== undefined || message.channel_type !== 'im' || message.bot_id !== undefined) return;
    const { user, channel, thread_ts: threadTs } = message;
    if (user === undefined || user === context.botUserId) return;
    const text = withoutCommand(parseIncomingText(message.text ?? '', context.botUserId), listener.command);
    await listener.answerQuestion(text, { channel, user, threadTs, follows: true });
  };
}

/** Out of habit, people type the command here too. */
function withoutCommand(text: string, command: string): string {
  return text === command || text.startsWith(`${command} `) ? text.slice(command.length).trim() : text;
}
