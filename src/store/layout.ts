/**
 * The version of what is stored, and the migrations from one to the next. It's the record `layout` in the space `store`, on
 * every database and in every version. A store without it was written by 0.1.0 or before and has layout 1.
 */
import { randomUUID } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { nextTurn, sleep, systemClock } from '../clock.ts';
import { BotError } from '../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { SECOND_MS } from '../time-units.ts';
import { keepBackup } from './backup.ts';
import {
  FIRST_LAYOUT,
  isEmpty,
  LAYOUT_KEY,
  type Layout,
  type OpenedStore,
  readLayout,
  STORE_SPACE,
} from './maintenance.ts';
import type { Store } from './store.ts';

type MigratedRecords = Pick<Store, 'list' | 'update' | 'spaces'>;

export interface MigrationStep {
  /** The layout afterwards. */
  readonly to: number;
  /**
   * The oldest layout whose programs can work with the result. On Redis, replicas of the previous version run during a
   * rollout: a step should only add to what they read, and what they write must still be readable afterwards.
   */
  readonly minVersion: number;
  /** For the log. */
  readonly does: string;
  /** Repeated from the beginning if it was interrupted, perhaps by another replica, and while replicas write. */
  run(records: MigratedRecords): Promise<void>;
}

/** In order. None so far: every field that was added is optional. */
const STEPS: readonly MigrationStep[] = [];

/** The layout of a store that was created with these steps. */
const newest = (steps: readonly MigrationStep[]): Layout => {
  const last = steps.at(-1);
  return last === undefined
    ? { ...FIRST_LAYOUT, by: packageJson.version }
    : { version: last.to, minVersion: last.minVersion, by: packageJson.version };
};

/** Throws unless this program can work with such a store, or with such a backup. */
export function assertKnownLayout({ version, minVersion, by, restoring }: Layout, what = 'store'): void {
  const known = newest(STEPS).version;
  if (minVersion > known) {
    throw new BotError(
      'config',
      `The ${what} was written by wafbot ${by} (layout ${version}), and this is wafbot ${packageJson.version}, which knows layout ${known}.`,
      { hint: `Use wafbot ${by} or newer. To go back instead, restore the backup from before the upgrade.` },
    );
  }
  if (restoring === true) {
    throw new BotError('config', 'A restore of this store was interrupted.', {
      hint: 'Run the same restore again, with --replace.',
    });
  }
}

interface MigrationDeps {
  readonly log: Logger;
  readonly now: () => Temporal.Instant;
  readonly steps?: readonly MigrationStep[];
  /** Called if there is something to migrate. */
  readonly onBegin?: () => void;
}

const LOCK = 'migration';
/** After this, another replica goes on where one was killed. */
const LEASE_MS = 6 * SECOND_MS;
const LOOK_AGAIN_MS = 500;

/** Brings a store up to date, or waits until another replica has. A new store is marked with the latest layout. */
export async function migrateStore(store: OpenedStore, deps: MigrationDeps): Promise<void> {
  const { steps = STEPS, onBegin = () => {} } = deps;
  const latest = newest(steps);
  const markNew = () => store.update<Layout>(STORE_SPACE, LAYOUT_KEY, (current) => current ?? latest);
  if (steps.length > 0 && (await isEmpty(store))) await markNew();
  while ((await readLayout(store)).version < latest.version) {
    onBegin();
    const hadTurn = await alone(store, () => migrate(store, steps, deps));
    if (!hadTurn) await sleep(systemClock, LOOK_AGAIN_MS);
  }
  await markNew().catch((error: unknown) => {
    // The bot also starts on a full store: its records can still be read.
    if (!(error instanceof BotError && error.reason?.is === 'storage_full')) throw error;
  });
}

async function migrate(store: OpenedStore, steps: readonly MigrationStep[], { log, now }: MigrationDeps) {
  const before = await readLayout(store);
  const pending = steps.filter(({ to }) => to > before.version);
  const to = newest(steps).version;
  // After an interrupted attempt, its backup is the one to go back to, because some records may have changed since.
  const backup = before.migrating ?? (await keepBackup(store, `before-layout-${to}`, now()));
  log.info({ from: before.version, to, backup }, 'migrating the store');
  const mark = (layout: Layout) => store.update<Layout>(STORE_SPACE, LAYOUT_KEY, () => layout);
  await store.maintenance.atomically(async () => {
    let layout: Layout = before;
    for (const step of pending) {
      const minVersion = Math.max(layout.minVersion, step.minVersion);
      await mark({ ...layout, minVersion, by: packageJson.version, migrating: backup });
      await step.run(inTurnsOf(store));
      layout = { version: step.to, minVersion, by: packageJson.version };
      await mark(step === pending.at(-1) ? layout : { ...layout, migrating: backup });
    }
  });
  log.info({ to, did: pending.map(({ does }) => does) }, 'store migrated');
}

/** SQLite is synchronous, so a long migration would keep the process from answering its supervisor. */
const inTurnsOf = (store: Store): MigratedRecords => ({
  spaces: store.spaces,
  list: store.list,
  async update(space, key, change) {
    await nextTurn();
    return store.update(space, key, change);
  },
});

/** Whether it was this process's turn. */
async function alone(store: Store, work: () => Promise<void>): Promise<boolean> {
  const { locks, exclusive } = store;
  const owner = randomUUID();
  if (!(await locks.acquire(LOCK, owner, LEASE_MS))) return false;
  // If the lease can't be renewed, another replica repeats the step, which does no harm.
  const renew = (): void => void locks.renew(LOCK, owner, LEASE_MS).catch(() => {});
  const timer = exclusive ? undefined : setInterval(renew, LEASE_MS / 3);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await locks.release(LOCK, owner).catch(() => {});
  }
  return true;
}
