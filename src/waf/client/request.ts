/** Sends one request to the statistics service: with credentials, retries, and one new token if the old one is refused. */
import type { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AuthMethod } from '../rules.ts';
import { type QueryParameters, queryString } from '../wire/query-window.ts';
import { type CallFailure, failureOf, type HttpReply } from './failure.ts';
import type { FairQueue } from './fair-queue.ts';
import type { CallOutcome, HttpTransport, RetryPolicy } from './http.ts';
import type { Scrubber } from './scrub.ts';

interface RequestTarget {
  readonly host: string;
  readonly path: string;
  readonly query: QueryParameters;
}

type AuthHeaders = Readonly<Record<string, string>>;

/** One way to authenticate: the headers of a request, and what to do when they are refused. */
export interface Authorizer {
  readonly method: AuthMethod;
  /** Waits until one more request may be sent; the caller must call the returned function at the end. */
  admit(): Promise<() => void>;
  authorize(target: RequestTarget): Promise<AuthHeaders>;
  accepted(headers: AuthHeaders): void;
  /** `undefined` when the request may be sent once more with new headers, otherwise the error to end with. */
  refused(headers: AuthHeaders, failure: CallFailure, reply: HttpReply | undefined): Promise<BotError | undefined>;
}

interface RequestOptions {
  /** Aborted when no call may be made any more. */
  readonly closing: AbortSignal;
  readonly baseUrl: string;
  readonly transport: HttpTransport;
  readonly queue: FairQueue;
  readonly retries: RetryPolicy;
  readonly authorizer: Authorizer;
  readonly scrub: Scrubber;
  readonly now: () => number;
  readonly log: Logger;
}

/** `asker` is whose question it is for; undefined for the bot's own. */
export type SendRequest = (
  path: string,
  query: QueryParameters,
  signal: AbortSignal,
  asker?: string,
) => Promise<HttpReply>;

export function createRequest(options: RequestOptions): SendRequest {
  const { closing, transport, queue, retries, authorizer, scrub, now, log } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');

  async function send(path: string, query: QueryParameters, signal: AbortSignal): Promise<HttpReply> {
    closing.throwIfAborted();
    const target = { host: base.host, path: `${prefix}${path}`, query };
    const url = `${base.origin}${target.path}?${queryString(query)}`;
    let headers: AuthHeaders = {};
    let sentMs = 0;

    const attempt = {
      prepare: async () => {
        headers = await authorizer.authorize(target);
        return headers;
      },
      send: async (prepared: AuthHeaders, timeoutMs: number, abort: AbortSignal): Promise<CallOutcome> => {
        sentMs = now();
        const call = { service: 'statistics', method: 'GET', url, headers: prepared } as const;
        const sent = await transport.send(call, timeoutMs, abort);
        if (!sent.ok || sent.value.status === 200) return sent;
        const reply = sent.value;
        const context = { service: 'statistics', method: authorizer.method, nowMs: now(), scrub } as const;
        return { ok: false, failure: failureOf(reply, context), reply };
      },
    };

    const release = await authorizer.admit();
    try {
      let outcome = await retries.run(attempt, signal);
      if (!outcome.ok) {
        const refused = await authorizer.refused(headers, outcome.failure, outcome.reply);
        if (refused !== undefined) throw refused;
        outcome = await retries.run(attempt, signal);
        if (!outcome.ok) throw outcome.failure.error;
      }
      authorizer.accepted(headers);
      const requestId = outcome.value.headers.get('x-request-id') ?? undefined;
      log.debug({ path: path.split('/').slice(3).join('/'), ms: now() - sentMs, requestId }, 'the service answered');
      return outcome.value;
    } finally {
      release();
    }
  }

  return (path, query, signal, asker) => queue.run(asker, () => send(path, query, signal), signal);
}
