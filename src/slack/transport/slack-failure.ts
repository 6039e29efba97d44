/** What a failed call to Slack's Web API means for the bot. The only place that inspects the SDK's errors. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { boundedRetryAfterMs } from './slack-fetch.ts';

export type SlackFailure =
  /** Slack understood and refused; the call had no effect. */
  | { readonly kind: 'refused'; readonly reason: string; readonly messages: readonly string[] }
  /** The call had no effect, and Slack said when to try again. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number }
  /** Slack failed, and a look into the channel showed that nothing was posted. */
  | { readonly kind: 'not_posted'; readonly reason: string }
  /** No answer, or one that does not tell whether the call had its effect. */
  | { readonly kind: 'ambiguous'; readonly reason: string };

/** A failure that was found out here instead of being reported by the SDK. */
export class SlackCallError extends Error {
  override readonly name = 'SlackCallError';
  readonly failure: SlackFailure;

  constructor(failure: SlackFailure, cause?: unknown) {
    super(`a call to Slack failed: ${failure.kind}`, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** Slack's own faults. Its documentation says that the call may have had part of its effect. */
const SERVER_FAULTS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);

/** `null` for any error that does not come from Slack's API. */
export function slackFailure(error: unknown): SlackFailure | null {
  if (error instanceof SlackCallError) return error.failure;
  if (error instanceof WebAPIRateLimitedError)
    return { kind: 'rate_limited', retryAfterMs: boundedRetryAfterMs(error.retryAfter) };
  if (error instanceof WebAPIPlatformError) {
    const reason = String(error.data.error);
    const { messages = [], retryAfter = Number.NaN } = error.data.response_metadata ?? {};
    if (reason === 'ratelimited' || reason === 'rate_limited')
      return { kind: 'rate_limited', retryAfterMs: boundedRetryAfterMs(retryAfter) };
    if (SERVER_FAULTS.has(reason)) return { kind: 'ambiguous', reason };
    // Slack's reasons are single words. A page of a proxy is not one, and must not be shown to anybody.
    if (!/^\w+$/.test(reason)) return { kind: 'ambiguous', reason: 'no_answer' };
    return { kind: 'refused', reason, messages };
  }
  if (error instanceof WebAPIHTTPError) return { kind: 'ambiguous', reason: `http_${error.statusCode}` };
  if (error instanceof WebAPIRequestError) return { kind: 'ambiguous', reason: 'no_answer' };
  return null;
}

/** The message to edit was deleted, is too old to be changed, or is not the bot's. */
export function isMessageGone(failure: SlackFailure): boolean {
  const reasons = ['message_not_found', 'cant_update_message', 'edit_window_closed'];
  return failure.kind === 'refused' && reasons.includes(failure.reason);
}

const BLOCK_REFUSALS = [
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
  'invalid_attachments',
];

export function isRefusedBlock(failure: SlackFailure): boolean {
  return failure.kind === 'refused' && BLOCK_REFUSALS.includes(failure.reason);
}

/** Slack has not finished processing an upload that the message shows. */
export function isFileNotReady(failure: SlackFailure): boolean {
  return (
    isRefusedBlock(failure) && failure.kind === 'refused' && failure.messages.some((text) => /slack.?file/i.test(text))
  );
}
