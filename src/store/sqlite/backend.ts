/**
 * SQLite as a Backend: one table of entries, keyed by space and key, and one of locks. Statements are synchronous and
 * short; their failures become errors with a text for people.
 */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyvStoreAdapter } from 'keyv';
import { BotError } from '../../errors.ts';
import { type Backend, isCache, lost } from '../create-store.ts';
import type { MaintainedDatabase, RecordText } from '../maintenance.ts';
import { CACHE_BYTES, type Locks, type StoreDeps, WRITES_BETWEEN_EVICTIONS } from '../store.ts';
import { createBackupFiles } from './backup-files.ts';
import { openDatabase, sqliteCode } from './database.ts';
import { networkFileSystem } from './network-file-system.ts';

const PAGE = 200;

export function openSqliteBackend(
  path: string,
  { now, log, onFailure, cacheBytes = CACHE_BYTES }: StoreDeps,
): Backend & MaintainedDatabase {
  const file = openDatabase(path, log);
  const db = createStatements(file, onFailure);
  const isInPlace = watchFile(path);
  const fileSystem = path === ':memory:' ? null : networkFileSystem(path);
  if (fileSystem !== null) {
    log.warn(
      { fileSystem },
      'database file is on a network file system, which may damage it: use a local disk or Redis',
    );
  }
  const nowMs = () => now().epochMilliseconds;
  const setDurable = createDurabilitySwitch(db);
  const entries = createEntries(db, { nowMs, cacheBytes, setDurable });
  return {
    adapter: (space) => keyvAdapter(space, entries),
    read: async (space, key) => entries.read(space, key),
    swap: async (space, key, expected, next) => entries.swap(space, key, expected, next),
    entries: entries.list,
    spaces: async () => entries.spaces(),
    snapshot: async (isWanted) => entries.spaces().filter(isWanted).flatMap(entries.all),
    async atomically(work) {
      setDurable(true);
      db.exec('BEGIN IMMEDIATE');
      try {
        const result = await work();
        db.exec('COMMIT');
        return result;
      } catch (error) {
        rollBack(db);
        throw error;
      }
    },
    backups: createBackupFiles(path),
    networkFileSystem: fileSystem,
    locks: createSqliteLocks(db, nowMs, setDurable),
    exclusive: true,
    ping: async () => {
      if (!isInPlace()) throw lost();
      db.prepare('SELECT 1').get();
    },
    close: async () => {
      if (file.isOpen) file.close();
    },
  };
}

/** Whether the file is still the one that was opened: SQLite keeps writing to a deleted file. */
function watchFile(path: string): () => boolean {
  if (path === ':memory:') return () => true;
  const { ino, dev } = statSync(path);
  return () => {
    const now = statSync(path, { throwIfNoEntry: false });
    return now !== undefined && now.ino === ino && now.dev === dev && now.size > 0;
  };
}

interface EntriesOptions {
  readonly nowMs: () => number;
  readonly cacheBytes: number;
  readonly setDurable: (durable: boolean) => void;
}

interface WrittenEntry {
  readonly key: string;
  readonly value: string;
  readonly ttl?: number;
}

type Entries = ReturnType<typeof createEntries>;

function createEntries(db: Statements, { nowMs, cacheBytes, setDurable }: EntriesOptions) {
  const get = db.prepare('SELECT text FROM entries WHERE space = ? AND key = ?');
  const put = db.prepare(`INSERT INTO entries (space, key, text, expires) VALUES (?, ?, ?, ?)
    ON CONFLICT (space, key) DO UPDATE SET text = excluded.text, expires = excluded.expires`);
  const remove = db.prepare('DELETE FROM entries WHERE space = ? AND key = ?');
  const clear = db.prepare('DELETE FROM entries WHERE space = ?');
  const page = db.prepare('SELECT key, text FROM entries WHERE space = ? AND key > ? ORDER BY key LIMIT ?');
  const whole = db.prepare('SELECT key, text FROM entries WHERE space = ?');
  const names = db.prepare('SELECT DISTINCT space FROM entries ORDER BY space');
  const evict = createEviction(db, nowMs, cacheBytes);
  const swap = createSwap(db);
  let writes = 0;
  evict();

  function write(space: string, { key, value, ttl }: WrittenEntry): void {
    put.run(space, key, value, ttl === undefined ? null : nowMs() + ttl);
    writes += 1;
    if (writes % WRITES_BETWEEN_EVICTIONS === 0) evict();
  }

  return {
    read(space: string, key: string): string | undefined {
      const text = get.get(space, key)?.text;
      return typeof text === 'string' ? text : undefined;
    },
    write(space: string, all: readonly WrittenEntry[]): void {
      setDurable(!isCache(space));
      if (all.length === 1) for (const entry of all) write(space, entry);
      else inTransaction(db, () => all.forEach((entry) => void write(space, entry)));
    },
    /** Whether any of them existed. */
    remove(space: string, keys: readonly string[]): boolean {
      setDurable(!isCache(space));
      return inTransaction(db, () => keys.map((key) => remove.run(space, key).changes > 0).some(Boolean));
    },
    clear(space: string): void {
      setDurable(!isCache(space));
      clear.run(space);
    },
    swap(space: string, key: string, expected: string | undefined, next: string | undefined): boolean {
      setDurable(true);
      return swap(space, key, expected, next);
    },
    /** Reads page by page, so writes between two pages neither block nor disturb the listing. */
    async *list(space: string) {
      for (let after = ''; ; ) {
        const rows = page.all(space, after, PAGE);
        for (const row of rows) yield [String(row.key), String(row.text)] as const;
        const last = rows.at(-1);
        if (rows.length < PAGE || !last) return;
        after = String(last.key);
      }
    },
    /** At once, so nothing can change in between. */
    all: (space: string): RecordText[] =>
      whole.all(space).map((row) => ({ space, key: String(row.key), text: String(row.text) })),
    spaces: (): string[] => names.all().map((row) => String(row.space)),
  };
}

function keyvAdapter(space: string, entries: Entries): KeyvStoreAdapter {
  const adapter: KeyvStoreAdapter = {
    opts: { dialect: 'sqlite', url: 'sqlite://' },
    namespace: space,
    on: () => adapter,
    // Keyv types the result as any value, although an adapter only ever holds the serialized text.
    get: async <V>(key: string) => entries.read(space, key) as V | undefined,
    set: async (key: string, value: string, ttl?: number) => entries.write(space, [{ key, value, ttl }]),
    setMany: async (all: WrittenEntry[]) => entries.write(space, all),
    has: async (key: string) => entries.read(space, key) !== undefined,
    delete: async (key: string) => entries.remove(space, [key]),
    deleteMany: async (keys: string[]) => entries.remove(space, keys),
    clear: async () => entries.clear(space),
  };
  return adapter;
}

/** One conditional statement for each case, so nothing can change between the check and the write. */
function createSwap(db: Statements) {
  const add = db.prepare('INSERT INTO entries (space, key, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const replace = db.prepare('UPDATE entries SET text = ?, expires = NULL WHERE space = ? AND key = ? AND text = ?');
  const remove = db.prepare('DELETE FROM entries WHERE space = ? AND key = ? AND text = ?');
  return (space: string, key: string, expected: string | undefined, next: string | undefined): boolean => {
    if (next === undefined) return expected === undefined || remove.run(space, key, expected).changes === 1;
    if (expected === undefined) return add.run(space, key, next).changes === 1;
    return replace.run(next, space, key, expected).changes === 1;
  };
}

/** Deletes expired entries, then those cache entries that exceed the limit, soonest to expire first. */
function createEviction(db: Statements, nowMs: () => number, cacheBytes: number): () => void {
  const removeExpired = db.prepare('DELETE FROM entries WHERE expires <= ?');
  const removeExcess = db.prepare(`DELETE FROM entries WHERE (space, key) IN (SELECT space, key FROM (
    SELECT space, key, sum(octet_length(text)) OVER (ORDER BY expires DESC, key) AS bytes FROM entries
    WHERE expires IS NOT NULL AND space GLOB 'cache*') WHERE bytes > ?)`);
  const inUse = db.prepare(`SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`);
  return () => {
    removeExpired.run(nowMs());
    // Adding up all entries blocks the event loop, and a file within the limit can't hold too much.
    if (Number(inUse.get()?.bytes) > cacheBytes) removeExcess.run(cacheBytes);
  };
}

/**
 * Switches between syncing every write to disk and leaving that to the next durable write. Most writes go to caches, and
 * an answer would wait for the disk several times. The file stays intact after a crash either way.
 */
function createDurabilitySwitch(db: Statements): (durable: boolean) => void {
  let isDurable = true;
  return (durable) => {
    if (durable === isDurable) return;
    // Has no effect inside a transaction, so it must come before one.
    db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    isDurable = durable;
  };
}

function inTransaction<R>(db: Statements, work: () => R): R {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function rollBack(db: Statements): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // SQLite already rolled back, as it does when the disk is full. The first error is the one to report.
  }
}

/** One conditional statement per operation, so nothing can change between the check and the write. */
function createSqliteLocks(db: Statements, nowMs: () => number, setDurable: (durable: boolean) => void): Locks {
  // The file belongs to this process alone, so the owner of any leftover lease is dead.
  db.exec('DELETE FROM claims WHERE expires IS NOT NULL');

  const alive = '(expires IS NULL OR expires > :now)';
  const take = db.prepare(`INSERT INTO claims (key, owner, expires) VALUES (:key, :owner, :expires)
    ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, expires = excluded.expires
    WHERE claims.expires IS NOT NULL AND claims.expires <= :now`);
  const extend = db.prepare(`UPDATE claims SET expires = :expires WHERE key = :key AND owner = :owner AND ${alive}`);
  const drop = db.prepare(`DELETE FROM claims WHERE key = :key AND owner = :owner AND ${alive}`);
  const expiry = (ttlMs: number | undefined) => (ttlMs === undefined ? null : nowMs() + ttlMs);

  return {
    async acquire(key, owner, ttlMs) {
      setDurable(true);
      return take.run({ key, owner, expires: expiry(ttlMs), now: nowMs() }).changes === 1;
    },
    renew: async (key, owner, ttlMs) => extend.run({ key, owner, expires: expiry(ttlMs), now: nowMs() }).changes === 1,
    release: async (key, owner) => drop.run({ key, owner, now: nowMs() }).changes === 1,
  };
}

const READ_ONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

const OPERATOR = 'The reason is in the bot’s log.';

type Statement = Pick<StatementSync, 'run' | 'get' | 'all'>;

interface Statements {
  prepare(sql: string): Statement;
  exec(sql: string): void;
}

function createStatements(db: DatabaseSync, onFailure: StoreDeps['onFailure']): Statements {
  const translating = translatingWith(onFailure);
  return {
    prepare(sql) {
      const statement = db.prepare(sql);
      return {
        run: translating(statement.run.bind(statement)),
        get: translating(statement.get.bind(statement)),
        all: translating(statement.all.bind(statement)),
      };
    },
    exec: translating(db.exec.bind(db)),
  };
}

const translatingWith =
  (onFailure: StoreDeps['onFailure']) =>
  <F extends (...args: never[]) => unknown>(call: F): F => {
    const translated = (...args: Parameters<F>): unknown => {
      try {
        return call(...args);
      } catch (error) {
        const code = sqliteCode(error);
        if (code !== undefined) onFailure?.(code === FULL ? 'full' : 'failed');
        throw asStorageError(error);
      }
    };
    return translated as F;
  };

/** Anything that isn't a SQLite error, such as a statement after closing, is a bug and passes through. */
function asStorageError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const [message, hint] = sentenceFor(code);
  const reason = code === FULL ? ({ is: 'storage_full' } as const) : undefined;
  return new BotError('storage', message, {
    hint,
    reason,
    detail: { storage: 'sqlite', sqliteCode: code },
    cause: error,
  });
}

function sentenceFor(code: number): readonly [message: string, hint: string] {
  switch (code) {
    case FULL:
      return ['The storage disk is full, so nothing can be saved.', 'Ask whoever runs the bot to free some space.'];
    case READ_ONLY:
      return ['The storage is read-only, so nothing can be saved.', OPERATOR];
    case CORRUPT:
    case NOT_A_DATABASE:
      return ['The storage is damaged.', 'Ask whoever runs the bot to restore a backup.'];
    default:
      return ['The storage isn’t working right now.', `Try again in a moment. ${OPERATOR}`];
  }
}
