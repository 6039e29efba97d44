/** How a pager is reached: one ky instance for each, whose failures come back as an outcome without any address or secret. */
import ky, { HTTPError, NetworkError, TimeoutError } from 'ky';
import type { PageOutcome } from './page.ts';

/** What the Standard Webhooks specification recommends at least. */
const TIMEOUT_MS = 15_000;
/** A receiver that asks for more is tried again earlier. */
const MAX_RETRY_AFTER_MS = 60 * 60_000;

interface PagerPeer {
  /** Sends the text as it is, because it may be signed. */
  post(body: string, headers?: Readonly<Record<string, string>>): Promise<PageOutcome>;
}

interface PagerPeerOptions {
  readonly url: string;
  /** The statuses with which the receiver refuses this event for good. */
  readonly refusedWith: readonly number[];
  readonly giveUp: AbortSignal;
}

export function createPagerPeer({ url, refusedWith, giveUp }: PagerPeerOptions): PagerPeer {
  const http = ky.create({
    headers: { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'wafbot' },
    // The delivery retries, through restarts.
    retry: 0,
    timeout: false,
    // Only the configured address gets anything.
    redirect: 'error',
  });
  return {
    async post(body, headers = {}) {
      const timedOut = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const response = await http.post(url, { body, headers, signal: AbortSignal.any([timedOut, giveUp]) });
        // Nothing in it is needed, and it may be endless.
        await response.body?.cancel();
        return { is: 'sent' };
      } catch (error) {
        return outcomeOf(error, timedOut.aborted, refusedWith);
      }
    },
  };
}

function outcomeOf(error: unknown, isLate: boolean, refusedWith: readonly number[]): PageOutcome {
  if (isLate || error instanceof TimeoutError)
    return { is: 'failed', why: `no answer within ${TIMEOUT_MS / 1_000} seconds` };
  if (error instanceof HTTPError) {
    const { status, headers } = error.response;
    if (refusedWith.includes(status)) return { is: 'refused', why: `HTTP ${status}` };
    const retryAfterMs = retryAfterOf(headers.get('retry-after'));
    return { is: 'failed', why: `HTTP ${status}`, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  return { is: 'failed', why: `no connection${codeIn(error instanceof NetworkError ? error.cause : error)}` };
}

/** Only seconds: a date would depend on both clocks. */
function retryAfterOf(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * 1_000, MAX_RETRY_AFTER_MS) : null;
}

/** ` (ECONNREFUSED)`, which says more than the message and has no address. */
function codeIn(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z_]+$/.test(cause.code)) return ` (${cause.code})`;
  return '';
}
