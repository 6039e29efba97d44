/**
 * Turns a question into exactly one visible answer, even if it's slow, refused or fails. All listeners that take a question
 * end here.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { errorReply } from '../replies/error-reply.ts';
import type { DeliverReply } from './posting/deliver-reply.ts';
import type { StartProgressNotice } from './posting/progress-notice.ts';
import type { ReplyTarget } from './posting/reply-target.ts';
import { slackFailure } from './transport/slack-failure.ts';
import type { UserProfiles } from './user-profile.ts';

/** Never rejects: what can't be shown to the asker is logged. */
export type AnswerQuestion = (text: string, target: ReplyTarget) => Promise<void>;

/** `refused`: the asker can fix it. `failed`: only the operator or the service can. */
type QuestionOutcome = 'answered' | 'refused' | 'failed';

export interface AnsweredQuestion {
  readonly outcome: QuestionOutcome;
  /** From the question to the delivery of its answer. */
  readonly durationMs: number;
}

interface AnswerQuestionDependencies {
  readonly commands: Commands;
  readonly userZone: UserProfiles['zone'];
  readonly deliverReply: DeliverReply;
  readonly startProgressNotice: StartProgressNotice;
  readonly log: Logger;
  readonly clock: Clock;
  readonly command: string;
  readonly onAnswered: (question: AnsweredQuestion) => void;
}

const OPERATOR_FAULT = /^(upstream_|not_posted$|storage$|config$|internal$)/;

export function createAnswerQuestion(deps: AnswerQuestionDependencies): AnswerQuestion {
  const { commands, userZone, deliverReply, startProgressNotice, log, clock, command } = deps;

  return async function answerQuestion(text, target) {
    const { user, channel } = target;
    const startedMs = clock.now().epochMilliseconds;
    const isPrivate = () => commands.isPrivate({ text, user, channel, userZone: null });

    async function answer(): Promise<{ readonly reply: Reply; readonly outcome: QuestionOutcome }> {
      try {
        const reply = await commands.answer({ text, user, channel, userZone: await userZone(user) });
        return { reply, outcome: 'answered' };
      } catch (error) {
        const reference = randomUUID().slice(0, 8);
        const code = error instanceof BotError ? error.code : 'internal';
        const facts = { reference, code, channel, err: error };
        const outcome = OPERATOR_FAULT.test(code) ? 'failed' : 'refused';
        if (outcome === 'failed') log.error(facts, 'question failed');
        else log.info(facts, 'question refused');
        // An error is as private as the answer would have been, and a refusal embarrasses nobody in public.
        const privately = code === 'forbidden' || (await isPrivate().catch(() => false));
        return { reply: { ...errorReply(error, { command, reference, asked: text }), privately }, outcome };
      }
    }

    async function reportFailedDelivery(error: unknown): Promise<void> {
      const reference = randomUUID().slice(0, 8);
      log.error({ reference, channel, err: error }, 'could not deliver the answer');
      // If Slack itself failed, another message would fail too, or be a second answer.
      if (slackFailure(error) === null)
        await deliverReply(errorReply(error, { command, reference, asked: text }), target);
    }

    const notice = startProgressNotice({ text, isPrivate }, target);
    let { reply, outcome } = await answer();
    try {
      const finished = await notice.finish(reply);
      await deliverReply(finished.reply, finished.target);
    } catch (error) {
      outcome = 'failed';
      await reportFailedDelivery(error).catch((second: unknown) =>
        log.error({ channel, err: second }, 'could not report the failure'),
      );
    }
    deps.onAnswered({ outcome, durationMs: clock.now().epochMilliseconds - startedMs });
  };
}
