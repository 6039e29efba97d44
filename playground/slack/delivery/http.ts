/** Delivery over HTTP: signed requests to the app's request URL, encoded exactly as Slack encodes them. */
import { createHmac } from 'node:crypto';
import { isObject, parseJson } from '../json.ts';
import type { Delivery, Envelope, Transport } from './envelope.ts';

export interface HttpTransport extends Transport {
  setRequestUrl(url: string): void;
  /** Signs as if this many seconds ago, or with a wrong secret, for requests that the app must refuse. */
  forgeSignature(how: { readonly ageSeconds?: number; readonly secret?: string }): void;
  /**
   * Signs any body and sends it to the app, as anyone with the secret could, and waits for longer than Slack does.
   * Resolves with the app's status.
   */
  sendSigned(request: SignedRequest): Promise<number>;
  /** Replays the last request, as an eavesdropper could; `change` varies its headers. */
  replayLast(change?: (headers: Headers) => void): Promise<number>;
}

interface SignedRequest {
  readonly body: string;
  /** `application/json` by default. */
  readonly type?: string;
  /** The header's text; now by default. */
  readonly timestamp?: string;
}

export function createHttpTransport(options: {
  readonly signingSecret: string;
  readonly requestUrl?: string | undefined;
  readonly ackTimeoutMs: number;
}): HttpTransport {
  let requestUrl = options.requestUrl;
  let secret = options.signingSecret;
  let ageSeconds = 0;
  const stopped = new AbortController();
  let last: { readonly body: string; readonly headers: Readonly<Record<string, string>> } | undefined;

  const signed = (body: string, timestamp: string): Readonly<Record<string, string>> => {
    // Bolt signs the number that the header stands for, not its text.
    const signature = createHmac('sha256', secret)
      .update(`v0:${Number(timestamp)}:${body}`)
      .digest('hex');
    return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${signature}` };
  };

  const post = (body: string, headers: Readonly<Record<string, string>>, limit?: AbortSignal): Promise<Response> => {
    last = { body, headers };
    const signal = limit === undefined ? stopped.signal : AbortSignal.any([limit, stopped.signal]);
    return fetch(requestUrl ?? '', { method: 'POST', body, headers, signal });
  };

  const send = async (envelope: Envelope, body: string, type: string, headers: Readonly<Record<string, string>>) => {
    const startedMs = performance.now();
    const elapsed = () => performance.now() - startedMs;
    const failed = (error: Delivery['error'] & string, status?: number): Delivery => ({
      acked: false,
      error,
      ack: {},
      elapsedMs: elapsed(),
      status,
    });
    if (requestUrl === undefined) return failed('dispatch_failed');
    try {
      const limit = AbortSignal.timeout(options.ackTimeoutMs);
      const response = await post(body, { ...headers, 'content-type': type, ...retryHeaders(envelope) }, limit);
      const text = await response.text();
      if (response.status < 200 || response.status > 299) return failed('dispatch_failed', response.status);
      const parsed = parseJson(text);
      const ack = isObject(parsed) ? parsed : text === '' ? {} : { text };
      return { acked: true, ack, elapsedMs: elapsed(), status: response.status } satisfies Delivery;
    } catch (error) {
      const late = error instanceof DOMException && error.name === 'TimeoutError';
      return failed(late ? 'operation_timeout' : 'dispatch_failed');
    }
  };

  return {
    setRequestUrl(url) {
      requestUrl = url;
    },
    forgeSignature(how) {
      ageSeconds = how.ageSeconds ?? 0;
      secret = how.secret ?? options.signingSecret;
    },
    async deliver(envelope, copies) {
      const { body, type } = bodyOf(envelope);
      // The app compares the timestamp with the real time, so the injected clock must not be used here.
      const headers = signed(body, String(Math.floor(Date.now() / 1000) - ageSeconds));
      const sent = Array.from({ length: copies }, () => send(envelope, body, type, headers));
      const [first] = await Promise.all(sent);
      return first ?? { acked: false, error: 'dispatch_failed', ack: {}, elapsedMs: 0 };
    },
    async sendSigned({ body, type = 'application/json', timestamp = String(Math.floor(Date.now() / 1000)) }) {
      return (await post(body, { ...signed(body, timestamp), 'content-type': type })).status;
    },
    async replayLast(change = () => {}) {
      if (last === undefined) throw new Error('There is no request to replay yet.');
      const headers = new Headers(last.headers);
      change(headers);
      return (await post(last.body, Object.fromEntries(headers))).status;
    },
    stop: async () => stopped.abort(),
  };
}

function retryHeaders(envelope: Envelope): Readonly<Record<string, string>> {
  if (envelope.retry === undefined) return {};
  return { 'x-slack-retry-num': String(envelope.retry.attempt), 'x-slack-retry-reason': envelope.retry.reason };
}

/** No charset in the content types: Bolt would then parse a form as JSON and refuse it. */
function bodyOf(envelope: Envelope): { readonly body: string; readonly type: string } {
  const form = 'application/x-www-form-urlencoded';
  switch (envelope.type) {
    case 'events_api':
      return { body: JSON.stringify(envelope.payload), type: 'application/json' };
    case 'interactive':
      return { body: new URLSearchParams({ payload: JSON.stringify(envelope.payload) }).toString(), type: form };
    case 'slash_commands': {
      const fields = Object.entries(envelope.payload).map(([key, value]) => [key, String(value)]);
      return { body: new URLSearchParams(fields).toString(), type: form };
    }
  }
}
