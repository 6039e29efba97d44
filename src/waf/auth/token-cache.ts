/**
 * The stored token and the lockout of the credentials, shared by restarts and replicas. The token is encrypted with a key
 * derived from the credentials, so the store alone is useless. The lockout is a pause after the credentials were refused,
 * because more tries could make the service lock the account; it is stored under their fingerprint, so that corrected
 * credentials are not affected.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';
import { BotError } from '../../errors.ts';
import { duration } from '../../statistics/format.ts';
import { MINUTE_MS, SECOND_MS } from '../../time-units.ts';
import { parseJson } from '../../untrusted-input.ts';
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import { failureSchema } from '../cache/request-sharing.ts';

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
  const salt = createHash('sha256').update(JSON.stringify(identity)).digest();
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

export type TokenCache = ReturnType<typeof createTokenCache>;

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
