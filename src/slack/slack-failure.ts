/** What a failed call to Slack means for us. The only place that looks at the SDK's errors. */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';

export type SlackFailure =
  /** Slack understood and said no; nothing happened. */
  | { readonly kind: 'refused'; readonly reason: string; readonly messages: readonly string[] }
  /** Too fast; nothing happened, and Slack said when to come back. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number }
  /** No answer, or one that says nothing about the effect: it may have happened. */
  | { readonly kind: 'doubtful'; readonly reason: string };

/** `null` for anything that is not a failure of Slack's API. */
export function slackFailure(error: unknown): SlackFailure | null {
  if (error instanceof WebAPIRateLimitedError) return { kind: 'throttled', retryAfterMs: error.retryAfter * 1000 };
  if (error instanceof WebAPIPlatformError) {
    const reason = String(error.data.error);
    if (reason === 'ratelimited' || reason === 'rate_limited') return { kind: 'throttled', retryAfterMs: 1_000 };
    const messages = error.data.response_metadata?.messages ?? [];
    return { kind: 'refused', reason, messages };
  }
  if (error instanceof WebAPIHTTPError) return { kind: 'doubtful', reason: `http_${error.statusCode}` };
  if (error instanceof WebAPIRequestError) return { kind: 'doubtful', reason: 'no_answer' };
  return null;
}

/** The channel cannot be posted to by the bot as things stand, though the asker may still be reached otherwise. */
export function isOutsideChannel(failure: SlackFailure): boolean {
  return (
    failure.kind === 'refused' &&
    ['not_in_channel', 'channel_not_found', 'restricted_action', 'is_archived'].includes(failure.reason)
  );
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
