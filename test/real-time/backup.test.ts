/** `backup` and `restore` at the shell: what a backup has, that it's of one moment, and what a restore refuses. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient } from '@keyv/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { restoreBackup, takeBackup } from '../../src/store/backup.ts';
import { openStore } from '../../src/store/index.ts';
import type { OpenedStore } from '../../src/store/maintenance.ts';
import { copyLiveFile } from '../../src/store/sqlite/copy-live-file.ts';
import type { ManualClock } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';
import { cleanUpAfterEach, later } from '../support/process-stage.ts';
import { PROGRAM } from '../support/program.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { isDigest, passUntil, startScheduledWorld, textOf, type World } from '../support/world.ts';

cleanUpAfterEach();

const WRITER = join(import.meta.dirname, '../support/pair-writer.ts');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wafbot-backup-'));
  later(() => rmSync(folder, { recursive: true, force: true }));
});
const at = (name: string): string => join(folder, name);

async function shell(url: string, ...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, WAFBOT_STORE: url };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
  const said = { out: '', err: '' };
  const listen = (stream: 'out' | 'err') => (chunk: Buffer) => {
    said[stream] += String(chunk);
  };
  child.stdout.on('data', listen('out'));
  child.stderr.on('data', listen('err'));
  const [code] = await once(child, 'close');
  return { code, ...said };
}

const open = (url: string) => openStore(url, { log: createRecordingLog(), now: systemClock.now });

async function using<R>(url: string, work: (store: OpenedStore) => Promise<R>): Promise<R> {
  const store = await open(url);
  return work(store).finally(() => store.close());
}

const SECRET = 'token-of-the-service';

const fill = (url: string) =>
  using(url, async (store) => {
    for (let n = 0; n < 30; n += 1) await store.space('digests').set(`C${n}`, [{ id: `d${n}`, note: 'größer\n' }]);
    await store.space('ledgers').set('digest/C1/d1', { coveredTo: '2027-01-01T00:00:00Z', runs: [] });
    await store.space('hosts-eu').set('shop', { id: 'abc' });
    await store.space('store').set('identity', 'this-store');
    await store.space('conversations').set('C1', ['soon gone'], 3_600_000);
    await store.maintenance.add({ space: 'watches', key: 'C1', text: 'damaged by hand' });
    await store.space('cache-tokens').set('token', SECRET);
    for (const space of ['jobs', 'questions', 'signatures']) await store.space(space).set('x', 'rebuilt');
  });

/** Everything that a backup should have. What expires is written anew, with the time that it has left. */
const contents = (url: string) =>
  using(url, async (store) => {
    const { records } = await takeBackup(store, systemClock.now());
    return records.map(({ space, key, text }) => [space, key, text.replace(/"expires":\d+/, '')]).sort();
  });

function backupContract(prepare: () => Promise<string>): void {
  let url: string;
  beforeEach(async () => {
    url = await prepare();
    await fill(url);
  });

  it('has what people set up, and neither caches nor tokens; only its owner can read it; it restores elsewhere', async () => {
    const { code, out } = await shell(url, 'backup', 'b.jsonl');
    expect([code, out]).toEqual([0, 'Backed up 35 records (layout 1). b.jsonl is readable only by you.\n']);
    expect(statSync(at('b.jsonl')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes('backup-') || name.includes('unfinished'))).toEqual([]);
    const text = readFileSync(at('b.jsonl'), 'utf8');
    const spaces = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).space);
    expect([...new Set(spaces)].sort()).toEqual([
      'conversations',
      'digests',
      'hosts-eu',
      'ledgers',
      'store',
      'watches',
    ]);
    expect(text).not.toContain(SECRET);
    const elsewhere = `sqlite:${at('new/elsewhere.db')}`;
    expect(await shell(elsewhere, 'restore', 'b.jsonl')).toMatchObject({
      code: 0,
      out: /^Restored 35 records of .* \(layout 1\)\.\n$/,
    });
    const expiring = await using(elsewhere, (store) => store.space('conversations').get('C1', { raw: true }));
    expect(expiring?.expires).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await contents(elsewhere)).toEqual(await contents(url));
  });

  it('is not restored over what is there unless told to, and what was there can be brought back', async () => {
    await shell(url, 'backup', 'b.jsonl');
    const backedUp = await contents(url);
    await using(url, async (store) => {
      await store.space('digests').delete('C1');
      await store.space('digests').set('C-new', [{ id: 'new' }]);
    });
    const later = await contents(url);
    const refused = await shell(url, 'restore', 'b.jsonl');
    expect(refused).toMatchObject({
      code: 1,
      err: 'The store isn’t empty: to replace everything in it by the backup, add --replace.\n',
    });
    expect(await contents(url)).toEqual(later);
    const replaced = await shell(url, 'restore', 'b.jsonl', '--replace');
    expect(replaced).toMatchObject({ code: 0, err: '' });
    expect(replaced.out).toContain('Saved what was there before as ');
    expect(await contents(url)).toEqual(backedUp);
    expect(await using(url, (store) => store.spaces())).not.toContain('cache-tokens');
    const [, kept = ''] = /^ {2}(\S+-before-restore)$/m.exec((await shell(url, 'restore')).out) ?? [];
    expect(await shell(url, 'restore', kept, '--replace')).toMatchObject({ code: 0 });
    expect(await contents(url)).toEqual(later);
  });

  it('that is cut, of something else or of a newer version is refused, and nothing is lost', async () => {
    await shell(url, 'backup', 'b.jsonl');
    const before = await contents(url);
    const text = readFileSync(at('b.jsonl'), 'utf8');
    writeFileSync(at('cut.jsonl'), text.slice(0, -200));
    writeFileSync(at('other.jsonl'), '{"a":1}\n');
    writeFileSync(
      at('newer.jsonl'),
      text.replace('"version":1,"minVersion":1,"by":"0.1.0"', '"version":5,"minVersion":4,"by":"9.9.9"'),
    );
    for (const [file, message] of [
      ['cut.jsonl', /^The backup is damaged: \d+ of its 35 records can be read/],
      ['other.jsonl', /^That isn’t a wafbot backup/],
      ['newer.jsonl', /^The backup was written by wafbot 9\.9\.9 \(layout 5\), and this is wafbot/],
      ['none.jsonl', /^There is no backup none\.jsonl/],
    ] as const) {
      expect(await shell(url, 'restore', file, '--replace')).toMatchObject({
        code: 1,
        err: expect.stringMatching(message),
      });
    }
    expect(await contents(url)).toEqual(before);
  });
}

/** Fails after half of the records, as a process that is killed there. */
async function interruptedRestore(url: string): Promise<void> {
  await using(url, async (store) => {
    const backup = await takeBackup(store, systemClock.now());
    const records = backup.records.map((record, n) =>
      n < 15
        ? record
        : {
            ...record,
            get key(): string {
              throw new Error('interrupted');
            },
          },
    );
    const restoring = restoreBackup(store, { ...backup, records }, { replace: true, now: systemClock.now() });
    await expect(restoring).rejects.toThrow('interrupted');
  });
}

/** Creates a digest, backs up while the bot runs, and starts it again on a store that is gone and was restored. */
async function bringBack(url: string, lose: () => unknown): Promise<World<ManualClock>> {
  const world = await startScheduledWorld({ environment: { WAFBOT_STORE: url, WAFBOT_CHARTS: 'none' } });
  later(() => world.stop());
  await world.slack.command({ text: 'digest daily at 16:00' });
  await world.slack.nextMessage();
  expect(await shell(url, 'backup', 'b.jsonl')).toMatchObject({ code: 0 });
  await world.restart(async () => {
    await lose();
    expect(await shell(url, 'restore', 'b.jsonl')).toMatchObject({ code: 0, err: '' });
  });
  await world.slack.command({ text: 'digests' });
  expect(textOf(await world.slack.nextMessage())).toContain('16:00');
  return world;
}

describe('a backup of a SQLite file', () => {
  it('brings a bot back whose file is gone: its digest comes when it is due, once', async () => {
    const path = at('bot.db');
    const world = await bringBack(`sqlite:${path}`, () => rmSync(path));
    const digests = () => world.slack.messages('C0SECURITY').filter(isDigest);
    await world.clock.advanceTo('2026-03-10T15:00:00Z');
    await passUntil(world, () => digests()[0], 'the digest');
    await world.clock.advance(10 * 60_000);
    expect(digests()).toHaveLength(1);
  });

  describe('like any other', () => backupContract(async () => `sqlite:${at('bot.db')}`));

  it('is made while the bot runs, which no restore may disturb', async () => {
    const url = `sqlite:${at('bot.db')}`;
    await fill(url);
    await using(url, async (running) => {
      await running.space('digests').set('C-late', 'just written');
      expect(await shell(url, 'backup', 'b.jsonl')).toMatchObject({ code: 0, err: '' });
      expect(readFileSync(at('b.jsonl'), 'utf8')).toContain('just written');
      const { code, err } = await shell(url, 'restore', 'b.jsonl', '--replace');
      expect([code, err]).toEqual([1, expect.stringContaining('Another process is already using the database file')]);
      expect(await running.space('digests').get('C-late')).toBe('just written');
    });
  });

  it('is of one moment, whatever is being written', async () => {
    const path = at('busy.db');
    const writer = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    later(() => writer.kill('SIGKILL'));
    await once(writer.stdout, 'data');
    const seen = new Set<unknown>();
    // On a busy machine several copies can be made before anything is written.
    for (let round = 0; round < 4 || seen.size < 2; round += 1) {
      const copy = at(`copy-${round}.db`);
      await copyLiveFile(path, copy);
      const db = new DatabaseSync(copy);
      expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      const texts = db
        .prepare("SELECT text FROM entries WHERE key IN ('first', 'second')")
        .all()
        .map((row) => row.text);
      expect(texts).toHaveLength(2);
      expect(texts[0]).toBe(texts[1]);
      seen.add(texts[0]);
      db.close();
    }
  });

  it('of which the restore was interrupted leaves the store as it was', async () => {
    const url = `sqlite:${at('bot.db')}`;
    await fill(url);
    const before = await contents(url);
    await interruptedRestore(url);
    expect(await contents(url)).toEqual(before);
  });

  it.each([
    ['of memory', 'memory:', ['backup', 'b.jsonl'], /WAFBOT_STORE is memory:, which stores nothing/],
    ['of nothing', 'sqlite:none.db', ['backup', 'b.jsonl'], /The store doesn’t exist/],
    ['to no file', 'sqlite:none.db', ['backup'], /Name the file to write/],
  ] as const)('%s is refused', async (_, url, args, message) => {
    expect(await shell(url, ...args)).toMatchObject({ code: 1, err: expect.stringMatching(message) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.skipIf(!redisAvailable)(`a backup of Redis${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  let database = 0;
  const nextDatabase = async (): Promise<string> => {
    database += 1;
    return `${redis.url}/${database}`;
  };
  describe('like any other', () => backupContract(nextDatabase));

  it('brings a bot back after Redis was emptied', async () => {
    const url = await nextDatabase();
    await bringBack(url, async () => {
      const client = createClient({ url });
      await client.connect();
      await client.flushDb();
      await client.close();
    });
  });

  it('is made while replicas run, and not restored then', async () => {
    const url = await nextDatabase();
    await fill(url);
    await using(url, async (running) => {
      // As a running bot does, only more often.
      const write = () => running.space('store').set('written', systemClock.now().toString());
      await write();
      const writing = setInterval(() => void write(), 300);
      later(() => clearInterval(writing));
      expect(await shell(url, 'backup', 'b.jsonl')).toMatchObject({ code: 0 });
      const { code, err } = await shell(url, 'restore', 'b.jsonl', '--replace');
      clearInterval(writing);
      expect([code, err]).toEqual([1, expect.stringContaining('A bot is running on this store: stop every replica')]);
    });
  });

  it('of which the restore was interrupted lets nothing but another restore open the store', async () => {
    const url = await nextDatabase();
    await fill(url);
    const before = await contents(url);
    await shell(url, 'backup', 'b.jsonl');
    await interruptedRestore(url);
    await expect(open(url)).rejects.toMatchObject({
      code: 'config',
      message: 'A restore of this store was interrupted.',
    });
    expect(await shell(url, 'restore', 'b.jsonl', '--replace')).toMatchObject({ code: 0 });
    expect(await contents(url)).toEqual(before);
  });
});
