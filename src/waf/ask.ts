/** One question to the statistics service, carried through: proof, tries, and one new token if the old one is refused. */

import type { Logger } from '../observability/logger.ts';
import type { Authorizer, Proof } from './authorizer.ts';
import { failureOf, type HttpReply } from './failure.ts';
import type { Patience } from './patience.ts';
import type { Scrubber } from './scrub.ts';
import { percentEncode } from './sign.ts';
import type { Outcome, Transport } from './transport.ts';

export type Query = readonly (readonly [name: string, value: string])[];

export interface AskOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly patience: Patience;
  readonly authorizer: Authorizer;
  readonly scrub: Scrubber;
  readonly now: () => number;
  readonly log: Logger;
}

export type Ask = (path: string, query: Query, signal: AbortSignal) => Promise<HttpReply>;

/** As it goes over the wire; the plus of an offset must not become a space. */
export function queryString(query: Query): string {
  return query.map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`).join('&');
}

export function createAsk(options: AskOptions): Ask {
  const { transport, patience, authorizer, scrub, now, log } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');

  return async function ask(path, query, signal) {
    const target = { host: base.host, path: `${prefix}${path}`, query };
    const url = `${base.origin}${target.path}?${queryString(query)}`;
    let proof: Proof = {};
    let sentMs = 0;

    const tries = {
      prepare: async () => {
        proof = await authorizer.prove(target);
        return proof;
      },
      send: async (headers: Proof, timeoutMs: number, abort: AbortSignal): Promise<Outcome<HttpReply>> => {
        sentMs = now();
        const sent = await transport.send({ service: 'statistics', method: 'GET', url, headers }, timeoutMs, abort);
        if (!sent.ok || sent.value.status === 200) return sent;
        const reply = sent.value;
        const context = { service: 'statistics', way: authorizer.way, nowMs: now(), scrub } as const;
        return { ok: false, failure: failureOf(reply, context), reply };
      },
    };

    const release = await authorizer.admit();
    try {
      let outcome = await patience.run(tries, signal);
      if (!outcome.ok) {
        const refused = await authorizer.refused(proof, outcome.failure, outcome.reply);
        if (refused !== undefined) throw refused;
        outcome = await patience.run(tries, signal);
        if (!outcome.ok) throw outcome.failure.error;
      }
      authorizer.accepted(proof);
      const requestId = outcome.value.headers.get('x-request-id') ?? undefined;
      log.debug({ path: path.split('/').slice(3).join('/'), ms: now() - sentMs, requestId }, 'the service answered');
      return outcome.value;
    } finally {
      release();
    }
  };
}
