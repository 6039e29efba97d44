/** What listeners have access to. */
import type { AnswerDependencies, AnswerQuestion } from '../answer-question.ts';
import type { Respond } from '../posting/response-url.ts';
import type { SlackClients } from '../transport/web-api.ts';

export interface ListenerContext extends AnswerDependencies {
  readonly answerQuestion: AnswerQuestion;
  readonly respond: Respond;
  /** Updates a person's Home tab. Never rejects. */
  readonly publishHome: (user: string) => Promise<void>;
  readonly clients: SlackClients;
}
