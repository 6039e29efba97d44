/** One space of the store as plain records under keys. */
import type { Store } from './store.ts';

/** Without Keyv's options. A store that is down throws; it never reads as empty. */
export function createKeyValueStore<T>(store: Pick<Store, 'space' | 'list'>, name: string) {
  const space = store.space<T>(name);
  return {
    get: (key: string): Promise<T | undefined> => space.get<T>(key),
    async set(key: string, value: T): Promise<void> {
      await space.set(key, value);
    },
    async delete(key: string): Promise<void> {
      await space.delete(key);
    },
    entries: (): Promise<readonly (readonly [string, T])[]> => Array.fromAsync(store.list<T>(name)),
  };
}

export type KeyValueStore<T> = ReturnType<typeof createKeyValueStore<T>>;
