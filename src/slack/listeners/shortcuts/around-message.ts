/** The message shortcut *WAF around this message*: half an hour before and after it, answered in its thread. */
import type { Middleware, SlackShortcutMiddlewareArgs } from '@slack/bolt';
import type { ListenerContext } from '../context.ts';

export const AROUND_MESSAGE = 'waf_around_message';
const HALF_WINDOW = { minutes: 30 };

export function aroundMessageListener({
  answerQuestion,
  clock,
}: ListenerContext): Middleware<SlackShortcutMiddlewareArgs> {
  return async function onAroundMessage({ shortcut, ack }) {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const { user, channel, message, response_url: url } = shortcut;
    const threadTs = typeof message.thread_ts === 'string' ? message.thread_ts : undefined;
    await answerQuestion(`timeline ${windowAround(message.ts, clock.now())}`, {
      channel: channel.id,
      user: user.id,
      threadTs: threadTs ?? message.ts,
      threadIsNew: threadTs === undefined,
      // The shortcut works on any message a person sees, even in channels the bot isn't in.
      responseUrl: url,
    });
  };
}

/** As an ISO interval that doesn't extend into the future. */
function windowAround(ts: string, now: Temporal.Instant): string {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(Number(ts) * 1000)).round('minute');
  const end = at.add(HALF_WINDOW);
  const latest = now.round({ smallestUnit: 'second', roundingMode: 'floor' });
  return `${at.subtract(HALF_WINDOW)}/${Temporal.Instant.compare(end, latest) > 0 ? latest : end}`;
}
