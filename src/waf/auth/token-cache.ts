/**
 * The cached token: encrypted in the store, where restarts and other replicas find it. The key is derived from the
 * configured credentials: the store alone is of no use, and changed credentials cannot read what the old ones wrote.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import type { BestEffortCache } from '../cache/best-effort-cache.ts';
import type { IssuedToken } from './token-request.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

export interface TokenCipher {
  /** Identifies these credentials in the store without revealing them. */
  fingerprint(): Promise<string>;
  encrypt(text: string): Promise<string>;
  /** `undefined` for anything that was not encrypted with these credentials. */
  decrypt(encrypted: unknown): Promise<string | undefined>;
}

/** Slow on purpose, so that the store cannot be used to guess passwords. */
function derive(secret: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, 2 * KEY_BYTES, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

/** `identity` names the account and the service, `secret` authenticates it. */
export function createTokenCipher(identity: readonly string[], secret: string): TokenCipher {
  const salt = createHash('sha256').update(JSON.stringify(identity)).digest();
  let derived: Promise<Buffer> | undefined;
  const keys = () => {
    derived ??= derive(secret, salt);
    return derived;
  };
  return {
    async fingerprint() {
      return (await keys()).subarray(KEY_BYTES).toString('hex');
    },
    async encrypt(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', (await keys()).subarray(0, KEY_BYTES), iv);
      const encrypted = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${encrypted.toString('base64')}`;
    },
    async decrypt(encrypted) {
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

export type TokenCache = ReturnType<typeof createTokenCache>;

export function createTokenCache(cache: BestEffortCache, cipher: TokenCipher) {
  const key = async () => `token:${await cipher.fingerprint()}`;
  return {
    key,
    read: async () => parseToken(await cipher.decrypt(await cache.get(await key()))),
    /** Encrypts; `stored` resolves when the cache has it. */
    async write(token: IssuedToken, ttlMs: number): Promise<{ readonly stored: Promise<void> }> {
      return { stored: cache.set(await key(), await cipher.encrypt(JSON.stringify(token)), ttlMs) };
    },
  };
}

function parseToken(text: string | undefined): IssuedToken | undefined {
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
