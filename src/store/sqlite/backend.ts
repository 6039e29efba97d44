/**
 * SQLite as a Backend: one table of entries, keyed by space and key, and one of locks. Statements are synchronous and short;
 * their failures are the error that a person may see.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeyvStoreAdapter } from 'keyv';
import { BotError } from '../../errors.ts';
import { type Backend, mayBeLost } from '../create-store.ts';
import { CACHE_BYTES, type Locks, type StoreDeps, WRITES_BETWEEN_SWEEPS } from '../store.ts';
import { openDatabase, sqliteCode } from './database.ts';

const PAGE = 200;

export function openSqliteBackend(path: string, { now, log, cacheBytes = CACHE_BYTES }: StoreDeps): Backend {
  const file = openDatabase(path, log);
  const db = createStatements(file);
  const nowMs = () => now().epochMilliseconds;
  const get = db.prepare('SELECT text FROM entries WHERE space = ? AND key = ?');
  const put = db.prepare(`INSERT INTO entries (space, key, text, expires) VALUES (?, ?, ?, ?)
    ON CONFLICT (space, key) DO UPDATE SET text = excluded.text, expires = excluded.expires`);
  const add = db.prepare('INSERT INTO entries (space, key, text) VALUES (?, ?, ?) ON CONFLICT DO NOTHING');
  const replace = db.prepare('UPDATE entries SET text = ?, expires = NULL WHERE space = ? AND key = ? AND text = ?');
  const remove = db.prepare('DELETE FROM entries WHERE space = ? AND key = ?');
  const removeExact = db.prepare('DELETE FROM entries WHERE space = ? AND key = ? AND text = ?');
  const clear = db.prepare('DELETE FROM entries WHERE space = ?');
  const page = db.prepare('SELECT key, text FROM entries WHERE space = ? AND key > ? ORDER BY key LIMIT ?');
  const sweep = db.prepare('DELETE FROM entries WHERE expires <= ?');
  // What would be forgotten first anyway goes first.
  const shrink = db.prepare(`DELETE FROM entries WHERE (space, key) IN (SELECT space, key FROM (
    SELECT space, key, sum(octet_length(text)) OVER (ORDER BY expires DESC, key) AS bytes FROM entries
    WHERE expires IS NOT NULL AND space GLOB 'cache*') WHERE bytes > ?)`);
  const inUse = db.prepare(`SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`);
  const names = db.prepare('SELECT DISTINCT space FROM entries ORDER BY space');

  /** Expired rows are never returned; deleting them now and then keeps the file from growing. */
  function forget(): void {
    sweep.run(nowMs());
    // To look at every entry takes longer than all else here, and in a file that is not larger than this none is too much.
    if (Number(inUse.get()?.bytes) > cacheBytes) shrink.run(cacheBytes);
  }

  let writes = 0;
  forget();
  const switchDurability = createDurability(db);
  const memory = createMemory();

  /** Before every write. */
  function prepareWrite(space: string): void {
    switchDurability(!mayBeLost(space));
    memory.forget(space);
  }

  function write(space: string, key: string, text: string, ttlMs: number | undefined): void {
    prepareWrite(space);
    put.run(space, key, text, ttlMs === undefined ? null : nowMs() + ttlMs);
    writes += 1;
    if (writes % WRITES_BETWEEN_SWEEPS === 0) forget();
  }

  function read(space: string, key: string): string | undefined {
    if (mayBeLost(space)) return textOf(get.get(space, key));
    return memory.text(space, key, () => textOf(get.get(space, key)));
  }

  function adapter(space: string): KeyvStoreAdapter {
    const keyvAdapter: KeyvStoreAdapter = {
      opts: { dialect: 'sqlite', url: 'sqlite://' },
      namespace: space,
      on: () => keyvAdapter,
      // Keyv types the answer as any value, although an adapter only ever holds the serialized text.
      get: async <V>(key: string) => read(space, key) as V | undefined,
      set: async (key: string, text: string, ttlMs?: number) => write(space, key, text, ttlMs),
      setMany: async (all: Array<{ key: string; value: string; ttl?: number }>) => {
        prepareWrite(space);
        inTransaction(db, () => {
          for (const { key, value, ttl } of all) write(space, key, value, ttl);
        });
      },
      has: async (key: string) => read(space, key) !== undefined,
      delete: async (key: string) => {
        prepareWrite(space);
        return remove.run(space, key).changes > 0;
      },
      deleteMany: async (keys: string[]) => {
        prepareWrite(space);
        return inTransaction(db, () => keys.map((key) => remove.run(space, key).changes > 0).some(Boolean));
      },
      clear: async () => {
        prepareWrite(space);
        clear.run(space);
      },
    };
    return keyvAdapter;
  }

  return {
    adapter,
    read: async (space, key) => read(space, key),
    async swap(space, key, expected, next) {
      switchDurability(true);
      memory.forget(space);
      if (next === undefined) return expected === undefined || removeExact.run(space, key, expected).changes === 1;
      if (expected === undefined) return add.run(space, key, next).changes === 1;
      return replace.run(next, space, key, expected).changes === 1;
    },
    async *entries(space) {
      // In pages of keys: a write between two pages is neither blocked nor disturbs the listing.
      for (let after = ''; ; ) {
        const from = after;
        const read = () => page.all(space, from, PAGE);
        const rows = mayBeLost(space) || from !== '' ? read() : memory.firstPage(space, read);
        for (const row of rows) yield [String(row.key), String(row.text)] as const;
        const last = rows.at(-1);
        if (rows.length < PAGE || !last) return;
        after = String(last.key);
      }
    },
    spaces: async () => names.all().map((row) => String(row.space)),
    locks: createSqliteLocks(db, nowMs, switchDurability),
    exclusive: true,
    ping: async () => {
      db.prepare('SELECT 1').get();
    },
    close: async () => {
      if (file.isOpen) file.close();
    },
  };
}

/** So much of each space is remembered. */
const MOST_TEXTS = 1_000;
const LONGEST_PAGE = 50;

interface RememberedSpace {
  /** `undefined`: there is no such record. */
  readonly texts: Map<string, string | undefined>;
  page: Row[] | null;
}

type Row = Record<string, unknown>;

/**
 * What was read since a space was last written to, because every question reads the same few records and nobody else can
 * change them: single records, and lists that are short.
 */
function createMemory() {
  const spaces = new Map<string, RememberedSpace>();
  function known(space: string): RememberedSpace {
    const found = spaces.get(space) ?? { texts: new Map(), page: null };
    spaces.set(space, found);
    return found;
  }
  return {
    forget: (space: string): void => void spaces.delete(space),
    text(space: string, key: string, read: () => string | undefined): string | undefined {
      const { texts } = known(space);
      if (texts.has(key)) return texts.get(key);
      const text = read();
      if (texts.size >= MOST_TEXTS) texts.clear();
      texts.set(key, text);
      return text;
    },
    firstPage(space: string, read: () => Row[]): Row[] {
      const found = known(space);
      if (found.page !== null) return found.page;
      const rows = read();
      if (rows.length <= LONGEST_PAGE) found.page = rows;
      return rows;
    },
  };
}

/**
 * Switches between writing through to the disk and leaving that to the next write that must be. What may be lost is most
 * of what is written, and a question would wait for the disk several times. The file is whole after a crash either way.
 */
function createDurability(db: Statements): (durable: boolean) => void {
  let now = true;
  return (durable) => {
    if (durable === now) return;
    // Has no effect within a transaction, so it is called before one.
    db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    now = durable;
  };
}

function textOf(row: Record<string, unknown> | undefined): string | undefined {
  return typeof row?.text === 'string' ? row.text : undefined;
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
    // SQLite has done it already, as it does when the disk is full; the first error is the one to tell.
  }
}

/** One conditional statement each, so that nothing can happen between checking and taking. */
function createSqliteLocks(db: Statements, nowMs: () => number, durably: (durable: boolean) => void): Locks {
  // The file belongs to this process alone: whoever left a lease behind is dead, and its work may be taken over at once.
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
      durably(true);
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

const OPERATOR = 'Whoever runs the bot finds the reason in the log.';

type Statement = Pick<StatementSync, 'run' | 'get' | 'all'>;

interface Statements {
  prepare(sql: string): Statement;
  exec(sql: string): void;
}

function createStatements(db: DatabaseSync): Statements {
  return {
    prepare(sql) {
      const statement = db.prepare(sql);
      // Bound first: the types of the parameters stay those of SQLite.
      return {
        run: translating(statement.run.bind(statement)),
        get: translating(statement.get.bind(statement)),
        all: translating(statement.all.bind(statement)),
      };
    },
    exec: translating(db.exec.bind(db)),
  };
}

function translating<F extends (...args: never[]) => unknown>(call: F): F {
  const translated = (...args: Parameters<F>): unknown => {
    try {
      return call(...args);
    } catch (error) {
      throw asStorageError(error);
    }
  };
  return translated as F;
}

/** Anything else, such as a statement after the end, is a bug and stays what it is. */
function asStorageError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const [message, hint] = sentenceFor(code);
  return new BotError('storage', message, { hint, detail: { storage: 'sqlite', sqliteCode: code }, cause: error });
}

function sentenceFor(code: number): readonly [message: string, hint: string] {
  switch (code) {
    case FULL:
      return [
        'The disk of the storage is full, so nothing can be saved.',
        'Try again once whoever runs the bot has made room.',
      ];
    case READ_ONLY:
      return ['The storage can only be read, so nothing can be saved.', OPERATOR];
    case CORRUPT:
    case NOT_A_DATABASE:
      return ['The storage is damaged.', 'Whoever runs the bot should put a backup in its place.'];
    default:
      return ['The storage does not work right now.', `Try again in a moment. ${OPERATOR}`];
  }
}
