/**
 * Copies one store into another, for moving between SQLite and Redis and for backups. What the target already has is
 * left alone: a second run completes a first that broke off, and never turns back what the bot has done since.
 */
import type { Store } from './store.ts';

export interface CopyReport {
  readonly space: string;
  readonly copied: number;
  readonly alreadyThere: number;
}

/** Caches may be lost, and the scheduler's jobs are made anew from the repository at the next start. */
const isLeftBehind = (space: string): boolean => space.startsWith('cache') || space === 'jobs';

export async function copyStore(from: Pick<Store, 'spaces' | 'list' | 'space'>, to: Store): Promise<CopyReport[]> {
  const reports: CopyReport[] = [];
  for (const space of await from.spaces()) {
    if (isLeftBehind(space)) continue;
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

/** An entry that was to expire still will. Resolves to 1, the number of entries copied. */
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
