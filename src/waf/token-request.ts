/** The call that issues a token: its body, its reply, and when the token ends by our own clock. */
import { z } from 'zod';
import type { BotError } from '../errors.ts';
import { type HttpReply, untrusted } from './failure.ts';
import type { HttpRequest } from './transport.ts';

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

/** Assumed when the reply does not say: short enough to be safe, and a rejected token is replaced anyway. */
const UNSAID_LIFE_MS = 3_600_000;

const replyBody = z.object({ token: z.object({ expires_at: z.string() }) });

export function tokenRequest(iamUrl: string, projectId: string, credentials: PasswordCredentials): HttpRequest {
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
    // Instants have six fraction digits here, which `Date` would read on some engines only.
    return parsed.success ? Temporal.Instant.from(parsed.data.token.expires_at).epochMilliseconds : undefined;
  } catch {
    return undefined;
  }
}

/** Throws a `BotError` when there is no token in it. */
export function readToken(reply: HttpReply, nowMs: number): IssuedToken {
  const token = reply.headers.get('x-subject-token');
  if (reply.status !== 201 && reply.status !== 200) throw notAToken(`status ${reply.status}`, reply);
  if (token === null || token === '') throw notAToken('no token in its header', reply);
  const expiry = expiryOf(reply.body);
  const theirNowMs = Date.parse(reply.headers.get('date') ?? '');
  // The end is told by their clock: what counts is how long that is from now, whatever our clock says.
  const lifeMs = expiry === undefined ? UNSAID_LIFE_MS : expiry - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
  if (lifeMs <= 0) throw notAToken('a token that has already expired', reply);
  return { token, issuedMs: nowMs, expiresMs: nowMs + lifeMs };
}

function notAToken(why: string, reply: HttpReply): BotError {
  return untrusted('identity', why, reply.headers.get('x-request-id'));
}
