import { describe, expect, it } from 'vitest';
import { createTokenCipher } from '../../../../src/waf/auth/token-provider.ts';

const mine = () => createTokenCipher(['iam', 'domain', 'user', 'project'], 'the password');

describe('the token cipher', () => {
  it('decrypts what the same credentials encrypted, also in another process', async () => {
    const encrypted = await mine().encrypt('a token with ünicode');
    expect(await mine().decrypt(encrypted)).toBe('a token with ünicode');
  });

  it('encrypts the same text differently each time and shows nothing of it', async () => {
    const cipher = mine();
    const [one, two] = [await cipher.encrypt('token'), await cipher.encrypt('token')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.slice(3), 'base64').toString('latin1')).not.toContain('token');
  });

  it('reads as absent what others encrypted, what was changed, and what was never encrypted', async () => {
    const encrypted = await mine().encrypt('token');
    const others = [
      createTokenCipher(['iam', 'domain', 'user', 'project'], 'another password'),
      createTokenCipher(['iam', 'domain', 'user', 'other project'], 'the password'),
    ];
    for (const other of others) {
      expect(await other.decrypt(encrypted)).toBeUndefined();
      expect(await other.fingerprint()).not.toBe(await mine().fingerprint());
    }
    const bytes = Buffer.from(encrypted.slice(3), 'base64');
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    const broken = [
      `v1.${bytes.toString('base64')}`,
      encrypted.slice(0, -8),
      `v2${encrypted.slice(2)}`,
      'v1.',
      '',
      undefined,
      7,
    ];
    for (const value of broken) expect(await mine().decrypt(value)).toBeUndefined();
  });

  it('names the same credentials the same', async () => {
    expect(await mine().fingerprint()).toBe(await mine().fingerprint());
  });
});
