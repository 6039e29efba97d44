/** Walks the keys that start with a prefix, in batches, each key once: SCAN itself may name a key twice. */
import { type RedisClient, unavailable } from './connect.ts';

const BATCH = 500;

export async function* scanKeys(client: RedisClient, prefix: string): AsyncGenerator<string[]> {
  const seen = new Set<string>();
  const match = `${prefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
  try {
    for await (const keys of client.scanIterator({ MATCH: match, COUNT: BATCH, TYPE: 'string' })) {
      const fresh = keys.filter((key) => !seen.has(key));
      for (const key of fresh) seen.add(key);
      if (fresh.length > 0) yield fresh;
    }
  } catch (error) {
    throw unavailable(error);
  }
}
