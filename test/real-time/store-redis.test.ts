import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { reconnectDelayMs } from '../../src/store/redis/connect.ts';
import { storeContract } from '../contract/store.contract.ts';
import { createManualClock, eventually } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';

const { now } = createManualClock();

describe.skipIf(!redisAvailable)(`Redis${redisNote}`, () => {
  let redis: RedisServer;
  let database = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  const open = () => openStore(`${redis.url}/${database}`, { log: createRecordingLog(), now });

  storeContract({
    open: () => {
      database += 1;
      return open();
    },
    reopen: open,
    // Redis keeps its own time; there is no clock to hand it.
    pass: (ms) => delay(ms),
  });

  it('lets one of two replicas win each claim and loses no update of either', async () => {
    database += 1;
    const [one, two] = await Promise.all([open(), open()]);
    const keys = Array.from({ length: 200 }, (_, n) => `run/${n}`);
    const wins = await Promise.all(
      keys.map((key) => Promise.all([one.locks.acquire(key, 'one'), two.locks.acquire(key, 'two')])),
    );
    expect(wins.filter(([a, b]) => a !== b)).toHaveLength(200);
    const add = (n: number | undefined) => (n ?? 0) + 1;
    await Promise.all(
      Array.from({ length: 20 }, () => [one.update('ledger', 'n', add), two.update('ledger', 'n', add)]).flat(),
    );
    expect(await one.space('ledger').get('n')).toBe(40);
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps no more of what may be lost than its share, the longest-lived last, and all of the rest', async () => {
    database += 1;
    const deps = { log: createRecordingLog(), now, cacheBytes: 700_000 };
    const store = await openStore(`${redis.url}/${database}`, deps);
    const entries = Array.from({ length: 2_000 }, (_, n) => ({ key: `${n}`, value: 'x'.repeat(1_000) }));
    await store.space('settings').setMany(entries);
    await store.space('cache-answers').setMany(entries.map((entry, n) => ({ ...entry, ttl: 600_000 + n * 1_000 })));
    const keysOf = async (space: string) => (await Array.fromAsync(store.list(space))).map(([key]) => Number(key));
    const kept = await keysOf('cache-answers');
    expect(kept.length).toBeGreaterThan(600);
    expect(kept.length).toBeLessThan(700);
    expect(Math.min(...kept)).toBe(2_000 - kept.length);
    expect(await keysOf('settings')).toHaveLength(2_000);
    await store.close();
  });
});

describe.skipIf(!redisAvailable)(`Redis in trouble${redisNote}`, () => {
  it('fails at once while Redis is away, and works again when it is back', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const log = createRecordingLog();
    const store = await openStore(redis.url, { log, now });
    await store.space('settings').set('a', 1);
    await redis.kill();
    await eventually(() => log.lines.some(({ level }) => level === 'error'));
    const unavailable = { code: 'storage' };
    await expect(store.space('settings').get('a')).rejects.toMatchObject(unavailable);
    await expect(store.space('settings').set('a', 2)).rejects.toMatchObject(unavailable);
    await expect(store.locks.acquire('k', 'me')).rejects.toMatchObject(unavailable);
    await expect(store.update('ledger', 'k', () => 1)).rejects.toMatchObject(unavailable);
    await expect(store.ping()).rejects.toMatchObject(unavailable);
    await expect(Array.fromAsync(store.list('settings'))).rejects.toMatchObject(unavailable);
    await redis.revive();
    await eventually(
      async () =>
        (await store
          .space('settings')
          .get('a')
          .catch(() => 'away')) === 1,
    );
    expect(log.lines.map(({ message }) => message)).toEqual(['Redis unreachable, reconnecting', 'Redis connected']);
    expect(JSON.stringify(log.lines)).not.toContain(String(redis.port));
    await store.close();
    await redis.stop();
  });

  it('fails soon while Redis is frozen, however often it is asked, and sends nothing more until it is back', async () => {
    const redis = await startRedis();
    const store = await openStore(redis.url, { log: createRecordingLog(), now });
    const settings = store.space('settings');
    await settings.set('before', 1);
    redis.freeze();
    const failures: unknown[] = [];
    // Each writes to the connection, which must not keep it from being noticed as silent.
    await eventually(
      () => failures.length > 0,
      'the first failure',
      async () => {
        settings.get('before').catch((error: unknown) => failures.push(error));
        await delay(100);
      },
    );
    expect(failures[0]).toMatchObject({
      code: 'storage',
      message: 'Can’t reach the storage right now.',
    });
    await expect(settings.set('meanwhile', 1)).rejects.toMatchObject({ code: 'storage' });
    await expect(store.locks.acquire('meanwhile', 'me')).rejects.toMatchObject({ code: 'storage' });
    redis.thaw();
    await eventually(async () => (await settings.get('before').catch(() => 'away')) === 1, 'Redis again');
    // What was refused at once was never sent.
    expect(await settings.get('meanwhile')).toBeUndefined();
    expect(await store.locks.acquire('meanwhile', 'me')).toBe(true);
    await store.close();
    await redis.stop();
  });

  it('tries again at least twice a second, however long Redis was away', () => {
    for (const retries of [0, 1, 5, 20, 1_000, 1_000_000]) expect(reconnectDelayMs(retries)).toBeLessThanOrEqual(500);
  });

  it('can be waited for at the start, and is then as good as any', async () => {
    const redis = await startRedis();
    await redis.kill();
    const log = createRecordingLog();
    const opening = openStore(redis.url, { log, now, waitUntilReachable: true });
    await eventually(() => log.lines.length > 0, 'the line that says so');
    await redis.revive();
    const store = await opening;
    await store.space('settings').set('a', 1);
    expect(await store.space('settings').get('a')).toBe(1);
    const said = log.lines.map(({ message }) => message).filter((message) => message.startsWith('Redis '));
    expect(said.slice(0, 2)).toEqual(['Redis unreachable, reconnecting', 'Redis connected']);
    await store.close();
    await redis.stop();
  });

  it.each([
    ['a wrong password', (url: string) => url.replace('//', '//:wrong-one@'), 'Redis rejected the credentials.'],
    ['no password', (url: string) => url, 'Redis rejected the credentials.'],
    [
      'a database it does not have',
      (url: string) => `${url.replace('//', '//:right-one@')}/99`,
      /no database with that number/,
    ],
    ['an address that is none', () => 'redis://[bad', 'Can’t read the storage address.'],
  ])('is not waited for with %s', async (_, change, message) => {
    const redis = await startRedis(['--requirepass', 'right-one']);
    const opening = openStore(change(redis.url), { log: createRecordingLog(), now, waitUntilReachable: true });
    await expect(opening).rejects.toMatchObject({ code: 'config', message: expect.stringMatching(message) });
    await redis.stop();
  });

  it('warns of settings that lose data, and of no others', async () => {
    const lossy = await startRedis(['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru']);
    const lossyLog = createRecordingLog();
    await (await openStore(lossy.url, { log: lossyLog, now })).close();
    expect(lossyLog.lines.map(({ detail }) => detail)).toEqual([
      { setting: 'appendonly' },
      { setting: 'maxmemory-policy' },
    ]);
    await lossy.stop();

    const everySecond = await startRedis(['--appendonly', 'yes']);
    const secondLog = createRecordingLog();
    await (await openStore(everySecond.url, { log: secondLog, now })).close();
    expect(secondLog.lines.map(({ detail }) => detail)).toEqual([{ setting: 'appendfsync' }]);
    await everySecond.stop();
  });

  it('names wrong credentials without showing any', async () => {
    const redis = await startRedis(['--requirepass', 'right-one']);
    const failure = openStore(redis.url.replace('//', '//:wrong-one@'), { log: createRecordingLog(), now });
    await expect(failure).rejects.toMatchObject({ code: 'config', message: 'Redis rejected the credentials.' });
    const error: unknown = await failure.catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).not.toMatch(/wrong-one|127\.0\.0\.1/);
    await redis.stop();
  });
});

describe('no Redis', () => {
  it('is said clearly when nobody listens', async () => {
    const failure = openStore('redis://user:secret@127.0.0.1:1', { log: createRecordingLog(), now });
    await expect(failure).rejects.toMatchObject({ code: 'config', message: 'Can’t reach Redis.' });
    const error: unknown = await failure.catch((thrown: unknown) => thrown);
    expect(JSON.stringify(error) + String(error)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it('is said clearly when somebody listens and never speaks', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const failure = openStore(`redis://127.0.0.1:${port}`, { log: createRecordingLog(), now });
    await expect(failure).rejects.toMatchObject({ code: 'config', message: 'Can’t reach Redis.' });
    server.close();
  });

  it('does not repeat an address it cannot read', async () => {
    const failure = openStore('redis://user:sec ret@[bad', { log: createRecordingLog(), now });
    await expect(failure).rejects.toMatchObject({ code: 'config', message: 'Can’t read the storage address.' });
  });
});
