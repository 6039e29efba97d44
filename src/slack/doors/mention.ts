/** A mention: answered in the thread it was asked in, or in a new one below the question. */
import type { App } from '@slack/bolt';
import { plainFromSlack } from '../incoming-text.ts';
import type { DoorContext } from './context.ts';

export function registerMentionDoor(app: App, door: DoorContext): void {
  app.event('app_mention', async ({ event, context }) => {
    const { user, channel, text, ts, thread_ts: thread } = event;
    if (user === undefined || user === context.botUserId) return;
    door.inBackground(
      (async () => {
        const question = {
          text: plainFromSlack(text, context.botUserId),
          user,
          channel,
          userZone: await door.zones.zoneOf(user),
        };
        await door.conversation.converse(question, { channel, user, threadTs: thread ?? ts });
      })(),
    );
  });
}
