/**
 * Builds a Store on a backend: the Keyvs, the atomic update loop, listing, and plain records under keys; shared by SQLite and
 * Redis.
 */
import { randomUUID } from 'node:crypto';
import { Keyv, type KeyvStoreAdapter } from 'keyv';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { parseJson } from '../untrusted-input.ts';
import type { DamagedRecords, Records, Store } from './store.ts';

/** What a database provides: a Keyv adapter for each space, and the same entries as text with a compare-and-set. */
export interface Backend extends Omit<Store, 'space' | 'update' | 'list' | 'damaged'> {
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

export function createStore(backend: Backend, log: Logger): Store {
  const { adapter, read, swap, entries, ...rest } = backend;
  const damaged = createDamagedRecords(log);
  const keyvs = new Map<string, Keyv>();

  function keyv(name: string): Keyv {
    const opened = keyvs.get(name);
    if (opened) return opened;
    if (!SPACE_NAME.test(name)) throw new BotError('internal', 'Invalid storage space name.');
    const space = new Keyv(isCache(name) ? adapter(name) : readableOnly(adapter(name), name, damaged), {
      namespace: name,
      useKeyPrefix: false,
      throwOnErrors: true,
    });
    keyvs.set(name, space);
    return space;
  }

  async function parse<T>(space: Keyv, name: string, key: string, text: string | undefined): Promise<T | undefined> {
    if (text === undefined) return undefined;
    assertReadable(text, name, key, damaged);
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
      const current = await parse<T>(space, name, key, text);
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
    damaged,
    space: <T>(name: string): Keyv<T> => keyv(name),
    update: <T>(name: string, key: string, change: (current: T | undefined) => T | undefined) =>
      queued(`${name} ${key}`, () => update(name, key, change)),
    async *list<T>(name: string) {
      const space = keyv(name);
      for await (const [key, text] of entries(name)) {
        const value = await parse<T>(space, name, key, text).catch(undefinedIfDamaged);
        if (value !== undefined) yield [key, value] as const;
      }
    },
  };
}

function createDamagedRecords(log: Logger): DamagedRecords {
  const known = new Map<string, { readonly space: string; readonly key: string }>();
  const logged = new Set<string>();
  return {
    note(space, key, isDamaged) {
      const at = `${space} ${key}`;
      if (!isDamaged) {
        known.delete(at);
        return;
      }
      known.set(at, { space, key });
      if (!logged.has(at)) log.error({ space, key }, 'stored record is damaged; leaving it as it is');
      logged.add(at);
    },
    list: () => [...known.values()],
  };
}

/** Keyv would fail with a syntax error, or treat some texts as an absent record, which would then be overwritten. */
function assertReadable(text: string, space: string, key: string, damaged: DamagedRecords): void {
  const stored: unknown = parseJson(text);
  const isReadable = typeof stored === 'object' && stored !== null && 'value' in stored;
  if (!isReadable) throw noteDamaged(space, key, damaged);
}

function readableOnly(adapter: KeyvStoreAdapter, space: string, damaged: DamagedRecords): KeyvStoreAdapter {
  const get = adapter.get.bind(adapter);
  adapter.get = async <V>(key: string) => {
    const text = await get<V>(key);
    if (typeof text === 'string') assertReadable(text, space, key, damaged);
    return text;
  };
  return adapter;
}

/** Returns the error to throw. */
function noteDamaged(space: string, key: string, damaged: DamagedRecords): BotError {
  damaged.note(space, key, true);
  return new BotError('storage', 'The stored record is damaged.', {
    hint: 'Ask whoever runs the bot to repair it: `doctor` and the log name the record.',
    reason: { is: 'damaged_record' },
    detail: { space, key },
  });
}

export const isDamaged = (error: unknown): boolean =>
  error instanceof BotError && error.reason?.is === 'damaged_record';

/** For `catch`, where a damaged record counts as none. */
export function undefinedIfDamaged(error: unknown): undefined {
  if (!isDamaged(error)) throw error;
}

/**
 * The records of a space, validated whenever they're read. Reading or changing a damaged one fails, so it's never
 * overwritten; lists skip it.
 */
export function createValidRecords<T>(records: Records, space: string, schema: z.ZodType) {
  const { damaged } = records;
  const stored = records.space<T>(space);
  const isValid = (key: string, value: T): boolean => {
    const valid = schema.safeParse(value).success;
    damaged.note(space, key, !valid);
    return valid;
  };
  function assertValid(key: string, value: T | undefined): T | undefined {
    if (value === undefined || isValid(key, value)) return value;
    throw noteDamaged(space, key, damaged);
  }
  return {
    get: async (key: string): Promise<T | undefined> => assertValid(key, await stored.get(key)),
    update: (key: string, change: (current: T | undefined) => T | undefined): Promise<T | undefined> =>
      records.update<T>(space, key, (current) => change(assertValid(key, current))),
    async *list(): AsyncGenerator<readonly [key: string, value: T]> {
      for await (const [key, value] of records.list<T>(space)) if (isValid(key, value)) yield [key, value];
    },
  };
}

/** An instant as records store it. */
export const storedInstant = z.string().refine((text) => {
  try {
    return Temporal.Instant.from(text) !== null;
  } catch {
    return false;
  }
});

/** A namespaced part of a store: its spaces and locks are invisible to other parts. */
export function createPartOfStore(
  store: Store,
  name: string,
): Pick<Store, 'space' | 'update' | 'list' | 'damaged' | 'locks' | 'exclusive'> {
  const spaceOf = (space: string): string => `${space}-${name}`;
  const keyOf = (key: string): string => `${name}:${key}`;
  const { locks, exclusive } = store;
  return {
    space: <T>(space: string) => store.space<T>(spaceOf(space)),
    update: (space, key, change) => store.update(spaceOf(space), key, change),
    list: <T>(space: string) => store.list<T>(spaceOf(space)),
    damaged: { ...store.damaged, note: (space, key, isBad) => store.damaged.note(spaceOf(space), key, isBad) },
    locks: {
      acquire: (key, owner, ttlMs) => locks.acquire(keyOf(key), owner, ttlMs),
      renew: (key, owner, ttlMs) => locks.renew(keyOf(key), owner, ttlMs),
      release: (key, owner) => locks.release(keyOf(key), owner),
    },
    exclusive,
  };
}

/** Without Keyv's options. A store that is down throws; it never reads as empty. */
export function createKeyValueStore<T>(store: Pick<Store, keyof Records>, name: string, schema: z.ZodType) {
  const space = store.space<T>(name);
  const records = createValidRecords<T>(store, name, schema);
  return {
    get: records.get,
    async set(key: string, value: T): Promise<void> {
      await space.set(key, value);
    },
    async delete(key: string): Promise<void> {
      await space.delete(key);
    },
    entries: (): Promise<readonly (readonly [string, T])[]> => Array.fromAsync(records.list()),
  };
}

export type KeyValueStore<T> = ReturnType<typeof createKeyValueStore<T>>;

const SPACE = 'store';
const MARKER = 'identity';
const WRITTEN = 'written';
/** A running bot writes this often. */
export const CHECK_EVERY_MS = 20_000;

interface WatchStoreDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called at every check while the store is lost, with the mark that identified it. */
  readonly onLost: (identity: string) => Promise<void>;
}

/**
 * Notices that the stored data is lost while the bot runs: Redis was emptied or failed over to an empty replica, or the
 * SQLite file was deleted, replaced or truncated; and that the store can't be written to. Reads or creates a marker,
 * then checks it periodically. Rejects if the store is down.
 */
export async function watchStore({ store, clock, log, onLost }: WatchStoreDeps) {
  const marker = await store.update<string>(SPACE, MARKER, (current) => current ?? randomUUID());
  const space = store.space<string>(SPACE);
  let trouble: BotError | null = null;
  let cancel = () => {};

  /** Rejects while the stored data is lost or the store is unreachable. */
  async function assertMarked(): Promise<void> {
    await store.ping();
    if ((await space.get(MARKER)) !== marker) throw lost();
  }

  const failed = (err: unknown): void => log.warn({ err }, 'could not report the loss');

  async function check(): Promise<void> {
    const before = trouble?.reason?.is;
    try {
      await assertMarked();
      await space.set(WRITTEN, clock.now().toString());
      trouble = null;
      if (before !== undefined) log.info({}, 'storage is intact again');
    } catch (error) {
      if (!(error instanceof BotError)) throw error;
      trouble = error;
      const now = error.reason?.is;
      if (now === 'storage_lost' && marker !== undefined) void onLost(marker).catch(failed);
      if (now === undefined || now === before) return;
      log.error({ ...error.detail, reason: now }, TROUBLE[now] ?? 'storage failed');
    }
  }

  let stopped = false;
  function wait(): void {
    if (stopped) return;
    const checkAndWait = (): void => {
      check()
        .catch((error: unknown) => {
          if (!stopped) log.error({ err: error }, 'could not check the storage');
        })
        .then(wait);
    };
    cancel = clock.after(CHECK_EVERY_MS, checkAndWait, 'upkeep');
  }
  wait();
  return {
    assertStored: assertMarked,
    /** Also rejects while nothing can be written. */
    async assertReady(): Promise<void> {
      await check();
      if (trouble !== null) throw trouble;
    },
    async stop(): Promise<void> {
      stopped = true;
      cancel();
    },
  };
}

/** What a bot recognizes its store by; `undefined` if no bot has started on it. */
export const identityOf = (store: Pick<Store, 'space'>): Promise<string | undefined> =>
  store.space<string>(SPACE).get(MARKER);

/** When a bot last wrote to the store by itself; `undefined` if none has, or if it was emptied. */
export const lastWritten = (store: Pick<Store, 'space'>): Promise<string | undefined> =>
  store.space<string>(SPACE).get(WRITTEN);

const TROUBLE: Readonly<Record<string, string>> = {
  storage_lost: 'STORAGE WAS EMPTIED OR REPLACED: digests, watches and names are gone; restore a backup',
  storage_full: 'storage is full: no digest can be sent until there is space',
};

/** The error of a store whose records are gone. */
export function lost(): BotError {
  return new BotError('storage', 'The stored data is gone.', {
    hint: 'Ask whoever runs the bot to restore a backup.',
    reason: { is: 'storage_lost' },
  });
}
