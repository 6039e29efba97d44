/** What only saves calls: found before it is written, written together, and no answer lost when the store fails. */
import { Keyv } from 'keyv';
import { expect, it } from 'vitest';
import { createBestEffortCache } from '../../../../src/waf/cache/best-effort-cache.ts';

const MINUTE = 60_000;

/** A store that keeps what it is given in one go apart. */
function openStore({ fails = false } = {}) {
  const batches: (readonly string[])[] = [];
  const texts = new Map<string, unknown>();
  const setMany = async (entries: readonly { key: string; value: unknown }[]): Promise<void> => {
    if (fails) throw new Error('the disk is full');
    batches.push(entries.map(({ key }) => key));
    for (const { key, value } of entries) texts.set(key, value);
  };
  const warnings: string[] = [];
  const silent = (): void => {};
  const log = {
    debug: silent,
    info: silent,
    error: silent,
    warn: (_: object, text: string) => void warnings.push(text),
  };
  const store = Object.assign(texts, { setMany });
  const keyv = new Keyv({ store, useKeyPrefix: false, throwOnErrors: true });
  keyv.on('error', silent);
  return { cache: createBestEffortCache(keyv, log, { isOurs: true }), keyv, batches, warnings };
}

it('is found at once, and written together with what comes soon after', async () => {
  const { cache, keyv, batches } = openStore();
  await cache.set('now', 1, MINUTE);
  await cache.set('before', 2, MINUTE);
  await cache.set('now', 3, MINUTE);
  expect([await cache.get('now'), await cache.get('before'), await keyv.get('now')]).toEqual([3, 2, undefined]);
  await cache.flush();
  expect(batches).toEqual([['now', 'before']]);
  expect([await keyv.get('now'), await cache.get('now')]).toEqual([3, 3]);
});

it('a text is made once, and not before it is read or written', async () => {
  const { cache, keyv } = openStore();
  const made: string[] = [];
  const write = (text: string) => () => {
    made.push(text);
    return text;
  };
  await cache.setText('read', write('one'), MINUTE);
  await cache.setText('written', write('two'), MINUTE);
  expect(made).toEqual([]);
  expect([await cache.get('read'), await cache.get('read'), made]).toEqual(['one', 'one', ['one']]);
  await cache.flush();
  expect([await keyv.get('read'), await keyv.get('written'), made]).toEqual(['one', 'two', ['one', 'two']]);
});

it('what is set while it is being written is written after it', async () => {
  const { cache, keyv, batches } = openStore();
  await cache.set('now', 1, MINUTE);
  const writing = cache.flush();
  await cache.set('now', 2, MINUTE);
  await writing;
  expect(await cache.get('now')).toBe(2);
  await cache.flush();
  expect([batches, await keyv.get('now')]).toEqual([[['now'], ['now']], 2]);
});

it('a store that takes nothing reads as empty, is logged, and costs nothing else', async () => {
  const { cache, warnings } = openStore({ fails: true });
  await cache.set('now', 1, MINUTE);
  await cache.flush();
  expect([await cache.get('now'), warnings]).toEqual([undefined, ['the store failed; going on without it']]);
});
