/** Requests a token from the identity service, and says how long to wait after a refusal. */
import { z } from 'zod';
import { BotError } from '../../errors.ts';
import { badAnswer, failureOf, type HttpReply } from '../client/failure.ts';
import type { HttpRequest, HttpTransport, RetryPolicy } from '../client/http.ts';
import type { Scrubber } from '../client/scrub.ts';

export interface PasswordCredentials {
  readonly kind: 'token';
  readonly username: string;
  readonly password: string;
  readonly domainName: string;
}

export interface IssuedToken {
  readonly token: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
}

/** Assumed when the reply names no end; short, and a rejected token is replaced anyway. */
const DEFAULT_LIFETIME_MS = 3_600_000;

/** Three wrong passwords in 15 minutes lock an account; one in 20 minutes never does. */
const LOCKOUT_MS = 20 * 60_000;

const replyBody = z.object({ token: z.object({ expires_at: z.string() }) });

function tokenRequest(iamUrl: string, projectId: string, credentials: PasswordCredentials): HttpRequest {
  const { username, password, domainName } = credentials;
  return {
    service: 'identity',
    method: 'POST',
    url: `${iamUrl}/v3/auth/tokens?nocatalog=true`,
    headers: { 'content-type': 'application/json;charset=utf8' },
    body: JSON.stringify({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: username, password, domain: { name: domainName } } },
        },
        scope: { project: { id: projectId } },
      },
    }),
  };
}

function expiryOf(body: string): number | undefined {
  try {
    const parsed = replyBody.safeParse(JSON.parse(body));
    // With six fraction digits, which `Date` need not understand.
    return parsed.success ? Temporal.Instant.from(parsed.data.token.expires_at).epochMilliseconds : undefined;
  } catch {
    return undefined;
  }
}

/** Throws a `BotError` when there is no token in it. */
function readToken(reply: HttpReply, nowMs: number): IssuedToken {
  const token = reply.headers.get('x-subject-token');
  if (reply.status !== 201 && reply.status !== 200) throw notAToken(`status ${reply.status}`, reply);
  if (token === null || token === '') throw notAToken('no token in its header', reply);
  const expiry = expiryOf(reply.body);
  const theirNowMs = Date.parse(reply.headers.get('date') ?? '');
  // Their instant by their clock: what counts is how long that is from now, whatever our clock says.
  const lifetimeMs =
    expiry === undefined ? DEFAULT_LIFETIME_MS : expiry - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
  if (lifetimeMs <= 0) throw notAToken('a token that has already expired', reply);
  return { token, issuedMs: nowMs, expiresMs: nowMs + lifetimeMs };
}

function notAToken(why: string, reply: HttpReply): BotError {
  return badAnswer('identity', why, reply.headers.get('x-request-id'));
}

interface TokenRequestOptions {
  readonly iamUrl: string;
  readonly projectId: string;
  readonly credentials: PasswordCredentials;
  readonly transport: HttpTransport;
  readonly retries: RetryPolicy;
  readonly scrub: Scrubber;
  readonly now: () => number;
}

export function createTokenRequest(options: TokenRequestOptions) {
  const { transport, retries, scrub, now } = options;
  const request = tokenRequest(options.iamUrl, options.projectId, options.credentials);
  const refusals = new WeakSet<BotError>();

  return {
    /** Throws the refusal. */
    async request(signal: AbortSignal): Promise<IssuedToken> {
      const outcome = await retries.run(
        {
          prepare: async () => request,
          send: async (prepared, timeoutMs, abort) => {
            const sent = await transport.send(prepared, timeoutMs, abort);
            if (!sent.ok || sent.value.status < 300) return sent;
            const context = { service: 'identity', method: 'token', nowMs: now(), scrub } as const;
            return { ok: false, failure: failureOf(sent.value, context), reply: sent.value };
          },
        },
        signal,
      );
      if (outcome.ok) return readToken(outcome.value, now());
      if (outcome.failure.credentials === 'refused') refusals.add(outcome.failure.error);
      throw outcome.failure.error;
    },
    /** How long to wait after this refusal; 0 when it says nothing about the credentials. */
    lockoutMsFor: (error: unknown): number => (error instanceof BotError && refusals.has(error) ? LOCKOUT_MS : 0),
  };
}
