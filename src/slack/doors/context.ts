/** What every door is given. */
import type { Conversation } from '../conversation.ts';
import type { Log } from '../log.ts';

export interface DoorContext {
  readonly conversation: Conversation;
  readonly log: Log;
  readonly command: string;
  /** Keeps the work going after the listener returned, so that a stop can wait for it. */
  readonly inBackground: (work: Promise<void>) => void;
}
