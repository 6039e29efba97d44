/** What every listener is given. */

import type { Logger } from '../../observability/logger.ts';
import type { Conversation } from '../conversation.ts';

export interface ListenerContext {
  readonly conversation: Conversation;
  readonly log: Logger;
  readonly command: string;
  /** Keeps the work going after the listener returned, so that a stop can wait for it. */
  readonly inBackground: (work: Promise<void>) => void;
}
