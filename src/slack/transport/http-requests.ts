/**
 * Slack's requests in HTTP mode, before Bolt sees them. Bolt accepts a request again and again, takes time stamps from
 * the future, and ends the process over a signed body such as `null`.
 */
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { HTTPModuleFunctions, type HTTPReceiver } from '@slack/bolt';
import type { Logger } from '../../observability/logger.ts';
import { isRecord } from '../../untrusted-input.ts';
import type { Deduplicate } from './request-middleware.ts';

export const ENDPOINT = '/slack/events';

/** As Slack documents it, in both directions. Bolt checks the past. */
const MAX_AHEAD_SECONDS = 5 * 60;
/**
 * Twice what the largest message or form that Slack allows takes. Bolt would read 4 MB, several times over, which holds up
 * everybody else.
 */
const MOST_BYTES = 512 * 1_024;
/** Slack's check of the certificate is a short form; what is longer need not be read to know that it is none. */
const SSL_CHECK_BYTES = 1_024;
const TIMESTAMP = /^\d{1,12}$/;
/** Nothing may follow: whatever does would not be checked, and make the same signature look like a new one. */
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

interface RequestGuardOptions {
  readonly signingSecret: string;
  /** Outlives the process, so that a restart does not open a captured request anew. */
  readonly isNewSignature: Deduplicate;
  readonly log: Logger;
}

export function guardRequests(
  receiver: HTTPReceiver,
  { signingSecret, isNewSignature, log }: RequestGuardOptions,
): void {
  const bolt = receiver.requestListener;

  /** The status to refuse with, or `null` for a request that Bolt may read. It finds the body already buffered. */
  async function refusal(request: IncomingMessage): Promise<number | null> {
    const buffered = await HTTPModuleFunctions.bufferIncomingMessage(request, MOST_BYTES);
    // Slack's check of the certificate is not signed. Bolt answers it without looking at anything else.
    if (isSslCheck(buffered)) return null;
    const signature = await verifiedSignature(buffered);
    if (signature === null) return 401;
    if (!isRecord(parsedBody(buffered))) return 400;
    return (await isNewSignature(signature)) ? null : 401;
  }

  async function verifiedSignature(buffered: BufferedMessage): Promise<string | null> {
    const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature } = buffered.headers;
    if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return null;
    if (Number(timestamp) > Date.now() / 1000 + MAX_AHEAD_SECONDS) return null;
    if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return null;
    try {
      await HTTPModuleFunctions.parseAndVerifyHTTPRequest({ signingSecret }, buffered);
      return signature;
    } catch {
      return null;
    }
  }

  receiver.requestListener = (request, response) => {
    if (request.method !== 'POST' || URL.parse(request.url ?? '', 'http://localhost')?.pathname !== ENDPOINT)
      return bolt(request, response);
    refusal(request)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a request could not be read');
        return HTTPModuleFunctions.isRawBodyError(error) ? error.statusCode : 500;
      })
      .then((status) => {
        if (status === null) return bolt(request, response);
        log.info({ status }, 'a request was refused');
        // What is still on its way is read and thrown away: else the sender may see a broken connection and no answer.
        request.resume();
        response.writeHead(status).end();
      })
      .catch((error: unknown) => log.error({ err: error }, 'a request failed'));
  };
}

type BufferedMessage = Awaited<ReturnType<typeof HTTPModuleFunctions.bufferIncomingMessage>>;

function isSslCheck(buffered: BufferedMessage): boolean {
  const isForm = buffered.headers['content-type'] === 'application/x-www-form-urlencoded';
  return isForm && buffered.rawBody.length <= SSL_CHECK_BYTES && parse(buffered.rawBody.toString()).ssl_check === '1';
}

function parsedBody(buffered: BufferedMessage): unknown {
  try {
    return HTTPModuleFunctions.parseHTTPRequestBody(buffered);
  } catch {
    return null;
  }
}
