/** Locks on Redis: SET NX, and short scripts where the holder has to be compared. Time is Redis's own. */
import type { Locks } from '../store.ts';
import { type RedisClient, unavailable } from './connect.ts';
import { scanKeys } from './scan.ts';

const RENEW = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const TRANSFER = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2]) else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`;
const RELEASE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

export function createRedisLocks(client: RedisClient, prefix: string): Locks {
  const run = async (script: string, key: string, ...args: string[]): Promise<boolean> => {
    try {
      return (await client.eval(script, { keys: [prefix + key], arguments: args })) === 1;
    } catch (error) {
      throw unavailable(error);
    }
  };
  return {
    async acquire(key, owner, ttlMs) {
      const lifetime = ttlMs === undefined ? {} : { expiration: { type: 'PX', value: ttlMs } as const };
      try {
        return (await client.set(prefix + key, owner, { condition: 'NX', ...lifetime })) === 'OK';
      } catch (error) {
        throw unavailable(error);
      }
    },
    renew: (key, owner, ttlMs) => run(RENEW, key, owner, String(ttlMs)),
    transfer: (key, from, to, ttlMs) => run(TRANSFER, key, from, to, ttlMs === undefined ? '' : String(ttlMs)),
    release: (key, owner) => run(RELEASE, key, owner),
    async holder(key) {
      try {
        return (await client.get(prefix + key)) ?? undefined;
      } catch (error) {
        throw unavailable(error);
      }
    },
    async *list(keyPrefix) {
      for await (const keys of scanKeys(client, prefix + keyPrefix)) {
        const owners = await client.mGet(keys).catch((error: unknown) => {
          throw unavailable(error);
        });
        for (const [index, key] of keys.entries()) {
          const owner = owners[index];
          if (owner) yield { key: key.slice(prefix.length), owner };
        }
      }
    },
  };
}
