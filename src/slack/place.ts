/** Where an answer goes. Each door makes one; delivery knows nothing of doors. */
import type { SlackMessage } from './blocks/message.ts';

export interface Place {
  readonly channel: string;
  readonly user: string;
  readonly threadTs?: string;
  /** The bot's own message to edit instead of posting a new one. */
  readonly replaceTs?: string;
  /** Slack's one-time address for this question; it reaches the asker even where the bot is no member. */
  readonly responder?: Responder;
  /** True when the message asked from is for one pair of eyes, so that answers to its buttons are too. */
  readonly ephemeral?: boolean;
  /** With `ephemeral`: take the place of that message instead of adding one. */
  readonly replaceEphemeral?: boolean;
}

export interface Responder {
  /** Rejects when Slack no longer accepts the address, or refuses the message. */
  respond(message: SlackMessage, how: { inChannel: boolean; replace?: boolean }): Promise<void>;
}
