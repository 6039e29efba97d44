/** The port through which digests and watches post. `slack/posting/slack-outbox.ts` implements it. */

/** Why nothing can be posted to a channel until somebody does something about it. */
export type PauseReason =
  | 'channel_gone'
  | 'channel_archived'
  | 'bot_removed'
  | 'not_allowed'
  | 'token_revoked'
  /** Not Slack's word but the operator's: the channel is not among those allowed to the bot. */
  | 'channel_forbidden'
  /** The operator's as well: the project is not for that channel, or not set up any more. */
  | 'project_forbidden'
  | 'project_gone';

/**
 * The outcome of an attempt to post.
 * - `retryable`: certainly not posted, and may work later
 * - `ambiguous`: unknown whether it was posted (timeout, lost answer, server error)
 * - `refused`: certainly not posted, and this message never will be (too long, invalid)
 * - `permanent`: certainly not posted, and nothing will be until somebody acts
 */
export type SendResult =
  | { readonly is: 'sent'; readonly ts: string }
  | { readonly is: 'retryable'; readonly retryAfterMs?: number; readonly reason: string }
  | { readonly is: 'ambiguous'; readonly reason: string }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'permanent'; readonly reason: PauseReason };

/** `null`: certainly not there. */
export type FindResult = { readonly ts: string } | { readonly permanent: PauseReason } | null;

/** `gone`: there is no such message any more. */
export type EditResult = SendResult | { readonly is: 'gone' };

/** How messages reach a channel. `send` must not retry by itself: every doubtful outcome is reported as `ambiguous`. */
export interface MessageSender<M> {
  /**
   * Posts once, to the channel or a thread of it, with the run id in the message's metadata. Whatever Slack or the way there does is a result; a throw is a
   * fault of our own, before anything was sent.
   */
  send(channel: string, message: M, runId: string, threadTs?: string): Promise<SendResult>;
  /**
   * Searches the channel's history, or the thread, for the run id. A throw means unknown: it is asked again before
   * anything is sent.
   */
  find(channel: string, runId: string, since: Temporal.Instant, threadTs?: string): Promise<FindResult>;
}

export interface MessageEditor<M> {
  /** Replaces the content of a posted message. */
  edit(channel: string, ts: string, message: M): Promise<EditResult>;
}

export interface Outbox<M> extends MessageSender<M>, MessageEditor<M> {
  /** The address of a message in the channel; `null` where Slack gives none. */
  linkTo(channel: string, ts: string): Promise<string | null>;
  /** Sends a direct message, once for each `id`. */
  sendDirect(user: string, message: M, id: string): Promise<void>;
}
