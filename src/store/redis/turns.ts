/** A shared rate limit on Redis: a key that expires, by Redis's own clock, when the next turn is free. */
import type { Turns } from '../store.ts';
import type { RunCommand } from './command-limit.ts';
import type { RedisClient } from './connect.ts';

const TAKE = `local waits, free = {}, true
for i, key in ipairs(KEYS) do
  waits[i] = math.max(redis.call('PTTL', key), 0)
  free = free and waits[i] == 0
end
if free then for i, key in ipairs(KEYS) do redis.call('SET', key, '1', 'PX', ARGV[i]) end end
return waits`;
const HOLD = `if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) end
return 1`;

export function createRedisTurns(client: RedisClient, prefix: string, runCommand: RunCommand): Turns {
  /** Redis accepts whole milliseconds, at least one. */
  const lifetime = (ms: number): string => String(Math.max(1, Math.ceil(ms)));
  return {
    async take(turns) {
      const keys = turns.map(({ key }) => prefix + key);
      const args = turns.map(({ everyMs }) => lifetime(everyMs));
      const waits = await runCommand(() => client.eval(TAKE, { keys, arguments: args }));
      return Array.isArray(waits) ? waits.map(Number) : [];
    },
    async hold(key, ms) {
      await runCommand(() => client.eval(HOLD, { keys: [prefix + key], arguments: [lifetime(ms)] }));
    },
  };
}
