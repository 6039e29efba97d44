/** Records under keys, as `store/` offers them. A store that is down throws; it never reads as empty. */
export interface KeyValueStore<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T): Promise<void>;
  delete(key: string): Promise<void>;
  entries(): Promise<readonly (readonly [string, T])[]>;
}
