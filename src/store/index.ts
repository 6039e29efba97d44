/** Opens the store at an address: `sqlite:<path>`, `redis://…`, `rediss://…` or `memory:`. */
import { BotError } from '../errors.ts';
import { type Backend, createStore } from './create-store.ts';
import { assertKnownLayout } from './layout.ts';
import { type MaintainedDatabase, type OpenedStore, readLayout } from './maintenance.ts';
import { openSqliteBackend } from './sqlite/backend.ts';
import type { StoreDeps } from './store.ts';

export type { Store } from './store.ts';

export function isRedisUrl(url: string): boolean {
  return url.startsWith('redis://') || url.startsWith('rediss://');
}

/** The path of a SQLite file; `undefined` if it's another kind of address. */
export const sqlitePath = (url: string): string | undefined => /^sqlite:(?<path>.+)$/.exec(url)?.groups?.path;

interface OpenDeps extends StoreDeps {
  /** Also opens a store that only a newer version can work with, or that a restore left unfinished. */
  readonly anyLayout?: boolean;
}

/** Fails with a `config` error that reveals nothing of the address, which may contain a password. */
export async function openStore(url: string, deps: OpenDeps): Promise<OpenedStore> {
  const { snapshot, atomically, backups, networkFileSystem, ...backend } = await openBackend(url, deps);
  const add = ({ space, key, text }: { space: string; key: string; text: string }) =>
    backend.swap(space, key, undefined, text);
  const store = {
    ...createStore(backend, deps.log),
    maintenance: { snapshot, atomically, backups, networkFileSystem, add },
  };
  if (deps.anyLayout) return store;
  try {
    assertKnownLayout(await readLayout(store));
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openBackend(url: string, deps: StoreDeps): Promise<Backend & MaintainedDatabase> {
  if (url === 'memory:') return openSqliteBackend(':memory:', deps);
  if (isRedisUrl(url)) {
    // Loaded on demand: the Redis client would slow down the start of a bot that doesn't use it.
    const { openRedisBackend } = await import('./redis/backend.ts');
    return openRedisBackend(url, deps);
  }
  const path = sqlitePath(url);
  if (path !== undefined) return openSqliteBackend(path, deps);
  throw new BotError('config', 'Can’t read the storage address.', {
    hint: 'Use sqlite:<path>, redis://<host> or rediss://<host>, for example sqlite:./data/wafbot.db.',
  });
}
