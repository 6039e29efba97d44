/** Sends one request to the statistics service: in turn, with credentials and retries. */
import type { Hooks } from 'ky';
import type { Logger } from '../../observability/logger.ts';
import type { AuthMethod } from '../rules.ts';
import { type QueryParameters, queryString } from '../wire/query-window.ts';
import type { HttpReply } from './failure.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Peer } from './http.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** One way to authenticate. */
export interface Authorizer {
  readonly method: AuthMethod;
  /** Waits until one more request may be sent; the caller must call the returned function at the end. */
  admit(): Promise<() => void>;
  /** Makes sure there are credentials to send, so that waiting for them doesn't count as the service's time. */
  prepare(): Promise<unknown>;
  /** Add the credentials to a request and handle their refusal. */
  readonly hooks: Hooks;
}

interface RequestOptions {
  /** Aborted when no more calls may be made. */
  readonly closing: AbortSignal;
  readonly peer: Peer;
  readonly retries: RetryPolicy;
  readonly authorizer: Authorizer;
  readonly now: () => number;
  readonly log: Logger;
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** Whose question it is for; left out for the bot's own. */
  readonly asker?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum tries; defaults to the retry policy. */
  readonly tries?: number | undefined;
  /** For a line that the answer can do without: tried once, briefly, and a failure says nothing about the service. */
  readonly isExtra?: boolean | undefined;
}

export type SendRequest = (path: string, query: QueryParameters, options: SendOptions) => Promise<HttpReply>;

export function createRequest({ closing, peer, retries, authorizer, now, log }: RequestOptions): SendRequest {
  const queue = createFairQueue();

  async function send(path: string, query: QueryParameters, options: SendOptions): Promise<HttpReply> {
    closing.throwIfAborted();
    const { signal, headers, tries, isExtra } = options;
    const url = `${path}?${queryString(query)}`;
    let sentMs = 0;
    const attempt = {
      tries,
      isExtra,
      prepare: authorizer.prepare,
      send: (timeoutMs: number) => {
        sentMs = now();
        return peer.send(url, { headers, timeoutMs, signal });
      },
    };
    const release = await authorizer.admit();
    try {
      const reply = await retries.run(attempt, signal);
      const requestId = reply.headers.get('x-request-id') ?? undefined;
      log.debug({ path: path.split('/').slice(3).join('/'), ms: now() - sentMs, requestId }, 'service answered');
      return reply;
    } finally {
      release();
    }
  }

  return (path, query, options) => queue.run(options.asker, () => send(path, query, options), options.signal);
}
