/** Locks on Redis: SET NX, and short scripts that compare the owner. Redis counts the lifetimes. */
import type { Locks } from '../store.ts';
import type { RunCommand } from './command-limit.ts';
import type { RedisClient } from './connect.ts';

const RENEW = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

export function createRedisLocks(client: RedisClient, prefix: string, runCommand: RunCommand): Locks {
  const run = async (script: string, key: string, ...args: string[]): Promise<boolean> =>
    (await runCommand(() => client.eval(script, { keys: [prefix + key], arguments: args }))) === 1;
  return {
    async acquire(key, owner, ttlMs) {
      const lifetime = ttlMs === undefined ? {} : { expiration: { type: 'PX', value: ttlMs } as const };
      return (await runCommand(() => client.set(prefix + key, owner, { condition: 'NX', ...lifetime }))) === 'OK';
    },
    renew: (key, owner, ttlMs) => run(RENEW, key, owner, String(ttlMs)),
    release: (key, owner) => run(RELEASE, key, owner),
  };
}
