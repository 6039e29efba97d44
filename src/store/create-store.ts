/** Builds a Store on a Backend: the Keyvs, the atomic update loop and the listing, the same for every database. */
import { Keyv } from 'keyv';
import { BotError } from '../errors.ts';
import type { Backend } from './backend.ts';
import type { Store } from './store.ts';

const SPACE_NAME = /^[a-z][a-z0-9-]*$/;

/** Beyond this many lost races something writes without pause; giving up beats spinning. */
const MAX_RACES = 100;

export function createStore(backend: Backend): Store {
  const keyvs = new Map<string, Keyv>();

  function keyv(name: string): Keyv {
    const known = keyvs.get(name);
    if (known) return known;
    if (!SPACE_NAME.test(name)) throw new BotError('internal', 'A storage space has an impossible name.');
    const made = new Keyv(backend.adapter(name), { namespace: name, useKeyPrefix: false, throwOnErrors: true });
    // Keyv throws from `emit` when nobody listens. Every failure already reaches the caller through throwOnErrors, and
    // connection trouble is logged once by the backend, so there is nothing left to do here.
    made.on('error', () => undefined);
    keyvs.set(name, made);
    return made;
  }

  async function parse<T>(space: Keyv, text: string | undefined): Promise<T | undefined> {
    if (text === undefined) return undefined;
    const data = await space.deserializeData<T>(text);
    return data?.expires !== undefined && data.expires < Date.now() ? undefined : data?.value;
  }

  return {
    space: <T>(name: string): Keyv<T> => keyv(name),
    async update<T>(name: string, key: string, change: (current: T | undefined) => T | undefined) {
      const space = keyv(name);
      for (let race = 0; race < MAX_RACES; race += 1) {
        const text = await backend.read(name, key);
        const current = await parse<T>(space, text);
        const next = change(current);
        if (next === current) return current;
        const nextText = next === undefined ? undefined : String(await space.serializeData({ value: next }));
        if (await backend.swap(name, key, text, nextText)) return next;
      }
      throw new BotError('internal', 'A record changes too fast to be changed.', { detail: { space: name } });
    },
    async *list<T>(name: string) {
      const space = keyv(name);
      for await (const [key, text] of backend.entries(name)) {
        const value = await parse<T>(space, text);
        if (value !== undefined) yield [key, value] as const;
      }
    },
    spaces: () => backend.spaces(),
    locks: backend.locks,
    exclusive: backend.exclusive,
    ping: () => backend.ping(),
    close: () => backend.close(),
  };
}
