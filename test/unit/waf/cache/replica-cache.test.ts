/** A cache that only saves calls: no answer is lost when the store fails or holds something else, and both are logged. */
import { Keyv } from 'keyv';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createBestEffortCache } from '../../../../src/waf/cache.ts';

const MINUTE = 60_000;

function openCache({ fails = false } = {}) {
  const lines: string[] = [];
  const write = (_: object, text: string) => void lines.push(text);
  const refuse = () => Promise.reject(new Error('redis://user:password@host is down'));
  const store = fails ? { get: refuse, set: refuse, delete: refuse, clear: refuse } : new Map();
  const keyv = new Keyv({ store, useKeyPrefix: false, throwOnErrors: true });
  keyv.on('error', () => {});
  const log = { debug: write, info: write, warn: write, error: write };
  return { cache: createBestEffortCache(keyv, log), keyv, lines };
}

it('gives back what was set, of the shape that is asked for', async () => {
  const { cache, lines } = openCache();
  await cache.set('answer:1', { numbers: [1, null] }, MINUTE);
  const schema = z.object({ numbers: z.array(z.number().nullable()) });
  expect(await cache.get('answer:1', schema)).toEqual({ numbers: [1, null] });
  expect(await cache.get('answer:2', schema)).toBeUndefined();
  expect(lines).toEqual([]);
});

it('an entry of another shape is a miss, and is logged', async () => {
  const { cache, lines } = openCache();
  await cache.set('answer:1', '1 2 3 []', MINUTE);
  expect(await cache.get('answer:1', z.object({ numbers: z.array(z.number()) }))).toBeUndefined();
  expect(lines).toEqual(['ignoring an unreadable cache entry']);
});

it('waits for pending writes when it is flushed', async () => {
  const { cache, keyv } = openCache();
  void cache.set('one', 1, MINUTE);
  void cache.set('two', 2, MINUTE);
  await cache.flush();
  expect([await keyv.get('one'), await keyv.get('two')]).toEqual(['1', '2']);
});

it('a store that fails reads as empty and is logged, without its address', async () => {
  const { cache, lines } = openCache({ fails: true });
  await cache.set('now', 1, MINUTE);
  await cache.flush();
  expect(await cache.get('now', z.number())).toBeUndefined();
  expect(lines).toEqual(Array(2).fill('cache store failed, continuing without it'));
});
