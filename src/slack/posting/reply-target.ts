/** Where an answer goes. Each listener makes one; delivery knows nothing of doors. */
import type { SlackMessage } from '../blocks/message.ts';

export interface ReplyTarget {
  readonly channel: string;
  readonly user: string;
  readonly threadTs?: string;
  /** Nobody has written in that thread yet. */
  readonly threadIsNew?: boolean;
  /** The bot's own message to edit instead of posting a new one. */
  readonly replaceTs?: string;
  /** Slack's address for this question, good for a few uses; it reaches the asker even where the bot is no member. */
  readonly responder?: Responder;
  /** True when the message asked from is for one pair of eyes, so that answers to its buttons are too. */
  readonly ephemeral?: boolean;
  /** With `ephemeral`: take the place of that message instead of adding one. */
  readonly replaceEphemeral?: boolean;
  /** The question stands in the channel for all to see; so does its answer, unless privacy was asked for. */
  readonly openly?: boolean;
  /** The asker is not looking at the channel: what is for them alone goes to their direct messages. */
  readonly absent?: boolean;
}

export interface ResponseOptions {
  readonly inChannel: boolean;
  readonly replace?: boolean;
  readonly threadTs?: string | undefined;
}

export interface Responder {
  /** Rejects when Slack no longer accepts the address, or refuses the message. */
  respond(message: SlackMessage, how: ResponseOptions): Promise<void>;
}

/** The thread for a message that one person sees: in one that nobody has written in, Slack would show it to nobody. */
export function privateThread({ threadTs, threadIsNew }: ReplyTarget): string | undefined {
  return threadIsNew ? undefined : threadTs;
}
