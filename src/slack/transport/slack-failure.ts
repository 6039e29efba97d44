/**
 * What a failed call to Slack means for the bot; the only place that inspects the errors of the SDK and of ky.
 *
 * Rate limits: a 429 becomes `rate_limited` here. `rate-limits.ts` pauses the method and repeats calls; the delivery of
 * digests and watches (`subscriptions/delivery/`) gets it as a `retryable` result from `posting/slack-outbox.ts` and holds
 * back all of its posts. The SDK's own handling is switched off in `clients.ts`.
 */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api';
import { NetworkError, TimeoutError } from 'ky';
import { type Clock, withTimeout } from '../../clock.ts';

export type SlackFailure =
  /** Slack understood and refused; the call had no effect. */
  | { readonly kind: 'refused'; readonly reason: string; readonly messages: readonly string[] }
  /** The call had no effect, and Slack said when to try again. */
  | { readonly kind: 'rate_limited'; readonly retryAfterMs: number }
  /** The call failed and certainly posted nothing. */
  | { readonly kind: 'not_posted'; readonly reason: string }
  /** No answer, or one that doesn't say whether the call took effect. */
  | { readonly kind: 'ambiguous'; readonly reason: string };

/** A failure detected here rather than reported by the SDK. */
export class SlackCallError extends Error {
  override readonly name = 'SlackCallError';
  readonly failure: SlackFailure;

  constructor(failure: SlackFailure, cause?: unknown) {
    super(`call to Slack failed: ${failure.kind}`, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** A longer wait would look like a dead bot, and one extra call every five minutes does no harm. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

export function boundedRetryAfterMs(seconds: number): number {
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1) * 1000, MAX_RETRY_AFTER_MS) : 1_000;
}

/** Errors on Slack's side. According to its documentation, the call may have taken partial effect. */
const SERVER_ERRORS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'team_added_to_org',
  'request_timeout',
]);

/** `null` for errors that don't come from Slack. */
export function slackFailure(error: unknown): SlackFailure | null {
  if (error instanceof SlackCallError) return error.failure;
  if (error instanceof WebAPIRateLimitedError)
    return { kind: 'rate_limited', retryAfterMs: boundedRetryAfterMs(error.retryAfter) };
  if (error instanceof WebAPIPlatformError) {
    const reason = String(error.data.error);
    const { messages = [], retryAfter = Number.NaN } = error.data.response_metadata ?? {};
    if (reason === 'ratelimited' || reason === 'rate_limited')
      return { kind: 'rate_limited', retryAfterMs: boundedRetryAfterMs(retryAfter) };
    if (SERVER_ERRORS.has(reason)) return { kind: 'ambiguous', reason };
    // Slack's reasons are single words. Anything else isn't Slack's, and must not be shown to anyone.
    if (!/^\w+$/.test(reason)) return { kind: 'ambiguous', reason: 'no_answer' };
    return { kind: 'refused', reason, messages };
  }
  if (error instanceof WebAPIHTTPError) return { kind: 'ambiguous', reason: `http_${error.statusCode}` };
  if (error instanceof WebAPIRequestError) return { kind: 'ambiguous', reason: 'no_answer' };
  return null;
}

export const TIMED_OUT = 'timed_out';

/** The result of a call to Slack, or an `ambiguous` failure if it takes longer than the limit. */
export function withinLimit<T>(clock: Clock, limitMs: number, call: () => Promise<T>): Promise<T> {
  return withTimeout<T>(clock, Math.max(1, limitMs), call, () => {
    throw new SlackCallError({ kind: 'ambiguous', reason: TIMED_OUT });
  });
}

/** No connection was made, so nothing was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** From an error of ky's. Without the original as its cause, which contains the address. */
export function oneTimeUrlError(error: unknown): SlackCallError {
  if (error instanceof TimeoutError || (error instanceof Error && error.name === 'TimeoutError'))
    return new SlackCallError({ kind: 'ambiguous', reason: TIMED_OUT });
  const code = error instanceof NetworkError ? errorCode(error) : undefined;
  if (code !== undefined && NOT_CONNECTED.has(code)) return new SlackCallError({ kind: 'not_posted', reason: code });
  return new SlackCallError({ kind: 'ambiguous', reason: 'no_answer' });
}

function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error ? String(error.code) : errorCode(error.cause);
}

/** The message to edit was deleted, can no longer be edited, or isn't the bot's. */
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

/** Slack is still processing an uploaded file that the message shows. */
export function isFileNotReady(failure: SlackFailure): boolean {
  return (
    isRefusedBlock(failure) && failure.kind === 'refused' && failure.messages.some((text) => /slack.?file/i.test(text))
  );
}
