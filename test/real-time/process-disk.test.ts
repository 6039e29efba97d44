/** The program on a disk that is full, read-only, or holds a damaged file. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach, healthUrl, later, runBot, startStandIns } from '../support/process-stage.ts';
import { nextAnswer, REQUESTS } from '../support/world.ts';

cleanUpAfterEach();

const mounting = spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;
const note = mounting ? '' : ' (SKIPPED: this user may not mount anything)';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'wafbot-disk-'));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A disk of its own that only processes started `within` see at `path`; from here its files are at `files`. */
async function mountDisk(options: string) {
  const path = newFolder();
  const script = `mount -t tmpfs -o ${options} tmpfs "$1" && echo mounted && exec sleep 600`;
  const holder: ChildProcess = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', path]);
  const gone = once(holder, 'exit');
  later(async () => {
    holder.kill('SIGKILL');
    await gone;
  });
  if (holder.stdout) await once(holder.stdout, 'data');
  return {
    path,
    files: `/proc/${holder.pid}/root${path}`,
    within: ['nsenter', '--mount', '--target', String(holder.pid)],
  };
}

/** Writes until there is not a byte left. */
function fill(file: string): void {
  const chunk = Buffer.alloc(4_096);
  for (;;) {
    try {
      writeFileSync(file, chunk, { flag: 'a' });
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
      return;
    }
  }
}

describe.skipIf(!mounting)(`a disk${note}`, () => {
  it('that is full: nothing confirmed is lost, what cannot be saved is refused with a sentence, room puts it right', async () => {
    const { slack, environment } = await startStandIns('socket');
    const disk = await mountDisk('size=2m');
    const start = () =>
      runBot({ ...environment, WAFBOT_STORE: `sqlite:${disk.path}/wafbot.db` }, ['start'], undefined, disk.within);
    const ask = async (text: string): Promise<string> => {
      expect(await slack.command({ text })).toMatchObject({ acked: true });
      return JSON.stringify(await nextAnswer(slack));
    };
    const first = start();
    await first.printed(/wafbot is ready/);
    expect(await ask('digest daily at 09:00')).toContain('Digest scheduled');
    fill(`${disk.files}/ballast`);
    const refusal = await ask('digest daily at 10:00');
    expect(refusal).toContain('The storage disk is full, so nothing can be saved.');
    expect(refusal).not.toContain('Something broke');
    const ready = async () => (await fetch(`${await healthUrl(first)}/readyz`)).json();
    expect(await ready()).toEqual({ ready: false, store: 'full', slack: 'ok' });
    expect(await ask('timeline last 24h')).toMatch(REQUESTS);
    expect(await ask('digest list')).toContain('09:00');
    rmSync(`${disk.files}/ballast`);
    expect(await ready()).toMatchObject({ ready: true });
    expect(await ask('digest daily at 11:00')).toContain('Digest scheduled');
    first.signal('SIGKILL');
    await first.ended;
    const second = start();
    await second.printed(/wafbot is ready/);
    const listed = await ask('digest list');
    expect(listed).toMatch(/09:00.*11:00/);
    expect(listed).not.toContain('10:00');
    second.signal('SIGTERM');
    expect(await second.ended).toBe(0);
  });

  it('that is read-only ends the start with a sentence', async () => {
    const { environment } = await startStandIns('socket');
    const disk = await mountDisk('size=2m,ro');
    const bot = runBot(
      { ...environment, WAFBOT_STORE: `sqlite:${disk.path}/wafbot.db` },
      ['start'],
      undefined,
      disk.within,
    );
    expect(await bot.ended).toBe(78);
    expect(bot.output.err).toMatch(/^wafbot cannot start\. Can’t open the database file\. Check .* is writable/);
    expect(readdirSync(disk.files)).toEqual([]);
  });
});

it('a damaged database file ends the start with a sentence, and is left as it is', async () => {
  const { environment } = await startStandIns('socket');
  const file = join(newFolder(), 'wafbot.db');
  const bytes = Buffer.alloc(8_192, 'not a database ');
  writeFileSync(file, bytes, { mode: 0o600 });
  const bot = runBot({ ...environment, WAFBOT_STORE: `sqlite:${file}` });
  expect(await bot.ended).toBe(78);
  expect(bot.output.err).toMatch(/^wafbot cannot start\. The database file is damaged\. Restore a backup/);
  expect(readFileSync(file).equals(bytes)).toBe(true);
});
