/** Redis as a Backend: @keyv/redis for the records, an index of each space's keys, and one shared connection. */
import KeyvRedis from '@keyv/redis';
import type { KeyvStoreAdapter } from 'keyv';
import type { Logger } from '../../observability/logger.ts';
import type { Backend } from '../create-store.ts';
import type { KeptBackups, MaintainedDatabase } from '../maintenance.ts';
import { CACHE_BYTES, type StoreDeps } from '../store.ts';
import { createRunCommand, type RunCommand } from './command-limit.ts';
import { closeClient, connectRedis, type RedisClient, unavailable } from './connect.ts';
import { createRedisLocks } from './locks.ts';
import { createSpaceIndex, type SpaceIndex } from './space-index.ts';
import { createRedisTurns } from './turns.ts';

/** Prefix of all keys, so the database can be shared. */
const KEY_PREFIX = 'wafbot:';
const SEPARATOR = '::';
/** Can't clash with a space: their names have only letters, digits and dashes. */
const NO_SPACE = `${KEY_PREFIX}!`;
const LOCKS = `${NO_SPACE}claims${SEPARATOR}`;
const TURNS = `${NO_SPACE}turns${SEPARATOR}`;
const INDEXES = `${NO_SPACE}keys${SEPARATOR}`;
/** A hash, which no scan for records returns. */
const BACKUPS = `${NO_SPACE}backups`;

const BATCH = 500;

export async function openRedisBackend(
  url: string,
  { log, waitUntilReachable = false, cacheBytes = CACHE_BYTES, onFailure }: StoreDeps,
): Promise<Backend & MaintainedDatabase> {
  const client = await connectRedis(url, log, { waitUntilReachable });
  await warnOfLossySettings(client, log);

  const runCommand = createRunCommand(onFailure);
  const index = createSpaceIndex({
    client,
    prefix: INDEXES,
    runCommand,
    keyOf,
    cacheBytes,
    scan: () => scanRecords(client),
  });

  return {
    adapter: (space) => keyvAdapter(space, { client, index, runCommand }),
    read: async (space, key) => (await runCommand(() => client.get(keyOf(space, key)))) ?? undefined,
    swap: (space, key, expected, next) => index.swap(space, { key, at: keyOf(space, key) }, expected, next),
    async *entries(space) {
      const keys = await index.keys(space);
      for (let from = 0; from < keys.length; from += BATCH) {
        const batch = keys.slice(from, from + BATCH);
        const texts = await runCommand(() => client.mGet(batch.map((key) => keyOf(space, key))));
        for (const [at, key] of batch.entries()) {
          const text = texts[at];
          if (typeof text === 'string') yield [key, text] as const;
        }
      }
    },
    async spaces() {
      const names = new Set<string>();
      for await (const records of scanRecords(client)) for (const { space } of records) names.add(space);
      return [...names].sort();
    },
    async snapshot(isWanted) {
      const records = new Map<string, { space: string; key: string }>();
      for await (const batch of scanRecords(client)) {
        for (const record of batch) if (isWanted(record.space)) records.set(keyOf(record.space, record.key), record);
      }
      // One command, so nothing can change in between.
      const texts = records.size === 0 ? [] : await runCommand(() => client.mGet([...records.keys()]));
      return [...records.values()].flatMap((record, at) => {
        const text = texts[at];
        return typeof text === 'string' ? { ...record, text } : [];
      });
    },
    atomically: (work) => work(),
    backups: createBackupKeys(client, runCommand),
    networkFileSystem: null,
    locks: createRedisLocks(client, LOCKS, runCommand),
    turns: createRedisTurns(client, TURNS, runCommand),
    exclusive: false,
    ping: async () => {
      await runCommand(() => client.ping());
    },
    close: () => closeClient(client),
  };
}

interface AdapterDeps {
  readonly client: RedisClient;
  readonly index: SpaceIndex;
  readonly runCommand: RunCommand;
}

const keyOf = (space: string, key: string): string => `${KEY_PREFIX}${space}${SEPARATOR}${key}`;

/**
 * One KeyvRedis per space, so that none clears another's entries, with failures translated into our own error. Writes go
 * through the index instead.
 */
function keyvAdapter(space: string, { client, index, runCommand }: AdapterDeps): KeyvStoreAdapter {
  const inner = new KeyvRedis<string>(client, {
    namespace: KEY_PREFIX + space,
    keyPrefixSeparator: SEPARATOR,
    throwOnErrors: true,
  });
  const record = (key: string) => ({ key, at: keyOf(space, key) });
  const outer: KeyvStoreAdapter = {
    opts: { dialect: 'redis', url: 'redis://' },
    on: () => outer,
    get: <V>(key: string) => runCommand(() => inner.get<V>(key)),
    getMany: <V>(keys: string[]) => runCommand(() => inner.getMany<V>(keys)),
    set: (key: string, text: string, ttlMs?: number) => index.set(space, [{ ...record(key), text, ttlMs }]),
    setMany: (entries) =>
      index.set(
        space,
        entries.map(({ key, value, ttl }) => ({ ...record(key), text: value, ttlMs: ttl })),
      ),
    has: (key: string) => runCommand(() => inner.has(key)),
    delete: (key: string) => index.delete(space, [record(key)]),
    deleteMany: (keys: string[]) => index.delete(space, keys.map(record)),
    clear: () => index.clear(space).then(() => runCommand(() => inner.clear())),
  };
  return outer;
}

/** Redis has no folder that every replica could write to. */
const createBackupKeys = (client: RedisClient, runCommand: RunCommand): KeptBackups => ({
  async save(name, text) {
    await runCommand(() => client.hSet(BACKUPS, name, text));
    return name;
  },
  names: async () => (await runCommand(() => client.hKeys(BACKUPS))).sort(),
  read: async (name) => (await runCommand(() => client.hGet(BACKUPS, name))) ?? undefined,
  async remove(name) {
    await runCommand(() => client.hDel(BACKUPS, name));
  },
});

/** The records of all spaces, in batches. SCAN may return a record twice. */
async function* scanRecords(client: RedisClient): AsyncGenerator<{ space: string; key: string }[]> {
  try {
    for await (const keys of client.scanIterator({ MATCH: `${KEY_PREFIX}*`, COUNT: BATCH, TYPE: 'string' })) {
      const records = keys.flatMap((key) => recordAt(key) ?? []);
      if (records.length > 0) yield records;
    }
  } catch (error) {
    throw unavailable(error);
  }
}

function recordAt(key: string): { readonly space: string; readonly key: string } | null {
  const end = key.indexOf(SEPARATOR);
  if (end <= KEY_PREFIX.length || key.startsWith(NO_SPACE)) return null;
  return { space: key.slice(KEY_PREFIX.length, end), key: key.slice(end + SEPARATOR.length) };
}

/** Warns about Redis settings that can lose digests. Never keeps the bot from starting. */
async function warnOfLossySettings(client: RedisClient, log: Logger): Promise<void> {
  const info = `${await infoOf(client, 'persistence')}\n${await infoOf(client, 'memory')}`;
  const aof = field(info, 'aof_enabled');
  const policy = field(info, 'maxmemory_policy');
  if (aof === '0') {
    log.warn(
      { setting: 'appendonly' },
      'Redis has no append-only file, so a crash loses digests: set `appendonly yes`',
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    log.warn(
      { setting: 'maxmemory-policy' },
      'Redis evicts digests when it is full: set `maxmemory-policy noeviction`',
    );
  }
  if (aof !== '1') return;
  const fsync = await appendFsync(client);
  if (fsync !== undefined && fsync !== 'always') {
    log.warn(
      { setting: 'appendfsync' },
      'Redis may lose the last second of writes in a power cut: set `appendfsync always`',
    );
  }
}

/** Managed services forbid some of these commands; the warning is skipped then. */
async function infoOf(client: RedisClient, section: string): Promise<string> {
  return client.info(section).catch(() => '');
}

async function appendFsync(client: RedisClient): Promise<string | undefined> {
  const answer: Record<string, string> = await client.configGet('appendfsync').catch(() => ({}));
  return answer.appendfsync;
}

function field(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}
