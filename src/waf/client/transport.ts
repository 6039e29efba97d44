/** One HTTP call with a time limit, its outcome as a value. Nothing is retried here. */
import ky from 'ky';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { systemClock, withTimeout } from '../../clock.ts';
import type { ServiceName } from '../rules.ts';
import { type CallFailure, type HttpReply, timedOut, unreachable } from './failure.ts';

/** A token alone can be longer than the 16 KiB that Node allows for all headers by default. */
const MAX_HEADER_BYTES = 64 * 1024;

export interface HttpRequest {
  readonly service: ServiceName;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type CallOutcome =
  | { readonly ok: true; readonly value: HttpReply }
  | { readonly ok: false; readonly failure: CallFailure; readonly reply?: HttpReply };

export interface HttpTransport {
  /** Any reply is a success here; only timeouts and broken connections are failures. Throws if `signal` aborts. */
  send(request: HttpRequest, timeoutMs: number, signal: AbortSignal): Promise<CallOutcome>;
  close(): Promise<void>;
}

export function createTransport({ proxyFromEnvironment = false } = {}): HttpTransport {
  const limits = { maxHeaderSize: MAX_HEADER_BYTES };
  const dispatcher: Dispatcher = proxyFromEnvironment ? new EnvHttpProxyAgent(limits) : new Agent(limits);
  const http = ky.create({
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // A redirect would carry the token to another host.
    redirect: 'manual',
  });

  return {
    async send({ service, method, url, headers, body }, timeoutMs, signal) {
      signal.throwIfAborted();
      try {
        return await withTimeout<CallOutcome>(
          systemClock,
          timeoutMs,
          async (late) => {
            const response = await http(url, {
              method,
              ...(body === undefined ? {} : { body }),
              // Headers are added below ky: its errors carry the request, and this one must have no secret in it.
              // `assign`, because undici's types and those of Node's own copy of it differ.
              fetch: (input, init) => {
                const options = { ...init, headers, signal: AbortSignal.any([signal, late]) };
                return fetch(input, Object.assign(options, { dispatcher }));
              },
            });
            const text = await response.text();
            return { ok: true, value: { status: response.status, headers: response.headers, body: text } };
          },
          () => ({ ok: false, failure: timedOut(service, timeoutMs) }),
        );
      } catch (error) {
        signal.throwIfAborted();
        return { ok: false, failure: unreachable(service, error) };
      }
    },
    close: () => dispatcher.destroy(),
  };
}
