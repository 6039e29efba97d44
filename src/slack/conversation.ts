/**
 * One question, one visible answer: also when the answer is slow, when it is a refusal, and when everything behind it
 * fails. All doors end here.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { errorReply } from '../commands/replies/error-reply.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Asked } from './asked.ts';
import type { Delivery } from './posting/deliver-reply.ts';
import type { Notices } from './posting/progress-notice.ts';
import type { ReplyTarget } from './posting/reply-target.ts';
import { slackFailure } from './slack-failure.ts';
import type { Zones } from './zones.ts';

/** `refused`: the asker can do something about it. `failed`: only we can, or the service. */
export type Outcome = 'answered' | 'refused' | 'failed';

export interface Observation {
  readonly outcome: Outcome;
  /** From the question to its answer being delivered. */
  readonly ms: number;
}

export interface Conversation {
  /** Never rejects: what cannot be told to the asker is in the log. */
  converse(asked: Asked, place: ReplyTarget): Promise<void>;
}

export interface ConversationDependencies {
  readonly commands: Commands;
  readonly zones: Zones;
  readonly delivery: Delivery;
  readonly notices: Notices;
  readonly log: Logger;
  readonly clock: Clock;
  readonly command: string;
  readonly observe: (observation: Observation) => void;
}

const OURS_TO_MEND = /^(upstream_|config$|internal$)/;

export function createConversation(deps: ConversationDependencies): Conversation {
  const { commands, zones, delivery, notices, log, clock, command } = deps;

  async function answer(asked: Asked): Promise<{ readonly reply: Reply; readonly outcome: Outcome }> {
    try {
      const question = { ...asked, userZone: await zones.zoneOf(asked.user) };
      return { reply: await commands.answer(question), outcome: 'answered' };
    } catch (error) {
      const reference = randomUUID().slice(0, 8);
      const code = error instanceof BotError ? error.code : 'internal';
      const facts = { reference, code, channel: asked.channel, err: error };
      const outcome = OURS_TO_MEND.test(code) ? 'failed' : 'refused';
      if (outcome === 'failed') log.error(facts, 'question failed');
      else log.info(facts, 'question refused');
      // A failure is as private as the answer would have been.
      const privately = await commands.isPrivate({ ...asked, userZone: null }).catch(() => false);
      return { reply: { ...errorReply(error, command, reference), privately }, outcome };
    }
  }

  /** An answer that we cannot put into a message is our fault, and is told as one. */
  async function apologise(error: unknown, { channel }: Asked, place: ReplyTarget): Promise<void> {
    const reference = randomUUID().slice(0, 8);
    log.error({ reference, channel, err: error }, 'the answer could not be delivered');
    // Where Slack itself failed, another message would fail as well, or be a second answer.
    if (slackFailure(error) === null) await delivery.deliver(errorReply(error, command, reference), place);
  }

  return {
    async converse(asked, place) {
      const startedMs = clock.now().epochMilliseconds;
      const notice = notices.watch(asked, place);
      let { reply, outcome } = await answer(asked);
      try {
        const settled = await notice.settle(reply);
        await delivery.deliver(settled.reply, settled.place);
      } catch (error) {
        outcome = 'failed';
        await apologise(error, asked, place).catch((last: unknown) =>
          log.error({ channel: asked.channel, err: last }, 'the failure could not be told'),
        );
      }
      deps.observe({ outcome, ms: clock.now().epochMilliseconds - startedMs });
    },
  };
}
