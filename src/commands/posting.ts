/** What can become of a message that nobody is waiting for: the words that those who send and those who keep repository share. */

/** Why nothing can be posted to a channel until somebody does something about it. */
export type PauseReason = 'channel_gone' | 'channel_archived' | 'bot_removed' | 'not_allowed' | 'token_revoked';

/**
 * What became of an attempt to post.
 * - `retryable`: certainly not posted, and may work later
 * - `ambiguous`: nobody can say whether it was posted (timeout, lost answer, server error)
 * - `refused`: certainly not posted, this very message never will be (too long, invalid)
 * - `permanent`: certainly not posted, nothing will be until somebody acts
 */
export type SendResult =
  | { readonly is: 'sent'; readonly ts: string }
  | { readonly is: 'retryable'; readonly retryAfterMs?: number; readonly reason: string }
  | { readonly is: 'ambiguous'; readonly reason: string }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'permanent'; readonly reason: PauseReason };

/** `null`: certainly not there. */
export type FindResult = { readonly ts: string } | { readonly permanent: PauseReason } | null;
