/**
 * Checks Slack's requests in HTTP mode before Bolt sees them. Bolt accepts replayed requests and timestamps from the future,
 * and a signed body such as `null` ends the process.
 */
import type { IncomingMessage } from 'node:http';
import { parse } from 'node:querystring';
import { HTTPModuleFunctions, type HTTPReceiver, isValidSlackRequest } from '@slack/bolt';
import type { Logger } from '../../observability/logger.ts';
import { isRecord } from '../../untrusted-input.ts';
import type { Deduplicate } from '../middleware.ts';

export const ENDPOINT = '/slack/events';

/** As Slack documents it. Bolt only checks the past. */
const MAX_AHEAD_SECONDS = 5 * 60;
/**
 * Twice the largest message or form that Slack allows. Bolt would accept 4 MB and parse it several times, which blocks the
 * event loop.
 */
const MAX_BYTES = 512 * 1_024;
/** Slack's certificate check is a short form, so nothing longer needs to be parsed. */
const SSL_CHECK_BYTES = 1_024;
const TIMESTAMP = /^\d{1,12}$/;
/** Nothing may follow: it wouldn't be checked, and would make a replayed signature look new. */
const SIGNATURE = /^v0=[0-9a-f]{64}$/;

interface RequestGuardOptions {
  readonly signingSecret: string;
  /** Outlives the process, so that a captured request can't be replayed after a restart. */
  readonly isNewSignature: Deduplicate;
  readonly log: Logger;
}

export function guardRequests(
  receiver: HTTPReceiver,
  { signingSecret, isNewSignature, log }: RequestGuardOptions,
): void {
  const bolt = receiver.requestListener;

  /** The status to refuse with, or `null` if Bolt may handle the request, whose body is buffered by then. */
  async function refusal(request: IncomingMessage): Promise<number | null> {
    const buffered = await HTTPModuleFunctions.bufferIncomingMessage(request, MAX_BYTES);
    // Slack's certificate check isn't signed. Bolt answers it without looking at anything else.
    if (isSslCheck(buffered)) return null;
    const { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': given } = buffered.headers;
    const signature = verifiedSignature(signingSecret, {
      timestamp,
      signature: given,
      body: buffered.rawBody.toString(),
    });
    if (signature === null) return 401;
    if (!isRecord(parsedBody(buffered))) return 400;
    return (await isNewSignature(signature)) ? null : 401;
  }

  receiver.requestListener = (request, response) => {
    const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname;
    // A target such as `//[`, which Bolt would answer with 500.
    if (path === undefined) return void response.writeHead(404).end();
    if (request.method !== 'POST' || path !== ENDPOINT) return bolt(request, response);
    refusal(request)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'could not read a request');
        return HTTPModuleFunctions.isRawBodyError(error) ? error.statusCode : 500;
      })
      .then((status) => {
        if (status === null) return bolt(request, response);
        log.info({ status }, 'request refused');
        // The rest is read and discarded, or the sender may see a broken connection instead of the status.
        request.resume();
        response.writeHead(status).end();
      })
      .catch((error: unknown) => log.error({ err: error }, 'request failed'));
  };
}

interface SignedRequest {
  readonly timestamp: unknown;
  readonly signature: unknown;
  readonly body: string;
}

/**
 * The signature if it's Slack's, or `null`. Not with Bolt's check of the whole request, which accepts anything that claims to be a
 * certificate check.
 */
export function verifiedSignature(signingSecret: string, { timestamp, signature, body }: SignedRequest): string | null {
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp)) return null;
  if (Number(timestamp) > Date.now() / 1000 + MAX_AHEAD_SECONDS) return null;
  if (typeof signature !== 'string' || !SIGNATURE.test(signature)) return null;
  const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': Number(timestamp) };
  return isValidSlackRequest({ signingSecret, body, headers }) ? signature : null;
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
