/**
 * A mention: answered in the thread it was asked in, or in a new one below the question. Slack tells of a mention again
 * when its message is edited: whoever mends a typo is answered below it too.
 */
import type { App } from '@slack/bolt';
import { plainFromSlack } from '../../incoming-text.ts';
import type { ListenerContext } from '../context.ts';

export function registerAppMention(app: App, listener: ListenerContext): void {
  app.event('app_mention', async ({ event, context }) => {
    const { user, channel, ts, thread_ts: thread } = event;
    if (user === undefined || user === context.botUserId) return;
    const text = plainFromSlack(event.text, context.botUserId);
    const place = { channel, user, threadTs: thread ?? ts, threadIsNew: thread === undefined, openly: true };
    listener.inBackground(listener.conversation.converse({ text, user, channel }, place));
  });
}
