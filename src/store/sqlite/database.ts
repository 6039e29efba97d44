/** Opens the SQLite file: private, exclusive, durable and checked. Every failure is a config error with a fix. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BotError } from '../../errors.ts';
import type { Logger } from '../../observability/logger.ts';

/** SQLite's primary result codes that get their own message. */
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Waiting for a lock blocks the event loop, so it must be too short for a Slack socket to notice. */
const BUSY_WAIT_MS = 200;

const RESTORE = 'Restore a backup. Starting with an empty file would lose every digest.';

/** `path` is a file path, or `:memory:`. */
export function openDatabase(path: string, log: Logger): DatabaseSync {
  const inMemory = path === ':memory:';
  let db: DatabaseSync | undefined;
  try {
    if (!inMemory) {
      touchPrivately(path);
      // A restored backup may be readable by others. SQLite writes `-journal` before it switches to WAL.
      for (const suffix of ['', '-wal', '-shm', '-journal']) tighten(`${path}${suffix}`, log);
    }
    db = new DatabaseSync(path, { timeout: BUSY_WAIT_MS });
    // Exclusive before WAL: the lock then lasts as long as the process and needs no shared-memory file.
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('PRAGMA journal_mode = WAL');
    db.exec('PRAGMA synchronous = FULL');
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    if (!inMemory) check(db);
    db.exec(`
      CREATE TABLE IF NOT EXISTS entries (
        space TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL, expires INTEGER, PRIMARY KEY (space, key)
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, expires INTEGER) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS entries_expiring ON entries (expires) WHERE expires IS NOT NULL;
    `);
    return db;
  } catch (error) {
    db?.close();
    throw asConfigError(error, path);
  }
}

/** Creates the file with its final mode: a later chmod would leave a moment in which others could read it. */
function touchPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
}

const OTHERS = 0o077;

/** Removes other users' access. A file owned by somebody else is used as is, with a warning. */
function tighten(path: string, log: Logger): void {
  if (!existsSync(path)) return;
  const { mode } = statSync(path);
  if ((mode & OTHERS) === 0) return;
  const file = basename(path);
  try {
    chmodSync(path, mode & 0o700);
    log.warn({ file }, 'removed other users’ access to the database file');
  } catch (error) {
    log.warn({ file, err: error }, 'other users can read the database file: set its mode to 600');
  }
}

function check(db: DatabaseSync): void {
  const verdict = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (verdict !== 'ok') {
    throw new BotError('config', 'The database file is damaged.', { hint: RESTORE, detail: { verdict } });
  }
}

function asConfigError(error: unknown, path: string): BotError {
  if (error instanceof BotError) return error;
  const detail = { path, sqliteCode: sqliteCode(error), systemCode: systemCode(error) };
  switch (sqliteCode(error)) {
    case BUSY:
    case LOCKED:
      return new BotError('config', 'Another process is already using the database file.', {
        hint: 'Stop the other process, use a different file, or use Redis to run several replicas.',
        detail,
        cause: error,
      });
    case CORRUPT:
    case NOT_A_DATABASE:
      return new BotError('config', 'The database file is damaged.', { hint: RESTORE, detail, cause: error });
    default:
      return new BotError('config', 'Can’t open the database file.', {
        hint: 'Check that its folder exists, is writable and has space left.',
        detail,
        cause: error,
      });
  }
}

/** Extended codes have the primary one in their low byte. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

function systemCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
