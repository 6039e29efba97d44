import { describe, expect, it } from 'vitest';
import { createVault } from '../../../src/waf/vault.ts';

const mine = () => createVault(['iam', 'domain', 'user', 'project'], 'the password');

describe('the vault', () => {
  it('opens what the same credentials sealed, also in another process', async () => {
    const sealed = await mine().seal('a token with ünicode');
    expect(await mine().open(sealed)).toBe('a token with ünicode');
  });

  it('seals the same text differently each time and shows nothing of it', async () => {
    const vault = mine();
    const [one, two] = [await vault.seal('token'), await vault.seal('token')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.slice(3), 'base64').toString('latin1')).not.toContain('token');
  });

  it('reads as absent what others sealed, what was changed, and what is no seal at all', async () => {
    const sealed = await mine().seal('token');
    const others = [
      createVault(['iam', 'domain', 'user', 'project'], 'another password'),
      createVault(['iam', 'domain', 'user', 'other project'], 'the password'),
    ];
    for (const other of others) {
      expect(await other.open(sealed)).toBeUndefined();
      expect(await other.fingerprint()).not.toBe(await mine().fingerprint());
    }
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    bytes[14] = (bytes[14] ?? 0) ^ 1;
    const broken = [
      `v1.${bytes.toString('base64')}`,
      sealed.slice(0, -8),
      `v2${sealed.slice(2)}`,
      'v1.',
      '',
      undefined,
      7,
    ];
    for (const value of broken) expect(await mine().open(value)).toBeUndefined();
  });

  it('names the same credentials the same', async () => {
    expect(await mine().fingerprint()).toBe(await mine().fingerprint());
  });
});
