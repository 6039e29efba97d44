/** Where an answer goes. Each listener builds a target from its request; delivery knows nothing of listeners. */
import type { SlackClients } from '../transport/clients.ts';
import { SlackCallError } from '../transport/slack-failure.ts';

export interface ReplyTarget {
  readonly channel: string;
  /** Who asked. */
  readonly user: string;
  readonly threadTs?: string;
  /** Nobody has written in that thread yet. */
  readonly threadIsNew?: boolean;
  /** The bot's own message to edit instead of posting a new one. */
  readonly replaceTs?: string;
  /** Slack's address for this request, for what the bot cannot post itself. */
  readonly responseUrl?: string;
  /** The question was asked from an ephemeral message, so its answer must be ephemeral too. */
  readonly ephemeral?: boolean;
  /** With `ephemeral`: replace that message instead of adding one. */
  readonly replaceEphemeral?: boolean;
  /** Everyone in the channel can see the question, so they see the answer too, unless privacy was asked for. */
  readonly askedPublicly?: boolean;
  /** The user is not looking at the channel: an ephemeral message there would be missed, so it goes by direct message. */
  readonly userIsElsewhere?: boolean;
}

/** Slack shows an ephemeral message to nobody in a thread without replies, so there it goes to the channel. */
export function ephemeralThreadTs({ threadTs, threadIsNew }: ReplyTarget): string | undefined {
  return threadIsNew ? undefined : threadTs;
}

/** Where an ephemeral message for the asker goes. */
export function ephemeralPlace(target: ReplyTarget): { channel: string; user: string; thread_ts?: string } {
  const threadTs = ephemeralThreadTs(target);
  const { channel, user } = target;
  return threadTs === undefined ? { channel, user } : { channel, user, thread_ts: threadTs };
}

/** The direct message channel with a person. */
export async function openDirectMessage({ read }: SlackClients, user: string): Promise<string> {
  const { channel } = await read.conversations.open({ users: user });
  if (channel?.id === undefined) throw new SlackCallError({ kind: 'refused', reason: 'no_channel', messages: [] });
  return channel.id;
}
