/** Opens the store at an address: `sqlite:<path>`, `redis://…`, `rediss://…` or `memory:`. */
import { BotError } from '../errors.ts';
import { createStore } from './create-store.ts';
import { openSqliteBackend } from './sqlite/backend.ts';
import type { Store, StoreDeps } from './store.ts';

export type { Store } from './store.ts';

export function isRedisUrl(url: string): boolean {
  return url.startsWith('redis://') || url.startsWith('rediss://');
}

/** Fails with a `config` error that reveals nothing of the address, which may contain a password. */
export async function openStore(url: string, deps: StoreDeps): Promise<Store> {
  if (url === 'memory:') return createStore(openSqliteBackend(':memory:', deps), deps.log);
  if (isRedisUrl(url)) {
    // Loaded on demand: the Redis client would slow down the start of a bot that doesn't use it.
    const { openRedisBackend } = await import('./redis/backend.ts');
    return createStore(await openRedisBackend(url, deps), deps.log);
  }
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (path !== '') return createStore(openSqliteBackend(path, deps), deps.log);
  throw new BotError('config', 'Can’t read the storage address.', {
    hint: 'Use sqlite:<path>, redis://<host> or rediss://<host>, for example sqlite:./data/wafbot.db.',
  });
}
