/** A direct message to the bot: every text there is a question. */
import type { App } from '@slack/bolt';
import { plainFromSlack } from '../incoming-text.ts';
import type { DoorContext } from './context.ts';

export function registerDirectMessageDoor(app: App, door: DoorContext): void {
  app.message(async ({ message, context }) => {
    // Only plain words of a person: edits, joins and the bot's own messages have a subtype or a bot id.
    if (message.subtype !== undefined || message.channel_type !== 'im' || message.bot_id !== undefined) return;
    const { user, channel, text, thread_ts: thread } = message;
    if (user === undefined || user === context.botUserId) return;
    door.inBackground(
      (async () => {
        const plain = plainFromSlack(text ?? '', context.botUserId).replace(new RegExp(`^${door.command}\\b`), '');
        const question = { text: plain.trim(), user, channel, userZone: await door.zones.zoneOf(user) };
        await door.conversation.converse(question, {
          channel,
          user,
          ...(thread === undefined ? {} : { threadTs: thread }),
        });
      })(),
    );
  });
}
