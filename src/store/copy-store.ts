/**
 * Copies one store into another, to move between SQLite and Redis or to take a backup. Entries that the target already
 * has are left alone, so a second run completes an interrupted one and never undoes newer changes.
 */
import { isCache } from './create-store.ts';
import type { Store } from './store.ts';

/**
 * Caches can be lost, the scheduler's jobs are created again from the subscriptions at the next start, and questions under
 * way belong to the bot that was asked.
 */
const isSkipped = (space: string): boolean => isCache(space) || space === 'jobs' || space === 'questions';

export async function copyStore(from: Pick<Store, 'spaces' | 'list' | 'space'>, to: Store) {
  const reports = [];
  for (const space of await from.spaces()) {
    if (isSkipped(space)) continue;
    let copied = 0;
    let alreadyThere = 0;
    for await (const [key, value] of from.list<unknown>(space)) {
      let exists = false;
      await to.update<unknown>(space, key, (current) => {
        exists = current !== undefined;
        return current ?? value;
      });
      if (exists) {
        alreadyThere += 1;
        continue;
      }
      await restoreExpiry(from, to, space, key, value);
      copied += 1;
    }
    reports.push({ space, copied, alreadyThere });
  }
  return reports;
}

/** An entry that expires gets the time it has left. */
async function restoreExpiry(
  from: Pick<Store, 'space'>,
  to: Pick<Store, 'space'>,
  space: string,
  key: string,
  value: unknown,
): Promise<void> {
  const expires = (await from.space(space).get(key, { raw: true }))?.expires;
  if (expires == null) return;
  await to.space(space).set(key, value, Math.max(1, expires - Date.now()));
}
