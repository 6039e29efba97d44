/** The message shortcut *WAF around this message*: half an hour each side of it, answered in its thread. */
import type { App } from '@slack/bolt';
import type { Clock } from '../../../clock.ts';
import { createResponder } from '../../posting/response-url.ts';
import type { ListenerContext } from '../context.ts';

export const AROUND_MESSAGE = 'waf_around_message';
const HALF_WINDOW = { minutes: 30 };

export function registerMessageShortcut(app: App, listener: ListenerContext & { readonly clock: Clock }): void {
  app.shortcut({ callback_id: AROUND_MESSAGE, type: 'message_action' }, async ({ shortcut, ack }) => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const { user, channel, message, response_url: url } = shortcut;
    const thread = typeof message.thread_ts === 'string' ? message.thread_ts : undefined;
    const asked = { text: `timeline ${around(message.ts, listener.clock.now())}`, user: user.id, channel: channel.id };
    const place = {
      channel: channel.id,
      user: user.id,
      threadTs: thread ?? message.ts,
      threadIsNew: thread === undefined,
      // The shortcut works on any message that the person sees, also where the bot is not.
      responder: createResponder(url),
    };
    listener.inBackground(listener.conversation.converse(asked, place));
  });
}

/** The window as an ISO interval, cut at now. */
function around(ts: string, now: Temporal.Instant): string {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(Number(ts) * 1000)).round('minute');
  const end = at.add(HALF_WINDOW);
  const present = now.round({ smallestUnit: 'second', roundingMode: 'floor' });
  return `${at.subtract(HALF_WINDOW)}/${Temporal.Instant.compare(end, present) > 0 ? present : end}`;
}
