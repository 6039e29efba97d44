/**
 * Keeps tokens unreadable at rest. The key comes from the configured credentials, so that whoever holds the store alone
 * holds nothing, and changed credentials cannot read what the old ones wrote. The derivation is slow on purpose: the
 * store must not become a place to try passwords against.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

export interface Vault {
  /** Names these credentials in the store without telling them. */
  fingerprint(): Promise<string>;
  seal(text: string): Promise<string>;
  /** `undefined` for anything that these credentials did not seal. */
  open(sealed: unknown): Promise<string | undefined>;
}

function derive(secret: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, 2 * KEY_BYTES, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

/** `identity` is everything that names the account and the place, `secret` what proves it. */
export function createVault(identity: readonly string[], secret: string): Vault {
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
    async seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', (await keys()).subarray(0, KEY_BYTES), iv);
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${VERSION}.${sealed.toString('base64')}`;
    },
    async open(sealed) {
      if (typeof sealed !== 'string' || !sealed.startsWith(`${VERSION}.`)) return undefined;
      const bytes = Buffer.from(sealed.slice(VERSION.length + 1), 'base64');
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
