/**
 * The token: taken from the cache or requested from the identity service once for all callers and replicas, renewed before it
 * expires, and replaced when the service no longer accepts it.
 *
 * The stored token and the lockout of the credentials are shared by restarts and replicas. The token is encrypted with a key
 * derived from the credentials, so the store alone is useless. The lockout is a pause after the credentials were refused,
 * because more tries could make the service lock the account; it is stored under their fingerprint, so that corrected
 * credentials are not affected.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes, scrypt } from 'node:crypto';
import ky, { type AfterResponseHook } from 'ky';
import { z } from 'zod';
import { BotError, codeOf } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { ServiceObserver } from '../../observability/observers.ts';
import { duration } from '../../statistics/format.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time-units.ts';
import { parseJson } from '../../untrusted-input.ts';
import { type BestEffortCache, failureSchema, type ReplicaSharing } from '../cache.ts';
import { badAnswer, type FailureContext, type HttpReply, readRefusal, ServiceFailure } from '../client/failure.ts';
import type { Authorizer, Peer, RetryPolicy } from '../client/http.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

export type TokenCipher = ReturnType<typeof createTokenCipher>;

/** Slow on purpose, so that the store cannot be used to guess passwords. */
function derive(secret: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, 2 * KEY_BYTES, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

/** `identity` names the account and the service, `secret` authenticates it. */
export function createTokenCipher(identity: readonly string[], secret: string) {
  const salt = hash('sha256', JSON.stringify(identity), 'buffer');
  let derived: Promise<Buffer> | undefined;
  const keys = () => {
    derived ??= derive(secret, salt);
    return derived;
  };
  return {
    /** Identifies these credentials in the store without revealing them. */
    async fingerprint(): Promise<string> {
      return (await keys()).subarray(KEY_BYTES).toString('hex');
    },
    async encrypt(text: string): Promise<string> {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', (await keys()).subarray(0, KEY_BYTES), iv);
      const encrypted = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${encrypted.toString('base64')}`;
    },
    /** `undefined` for anything that was not encrypted with these credentials. */
    async decrypt(encrypted: unknown): Promise<string | undefined> {
      if (typeof encrypted !== 'string' || !encrypted.startsWith(`${VERSION}.`)) return undefined;
      const bytes = Buffer.from(encrypted.slice(VERSION.length + 1), 'base64');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
      const key = (await keys()).subarray(0, KEY_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

const tokenSchema = z.object({ token: z.string(), issuedMs: z.number(), expiresMs: z.number() });
export type IssuedToken = Readonly<z.infer<typeof tokenSchema>>;

type TokenCache = ReturnType<typeof createTokenCache>;

export function createTokenCache(cache: BestEffortCache, cipher: TokenCipher) {
  const key = async () => `token:${await cipher.fingerprint()}`;
  return {
    key,
    async read(): Promise<IssuedToken | undefined> {
      const text = await cipher.decrypt(await cache.get(await key(), z.unknown()));
      return text === undefined ? undefined : tokenSchema.safeParse(parseJson(text)).data;
    },
    async write(token: IssuedToken, ttlMs: number): Promise<void> {
      await cache.set(await key(), await cipher.encrypt(JSON.stringify(token)), ttlMs);
    },
  };
}

const READ_EVERY_MS = 30 * SECOND_MS;

const lockoutSchema = failureSchema.extend({ untilMs: z.number() });
type StoredLockout = z.infer<typeof lockoutSchema>;

export type CredentialLockout = ReturnType<typeof createCredentialLockout>;

export function createCredentialLockout(deps: {
  readonly cache: BestEffortCache;
  readonly cipher: TokenCipher;
  readonly now: () => number;
}) {
  const { cache, cipher, now } = deps;
  let lockout: StoredLockout | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  const key = async () => `hold:${await cipher.fingerprint()}`;

  function explain(reason: StoredLockout, detail: Readonly<Record<string, unknown>> = {}): BotError {
    const leftMs = Math.max(MINUTE_MS, reason.untilMs - now());
    const left = duration(leftMs, { units: ['minute'], rounding: 'up', form: 'short' });
    const wait = `The next attempt is in ${left}, so that nothing gets locked.`;
    const hint = reason.hint === undefined ? wait : `${reason.hint} ${wait}`;
    const { code, message, service } = reason;
    return new BotError(code, message, { hint, service, detail: { ...detail, heldUntilMs: reason.untilMs } });
  }

  return {
    /** The error to throw instead of trying, or `undefined` when a try is allowed. */
    async check(): Promise<BotError | undefined> {
      // Another replica may have been refused too; checking now and then is enough.
      if (lockout === undefined && now() - readMs >= READ_EVERY_MS) {
        readMs = now();
        lockout = await cache.get(await key(), lockoutSchema);
      }
      if (lockout !== undefined && lockout.untilMs <= now()) lockout = undefined;
      return lockout === undefined ? undefined : explain(lockout, { held: true });
    },
    /** Starts the pause and returns the refusal with the time of the next try. */
    async start(refusal: BotError, lockoutMs: number): Promise<BotError> {
      const { code, message, hint, service } = refusal;
      lockout = { untilMs: now() + lockoutMs, code, message, hint, service };
      // Stored before the refusal is reported, because the operator may restart the process at once.
      await cache.set(await key(), lockout, lockoutMs);
      return explain(lockout, refusal.detail);
    },
  };
}

export interface PasswordCredentials {
  readonly kind: 'token';
  readonly username: string;
  readonly password: string;
  readonly domainName: string;
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
  // The expiry is by the service's clock, so only the time left counts, whatever our clock says.
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

interface CurrentToken extends IssuedToken {
  /** The service has accepted it at least once, as far as this process knows. */
  accepted: boolean;
  /** It replaces one that was refused. */
  readonly replacement: boolean;
}

interface TokenProviderOptions {
  /** Asks the identity service. Throws the refusal. */
  readonly request: (signal: AbortSignal) => Promise<IssuedToken>;
  readonly lockout: CredentialLockout;
  readonly cache: TokenCache;
  readonly replicas: ReplicaSharing;
  readonly now: () => number;
  readonly log: Logger;
  readonly observer?: ServiceObserver | undefined;
  /** Called with every token, so that it is removed from logged texts. */
  readonly learnSecret: (token: string) => void;
  readonly closing: AbortSignal;
}

export type TokenProvider = ReturnType<typeof createTokenProvider>;

/** How long before its expiry a token is renewed. */
const MARGIN_MS = 10 * MINUTE_MS;
/** Three wrong passwords in 15 minutes lock an account; one in 20 minutes never does. */
const LOCKOUT_MS = 20 * MINUTE_MS;
/** After a replacement was refused at once, another one is requested once a minute at most. */
const REPLACE_PAUSE_MS = MINUTE_MS;
const RENEWAL_PAUSE_MS = MINUTE_MS;
/** A token of this age may have been revoked since. */
const DOUBTFUL_AGE_MS = 10 * MINUTE_MS;
/** How long a 403 counts as a missing permission after a new token didn't help. */
const TRUST_MS = HOUR_MS;

export function createTokenProvider(options: TokenProviderOptions) {
  const { lockout, cache, replicas, now, log, closing } = options;
  let current: CurrentToken | undefined;
  let pending: Promise<CurrentToken> | undefined;
  let renewNotBeforeMs = 0;
  let trustedUntilMs = 0;

  /** Short-lived tokens get a short margin, or they would be renewed all the time. */
  const renewAtMs = (token: IssuedToken) =>
    token.expiresMs - Math.min(MARGIN_MS, (token.expiresMs - token.issuedMs) / 10);

  async function readCached(refused: string | undefined): Promise<CurrentToken | undefined> {
    const stored = await cache.read();
    if (stored === undefined || stored.token === refused || renewAtMs(stored) <= now()) return undefined;
    return { ...stored, accepted: false, replacement: false };
  }

  async function request(replacement: boolean): Promise<CurrentToken> {
    const lockedOut = await lockout.check();
    if (lockedOut !== undefined) throw lockedOut;
    try {
      const issued = await options.request(closing);
      options.observer?.token('issued');
      await cache.write(issued, issued.expiresMs - now());
      log.info({ validForMs: issued.expiresMs - now() }, 'token issued');
      return { ...issued, accepted: false, replacement };
    } catch (error) {
      options.observer?.token(codeOf(error));
      const isRefused = error instanceof ServiceFailure && error.credentials === 'refused';
      throw isRefused ? await lockout.start(error, LOCKOUT_MS) : error;
    }
  }

  /** From the cache, where another replica may have put one, or else from the identity service. */
  function obtain(refused?: string, replacement = false): Promise<CurrentToken> {
    pending ??= (async () => {
      const read = () => readCached(refused);
      const token =
        (await read()) ?? (await replicas.once(await cache.key(), read, () => request(replacement), closing));
      options.learnSecret(token.token);
      current = token;
      return token;
    })().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async get(): Promise<string> {
      if (current === undefined) return (await obtain()).token;
      if (now() < renewAtMs(current) || (now() < current.expiresMs && now() < renewNotBeforeMs)) return current.token;
      const old = current;
      try {
        return (await obtain(old.token)).token;
      } catch (error) {
        // The old one is still valid, so the renewal can wait.
        if (now() >= old.expiresMs) throw error;
        renewNotBeforeMs = now() + RENEWAL_PAUSE_MS;
        log.warn({ expiresInMs: old.expiresMs - now() }, 'token renewal failed, using the old token until it expires');
        return old.token;
      }
    },
    accepted(token: string): void {
      if (current?.token === token) current.accepted = true;
    },
    /** The service refused it: resolves to whether there is another one to try. */
    async replace(token: string): Promise<boolean> {
      if (pending === undefined && current?.token === token) {
        const futile = current.replacement && !current.accepted && now() - current.issuedMs < REPLACE_PAUSE_MS;
        if (futile) return false;
        current = undefined;
        log.info({}, 'token rejected, replacing it');
      }
      // Later callers find the new token, or the pending request for it.
      const replaced = current !== undefined && pending === undefined ? current : await obtain(token, true);
      return replaced.token !== token;
    },
    /** Whether a 403 may be the token's fault: it was accepted before, or is old enough to have been revoked. */
    isDoubtful(token: string): boolean {
      if (current?.token !== token || now() < trustedUntilMs) return false;
      return current.accepted || now() - current.issuedMs >= DOUBTFUL_AGE_MS;
    },
    /** A new token was refused as well, so for a while a 403 isn't blamed on the token. */
    cleared(): void {
      trustedUntilMs = now() + TRUST_MS;
    },
  };
}

const TOKEN_HEADER = 'x-auth-token';

/** Authentication with a token in a header, which is renewed and sent again once when the service refuses it. */
export function createTokenAuthorizer(tokens: TokenProvider, context: FailureContext): Authorizer {
  const renewAfterRefusal: AfterResponseHook = async ({ request, response, retryCount }) => {
    const token = request.headers.get(TOKEN_HEADER) ?? '';
    if (response.ok) {
      tokens.accepted(token);
      return;
    }
    const { credentials } = await readRefusal(response, context);
    if (retryCount > 0) {
      if (credentials === 'doubtful') tokens.cleared();
      return;
    }
    const blamed = credentials === 'refused' || (credentials === 'doubtful' && tokens.isDoubtful(token));
    if (!blamed || !(await tokens.replace(token))) return;
    const renewed = new Request(request);
    renewed.headers.set(TOKEN_HEADER, await tokens.get());
    return ky.retry({ request: renewed, delay: 0, code: 'TOKEN_RENEWED' });
  };
  return {
    admit: async () => () => {},
    prepare: tokens.get,
    hooks: {
      beforeRequest: [
        async ({ request }) => {
          request.headers.set(TOKEN_HEADER, await tokens.get());
        },
      ],
      afterResponse: [renewAfterRefusal],
    },
  };
}
