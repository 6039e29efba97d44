/** One try over HTTP: sent, answered in time or not, and the outcome as a value. Nothing is retried here. */
import ky from 'ky';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { systemClock, withTimeout } from '../clock.ts';
import { type Failure, type HttpReply, type Service, timedOut, unreachable } from './failure.ts';

/** Tokens can be longer than the 16 KiB that Node allows all headers together by default. */
const MAX_HEADER_BYTES = 64 * 1024;

export interface HttpRequest {
  readonly service: Service;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure; readonly reply?: HttpReply };

export interface Transport {
  /** Any answer is a success here; only silence and broken connections are failures. Throws if `signal` aborts. */
  send(request: HttpRequest, timeoutMs: number, signal: AbortSignal): Promise<Outcome<HttpReply>>;
  close(): Promise<void>;
}

export function createTransport({ proxyFromEnvironment = false } = {}): Transport {
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
        return await withTimeout<Outcome<HttpReply>>(
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
