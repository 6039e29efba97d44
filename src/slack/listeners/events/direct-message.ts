/** A direct message: whatever is said there is a question. */
import type { App } from '@slack/bolt';
import { plainFromSlack } from '../../incoming-text.ts';
import type { ListenerContext } from '../context.ts';

export function registerDirectMessage(app: App, listener: ListenerContext): void {
  app.message(async ({ message, context }) => {
    // Only plain words of a person: edits, joins and the bot's own messages have a subtype or a bot id.
    if (message.subtype !== undefined || message.channel_type !== 'im' || message.bot_id !== undefined) return;
    const { user, channel, thread_ts: threadTs } = message;
    if (user === undefined || user === context.botUserId) return;
    const text = withoutCommand(plainFromSlack(message.text ?? '', context.botUserId), listener.command);
    const place = threadTs === undefined ? { channel, user } : { channel, user, threadTs };
    listener.inBackground(listener.conversation.converse({ text, user, channel }, place));
  });
}

/** People type the command here too, out of habit. */
function withoutCommand(text: string, command: string): string {
  return text === command || text.startsWith(`${command} `) ? text.slice(command.length).trim() : text;
}
