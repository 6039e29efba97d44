/** The message shortcut *WAF around this message*: half an hour each side of it, answered in its thread. */
import type { App } from '@slack/bolt';
import type { Clock } from '../../clock.ts';
import type { DoorContext } from './context.ts';

export const AROUND_MESSAGE = 'waf_around_message';
const HALF_WINDOW_MINUTES = 30;

export function registerShortcutDoor(app: App, door: DoorContext & { readonly clock: Clock }): void {
  app.shortcut({ callback_id: AROUND_MESSAGE, type: 'message_action' }, async ({ shortcut, ack }) => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const { user, channel, message } = shortcut;
    const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(Number(message.ts) * 1000)).round('minute');
    const half = { minutes: HALF_WINDOW_MINUTES };
    const end = at.add(half);
    const to =
      Temporal.Instant.compare(end, door.clock.now()) > 0
        ? door.clock.now().round({ smallestUnit: 'second', roundingMode: 'floor' })
        : end;
    const text = `timeline ${at.subtract(half)}/${to}`;
    door.inBackground(
      (async () => {
        const question = { text, user: user.id, channel: channel.id, userZone: await door.zones.zoneOf(user.id) };
        const threadTs = typeof message.thread_ts === 'string' ? message.thread_ts : message.ts;
        await door.conversation.converse(question, { channel: channel.id, user: user.id, threadTs });
      })(),
    );
  });
}
