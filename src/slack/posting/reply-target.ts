/**
 * Where an answer goes: a channel or thread, and Slack's `response_url` for what the bot cannot post itself. Each
 * listener builds a target from its request; delivery knows nothing of listeners.
 */
import ky from 'ky';
import type { SlackMessage } from '../blocks/message.ts';
import type { SlackClients } from '../transport/clients.ts';

export interface ReplyTarget {
  readonly channel: string;
  /** Who asked. */
  readonly user: string;
  readonly threadTs?: string;
  /** Nobody has written in that thread yet. */
  readonly threadIsNew?: boolean;
  /** The bot's own message to edit instead of posting a new one. */
  readonly replaceTs?: string;
  readonly responseUrl?: ResponseUrl;
  /** The question was asked from an ephemeral message, so its answer must be ephemeral too. */
  readonly ephemeral?: boolean;
  /** With `ephemeral`: replace that message instead of adding one. */
  readonly replaceEphemeral?: boolean;
  /** Everyone in the channel can see the question, so they see the answer too, unless privacy was asked for. */
  readonly askedPublicly?: boolean;
  /** The user is not looking at the channel: an ephemeral message there would be missed, so it goes by direct message. */
  readonly userIsElsewhere?: boolean;
}

/** Slack's address for one request. It reaches the asker even where the bot is not a member. */
interface ResponseUrl {
  /** Rejects when Slack no longer accepts the address, or refuses the message. */
  respond(message: SlackMessage, options: ResponseOptions): Promise<void>;
}

export interface ResponseOptions {
  readonly inChannel: boolean;
  readonly replace?: boolean;
  readonly threadTs?: string | undefined;
}

const RESPONSE_TIMEOUT_MS = 10_000;

/** Slack takes five responses within thirty minutes, then answers 404. */
export function createResponseUrl(url: string): ResponseUrl {
  return {
    async respond(message, { inChannel, replace = false, threadTs }) {
      const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
      const options = { response_type: inChannel ? 'in_channel' : 'ephemeral', replace_original: replace };
      // Not Bolt's `respond`, which has no time limit.
      await ky.post(url, { json: { ...message, ...thread, ...options }, timeout: RESPONSE_TIMEOUT_MS, retry: 0 });
    },
  };
}

/** Slack shows an ephemeral message to nobody in a thread without replies, so there it goes to the channel. */
export function ephemeralThreadTs({ threadTs, threadIsNew }: ReplyTarget): string | undefined {
  return threadIsNew ? undefined : threadTs;
}

/** The direct message channel with a person. */
export async function openDirectMessage({ read }: SlackClients, user: string): Promise<string> {
  const { channel } = await read.conversations.open({ users: user });
  if (channel?.id === undefined) throw new Error('Slack opened a direct message without a channel');
  return channel.id;
}
