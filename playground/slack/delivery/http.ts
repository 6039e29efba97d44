/** Delivery over HTTP: signed requests to the app's request URL, encoded exactly as Slack encodes them. */
import { createHmac } from 'node:crypto';
import { isObject, parseJson } from '../json.ts';
import type { Delivery, Envelope, Transport } from './envelope.ts';

export interface HttpTransport extends Transport {
  setRequestUrl(url: string): void;
  /** Signs as if this many seconds ago, or with a wrong secret, for requests that the app must refuse. */
  forgeSignature(how: { readonly ageSeconds?: number; readonly secret?: string }): void;
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

  const send = async (envelope: Envelope, body: string, type: string, headers: Readonly<Record<string, string>>) => {
    const startedMs = performance.now();
    const elapsed = () => performance.now() - startedMs;
    const failed = (error: Delivery['error'] & string, status?: number): Delivery => ({
      acked: false,
      error,
      ack: {},
      elapsedMs: elapsed(),
      ...(status === undefined ? {} : { status }),
    });
    if (requestUrl === undefined) return failed('dispatch_failed');
    try {
      const response = await fetch(requestUrl, {
        method: 'POST',
        body,
        headers: { ...headers, 'content-type': type, ...retryHeaders(envelope) },
        signal: AbortSignal.any([AbortSignal.timeout(options.ackTimeoutMs), stopped.signal]),
      });
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
      const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
      const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
      const headers = { 'x-slack-request-timestamp': String(timestamp), 'x-slack-signature': `v0=${signature}` };
      const sent = Array.from({ length: copies }, () => send(envelope, body, type, headers));
      const [first] = await Promise.all(sent);
      return first ?? { acked: false, error: 'dispatch_failed', ack: {}, elapsedMs: 0 };
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
