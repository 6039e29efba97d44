/** `backup <file>` and `restore <file>`: everything that people set up, as text, out of the store and back. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { sleep, systemClock } from '../clock.ts';
import { processEnvironment, readStoreConfig } from '../config/config.ts';
import { BotError, UsageError } from '../errors.ts';
import { counted } from '../replies/phrases.ts';
import { type Backup, backupText, parseBackup, restoreBackup, takeBackup, writePrivately } from '../store/backup.ts';
import { CHECK_EVERY_MS, lastWritten } from '../store/create-store.ts';
import { openStore, sqlitePath } from '../store/index.ts';
import { assertKnownLayout } from '../store/layout.ts';
import type { OpenedStore } from '../store/maintenance.ts';
import { copyLiveFile } from '../store/sqlite/copy-live-file.ts';
import { SILENT } from './project-option.ts';

const deps = { log: SILENT, now: systemClock.now };

export async function writeBackup([file, ...rest]: readonly string[]): Promise<void> {
  if (file === undefined || file.startsWith('--') || rest.length > 0) {
    throw new UsageError('Name the file to write: backup <file>, or - for standard output.');
  }
  const url = storeAddress();
  const path = sqlitePath(url);
  const backup = path === undefined ? await backupOf(url) : await backupOfFile(path, file);
  if (file === '-') {
    process.stdout.write(backupText(backup));
    return;
  }
  writePrivately(file, backupText(backup));
  console.log(`${summaryOf(backup)} ${file} is readable only by you.`);
}

const summaryOf = ({ records, layout }: Backup): string =>
  `Backed up ${counted(records.length, 'record')} (layout ${layout.version}).`;

function storeAddress(): string {
  const url = readStoreConfig(processEnvironment()).reveal();
  if (url !== 'memory:') return url;
  throw new BotError('config', 'WAFBOT_STORE is memory:, which stores nothing.', {
    hint: 'Set it to that of the bot.',
  });
}

async function backupOf(url: string): Promise<Backup> {
  const store = await openStore(url, deps);
  return takeBackup(store, systemClock.now()).finally(() => store.close());
}

/** A running bot has the file locked, so it's copied first: next to the backup, where there is space for it. */
async function backupOfFile(path: string, file: string): Promise<Backup> {
  if (!existsSync(path)) {
    throw new BotError('config', 'The store doesn’t exist.', { hint: 'Check the path in WAFBOT_STORE.' });
  }
  const folder = mkdtempSync(join(dirname(file === '-' ? path : file), '.wafbot-backup-'));
  const copy = join(folder, basename(path));
  try {
    await copyLiveFile(path, copy);
    return await backupOf(`sqlite:${copy}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function restore(args: readonly string[]): Promise<void> {
  const { name, replace } = readArguments(args);
  const store = await openStore(storeAddress(), { ...deps, anyLayout: true });
  try {
    if (name === undefined) return await listKept(store);
    const backup = parseBackup(await textOf(name, store));
    assertKnownLayout(backup.layout, 'backup');
    await assertNobodyRuns(store);
    const before = await restoreBackup(store, backup, { replace, now: systemClock.now() });
    console.log(
      `Restored ${counted(backup.records.length, 'record')} of ${backup.at} (layout ${backup.layout.version}).`,
    );
    if (before !== null) console.log(`Saved what was there before as ${before}`);
  } finally {
    await store.close();
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { replace: { type: 'boolean' } },
      allowPositionals: true,
    });
    if (positionals.length > 1) throw new Error('too many');
    return { name: positionals[0], replace: values.replace === true };
  } catch {
    throw new UsageError(
      'Name one backup: restore <file> [--replace]. Without a file, it lists what the bot has kept.',
    );
  }
}

async function listKept({ maintenance: { backups } }: OpenedStore): Promise<void> {
  const names = await backups.names();
  if (names.length === 0) console.log('The bot has kept no backups in this store.');
  else console.log(['Backups that the bot has kept:', ...names.map((name) => `  ${name}`)].join('\n'));
}

/** A file, or one that the bot has kept. */
async function textOf(name: string, { maintenance: { backups } }: OpenedStore): Promise<string> {
  if (existsSync(name)) return readFileSync(name, 'utf8');
  const kept = await backups.read(name);
  if (kept !== undefined) return kept;
  throw new BotError('config', `There is no backup ${name}.`, {
    hint: 'Name a file, or one of those that restore lists without a name.',
  });
}

/** Clocks may differ by a little, and a check may be slow. */
const MARGIN_MS = 5_000;
const LOOK_EVERY_MS = 500;

/** A running bot has a SQLite file locked. On Redis it writes every 20 seconds, so it's seen by waiting for that. */
async function assertNobodyRuns(store: OpenedStore): Promise<void> {
  const last = await lastWritten(store);
  if (store.exclusive || last === undefined) return;
  const ageMs = systemClock.now().epochMilliseconds - Date.parse(last);
  if (ageMs > 2 * CHECK_EVERY_MS + MARGIN_MS) return;
  console.error('A bot used this store less than a minute ago. Waiting 25 s to see whether it still does.');
  for (let waitedMs = 0; waitedMs < CHECK_EVERY_MS + MARGIN_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(systemClock, LOOK_EVERY_MS);
    if ((await lastWritten(store)) === last) continue;
    throw new BotError('config', 'A bot is running on this store.', { hint: 'Stop every replica, then try again.' });
  }
}
