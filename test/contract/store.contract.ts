/** What every store must do. Each adapter's test file runs this suite on the real thing. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPartOfStore } from '../../src/store/create-store.ts';
import type { Store } from '../../src/store/index.ts';
import { eventually } from '../support/clock.ts';
import { fc } from '../support/property.ts';

export interface StoreSubject {
  /** A store with nothing in it. */
  open(): Promise<Store>;
  /** A second view of the same data: another connection, or the same file opened again after closing. */
  reopen?(): Promise<Store>;
  /** Lets a lease of `ms` run out. */
  pass(ms: number): Promise<void>;
}

export function storeContract(subject: StoreSubject): void {
  let store: Store;
  beforeEach(async () => {
    store = await subject.open();
  });
  afterEach(async () => {
    await store.close();
  });

  describe('spaces', () => {
    it('keeps what was set, as it was', async () => {
      const value = {
        text: 'größer: :colon',
        list: [1, null, 'x', ':first', ':base64:eA==', '":'],
        nested: { zero: 0, no: false },
      };
      await store.space('settings').set('a', value);
      expect(await store.space('settings').get('a')).toEqual(value);
      expect(await store.space('settings').get('b')).toBeUndefined();
      expect(await store.space('settings').has('a')).toBe(true);
    });

    it('keeps the same key apart in different spaces, also when one is cleared', async () => {
      await store.space('settings').set('a', 1);
      await store.space('settings-two').set('a', 2);
      await store.space('settings').clear();
      expect(await store.space('settings').get('a')).toBeUndefined();
      expect(await store.space('settings-two').get('a')).toBe(2);
    });

    it('replaces and deletes', async () => {
      const space = store.space<number>('settings');
      await space.set('a', 1);
      await space.set('a', 2);
      expect(await space.get('a')).toBe(2);
      expect(await space.delete('a')).toBe(true);
      expect(await space.delete('a')).toBe(false);
      expect(await space.get('a')).toBeUndefined();
    });

    it('writes and deletes many', async () => {
      const space = store.space<number>('settings');
      await space.setMany([
        { key: 'a', value: 1 },
        { key: 'b', value: 2 },
      ]);
      expect(await space.getMany(['a', 'b', 'c'])).toEqual([1, 2, undefined]);
      await space.deleteMany(['a', 'b']);
      expect(await space.get('b')).toBeUndefined();
    });

    it('lists a space whole, each entry once, and nothing else', async () => {
      const space = store.space<{ n: number }>('digests');
      await store.space('digests-other').set('x', { n: -1 });
      await Promise.all(Array.from({ length: 1_234 }, (_, n) => space.set(`C${n}:[*]?`, { n })));
      const seen: Array<readonly [string, { n: number }]> = [];
      for await (const entry of store.list<{ n: number }>('digests')) seen.push(entry);
      expect(seen).toHaveLength(1_234);
      expect(new Set(seen.map(([key]) => key)).size).toBe(1_234);
      expect(seen.every(([key, { n }]) => key === `C${n}:[*]?`)).toBe(true);
    });

    it('reads what was written last, whatever was read before and however it was written', async () => {
      const [key, value] = [fc.constantFrom('a', 'b', 'c'), fc.nat(9)];
      const entries = fc.array(fc.record({ key, value }), { minLength: 1, maxLength: 3 });
      const change = fc.oneof(
        fc.record({ how: fc.constant('set' as const), key, value }),
        fc.record({ how: fc.constant('update' as const), key, value: fc.option(value, { nil: undefined }) }),
        fc.record({ how: fc.constant('delete' as const), key }),
        fc.record({ how: fc.constant('many' as const), entries }),
        fc.record({ how: fc.constant('delete many' as const), keys: fc.array(key, { minLength: 1 }) }),
        fc.record({ how: fc.constant('clear' as const) }),
      );
      const space = store.space<number>('settings');
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
          await space.clear();
          const expected = new Map<string, number>();
          for (const made of changes) {
            if (made.how === 'set') {
              await space.set(made.key, made.value);
              expected.set(made.key, made.value);
            } else if (made.how === 'update') {
              const { key, value } = made;
              await store.update('settings', key, () => value);
              if (value === undefined) expected.delete(key);
              else expected.set(key, value);
            } else if (made.how === 'delete') {
              await space.delete(made.key);
              expected.delete(made.key);
            } else if (made.how === 'many') {
              await space.setMany(made.entries);
              for (const { key, value } of made.entries) expected.set(key, value);
            } else if (made.how === 'delete many') {
              await space.deleteMany(made.keys);
              for (const key of made.keys) expected.delete(key);
            } else {
              await space.clear();
              expected.clear();
            }
            const read = await Promise.all(['a', 'b', 'c'].map((each) => space.get(each)));
            expect(read).toEqual(['a', 'b', 'c'].map((each) => expected.get(each)));
            const listed = await Array.fromAsync(store.list<number>('settings'));
            expect(new Map(listed)).toEqual(expected);
          }
        }),
        { numRuns: 30 },
      );
    });

    it('names the spaces that hold something, and not the locks', async () => {
      await store.space('settings').set('a', 1);
      await store.space('aliases').set('a', 1);
      await store.locks.acquire('k', 'me');
      expect(await store.spaces()).toEqual(['aliases', 'settings']);
    });

    it('forgets an entry whose time is over', async () => {
      await store.space('cache').set('a', 1, 1);
      await store.space('cache').set('b', 2, 60_000);
      await eventually(async () => (await store.space('cache').get('a')) === undefined, 'the end of the entry');
      expect(await store.space('cache').get('b')).toBe(2);
      const left: string[] = [];
      for await (const [key] of store.list('cache')) left.push(key);
      expect(left).toEqual(['b']);
    });

    it.skipIf(!subject.reopen)(
      `still has everything when opened again${subject.reopen ? '' : ' (SKIPPED: it keeps nothing)'}`,
      async () => {
        await store.space('settings').set('a', { kept: true });
        await store.update<number>('ledger', 'd', () => 7);
        await store.locks.acquire('done/d/1', 'me');
        const again = await subject.reopen?.();
        expect(await again?.space('settings').get('a')).toEqual({ kept: true });
        expect(await again?.space('ledger').get('d')).toBe(7);
        expect(await again?.locks.acquire('done/d/1', 'other')).toBe(false);
        expect(await again?.locks.release('done/d/1', 'me')).toBe(true);
        await again?.close();
      },
    );
  });

  describe('update', () => {
    it('makes, changes and removes a record that Keyv sees too', async () => {
      expect(await store.update<number>('ledger', 'a', (n) => (n ?? 0) + 1)).toBe(1);
      expect(await store.space('ledger').get('a')).toBe(1);
      await store.space('ledger').set('a', 10);
      expect(await store.update<number>('ledger', 'a', (n) => (n ?? 0) + 1)).toBe(11);
      expect(await store.update<number>('ledger', 'a', () => undefined)).toBeUndefined();
      expect(await store.space('ledger').has('a')).toBe(false);
    });

    it('loses no change however many are made at once', async () => {
      await Promise.all(Array.from({ length: 40 }, () => store.update<number>('ledger', 'a', (n) => (n ?? 0) + 1)));
      expect(await store.space('ledger').get('a')).toBe(40);
    });

    it('writes nothing when the record is handed back, and passes on what the change throws', async () => {
      await store.space('ledger').set('a', { n: 1 });
      expect(await store.update('ledger', 'a', (same) => same)).toEqual({ n: 1 });
      const failing = store.update('ledger', 'a', () => {
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await store.space('ledger').get('a')).toEqual({ n: 1 });
    });
  });

  describe('locks', () => {
    it('lets exactly one of many win', async () => {
      const tries = Array.from({ length: 50 }, (_, n) => store.locks.acquire('run/1', `replica-${n}`));
      const won = (await Promise.all(tries)).filter(Boolean);
      expect(won).toHaveLength(1);
      expect(await store.locks.acquire('run/1', 'late')).toBe(false);
    });

    it('is not re-entrant, and only its holder releases it', async () => {
      expect(await store.locks.acquire('k', 'me')).toBe(true);
      expect(await store.locks.acquire('k', 'me')).toBe(false);
      expect(await store.locks.release('k', 'other')).toBe(false);
      expect(await store.locks.release('k', 'me')).toBe(true);
      expect(await store.locks.acquire('k', 'other')).toBe(true);
    });

    it('is held for its time, and by nobody else', async () => {
      expect(await store.locks.acquire('k', 'me', 60_000)).toBe(true);
      expect(await store.locks.renew('k', 'other', 60_000)).toBe(false);
      expect(await store.locks.acquire('k', 'other', 60_000)).toBe(false);
      expect(await store.locks.renew('k', 'me', 60_000)).toBe(true);
    });

    it('ends with its time, and is then anybody else’s', async () => {
      expect(await store.locks.acquire('k', 'me', 300)).toBe(true);
      await subject.pass(300);
      await eventually(() => store.locks.acquire('k', 'other', 60_000), 'the end of the lease');
      expect(await store.locks.renew('k', 'me', 60_000)).toBe(false);
      expect(await store.locks.release('k', 'me')).toBe(false);
    });

    it('has the time of its last renewal', async () => {
      expect(await store.locks.acquire('longer', 'me', 3_000)).toBe(true);
      expect(await store.locks.renew('longer', 'me', 60_000)).toBe(true);
      expect(await store.locks.acquire('shorter', 'me', 60_000)).toBe(true);
      expect(await store.locks.renew('shorter', 'me', 3_000)).toBe(true);
      await subject.pass(3_000);
      // The same moment for both: where the one is over, the other would be too.
      await eventually(() => store.locks.acquire('shorter', 'other', 60_000), 'the end of the lease');
      expect(await store.locks.acquire('longer', 'other', 60_000)).toBe(false);
    });
  });

  describe('a part of it', () => {
    it('has spaces and locks that neither the whole nor another part can see', async () => {
      const [eu, us] = [createPartOfStore(store, 'eu'), createPartOfStore(store, 'us')];
      await store.space('hosts').set('shop', 'whole');
      await eu.space('hosts').set('shop', 'eu');
      expect(await store.space('hosts').get('shop')).toBe('whole');
      expect(await eu.space('hosts').get('shop')).toBe('eu');
      expect(await us.space('hosts').get('shop')).toBeUndefined();
      expect(await Array.fromAsync(eu.list('hosts'))).toEqual([['shop', 'eu']]);
      expect(await Array.fromAsync(us.list('hosts'))).toEqual([]);
      for (const { locks } of [store, eu, us]) expect(await locks.acquire('k', 'me', 60_000)).toBe(true);
      expect(await eu.locks.acquire('k', 'other', 60_000)).toBe(false);
      expect(await eu.locks.release('k', 'me')).toBe(true);
      expect(await eu.locks.acquire('k', 'other', 60_000)).toBe(true);
      expect(await us.locks.renew('k', 'me', 60_000)).toBe(true);
    });
  });

  it('answers a ping', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
}
