/**
 * One question, one visible answer: also when the answer is slow, when it is a refusal, and when everything behind it
 * fails. All doors end here.
 */
import { randomUUID } from 'node:crypto';
import { errorReply } from '../commands/error-reply.ts';
import type { Commands, Question, Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Delivery } from './delivery.ts';
import type { Log } from './log.ts';
import type { Notice, Notices } from './notices.ts';
import type { Place } from './place.ts';

export interface Conversation {
  /** Never rejects: what cannot be told to the asker is in the log. */
  converse(question: Question, place: Place): Promise<void>;
}

export interface ConversationDependencies {
  readonly commands: Commands;
  readonly delivery: Delivery;
  readonly notices: Notices;
  readonly log: Log;
  readonly command: string;
  readonly observe: (outcome: { verb: string; failed: boolean }) => void;
}

export function createConversation(deps: ConversationDependencies): Conversation {
  const { commands, delivery, notices, log, command } = deps;

  async function answer(question: Question): Promise<Reply> {
    try {
      return await commands.answer(question);
    } catch (error) {
      const reference = randomUUID().slice(0, 8);
      const code = error instanceof BotError ? error.code : 'internal';
      const facts = { reference, code, channel: question.channel, err: error };
      if (code === 'usage' || code === 'forbidden') log.info(facts, 'question refused');
      else log.error(facts, 'question failed');
      return errorReply(error, command, reference);
    }
  }

  return {
    async converse(question, place) {
      const notice: Notice = notices.watch(question, place);
      const reply = await answer(question);
      deps.observe({ verb: reply.title, failed: reply.failed === true });
      try {
        const settled = await notice.settle(reply);
        await delivery.deliver(settled.reply, settled.place);
      } catch (error) {
        log.error({ channel: question.channel, err: error }, 'the answer could not be delivered');
      }
    },
  };
}
