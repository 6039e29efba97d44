/**
 * A sorted set with the keys of each space, so that listing a space doesn't scan the whole database, which may be shared.
 * Key and record are written in one transaction. A key's score is when its record expires.
 */
import { isCache } from '../create-store.ts';
import { WRITES_BETWEEN_EVICTIONS } from '../store.ts';
import type { RunCommand } from './command-limit.ts';
import { type RedisClient, unavailable } from './connect.ts';

interface SpaceIndexOptions {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly runCommand: RunCommand;
  readonly keyOf: (space: string, key: string) => string;
  readonly cacheBytes: number;
  /** All records of all spaces, by scanning the database. */
  readonly scan: () => AsyncIterable<readonly { readonly space: string; readonly key: string }[]>;
}

interface IndexedRecord {
  readonly key: string;
  readonly at: string;
}

interface WrittenRecord extends IndexedRecord {
  readonly text: string;
  readonly ttlMs: number | undefined;
}

const NEVER = '+inf';
/** Replicas' clocks may differ. */
const TOLERANCE_MS = 60_000;

const SWAP = `local text = redis.call('GET', KEYS[1])
if ARGV[1] == '0' then if text then return 0 end elseif text ~= ARGV[2] then return 0 end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[5])
else
  redis.call('SET', KEYS[1], ARGV[4])
  redis.call('ZADD', KEYS[2], '${NEVER}', ARGV[5])
end
return 1`;

export type SpaceIndex = ReturnType<typeof createSpaceIndex>;

const BATCH = 500;

export function createSpaceIndex(options: SpaceIndexOptions) {
  const { client, prefix, runCommand } = options;
  const nameOf = (space: string): string => `${prefix}${space}`;
  let completing: Promise<void> | undefined;
  const writes = new Map<string, number>();

  return {
    /** All keys of a space; a record may be gone by the time it's read. A process's first listing scans. */
    async keys(space: string): Promise<string[]> {
      completing ??= completeIndex(options);
      try {
        await completing;
        return await runCommand(() => client.zRange(nameOf(space), 0, -1));
      } catch (error) {
        completing = undefined;
        throw unavailable(error);
      }
    },
    async set(space: string, records: readonly WrittenRecord[]): Promise<void> {
      const steps = client.multi();
      for (const { key, at, text, ttlMs } of records) {
        const expires = ttlMs === undefined ? NEVER : String(Date.now() + ttlMs);
        steps.addCommand(['SET', at, text, ...(ttlMs === undefined ? [] : ['PX', String(ttlMs)])]);
        steps.addCommand(['ZADD', nameOf(space), expires, key]);
      }
      steps.addCommand(['ZREMRANGEBYSCORE', nameOf(space), '-inf', String(Date.now() - TOLERANCE_MS)]);
      await runCommand(() => steps.exec());
      if (!isCache(space)) return;
      const written = (writes.get(space) ?? 0) + records.length;
      const isDue = written >= WRITES_BETWEEN_EVICTIONS;
      writes.set(space, isDue ? 0 : written);
      if (isDue) await evict(options, space);
    },
    /** Resolves to whether any of them existed. */
    async delete(space: string, records: readonly IndexedRecord[]): Promise<boolean> {
      const steps = client.multi();
      for (const { key, at } of records) steps.addCommand(['DEL', at]).addCommand(['ZREM', nameOf(space), key]);
      const counts = await runCommand(() => steps.exec());
      return counts.some((count, step) => step % 2 === 0 && Number(count) > 0);
    },
    /** Sets the text to `next` only if it's still `expected`; `undefined` means no record, on either side. */
    async swap(
      space: string,
      { key, at }: IndexedRecord,
      expected: string | undefined,
      next: string | undefined,
    ): Promise<boolean> {
      const side = (text: string | undefined) => (text === undefined ? ['0', ''] : ['1', text]);
      const args = { keys: [at, nameOf(space)], arguments: [...side(expected), ...side(next), key] };
      return (await runCommand(() => client.eval(SWAP, args))) === 1;
    },
    /** Called before the records are cleared: records written in between are added again. */
    async clear(space: string): Promise<void> {
      await runCommand(() => client.del(nameOf(space)));
    },
  };
}

/** The previous version had no index, and may still be writing while it's being replaced. */
async function completeIndex({ client, prefix, scan }: SpaceIndexOptions): Promise<void> {
  for await (const records of scan()) {
    const entries = client.multi();
    // Old cache entries are left out: their expiry isn't known here, and nothing lists them.
    const lasting = records.filter(({ space }) => !isCache(space));
    for (const { space, key } of lasting) entries.addCommand(['ZADD', `${prefix}${space}`, 'NX', NEVER, key]);
    await entries.exec();
  }
}

/** Removes what exceeds the limit, soonest to expire first. */
async function evict({ client, prefix, runCommand, keyOf, cacheBytes }: SpaceIndexOptions, space: string) {
  const index = `${prefix}${space}`;
  let bytes = 0;
  // From the latest expiry on. Writes during the loop shift positions; the next eviction counts them.
  for (let from = 0; ; from += BATCH) {
    const keys = await runCommand(() => client.zRange(index, from, from + BATCH - 1, { REV: true }));
    const lengths = client.multi();
    for (const key of keys) lengths.addCommand(['STRLEN', keyOf(space, key)]);
    const found = keys.length === 0 ? [] : await runCommand(() => lengths.exec());
    const excess = keys.filter((_, at) => {
      bytes += Number(found[at]);
      return bytes > cacheBytes;
    });
    const steps = client.multi();
    for (const key of excess) steps.addCommand(['DEL', keyOf(space, key)]).addCommand(['ZREM', index, key]);
    if (excess.length > 0) await runCommand(() => steps.exec());
    if (keys.length < BATCH) return;
    // Later keys have moved up by as many as were removed.
    from -= excess.length;
  }
}
