/**
 * Copies one store into another, for moving between SQLite and Redis and for backups. Entries that the
 * target already has are left alone: a second run completes an interrupted first one and never undoes newer changes.
 */
import { mayBeLost } from './create-store.ts';
import type { Store } from './store.ts';

interface CopyReport {
  readonly space: string;
  readonly copied: number;
  readonly alreadyThere: number;
}

/** Caches may be lost, and the scheduler's jobs are created again from the subscriptions at the next start. */
const isSkipped = (space: string): boolean => mayBeLost(space) || space === 'jobs';

export async function copyStore(from: Pick<Store, 'spaces' | 'list' | 'space'>, to: Store): Promise<CopyReport[]> {
  const reports: CopyReport[] = [];
  for (const space of await from.spaces()) {
    if (isSkipped(space)) continue;
    let copied = 0;
    let alreadyThere = 0;
    for await (const [key, value] of from.list<unknown>(space)) {
      let there = false;
      await to.update<unknown>(space, key, (current) => {
        there = current !== undefined;
        return current ?? value;
      });
      if (there) alreadyThere += 1;
      else copied += await restoreLifetime(from, to, space, key, value);
    }
    reports.push({ space, copied, alreadyThere });
  }
  return reports;
}

/** An entry with a lifetime keeps what is left of it. Resolves to 1, the number of entries copied. */
async function restoreLifetime(
  from: Pick<Store, 'space'>,
  to: Pick<Store, 'space'>,
  space: string,
  key: string,
  value: unknown,
): Promise<1> {
  const expires = (await from.space(space).get(key, { raw: true }))?.expires;
  if (expires !== undefined && expires !== null) {
    await to.space(space).set(key, value, Math.max(1, expires - Date.now()));
  }
  return 1;
}
