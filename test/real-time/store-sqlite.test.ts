import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../src/store/index.ts';
import { storeContract } from '../contract/store.contract.ts';
import { createManualClock } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';

const root = mkdtempSync(join(tmpdir(), 'wafbot-sqlite-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const newPath = () => {
  count += 1;
  return join(root, `${count}`, 'deep', 'wafbot.db');
};
const clock = createManualClock();
const open = (path: string) => openStore(`sqlite:${path}`, { log: createRecordingLog(), now: clock.now });

describe('SQLite', () => {
  let path = '';
  let current: Store | undefined;
  storeContract({
    open: async () => {
      path = newPath();
      current = await open(path);
      return current;
    },
    reopen: async () => {
      await current?.close();
      return open(path);
    },
    pass: async (ms) => clock.leap(ms),
  });
});

describe('memory', () => {
  storeContract({
    open: () => openStore('memory:', { log: createRecordingLog(), now: clock.now }),
    pass: async (ms) => clock.leap(ms),
  });
});

describe('the SQLite file', () => {
  it('is readable by its owner alone, with its folder', async () => {
    const path = newPath();
    const store = await open(path);
    await store.space('settings').set('a', 1);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    await store.close();
  });

  it('that others could read is closed to them when it is opened, with what lies beside it', async () => {
    const path = newPath();
    await (await open(path)).close();
    // As a process that was killed leaves them behind.
    for (const suffix of ['-wal', '-shm']) writeFileSync(`${path}${suffix}`, '');
    for (const suffix of ['', '-wal', '-shm']) chmodSync(`${path}${suffix}`, 0o644);
    const log = createRecordingLog();
    const store = await openStore(`sqlite:${path}`, { log, now: clock.now });
    await store.space('settings').set('a', 1);
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(`${path}${suffix}`))
        expect([suffix, statSync(`${path}${suffix}`).mode & 0o777]).toEqual([suffix, 0o600]);
    }
    expect(log.lines.map(({ level, detail }) => [level, detail])).toEqual([
      ['warn', { file: 'wafbot.db' }],
      ['warn', { file: 'wafbot.db-wal' }],
      ['warn', { file: 'wafbot.db-shm' }],
    ]);
    await store.close();
  });

  it('refuses a second one, says so, and lets it in once the first is gone', async () => {
    const path = newPath();
    const store = await open(path);
    await expect(open(path)).rejects.toMatchObject({ code: 'config', message: /already using the database file/ });
    await store.close();
    await (await open(path)).close();
  });

  it('refuses a second process too, and forgets the leases of one that was killed', async () => {
    const path = newPath();
    const holder = join(import.meta.dirname, '../support/keep-store-open.ts');
    const child = spawn(process.execPath, [holder, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await expect(open(path)).rejects.toMatchObject({ code: 'config' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await open(path);
    expect(await store.space('settings').get('kept')).toBe('through kill -9');
    expect(await store.locks.acquire('lease', 'me', 1_000)).toBe(true);
    expect(await store.locks.acquire('mark', 'me')).toBe(false);
    await store.close();
  });

  it.each([
    ['no database at all', (bytes: Buffer) => bytes.fill('x', 0, 64)],
    ['damaged inside', (bytes: Buffer) => bytes.fill(0xaa, 4096 + 8)],
  ])('does not start on a file that is %s', async (_, damage) => {
    const path = newPath();
    const store = await open(path);
    for (let n = 0; n < 200; n += 1) await store.space('settings').set(`key-${n}`, 'x'.repeat(200));
    await store.close();
    const bytes = readFileSync(path);
    damage(bytes);
    writeFileSync(path, bytes);
    await expect(open(path)).rejects.toMatchObject({
      code: 'config',
      message: 'The database file is damaged.',
      hint: expect.stringContaining('backup'),
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('says so when it cannot be opened', async () => {
    writeFileSync(join(root, 'a-file'), '');
    const impossible = open(join(root, 'a-file', 'wafbot.db'));
    await expect(impossible).rejects.toMatchObject({ code: 'config', message: /Can’t open the database file/ });
  });

  it('keeps no more of what may be lost than its share, the longest-lived last, and all of the rest', async () => {
    const path = newPath();
    const deps = { log: createRecordingLog(), now: clock.now, cacheBytes: 5_000 };
    const store = await openStore(`sqlite:${path}`, deps);
    for (let n = 1; n <= 10; n += 1) {
      await store.space('cache-answers').set(`${n}`, 'x'.repeat(1_000), n * 60_000);
      await store.space('settings').set(`${n}`, 'x'.repeat(1_000));
      await store.space('signatures').set(`${n}`, 'x'.repeat(1_000), 60_000);
    }
    await store.close();
    const again = await openStore(`sqlite:${path}`, deps);
    const keysOf = async (space: string) => (await Array.fromAsync(again.list(space))).map(([key]) => Number(key));
    expect((await keysOf('cache-answers')).sort((a, b) => a - b)).toEqual([7, 8, 9, 10]);
    expect(await keysOf('settings')).toHaveLength(10);
    expect(await keysOf('signatures')).toHaveLength(10);
    await again.close();
  });

  it('sweeps what has expired', async () => {
    const path = newPath();
    const store = await open(path);
    for (let n = 0; n < 900; n += 1) await store.space('cache').set(`k${n}`, 'x'.repeat(1_000), 60_000);
    clock.leap(61_000);
    for (let n = 0; n < 200; n += 1) await store.space('settings').set(`k${n}`, 1);
    const left: string[] = [];
    for await (const [key] of store.list('cache')) left.push(key);
    expect(left).toEqual([]);
    await store.close();
  });
});

it.each(['sqlite:', 'postgres://secret@host/db', '', 'memory'])(
  'does not understand %j, without repeating it',
  async (url) => {
    const failure = openStore(url, { log: createRecordingLog(), now: clock.now });
    await expect(failure).rejects.toMatchObject({ code: 'config', message: 'Can’t read the storage address.' });
  },
);
