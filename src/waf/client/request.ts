/**
 * Sends one request to the statistics service: in turn, with credentials, retries, and one new token if the old one is
 * refused. Only so many calls are made at once, at most half of them for one asker; of those who wait, each has the next
 * turn before anybody has another one. So whoever asks a lot waits for themselves.
 */
import type { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { AuthMethod } from '../rules.ts';
import { type QueryParameters, queryString } from '../wire/query-window.ts';
import { type CallFailure, failureOf, type HttpReply } from './failure.ts';
import type { CallOutcome, HttpTransport, RetryPolicy } from './http.ts';
import type { Scrubber } from './scrub.ts';

const AT_ONCE = 16;
const AT_ONCE_FOR_ONE = AT_ONCE / 2;

/** Digests and watches, which nobody asks for. */
const THE_BOT_ITSELF = '';

interface FairQueue {
  /** Rejects with the signal's reason when it aborts before the turn has come. */
  run<T>(asker: string | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

function createFairQueue(): FairQueue {
  /** Who has the next turn comes first. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  function admit(): void {
    // A map goes on to what is added meanwhile: whoever had a turn is at its end again.
    for (const [asker, turns] of waiting) {
      if (total >= AT_ONCE) return;
      if ((running.get(asker) ?? 0) >= AT_ONCE_FOR_ONE) continue;
      const start = turns.shift();
      waiting.delete(asker);
      if (turns.length > 0) waiting.set(asker, turns);
      if (start === undefined) continue;
      total += 1;
      running.set(asker, (running.get(asker) ?? 0) + 1);
      start();
    }
  }

  function finish(asker: string): void {
    total -= 1;
    const left = (running.get(asker) ?? 0) - 1;
    if (left > 0) running.set(asker, left);
    else running.delete(asker);
    admit();
  }

  return {
    async run(asker = THE_BOT_ITSELF, work, signal) {
      signal.throwIfAborted();
      const turn = Promise.withResolvers<void>();
      const turns = waiting.get(asker) ?? [];
      turns.push(turn.resolve);
      waiting.set(asker, turns);
      const leave = (): void => {
        const at = turns.indexOf(turn.resolve);
        if (at < 0) return;
        turns.splice(at, 1);
        turn.reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      admit();
      await turn.promise.finally(() => signal.removeEventListener('abort', leave));
      try {
        return await work();
      } finally {
        finish(asker);
      }
    },
  };
}

interface RequestTarget {
  readonly host: string;
  readonly path: string;
  readonly query: QueryParameters;
  /** What a dialect sends besides; signed too where requests are. */
  readonly headers: Readonly<Record<string, string>>;
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
  readonly retries: RetryPolicy;
  readonly authorizer: Authorizer;
  readonly scrub: Scrubber;
  readonly now: () => number;
  readonly log: Logger;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Whose question it is for; left out for the bot's own. */
  readonly asker?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** At most so many; as many as the retry policy makes where left out. */
  readonly tries?: number;
}

export type SendRequest = (path: string, query: QueryParameters, options: SendOptions) => Promise<HttpReply>;

export function createRequest(options: RequestOptions): SendRequest {
  const { closing, transport, retries, authorizer, scrub, now, log } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const queue = createFairQueue();

  async function send(path: string, query: QueryParameters, options: SendOptions): Promise<HttpReply> {
    closing.throwIfAborted();
    const { signal, headers: more = {}, tries } = options;
    const target = { host: base.host, path: `${prefix}${path}`, query, headers: more };
    const url = `${base.origin}${target.path}?${queryString(query)}`;
    let headers: AuthHeaders = {};
    let sentMs = 0;

    const attempt = {
      tries,
      prepare: async () => {
        headers = await authorizer.authorize(target);
        return headers;
      },
      send: async (prepared: AuthHeaders, timeoutMs: number, abort: AbortSignal): Promise<CallOutcome> => {
        sentMs = now();
        const call = { service: 'statistics', method: 'GET', url, headers: { ...more, ...prepared } } as const;
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

  return (path, query, options) => queue.run(options.asker, () => send(path, query, options), options.signal);
}
