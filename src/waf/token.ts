/**
 * The token: asked for once, shared by everyone who waits, kept over restarts, renewed before it ends, replaced when the
 * service no longer takes it. A refused password is never tried again before the hold is over.
 */
import type { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { Hold } from './hold.ts';
import type { Kept } from './kept.ts';
import type { IssuedToken } from './token-request.ts';
import type { Vault } from './vault.ts';

interface Token extends IssuedToken {
  /** It has opened a query at least once, as far as this process knows. */
  proven: boolean;
  /** It was asked for because another one had been rejected. */
  readonly replacement: boolean;
}

export interface TokenProviderOptions {
  /** Asks the identity service. Throws the refusal. */
  readonly request: (signal: AbortSignal) => Promise<IssuedToken>;
  /** How long to hold back after this refusal; 0 when it says nothing about the credentials. */
  readonly holdMsFor: (error: unknown) => number;
  readonly hold: Hold;
  readonly kept: Kept;
  readonly vault: Vault;
  readonly now: () => number;
  readonly log: Logger;
  readonly learn: (token: string) => void;
  /** How long before its end a token is renewed. */
  readonly marginMs: number;
}

export interface TokenProvider {
  get(): Promise<string>;
  /** The service took it. */
  proved(token: string): void;
  /** The service did not take it: resolves to whether there is another one to try. */
  replace(token: string): Promise<boolean>;
  ageMs(token: string): number;
  close(reason: Error): void;
}

/** A replacement that was rejected at once is not the answer; another is asked for once a minute at most. */
const UNPROVEN_PATIENCE_MS = 60_000;
const RENEWAL_PAUSE_MS = 60_000;

function readStored(text: string | undefined): IssuedToken | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<IssuedToken>;
    const { token, issuedMs, expiresMs } = value;
    if (typeof token !== 'string' || typeof issuedMs !== 'number' || typeof expiresMs !== 'number') return undefined;
    return { token, issuedMs, expiresMs };
  } catch {
    return undefined;
  }
}

export function createTokenProvider(options: TokenProviderOptions): TokenProvider {
  const { hold, kept, vault, now, log } = options;
  const closing = new AbortController();
  let current: Token | undefined;
  let flight: Promise<Token> | undefined;
  let renewNotBeforeMs = 0;

  const name = async () => `token:${await vault.fingerprint()}`;
  /** Short-lived tokens get a short margin, or they would be renewed all the time. */
  const renewAtMs = (token: IssuedToken) =>
    token.expiresMs - Math.min(options.marginMs, (token.expiresMs - token.issuedMs) / 10);

  async function load(unlike: string | undefined): Promise<Token | undefined> {
    const stored = readStored(await vault.open(await kept.get(await name())));
    if (stored !== undefined && stored.token === unlike) kept.delete(await name());
    if (stored === undefined || stored.token === unlike || renewAtMs(stored) <= now()) return undefined;
    return { ...stored, proven: false, replacement: false };
  }

  async function request(replacement: boolean): Promise<Token> {
    const held = await hold.check();
    if (held !== undefined) throw held;
    try {
      const issued = await options.request(closing.signal);
      kept.set(await name(), await vault.seal(JSON.stringify(issued)), issued.expiresMs - now());
      log.info({ validForMs: issued.expiresMs - now() }, 'a new token was issued');
      return { ...issued, proven: false, replacement };
    } catch (error) {
      const holdMs = options.holdMsFor(error);
      throw holdMs > 0 ? await hold.begin(error as BotError, holdMs) : error;
    }
  }

  /** From the store, where another replica may have put one, or else from the identity service. */
  function obtain(unlike?: string, replacement = false): Promise<Token> {
    flight ??= (async () => {
      const token = (await load(unlike)) ?? (await request(replacement));
      options.learn(token.token);
      current = token;
      return token;
    })().finally(() => {
      flight = undefined;
    });
    return flight;
  }

  return {
    async get() {
      if (current === undefined) return (await obtain()).token;
      if (now() < renewAtMs(current) || (now() < current.expiresMs && now() < renewNotBeforeMs)) return current.token;
      const old = current;
      try {
        return (await obtain(old.token)).token;
      } catch (error) {
        // The old one is good to its last minute; its renewal is tried again in a while.
        if (now() >= old.expiresMs) throw error;
        renewNotBeforeMs = now() + RENEWAL_PAUSE_MS;
        log.warn({ expiresInMs: old.expiresMs - now() }, 'the token could not be renewed; using it to its end');
        return old.token;
      }
    },
    proved(token) {
      if (current?.token === token) current.proven = true;
    },
    async replace(token) {
      if (flight === undefined && current?.token === token) {
        const hopeless = current.replacement && !current.proven && now() - current.issuedMs < UNPROVEN_PATIENCE_MS;
        if (hopeless) return false;
        current = undefined;
        log.info({}, 'the service rejected the token; replacing it');
      }
      // Whoever comes later finds the new token, or the request for it on its way.
      const replaced = current !== undefined && flight === undefined ? current : await obtain(token, true);
      return replaced.token !== token;
    },
    ageMs: (token) => (current?.token === token ? now() - current.issuedMs : 0),
    close: (reason) => closing.abort(reason),
  };
}
