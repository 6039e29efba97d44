/** What a failed call to Slack means for us. The only place that looks at the SDK's errors. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';

export type SlackFailure =
  /** Slack understood and said no; nothing happened. */
  | { readonly kind: 'refused'; readonly reason: string; readonly messages: readonly string[] }
  /** Too fast; nothing happened, and Slack said when to come back. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number }
  /** No answer, or one that says nothing about the effect: it may have happened. */
  | { readonly kind: 'doubtful'; readonly reason: string };

/** Slack's own faults: it says that part of what was asked may have happened before them. */
const FAULTS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);

/** `null` for anything that is not a failure of Slack's API. */
export function slackFailure(error: unknown): SlackFailure | null {
  if (error instanceof WebAPIRateLimitedError) return { kind: 'throttled', retryAfterMs: error.retryAfter * 1000 };
  if (error instanceof WebAPIPlatformError) {
    const reason = String(error.data.error);
    if (reason === 'ratelimited' || reason === 'rate_limited') return { kind: 'throttled', retryAfterMs: 1_000 };
    if (FAULTS.has(reason)) return { kind: 'doubtful', reason };
    const messages = error.data.response_metadata?.messages ?? [];
    return { kind: 'refused', reason, messages };
  }
  if (error instanceof WebAPIHTTPError) return { kind: 'doubtful', reason: `http_${error.statusCode}` };
  if (error instanceof WebAPIRequestError) return { kind: 'doubtful', reason: 'no_answer' };
  return null;
}

/** The message to edit was deleted, is too old to be changed, or is not the bot's. */
export function isGone(failure: SlackFailure): boolean {
  const reasons = ['message_not_found', 'cant_update_message', 'edit_window_closed'];
  return failure.kind === 'refused' && reasons.includes(failure.reason);
}

export function isRefusedBlock(failure: SlackFailure): boolean {
  const reasons = [
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_blocks_too_long',
    'msg_too_long',
    'invalid_attachments',
  ];
  return failure.kind === 'refused' && reasons.includes(failure.reason);
}

/** An upload that Slack has not finished looking at yet. */
export function isFileNotReady(failure: SlackFailure): boolean {
  return (
    isRefusedBlock(failure) && failure.kind === 'refused' && failure.messages.some((text) => /slack.?file/i.test(text))
  );
}
