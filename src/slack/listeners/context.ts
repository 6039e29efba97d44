/** What listeners have access to. */
import type { Clock } from '../../clock.ts';
import type { Commands } from '../../commands/index.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AnswerQuestion } from '../answer-question.ts';
import type { DeliverReply } from '../posting/deliver-reply.ts';
import type { Respond } from '../posting/response-url.ts';
import type { SlackClients } from '../transport/clients.ts';
import type { UserProfiles } from '../user-profile.ts';

export interface ListenerContext {
  readonly answerQuestion: AnswerQuestion;
  readonly commands: Commands;
  readonly deliverReply: DeliverReply;
  readonly respond: Respond;
  /** Updates a person's Home tab. Never rejects. */
  readonly publishHome: (user: string) => Promise<void>;
  readonly userZone: UserProfiles['zone'];
  readonly clients: SlackClients;
  readonly clock: Clock;
  readonly log: Logger;
  readonly command: string;
}
