/** Answers a tool call with the code that answers a question in Slack; a failure becomes words with what to ask instead. */
import { randomUUID } from 'node:crypto';
import type { ChartSpec } from '../charts/spec/index.ts';
import { type Clock, elapsedMsOf, withTimeout } from '../clock.ts';
import type { Commands, Reply } from '../commands/index.ts';
import { codeOf, isOperatorFault } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { ObserveQuestion, QuestionOutcome } from '../observability/observers.ts';
import { errorReply } from '../replies/error-reply.ts';
import { type AnswerWords, answerWords } from './answer-words.ts';
import type { AgentQuestion } from './tools.ts';

/** Who asks. */
export interface AgentCaller {
  readonly user: string;
  readonly channel: string;
  readonly zone: string | null;
}

export interface ToolAnswer extends AnswerWords {
  readonly reply: Reply;
  readonly failed: boolean;
  readonly png: Uint8Array | null;
}

export interface AnswerToolDependencies {
  readonly commands: Pick<Commands, 'answer'>;
  /** `null`: charts are turned off. */
  readonly draw: ((spec: ChartSpec) => Promise<Uint8Array>) | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observeQuestion: ObserveQuestion;
}

/** `caller` rejects if they may not ask. */
export type AnswerTool = (question: AgentQuestion, caller: () => Promise<AgentCaller>) => Promise<ToolAnswer>;

/** An agent reads an answer once, so the answer waits for what a Slack message would get in an edit. */
const LATER_LIMIT_MS = 15_000;

export function createAnswerTool({ commands, draw, clock, log, observeQuestion }: AnswerToolDependencies): AnswerTool {
  const elapsedMs = elapsedMsOf(clock);

  async function complete(reply: Reply): Promise<Reply> {
    const { later } = reply;
    if (later === undefined) return reply;
    const known = await withTimeout(
      clock,
      LATER_LIMIT_MS,
      () => later.catch(() => null),
      () => null,
    );
    return known ?? reply;
  }

  return async function answerTool(question, caller) {
    const { sentence, verbs } = question;
    const startedMs = elapsedMs();
    const observed = observeQuestion();
    const reference = randomUUID().slice(0, 8);
    let verb = 'none';
    const onVerb = (understood: string): void => {
      verb = understood;
    };
    const answered = (outcome: QuestionOutcome): void => {
      const durationMs = elapsedMs() - startedMs;
      observed({ reference, verb, outcome, durationMs });
      log.info({ reference, verb, outcome, durationMs: Math.round(durationMs) }, 'agent question done');
    };
    try {
      const { user, channel, zone } = await caller();
      const asked = { text: sentence, user, channel, userZone: zone, verbs, withoutFiles: true, onVerb };
      const reply = await complete(await commands.answer(asked));
      const png = question.picture && draw !== null && reply.chart !== undefined ? await draw(reply.chart) : null;
      answered('answered');
      return { ...answerWords(reply, question), reply, png, failed: false };
    } catch (error) {
      const code = codeOf(error);
      const outcome = isOperatorFault(code) ? 'failed' : 'refused';
      answered(outcome);
      if (outcome === 'failed') log.error({ reference, code, err: error }, 'agent question failed');
      else log.info({ reference, code, err: error }, 'agent question refused');
      const reply = errorReply(error, { command: '', reference, asked: sentence });
      return { ...answerWords(reply, question), reply, png: null, failed: true };
    }
  };
}
