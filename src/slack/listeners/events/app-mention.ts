/**
 * A mention is answered in its thread, or in a new one below the question. Slack sends a mention again when its message is
 * edited, so correcting a typo gets another answer.
 */
import type { Middleware, SlackEventMiddlewareArgs } from '@slack/bolt';
import { parseIncomingText } from '../../blocks/message.ts';
import type { ListenerContext } from '../context.ts';

export function appMentionListener({
  answerQuestion,
}: ListenerContext): Middleware<SlackEventMiddlewareArgs<'app_mention'>> {
  return async function onAppMention({ event, context }) {
    const { user, channel, ts, thread_ts: threadTs } = event;
    if (user === undefined || user === context.botUserId) return;
    const text = parseIncomingText(event.text, context.botUserId);
    const thread = { threadTs: threadTs ?? ts, threadIsNew: threadTs === undefined };
    await answerQuestion(text, { channel, user, ...thread, askedPublicly: true, follows: threadTs !== undefined });
  };
}
