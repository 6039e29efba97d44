/** The version in a store: what is refused, what is migrated, and what is left if a migration is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startBot } from '../../src/bot.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { parseBackup } from '../../src/store/backup.ts';
import { openStore } from '../../src/store/index.ts';
import { migrateStore } from '../../src/store/layout.ts';
import type { OpenedStore } from '../../src/store/maintenance.ts';
import { eventually } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';
import { type MarkedDigest, markDigests } from '../support/migration-process.ts';
import { cleanUpAfterEach, later, runBot, startStandIns } from '../support/process-stage.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { configFor } from '../support/world.ts';

cleanUpAfterEach();

const MIGRATION = join(import.meta.dirname, '../support/migration-process.ts');
const DIGESTS = 40;
const now = () => Temporal.Instant.from('2026-11-17T10:00:00Z');

async function using<R>(url: string, work: (store: OpenedStore) => Promise<R>, anyLayout = false): Promise<R> {
  const store = await openStore(url, { log: createRecordingLog(), now, anyLayout });
  return work(store).finally(() => store.close());
}

/** As 0.1.0 left it: without a layout. */
const fill = (url: string) =>
  using(url, async (store) => {
    for (let n = 0; n < DIGESTS; n += 1) await store.space<MarkedDigest>('digests').set(`C${n}`, { n });
    await store.space('cache-answers').set('q', 'may be lost');
  });

const digestsOf = (store: OpenedStore) => Array.fromAsync(store.list<MarkedDigest>('digests'));
const layoutOf = (store: OpenedStore) => store.space('store').get('layout');

/** Kept backups, with how many of their digests a step had marked already. */
async function keptIn({ maintenance: { backups } }: OpenedStore) {
  const texts = await Promise.all((await backups.names()).map((name) => backups.read(name)));
  return texts.map((text = '') => {
    const { layout, records } = parseBackup(text);
    return {
      layout: layout.version,
      spaces: [...new Set(records.map(({ space }) => space))],
      marked: records.filter((each) => each.text.includes('marked')).length,
    };
  });
}

/** Starts a migration in a process of its own and kills it after so many records. */
async function killedAfter(url: string, records: number): Promise<void> {
  const child = spawn(process.execPath, [MIGRATION, url, String(records)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

function migrationContract(prepare: () => Promise<string>, marksKeptAfterKill: number): void {
  let url: string;
  beforeEach(async () => {
    url = await prepare();
    await fill(url);
  });

  it('without a version opens unchanged and gets the first one', async () => {
    await using(url, async (store) => {
      const before = await digestsOf(store);
      await migrateStore(store, { log: createRecordingLog(), now });
      expect(await digestsOf(store)).toEqual(before);
      expect(await layoutOf(store)).toMatchObject({ version: 1, minVersion: 1 });
      expect(await keptIn(store)).toEqual([]);
    });
  });

  it('is migrated once, after a backup without caches', async () => {
    const log = createRecordingLog();
    const ran: number[] = [];
    const steps = [markDigests((done) => void ran.push(done))];
    await using(url, async (store) => {
      await migrateStore(store, { log, now, steps });
      await migrateStore(store, { log, now, steps });
      expect((await digestsOf(store)).map(([, { marked }]) => marked)).toEqual(Array(DIGESTS).fill(1));
      expect(ran).toHaveLength(DIGESTS);
      expect(await layoutOf(store)).toMatchObject({ version: 2, minVersion: 2 });
      expect(await keptIn(store)).toEqual([{ layout: 1, spaces: ['digests'], marked: 0 }]);
      expect(await store.space('cache-answers').get('q')).toBe('may be lost');
    });
    expect(log.lines.map(({ message }) => message)).toEqual(['migrating the store', 'store migrated']);
  });

  it('keeps the last three backups', async () => {
    await using(url, async (store) => {
      for (let to = 2; to < 7; to += 1) {
        await migrateStore(store, {
          log: createRecordingLog(),
          now: () => now().add({ hours: to }),
          steps: [{ ...markDigests(), to }],
        });
      }
      expect((await keptIn(store)).map(({ layout }) => layout)).toEqual([3, 4, 5]);
    });
  });

  it('that was created with the latest layout needs no migration', async () => {
    await using(url, async (store) => {
      for (const space of await store.spaces()) await store.space(space).clear();
      await migrateStore(store, { log: createRecordingLog(), now, steps: [markDigests()] });
      expect(await layoutOf(store)).toMatchObject({ version: 2 });
      expect(await keptIn(store)).toEqual([]);
    });
  });

  it('is migrated to the end after the process was killed midway, and the backup is from before', async () => {
    await killedAfter(url, DIGESTS / 2);
    await using(
      url,
      async (store) => {
        const marked = (await digestsOf(store)).filter(([, digest]) => digest.marked !== undefined);
        expect(marked).toHaveLength(marksKeptAfterKill);
        await migrateStore(store, { log: createRecordingLog(), now, steps: [markDigests()] });
        expect((await digestsOf(store)).map(([, digest]) => digest.marked)).toEqual(Array(DIGESTS).fill(1));
        const layout = await layoutOf(store);
        expect(layout).toMatchObject({ version: 2 });
        expect(layout).not.toHaveProperty('migrating');
        for (const { marked: inBackup } of await keptIn(store)) expect(inBackup).toBe(0);
      },
      true,
    );
  });

  it('of a newer version is refused with both versions and what to do, unless that version says otherwise', async () => {
    const mark = (layout: object) => using(url, (store) => store.space('store').set('layout', layout), true);
    await mark({ version: 9, minVersion: 1, by: '9.9.9' });
    await using(url, async (store) => {
      await migrateStore(store, { log: createRecordingLog(), now });
      expect(await layoutOf(store)).toEqual({ version: 9, minVersion: 1, by: '9.9.9' });
    });
    await mark({ version: 9, minVersion: 9, by: '9.9.9' });
    const { environment } = await startStandIns('socket');
    const bot = runBot({ ...environment, WAFBOT_STORE: url });
    expect(await bot.ended).toBe(78);
    expect(bot.output.err).toMatch(
      /written by wafbot 9\.9\.9 \(layout 9\), and this is wafbot \d+\.\d+\.\d+.*layout 1\./,
    );
    expect(bot.output.err).toContain('Use wafbot 9.9.9 or newer. To go back instead, restore the backup');
  });
}

describe('a SQLite file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wafbot-migration-'));
    later(() => rmSync(folder, { recursive: true, force: true }));
  });
  // One transaction: nothing of half a migration is left.
  describe('like any other', () => migrationContract(async () => `sqlite:${join(folder, 'bot.db')}`, 0));

  it('has its backup in a file that only its owner can read', async () => {
    const url = `sqlite:${join(folder, 'bot.db')}`;
    await fill(url);
    await using(url, (store) => migrateStore(store, { log: createRecordingLog(), now, steps: [markDigests()] }));
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.backup'));
    expect(file).toBe('bot.db.2026-11-17T10-00-00Z-before-layout-2.backup');
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('leaves the bot alive and not ready, because it is migrating, until it is done', async () => {
    const url = `sqlite:${join(folder, 'bot.db')}`;
    await fill(url);
    const { slack, service } = await startStandIns('socket');
    const logged: string[] = [];
    const log = createLogger('info', [], { write: (line: string) => void logged.push(line) });
    const goOn = Promise.withResolvers<void>();
    const starting = startBot(configFor(slack, service, 'socket', { WAFBOT_STORE: url, WAFBOT_CHARTS: 'none' }), log, {
      migrations: [markDigests(() => goOn.promise)],
    });
    await eventually(() => logged.some((line) => line.includes('migrating the store')), 'the migration');
    const port = /"port":(\d+)/.exec(logged.find((line) => line.includes('serving health')) ?? '')?.[1];
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await get('/healthz')).status).toBe(200);
    const response = await get('/readyz');
    expect([response.status, await response.json()]).toEqual([
      503,
      { ready: false, store: 'migrating', slack: 'failed' },
    ]);
    goOn.resolve();
    const bot = await starting;
    later(() => bot.stop());
    await eventually(async () => (await get('/readyz')).status === 200, 'the bot to be ready');
  });
});

describe.skipIf(!redisAvailable)(`a Redis${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  let database = 0;
  const nextDatabase = async () => {
    database += 1;
    return `${redis.url}/${database}`;
  };
  // Each change is on its own: what was done stays, and the rest follows.
  describe('like any other', () => migrationContract(nextDatabase, DIGESTS / 2));

  it('is migrated by one of two replicas, and the other waits', async () => {
    const url = await nextDatabase();
    await fill(url);
    const ran: number[] = [];
    const steps = [markDigests((done) => void ran.push(done))];
    await using(url, (one) =>
      using(url, async (two) => {
        await Promise.all([one, two].map((store) => migrateStore(store, { log: createRecordingLog(), now, steps })));
        expect(ran).toHaveLength(DIGESTS);
        expect(await keptIn(one)).toHaveLength(1);
      }),
    );
  });
});
