/**
 * The keys of each space in a sorted set of their own, so that listing a space does not scan the whole database, which
 * others may fill too. Key and record are written in one step. The score of a key is when its record expires.
 */
import { mayBeLost } from '../create-store.ts';
import { WRITES_BETWEEN_SWEEPS } from '../store.ts';
import type { RunCommand } from './command-limit.ts';
import { type RedisClient, unavailable } from './connect.ts';

interface SpaceIndexOptions {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly runCommand: RunCommand;
  /** Where the record of a key is stored. */
  readonly keyOf: (space: string, key: string) => string;
  /** For each space of what may be lost. */
  readonly cacheBytes: number;
  /** The records of all spaces, by scanning the database. */
  readonly scan: () => AsyncIterable<readonly { readonly space: string; readonly key: string }[]>;
}

interface IndexedRecord {
  readonly key: string;
  /** Where it is stored. */
  readonly at: string;
}

interface WrittenRecord extends IndexedRecord {
  readonly text: string;
  readonly ttlMs: number | undefined;
}

const NEVER = '+inf';
/** The clocks of replicas may differ. */
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

export function createSpaceIndex({ client, prefix, runCommand, keyOf, cacheBytes, scan }: SpaceIndexOptions) {
  const nameOf = (space: string): string => `${prefix}${space}`;
  let completing: Promise<void> | undefined;

  /** The version before had no index, and may still write while it is being replaced. */
  async function complete(): Promise<void> {
    for await (const records of scan()) {
      const entries = client.multi();
      // When the old ones of a cache expire is not known here, and nobody lists them.
      const lasting = records.filter(({ space }) => !mayBeLost(space));
      for (const { space, key } of lasting) entries.addCommand(['ZADD', nameOf(space), 'NX', NEVER, key]);
      await entries.exec();
    }
  }

  const writes = new Map<string, number>();

  /** What would be forgotten first anyway goes first. */
  async function shrink(space: string): Promise<void> {
    let bytes = 0;
    // From the latest on; what is written meanwhile shifts places, and is counted the next time.
    for (let from = 0; ; from += BATCH) {
      const keys = await runCommand(() => client.zRange(nameOf(space), from, from + BATCH - 1, { REV: true }));
      const lengths = client.multi();
      for (const key of keys) lengths.addCommand(['STRLEN', keyOf(space, key)]);
      const found = keys.length === 0 ? [] : await runCommand(() => lengths.exec());
      const excess = keys.filter((_, at) => {
        bytes += Number(found[at]);
        return bytes > cacheBytes;
      });
      const steps = client.multi();
      for (const key of excess) steps.addCommand(['DEL', keyOf(space, key)]).addCommand(['ZREM', nameOf(space), key]);
      if (excess.length > 0) await runCommand(() => steps.exec());
      if (keys.length < BATCH) return;
      // Those that were removed have made room.
      from -= excess.length;
    }
  }

  return {
    /** All keys of a space; the record of one may have gone meanwhile. The first listing of a process scans. */
    async keys(space: string): Promise<string[]> {
      completing ??= complete();
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
      if (!mayBeLost(space)) return;
      const written = (writes.get(space) ?? 0) + records.length;
      const isDue = written >= WRITES_BETWEEN_SWEEPS;
      writes.set(space, isDue ? 0 : written);
      if (isDue) await shrink(space);
    },
    /** Resolves to whether any of them was there. */
    async delete(space: string, records: readonly IndexedRecord[]): Promise<boolean> {
      const steps = client.multi();
      for (const { key, at } of records) steps.addCommand(['DEL', at]).addCommand(['ZREM', nameOf(space), key]);
      const counts = await runCommand(() => steps.exec());
      return counts.some((count, step) => step % 2 === 0 && Number(count) > 0);
    },
    /** Sets the text to `next` only if it still is `expected`; `undefined` means no record, on either side. */
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
    /** Before the records are cleared: what is written meanwhile is entered anew. */
    async clear(space: string): Promise<void> {
      await runCommand(() => client.del(nameOf(space)));
    },
  };
}
