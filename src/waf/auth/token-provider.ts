/**
 * The token: taken from the cache or requested once for everyone who waits, in other replicas too, renewed before it ends,
 * and replaced when the service no longer accepts it.
 */
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';
import type { ReplicaSharing } from '../cache/request-sharing.ts';
import type { Authorizer } from '../client/request.ts';
import type { CredentialLockout, TokenCache } from './token-cache.ts';
import type { IssuedToken } from './token-request.ts';

interface CurrentToken extends IssuedToken {
  /** The service has accepted it at least once, as far as this process knows. */
  accepted: boolean;
  /** It was requested because another one had been refused. */
  readonly replacement: boolean;
}

interface TokenProviderOptions {
  /** Asks the identity service. Throws the refusal. */
  readonly request: (signal: AbortSignal) => Promise<IssuedToken>;
  /** How long to wait after this refusal; 0 when it says nothing about the credentials. */
  readonly lockoutMsFor: (error: unknown) => number;
  readonly lockout: CredentialLockout;
  readonly cache: TokenCache;
  readonly replicas: ReplicaSharing;
  readonly now: () => number;
  readonly log: Logger;
  /** Told of every token, so that it is removed from texts. */
  readonly learnSecret: (token: string) => void;
  /** How long before its end a token is renewed. */
  readonly marginMs: number;
}

export interface TokenProvider {
  get(): Promise<string>;
  accepted(token: string): void;
  /** The service refused it: resolves to whether there is another one to try. */
  replace(token: string): Promise<boolean>;
  ageMs(token: string): number;
  close(reason: Error): void;
}

/** After a replacement was refused at once, another one is requested once a minute at most. */
const REPLACE_PAUSE_MS = 60_000;
const RENEWAL_PAUSE_MS = 60_000;

export function createTokenProvider(options: TokenProviderOptions): TokenProvider {
  const { lockout, cache, replicas, now, log } = options;
  const closing = new AbortController();
  let current: CurrentToken | undefined;
  let pending: Promise<CurrentToken> | undefined;
  let renewNotBeforeMs = 0;

  /** Short-lived tokens get a short margin, or they would be renewed all the time. */
  const renewAtMs = (token: IssuedToken) =>
    token.expiresMs - Math.min(options.marginMs, (token.expiresMs - token.issuedMs) / 10);

  async function readCached(refused: string | undefined): Promise<CurrentToken | undefined> {
    const stored = await cache.read();
    if (stored === undefined || stored.token === refused || renewAtMs(stored) <= now()) return undefined;
    return { ...stored, accepted: false, replacement: false };
  }

  async function request(replacement: boolean): Promise<{ answer: CurrentToken; stored: Promise<void> }> {
    const lockedOut = await lockout.check();
    if (lockedOut !== undefined) throw lockedOut;
    try {
      const issued = await options.request(closing.signal);
      const { stored } = await cache.write(issued, issued.expiresMs - now());
      log.info({ validForMs: issued.expiresMs - now() }, 'a new token was issued');
      return { answer: { ...issued, accepted: false, replacement }, stored };
    } catch (error) {
      const lockoutMs = options.lockoutMsFor(error);
      throw lockoutMs > 0 && error instanceof BotError ? await lockout.start(error, lockoutMs) : error;
    }
  }

  /** From the cache, where another replica may have put one, or else from the identity service. */
  function obtain(refused?: string, replacement = false): Promise<CurrentToken> {
    pending ??= (async () => {
      const read = () => readCached(refused);
      const token =
        (await read()) ?? (await replicas.once(await cache.key(), read, () => request(replacement), closing.signal));
      options.learnSecret(token.token);
      current = token;
      return token;
    })().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  return {
    async get() {
      if (current === undefined) return (await obtain()).token;
      if (now() < renewAtMs(current) || (now() < current.expiresMs && now() < renewNotBeforeMs)) return current.token;
      const old = current;
      try {
        return (await obtain(old.token)).token;
      } catch (error) {
        // The old one is still valid; its renewal is tried again in a while.
        if (now() >= old.expiresMs) throw error;
        renewNotBeforeMs = now() + RENEWAL_PAUSE_MS;
        log.warn({ expiresInMs: old.expiresMs - now() }, 'the token could not be renewed; using it to its end');
        return old.token;
      }
    },
    accepted(token) {
      if (current?.token === token) current.accepted = true;
    },
    async replace(token) {
      if (pending === undefined && current?.token === token) {
        const futile = current.replacement && !current.accepted && now() - current.issuedMs < REPLACE_PAUSE_MS;
        if (futile) return false;
        current = undefined;
        log.info({}, 'the service rejected the token; replacing it');
      }
      // Whoever comes later finds the new token, or the pending request for it.
      const replaced = current !== undefined && pending === undefined ? current : await obtain(token, true);
      return replaced.token !== token;
    },
    ageMs: (token) => (current?.token === token ? now() - current.issuedMs : 0),
    close: (reason) => closing.abort(reason),
  };
}

const TOKEN_HEADER = 'x-auth-token';
/** A 403 is blamed on the token only when it is old enough to have been revoked. */
const DOUBTFUL_AGE_MS = 10 * 60_000;

/** Authentication with a token in a header. */
export function createTokenAuthorizer(tokens: TokenProvider): Authorizer {
  return {
    method: 'token',
    admit: async () => () => {},
    async authorize() {
      return { [TOKEN_HEADER]: await tokens.get() };
    },
    accepted: (headers) => tokens.accepted(headers[TOKEN_HEADER] ?? ''),
    async refused(headers, { credentials, error }) {
      const token = headers[TOKEN_HEADER] ?? '';
      const blamed =
        credentials === 'refused' || (credentials === 'doubtful' && tokens.ageMs(token) >= DOUBTFUL_AGE_MS);
      return blamed && (await tokens.replace(token)) ? undefined : error;
    },
  };
}
