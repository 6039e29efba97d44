import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createRecordingLog } from '../support/log.ts';
import { PROGRAM } from '../support/program.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';

const root = mkdtempSync(join(tmpdir(), 'wafbot-copy-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const sqlite = (name: string) => `sqlite:${join(root, name)}`;
const open = (url: string) => openStore(url, { log: createRecordingLog(), now: systemClock.now });

async function copyStore(...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const child = spawn(process.execPath, [PROGRAM, 'copy-store', ...args]);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, ...said };
}

async function using<R>(url: string, work: (store: Store) => Promise<R>): Promise<R> {
  const store = await open(url);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function fill(url: string): Promise<void> {
  await using(url, async (store) => {
    for (let n = 0; n < 250; n += 1) await store.space('digests').set(`C${n}`, [{ id: `d${n}`, hosts: ['shop'] }]);
    await store.space('watches').set('C1', [{ id: 'w1' }]);
    await store.space('aliases').set('shop', { id: 'abc', note: 'größer :colon' });
    await store.space('settings').set('C1', { zone: 'Europe/Berlin' });
    await store.space('ledgers').set('digest/C1/d1', { coveredTo: '2027-01-01T00:00:00Z', runs: [] });
    await store.space('snoozes').set('w1', { until: 'later' }, 3_600_000);
    await store.space('cache-answers').set('q', 'may be lost');
    await store.space('jobs').set('digest/C1/d1', { nextMs: 1 });
  });
}

const contents = (url: string) =>
  using(url, async (store) => {
    const all: Record<string, unknown> = {};
    for (const space of await store.spaces()) {
      const entries = await Array.fromAsync(store.list(space));
      all[space] = Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
    }
    return all;
  });

function roundTrip(from: string, to: () => string): void {
  it('copies every space but caches and jobs, and a second time changes nothing', async () => {
    await fill(sqlite(from));
    const first = await copyStore(sqlite(from), to());
    expect(first).toMatchObject({ code: 0, err: expect.not.stringContaining('127.0.0.1') });
    expect(first.out).toContain('digests: 250 copied, 0 already there');
    const { 'cache-answers': _, jobs: __, ...kept } = await contents(sqlite(from));
    expect(await contents(to())).toEqual(kept);
    const second = await copyStore(sqlite(from), to());
    expect(second.out).toContain('digests: 0 copied, 250 already there');
    expect(await contents(to())).toEqual(kept);
    const left = await using(to(), (store) => store.space('snoozes').get('w1', { raw: true }));
    expect(left?.expires).toBeGreaterThan(Date.now() + 3_000_000);
  });

  it('does not turn back what has happened since, and completes what is missing', async () => {
    const newer = { coveredTo: '2027-02-02T00:00:00Z', runs: [] };
    await using(to(), async (store) => {
      await store.space('ledgers').set('digest/C1/d1', newer);
      await store.space('digests').delete('C7');
    });
    expect((await copyStore(sqlite(from), to())).out).toContain('digests: 1 copied, 249 already there');
    expect(await using(to(), (store) => store.space('ledgers').get('digest/C1/d1'))).toEqual(newer);
  });
}

describe('to another file', () => roundTrip('a.db', () => sqlite('b.db')));

describe.skipIf(!redisAvailable)(`to Redis${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
  });
  afterAll(() => redis.stop());
  roundTrip('c.db', () => redis.url);

  it('and back', async () => {
    expect((await copyStore(redis.url, sqlite('d.db'))).code).toBe(0);
    expect(await contents(sqlite('d.db'))).toEqual(await contents(redis.url));
  });
});

describe('refusals', () => {
  it.each([
    ['nothing said', [], /copy from and the store to copy to/],
    ['one end only', ['sqlite:x.db'], /copy from and the store to copy to/],
    ['no such file', [sqlite('none.db'), sqlite('e.db')], /does not exist/],
    [
      'nonsense',
      [sqlite('a.db'), 'postgres://user:secret@host'],
      /open the store to copy to: Can’t read the storage address/,
    ],
  ])('%s', async (_, args, message) => {
    await fill(sqlite('a.db'));
    const { code, err } = await copyStore(...args);
    expect(code).toBe(1);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/secret|\n {4}at /);
  });

  it('a file that the bot is using', async () => {
    await fill(sqlite('f.db'));
    const { code, err } = await using(sqlite('f.db'), () => copyStore(sqlite('f.db'), sqlite('g.db')));
    expect(code).toBe(1);
    expect(err).toMatch(/Another process is already using/);
  });
});
