/** Where an answer goes. Each listener builds a target from its request. */
import type { SlackClients } from '../transport/web-api.ts';
import { SlackCallError } from '../transport/web-api.ts';

/** A step of a workflow that waits for the answer. */
export interface WorkflowStep {
  /** `Fx…` */
  readonly execution: string;
  /** The only verb that may answer. */
  readonly verb: string;
  /** Whether the answer is posted, too. */
  readonly posts: boolean;
  /** The workspace that the workflow runs in. */
  readonly team: string;
}

export interface ReplyTarget {
  readonly channel: string;
  readonly user: string;
  readonly threadTs?: string;
  /** The thread has no replies yet. */
  readonly threadIsNew?: boolean;
  /** The bot's own message to edit instead of posting a new one. */
  readonly replaceTs?: string;
  /** Slack's one-time address for this request, for what the bot can't post itself. */
  readonly responseUrl?: string;
  /** The question was asked from an ephemeral message, so its answer must be ephemeral too. */
  readonly ephemeral?: boolean;
  /** With `ephemeral`: replace that message instead of adding one. */
  readonly replaceEphemeral?: boolean;
  /** Everyone in the channel can see the question, so they see the answer too unless it's private. */
  readonly askedPublicly?: boolean;
  /** Typed in a thread or a direct message: what it leaves out is taken from the last question there. */
  readonly follows?: boolean;
  /** The channel that the person is viewing next to a direct message. */
  readonly viewed?: string;
  /** The user isn't looking at the channel and would miss an ephemeral message, so it goes by direct message. */
  readonly userIsElsewhere?: boolean;
  readonly step?: WorkflowStep;
  /** The ID that a new message carries, so that a later process finds it; any by default. */
  readonly postId?: string;
  /** Called before anything becomes visible, perhaps more than once; what it rejects with ends the delivery. */
  readonly beforeSend?: () => Promise<void>;
}

/** Slack doesn't show ephemeral messages in a thread without replies, so they go to the channel instead. */
export function ephemeralThreadTs({ threadTs, threadIsNew }: ReplyTarget): string | undefined {
  return threadIsNew ? undefined : threadTs;
}

export function ephemeralPlace(target: ReplyTarget): { channel: string; user: string; thread_ts?: string | undefined } {
  const { channel, user } = target;
  return { channel, user, thread_ts: ephemeralThreadTs(target) };
}

export async function openDirectMessage({ read }: SlackClients, user: string): Promise<string> {
  const { channel } = await read.conversations.open({ users: user });
  if (channel?.id === undefined) throw new SlackCallError({ kind: 'refused', reason: 'no_channel', messages: [] });
  return channel.id;
}
