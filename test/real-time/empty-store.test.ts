/** A start on an empty store where there was one, and on a disk that isn't local. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach, later, runBot, startStandIns } from '../support/process-stage.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';

cleanUpAfterEach();

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wafbot-empty-'));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'bot.db');
}

async function startAndStop(environment: Readonly<Record<string, string>>): Promise<void> {
  const bot = runBot(environment);
  await bot.printed(/wafbot is ready/);
  bot.signal('SIGTERM');
  expect(await bot.ended).toBe(0);
}

async function refusal(environment: Readonly<Record<string, string>>): Promise<string> {
  const bot = runBot(environment);
  expect(await bot.ended).toBe(78);
  return bot.output.err;
}

describe('a SQLite file', () => {
  it('that is gone is not replaced by an empty one until the file that says so is deleted', async () => {
    const file = newFile();
    const { environment } = await startStandIns('socket');
    const settings = { ...environment, WAFBOT_STORE: `sqlite:${file}` };
    await startAndStop(settings);
    for (const suffix of ['', '-wal']) rmSync(`${file}${suffix}`, { force: true });
    const said = await refusal(settings);
    expect(said).toContain('wafbot cannot start. The store is empty, but there should be one. Check WAFBOT_STORE');
    expect(said).toContain(`To start afresh on purpose, delete ${file}.expected.`);
    rmSync(`${file}.expected`);
    await startAndStop(settings);
    expect(existsSync(`${file}.expected`)).toBe(true);
  });

  it('on a network file system is called out in the log and by the doctor', async () => {
    const { environment } = await startStandIns('socket');
    const preload = join(import.meta.dirname, '../support/network-disk.ts');
    const settings = { ...environment, WAFBOT_STORE: `sqlite:${newFile()}`, NODE_OPTIONS: `--import ${preload}` };
    const bot = runBot(settings);
    await bot.printed(/"fileSystem":"NFS"[^\n]*database file is on a network file system, which may damage it/);
    await bot.printed(/wafbot is ready/);
    bot.signal('SIGTERM');
    await bot.ended;
    const doctor = runBot(settings, ['doctor']);
    expect(await doctor.ended).toBe(1);
    expect(doctor.output.out).toContain(
      '✗ Storage: failed. The database file is on a network file system (NFS), which may damage it. Fix: move it to a local disk, or use Redis.',
    );
  });
});

describe.skipIf(!redisAvailable)(`a Redis${redisNote}`, () => {
  it('that is empty although WAFBOT_EXPECT_STORE says that it is not is refused', async () => {
    const redis = await startRedis();
    later(() => redis.stop());
    const { environment } = await startStandIns('socket');
    const settings = { ...environment, WAFBOT_STORE: redis.url };
    expect(await refusal({ ...settings, WAFBOT_EXPECT_STORE: 'yes' })).toContain(
      'To start afresh on purpose, remove WAFBOT_EXPECT_STORE.',
    );
    await startAndStop(settings);
    await startAndStop({ ...settings, WAFBOT_EXPECT_STORE: 'yes' });
  });
});
