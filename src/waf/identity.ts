/** Asking the identity service for a token, with patience where it helps, and saying how long a refusal holds. */
import { BotError } from '../errors.ts';
import { failureOf } from './failure.ts';
import type { Patience } from './patience.ts';
import type { Scrubber } from './scrub.ts';
import { type IssuedToken, type PasswordCredentials, readToken, tokenRequest } from './token-request.ts';
import type { Transport } from './transport.ts';

/** Three wrong passwords in 15 minutes lock an account: one in twenty never does. */
const REFUSED_HOLD_MS = 20 * 60_000;

export interface IdentityOptions {
  readonly iamUrl: string;
  readonly projectId: string;
  readonly credentials: PasswordCredentials;
  readonly transport: Transport;
  readonly patience: Patience;
  readonly scrub: Scrubber;
  readonly now: () => number;
}

export function createIdentity(options: IdentityOptions) {
  const { transport, patience, scrub, now } = options;
  const request = tokenRequest(options.iamUrl, options.projectId, options.credentials);
  const refusals = new WeakSet<BotError>();

  return {
    async request(signal: AbortSignal): Promise<IssuedToken> {
      const outcome = await patience.run(
        {
          prepare: async () => request,
          send: async (prepared, timeoutMs, abort) => {
            const sent = await transport.send(prepared, timeoutMs, abort);
            if (!sent.ok || sent.value.status < 300) return sent;
            const context = { service: 'identity', way: 'token', nowMs: now(), scrub } as const;
            return { ok: false, failure: failureOf(sent.value, context), reply: sent.value };
          },
        },
        signal,
      );
      if (outcome.ok) return readToken(outcome.value, now());
      if (outcome.failure.credentials === 'refused') refusals.add(outcome.failure.error);
      throw outcome.failure.error;
    },
    holdMsFor: (error: unknown): number => (error instanceof BotError && refusals.has(error) ? REFUSED_HOLD_MS : 0),
  };
}
