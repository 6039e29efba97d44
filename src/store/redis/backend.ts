/** Redis as a Backend: @keyv/redis for the records, a script for compare-and-set, one shared connection. */
import KeyvRedis from '@keyv/redis';
import type { KeyvStoreAdapter } from 'keyv';
import type { Logger } from '../../observability/logger.ts';
import type { Backend } from '../create-store.ts';
import type { StoreDeps } from '../store.ts';
import { closeClient, connectRedis, type RedisClient, unavailable } from './connect.ts';
import { createRedisLocks } from './locks.ts';

/** All our keys start with this, so that the database may be shared. */
const KEY_PREFIX = 'wafbot:';
const SEPARATOR = '::';
/** Cannot be mistaken for a space: their names are letters, digits and dashes. */
const LOCKS = `${KEY_PREFIX}!claims${SEPARATOR}`;

const SCAN_BATCH = 500;

const SWAP = `local text = redis.call('GET', KEYS[1])
if ARGV[1] == '0' then if text then return 0 end elseif text ~= ARGV[2] then return 0 end
if ARGV[3] == '0' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[4]) end
return 1`;

export async function openRedisBackend(url: string, { log }: StoreDeps): Promise<Backend> {
  const client = await connectRedis(url, log);
  await warnOfLossySettings(client, log);

  const translated = async <R>(work: Promise<R>): Promise<R> => {
    try {
      return await work;
    } catch (error) {
      throw unavailable(error);
    }
  };
  const keyOf = (space: string, key: string) => `${KEY_PREFIX}${space}${SEPARATOR}${key}`;

  return {
    adapter: (space) => translatingAdapter(client, space, translated),
    read: async (space, key) => (await translated(client.get(keyOf(space, key)))) ?? undefined,
    async swap(space, key, expected, next) {
      const side = (text: string | undefined) => (text === undefined ? ['0', ''] : ['1', text]);
      const args = { keys: [keyOf(space, key)], arguments: [...side(expected), ...side(next)] };
      return (await translated(client.eval(SWAP, args))) === 1;
    },
    async *entries(space) {
      const prefix = keyOf(space, '');
      for await (const keys of scanKeys(client, prefix)) {
        const texts = await translated(client.mGet(keys));
        for (const [index, key] of keys.entries()) {
          const text = texts[index];
          if (typeof text === 'string') yield [key.slice(prefix.length), text] as const;
        }
      }
    },
    async spaces() {
      const names = new Set<string>();
      for await (const keys of scanKeys(client, KEY_PREFIX)) {
        for (const key of keys) {
          const name = key.slice(KEY_PREFIX.length).split(SEPARATOR, 1)[0];
          if (name && key.includes(SEPARATOR) && !key.startsWith(LOCKS)) names.add(name);
        }
      }
      return [...names].sort();
    },
    locks: createRedisLocks(client, LOCKS),
    exclusive: false,
    ping: async () => {
      await translated(client.ping());
    },
    close: () => closeClient(client),
  };
}

/** One KeyvRedis for each space, so that none clears another's entries, with failures as our own error. */
function translatingAdapter(
  client: RedisClient,
  space: string,
  translated: <R>(work: Promise<R>) => Promise<R>,
): KeyvStoreAdapter {
  const inner = new KeyvRedis<string>(client, {
    namespace: KEY_PREFIX + space,
    keyPrefixSeparator: SEPARATOR,
    throwOnErrors: true,
  });
  inner.on('error', () => undefined);
  const outer: KeyvStoreAdapter = {
    opts: { dialect: 'redis', url: 'redis://' },
    on: () => outer,
    get: <V>(key: string) => translated(inner.get<V>(key)),
    getMany: <V>(keys: string[]) => translated(inner.getMany<V>(keys)),
    set: (key: string, text: string, ttlMs?: number) => translated(inner.set(key, text, ttlMs)),
    setMany: (entries) => translated(inner.setMany(entries)),
    has: (key: string) => translated(inner.has(key)),
    delete: (key: string) => translated(inner.delete(key)),
    deleteMany: (keys: string[]) => translated(inner.deleteMany(keys)),
    clear: () => translated(inner.clear()),
  };
  return outer;
}

/** The keys that start with a prefix, in batches, each key once: SCAN itself may return a key twice. */
async function* scanKeys(client: RedisClient, prefix: string): AsyncGenerator<string[]> {
  const seen = new Set<string>();
  try {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: SCAN_BATCH, TYPE: 'string' })) {
      const fresh = keys.filter((key) => !seen.has(key));
      for (const key of fresh) seen.add(key);
      if (fresh.length > 0) yield fresh;
    }
  } catch (error) {
    throw unavailable(error);
  }
}

/** Warns of Redis settings that may lose digests. Never a reason not to start. */
async function warnOfLossySettings(client: RedisClient, log: Logger): Promise<void> {
  const info = `${await infoOf(client, 'persistence')}\n${await infoOf(client, 'memory')}`;
  const aof = field(info, 'aof_enabled');
  const policy = field(info, 'maxmemory_policy');
  if (aof === '0') {
    log.warn(
      { setting: 'appendonly' },
      'Redis keeps no append-only file: set `appendonly yes`, or a crash loses digests',
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    log.warn({ setting: 'maxmemory-policy' }, 'Redis may evict digests when full: set `maxmemory-policy noeviction`');
  }
  if (aof !== '1') return;
  const fsync = await appendFsync(client);
  if (fsync !== undefined && fsync !== 'always') {
    log.warn(
      { setting: 'appendfsync' },
      'Redis may lose its last second in a power cut: `appendfsync always` would not',
    );
  }
}

/** Managed services forbid some of these commands; then there is no warning. */
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
