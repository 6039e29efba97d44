/** Records by key. Every call throws while the store is down; it never reads as empty. */
export interface KeyValueStore<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): Promise<readonly (readonly [string, T])[]>;
}
