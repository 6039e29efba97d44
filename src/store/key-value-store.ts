/** A space of the store as the commands want it: records under keys. */
import type { KeyValueStore } from '../commands/ports.ts';
import type { Store } from './index.ts';

export function createKeyValueStore<T>(store: Store, name: string): KeyValueStore<T> {
  const space = store.space<T>(name);
  return {
    get: (key) => space.get<T>(key),
    async set(key, value) {
      await space.set(key, value);
    },
    async delete(key) {
      await space.delete(key);
    },
    entries: () => Array.fromAsync(store.list<T>(name)),
  };
}
