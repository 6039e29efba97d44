/** Questions that people type: the slash command, mentions, direct messages, and the shortcut on a message. */
import type { App } from '@slack/bolt';
import type { AnswerDependencies, AnswerQuestion } from '../answer-question.ts';
import { parseIncomingText } from '../blocks/message.ts';
import type { Respond } from '../posting/response-url.ts';
import type { SlackClients } from '../transport/web-api.ts';
import type { AgentView } from './agent-view.ts';

/** What listeners have access to. */
export interface ListenerContext extends AnswerDependencies {
  readonly answerQuestion: AnswerQuestion;
  readonly respond: Respond;
  /** Updates a person's Home tab. Never rejects. */
  readonly publishHome: (user: string) => Promise<void>;
  readonly clients: SlackClients;
  /** Absent if the direct message is an ordinary one. */
  readonly agentView?: Pick<AgentView, 'begin'>;
}

/** The message shortcut *WAF around this message*: half an hour before and after it, answered in its thread. */
export const AROUND_MESSAGE = 'waf_around_message';
const HALF_WINDOW = { minutes: 30 };

export function listenToQuestions(app: App, listener: ListenerContext): void {
  const { answerQuestion, clock } = listener;

  // Listens to every command of the app, so that one missing from the configuration still gets an answer.
  app.command(/.*/, async ({ command, ack, context }) => {
    if (command.command !== listener.command) {
      await ack(
        `This bot responds to ${listener.command}, not ${command.command}. To change that, set WAFBOT_COMMAND.`,
      );
      return;
    }
    await ack();
    const { user_id: user, channel_id: channel } = command;
    const text = parseIncomingText(command.text ?? '', context.botUserId);
    await answerQuestion(text, { channel, user, responseUrl: command.response_url });
  });

  // Answered in its thread, or in a new one below the question. Slack sends a mention again when its message is edited, so
  // correcting a typo gets another answer.
  app.event('app_mention', async ({ event, context }) => {
    const { user, channel, ts, thread_ts: threadTs } = event;
    if (user === undefined || user === context.botUserId) return;
    const text = parseIncomingText(event.text, context.botUserId);
    const thread = { threadTs: threadTs ?? ts, threadIsNew: threadTs === undefined };
    await answerQuestion(text, { channel, user, ...thread, askedPublicly: true, follows: threadTs !== undefined });
  });

  // Whatever a person writes in a direct message is a question. Edits, joins and the bot's own messages have a subtype or a
  // bot ID.
  app.message(async ({ message, context }) => {
    if (message.subtype !== undefined || message.channel_type !== 'im' || message.bot_id !== undefined) return;
    const { user, channel, thread_ts: threadTs } = message;
    if (user === undefined || user === context.botUserId) return;
    const text = withoutCommand(parseIncomingText(message.text ?? '', context.botUserId), listener.command);
    const place = await listener.agentView?.begin(message);
    await answerQuestion(text, { channel, user, threadTs, follows: true, ...place });
  });

  app.shortcut({ callback_id: AROUND_MESSAGE, type: 'message_action' }, async ({ shortcut, ack }) => {
    await ack();
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
  });
}

/** Out of habit, people type the command here too. */
function withoutCommand(text: string, command: string): string {
  return text === command || text.startsWith(`${command} `) ? text.slice(command.length).trim() : text;
}

/** As an ISO interval that doesn't extend into the future. */
function windowAround(ts: string, now: Temporal.Instant): string {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(Number(ts) * 1000)).round('minute');
  const end = at.add(HALF_WINDOW);
  const latest = now.round({ smallestUnit: 'second', roundingMode: 'floor' });
  return `${at.subtract(HALF_WINDOW)}/${Temporal.Instant.compare(end, latest) > 0 ? latest : end}`;
}
