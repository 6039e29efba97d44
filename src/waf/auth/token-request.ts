/** Requests a token from the identity service. */
import { z } from 'zod';
import type { BotError } from '../../errors.ts';
import { HOUR_MS } from '../../time-units.ts';
import { parseJson } from '../../untrusted-input.ts';
import { badAnswer, type HttpReply } from '../client/failure.ts';
import type { Peer } from '../client/http.ts';
import type { RetryPolicy } from '../client/retry-policy.ts';

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

const PATH = 'v3/auth/tokens?nocatalog=true';
const HEADERS = { 'content-type': 'application/json;charset=utf8' } as const;

/** Used when the reply has no expiry date; short, and a rejected token is replaced anyway. */
const DEFAULT_LIFETIME_MS = HOUR_MS;

const replyBody = z.object({ token: z.object({ expires_at: z.string() }) });

function credentialsBody({ username, password, domainName }: PasswordCredentials, projectId: string) {
  const user = { name: username, password, domain: { name: domainName } };
  return { auth: { identity: { methods: ['password'], password: { user } }, scope: { project: { id: projectId } } } };
}

function expiryOf(body: string): number | undefined {
  const parsed = replyBody.safeParse(parseJson(body));
  if (!parsed.success) return undefined;
  try {
    // With six fraction digits, which `Date` need not understand.
    return Temporal.Instant.from(parsed.data.token.expires_at).epochMilliseconds;
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
  // The expiry is by their clock: what counts is how long that is from now, whatever our clock says.
  const lifetimeMs =
    expiry === undefined ? DEFAULT_LIFETIME_MS : expiry - (Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
  if (lifetimeMs <= 0) throw notAToken('a token that has already expired', reply);
  return { token, issuedMs: nowMs, expiresMs: nowMs + lifetimeMs };
}

function notAToken(why: string, reply: HttpReply): BotError {
  return badAnswer('identity', why, reply.headers.get('x-request-id'));
}

interface TokenRequestOptions {
  readonly peer: Peer;
  readonly projectId: string;
  readonly credentials: PasswordCredentials;
  readonly retries: RetryPolicy;
  readonly now: () => number;
}

/** The returned function throws the refusal. */
export function createTokenRequest({ peer, projectId, credentials, retries, now }: TokenRequestOptions) {
  const json = credentialsBody(credentials, projectId);
  return async (signal: AbortSignal): Promise<IssuedToken> => {
    const send = (timeoutMs: number) => peer.send(PATH, { headers: HEADERS, json, timeoutMs, signal });
    return readToken(await retries.run({ send }, signal), now());
  };
}
