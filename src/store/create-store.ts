/**
 * Builds a Store on a backend: the Keyvs, the atomic update loop, listing, and plain records under keys; shared by SQLite and
 * Redis.
 */
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { BotError } from '../errors.ts';
import type { Store } from './store.ts';

/** What a database provides: a Keyv adapter for each space, and the same entries as text with a compare-and-set. */
export interface Backend extends Omit<Store, 'space' | 'update' | 'list'> {
  /** A new adapter object on each call: two Keyvs sharing one would clear each other's entries. */
  adapter(space: string): KeyvStoreAdapter;
  read(space: string, key: string): Promise<string | undefined>;
  /** Sets the text to `next` only if it's still `expected`; `undefined` means no entry, on either side. */
  swap(space: string, key: string, expected: string | undefined, next: string | undefined): Promise<boolean>;
  entries(space: string): AsyncIterable<readonly [key: string, text: string]>;
}

/** By the convention of `Store.spaces`: a cache may be lost, evicted and left out of a copy. */
export const isCache = (space: string): boolean => space.startsWith('cache');

const SPACE_NAME = /^[a-z][a-z0-9-]*$/;

/** After losing this many races, something is writing nonstop and further tries won't help. */
const MAX_RACES = 100;

export function createStore(backend: Backend): Store {
  const { adapter, read, swap, entries, ...rest } = backend;
  const keyvs = new Map<string, Keyv>();

  function keyv(name: string): Keyv {
    const opened = keyvs.get(name);
    if (opened) return opened;
    if (!SPACE_NAME.test(name)) throw new BotError('internal', 'Invalid storage space name.');
    const space = new Keyv(adapter(name), { namespace: name, useKeyPrefix: false, throwOnErrors: true });
    keyvs.set(name, space);
    return space;
  }

  async function parse<T>(space: Keyv, text: string | undefined): Promise<T | undefined> {
    if (text === undefined) return undefined;
    const data = await space.deserializeData<T>(text);
    return data?.expires !== undefined && data.expires < Date.now() ? undefined : data?.value;
  }

  async function update<T>(
    name: string,
    key: string,
    change: (current: T | undefined) => T | undefined,
  ): Promise<T | undefined> {
    const space = keyv(name);
    for (let race = 0; race < MAX_RACES; race += 1) {
      const text = await read(name, key);
      const current = await parse<T>(space, text);
      const next = change(current);
      if (next === current) return current;
      const nextText = next === undefined ? undefined : String(await space.serializeData({ value: next }));
      if (await swap(name, key, text, nextText)) return next;
    }
    throw new BotError('internal', 'A record kept changing while it was being updated.', { detail: { space: name } });
  }

  const lastUpdates = new Map<string, Promise<unknown>>();

  /** Updates of one record by this process run one after another, so races can only come from other processes. */
  function queued<R>(record: string, work: () => Promise<R>): Promise<R> {
    const result = (lastUpdates.get(record) ?? Promise.resolve()).then(work, work);
    lastUpdates.set(record, result);
    const forget = (): void => {
      if (lastUpdates.get(record) === result) lastUpdates.delete(record);
    };
    result.then(forget, forget);
    return result;
  }

  return {
    ...rest,
    space: <T>(name: string): Keyv<T> => keyv(name),
    update: <T>(name: string, key: string, change: (current: T | undefined) => T | undefined) =>
      queued(`${name} ${key}`, () => update(name, key, change)),
    async *list<T>(name: string) {
      const space = keyv(name);
      for await (const [key, text] of entries(name)) {
        const value = await parse<T>(space, text);
        if (value !== undefined) yield [key, value] as const;
      }
    },
  };
}

/** A namespaced part of a store: its spaces and locks are invisible to other parts. */
export function createPartOfStore(store: Store, name: string): Pick<Store, 'space' | 'list' | 'locks' | 'exclusive'> {
  const spaceOf = (space: string): string => `${space}-${name}`;
  const keyOf = (key: string): string => `${name}:${key}`;
  const { locks, exclusive } = store;
  return {
    space: <T>(space: string) => store.space<T>(spaceOf(space)),
    list: <T>(space: string) => store.list<T>(spaceOf(space)),
    locks: {
      acquire: (key, owner, ttlMs) => locks.acquire(keyOf(key), owner, ttlMs),
      renew: (key, owner, ttlMs) => locks.renew(keyOf(key), owner, ttlMs),
      release: (key, owner) => locks.release(keyOf(key), owner),
    },
    exclusive,
  };
}

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
