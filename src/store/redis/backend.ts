/** Redis as a Backend: @keyv/redis for the records, a script for compare-and-set, one shared connection. */
import KeyvRedis from '@keyv/redis';
import type { KeyvStoreAdapter } from 'keyv';
import type { Backend } from '../backend.ts';
import type { StoreDeps } from '../store.ts';
import { warnOfLossySettings } from './check.ts';
import { closeClient, connectRedis, type RedisClient, unavailable } from './connect.ts';
import { createRedisLocks } from './locks.ts';
import { scanKeys } from './scan.ts';

/** Everything of ours starts with this, so that the database may be shared. */
export const KEY_PREFIX = 'wafbot:';
const SEPARATOR = '::';
/** No space can be called this: names of spaces are letters, digits and dashes. */
const LOCKS = `${KEY_PREFIX}!claims${SEPARATOR}`;

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

/** One KeyvRedis a space, so that none clears another's entries, with its failures put into our words. */
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
