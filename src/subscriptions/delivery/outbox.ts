/** The port through which digests and watches post. `slack/posting/slack-outbox.ts` implements it. */

/** Why nothing can be posted to a channel until somebody acts. */
export type PauseReason =
  | 'channel_gone'
  | 'channel_archived'
  | 'bot_removed'
  | 'not_allowed'
  | 'token_revoked'
  /** The operator's settings don't allow the channel. */
  | 'channel_forbidden'
  /** The operator's settings don't allow the project in the channel, or no longer include it. */
  | 'project_forbidden'
  | 'project_gone';

/**
 * The outcome of an attempt to post.
 * - `retryable`: not posted; may work later
 * - `ambiguous`: unknown whether it was posted (timeout, lost response, server error)
 * - `refused`: not posted, and this message never will be (too long, invalid)
 * - `permanent`: not posted, and nothing will be until somebody acts
 */
export type SendResult =
  | { readonly is: 'sent'; readonly ts: string }
  | { readonly is: 'retryable'; readonly retryAfterMs?: number; readonly reason: string }
  | { readonly is: 'ambiguous'; readonly reason: string }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'permanent'; readonly reason: PauseReason };

/** `null`: the message isn't there. */
export type FindResult = { readonly ts: string } | { readonly permanent: PauseReason } | null;

/** `gone`: the message no longer exists. */
export type EditResult = SendResult | { readonly is: 'gone' };

/** How messages reach a channel. `send` must not retry: every unclear outcome is reported as `ambiguous`. */
export interface MessageSender<M> {
  /**
   * Posts once, to the channel or one of its threads, with the run ID in the message's metadata. Failures of Slack or
   * the network are results; it only throws on a bug of ours, before anything was sent.
   */
  send(channel: string, message: M, runId: string, threadTs?: string): Promise<SendResult>;
  /**
   * Searches the channel's history, or the thread, for the run ID. A throw means unknown: the search is repeated before
   * anything is sent.
   */
  find(channel: string, runId: string, since: Temporal.Instant, threadTs?: string): Promise<FindResult>;
}

export interface MessageEditor<M> {
  /** Replaces the content of a posted message. */
  edit(channel: string, ts: string, message: M): Promise<EditResult>;
}

export interface Outbox<M> extends MessageSender<M>, MessageEditor<M> {
  /** The link to a message in the channel; `null` if Slack gives none. */
  linkTo(channel: string, ts: string): Promise<string | null>;
  /** Sends a direct message; with `since`, only if no message since then has the `id`: another process may have sent it. */
  sendDirect(user: string, message: M, id: string, since?: Temporal.Instant): Promise<void>;
}
