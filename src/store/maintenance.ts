/** What upgrades, backups and restores need from a store besides its records. */
import { isCache } from './create-store.ts';
import type { Store } from './store.ts';

/** About the store itself. */
export const STORE_SPACE = 'store';
export const LAYOUT_KEY = 'layout';

export interface Layout {
  readonly version: number;
  /** Programs that know this layout or a later one can work with it. */
  readonly minVersion: number;
  /** The version of wafbot that wrote it. */
  readonly by: string;
  /** The backup from before a migration that hasn't finished. */
  readonly migrating?: string;
  readonly restoring?: true;
}

/** The layout of a store that has no record of it. */
export const FIRST_LAYOUT: Layout = { version: 1, minVersion: 1, by: '0.1.0' };

export const readLayout = async (store: Pick<Store, 'space'>): Promise<Layout> =>
  (await store.space<Layout>(STORE_SPACE).get(LAYOUT_KEY)) ?? FIRST_LAYOUT;

/** A record as the database has it. */
export interface RecordText {
  readonly space: string;
  readonly key: string;
  readonly text: string;
}

/** Backups that the bot makes by itself: files next to a SQLite file, keys in Redis. */
export interface KeptBackups {
  /** Resolves to where it is, for people. */
  save(name: string, text: string): Promise<string>;
  names(): Promise<readonly string[]>;
  read(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
}

/** What a database provides for it. */
export interface MaintainedDatabase {
  /** The records of some spaces, all as of one moment. */
  snapshot(isWanted: (space: string) => boolean): Promise<readonly RecordText[]>;
  /** In one transaction on SQLite. On Redis, work that is interrupted stays half done. */
  atomically<R>(work: () => Promise<R>): Promise<R>;
  readonly backups: KeptBackups;
  /** The name of the network file system that a SQLite file is on; `null` if it's on a local disk, or isn't a file. */
  readonly networkFileSystem: string | null;
}

interface Maintenance extends MaintainedDatabase {
  /** Adds a record as another database had it. False if there is one already. */
  add(record: RecordText): Promise<boolean>;
}

export interface OpenedStore extends Store {
  readonly maintenance: Maintenance;
}

/**
 * Neither copied nor backed up: caches can be lost, the scheduler's jobs are created again from the subscriptions at the next
 * start, and requests under way belong to the bot that received them.
 */
export const isTransient = (space: string): boolean =>
  isCache(space) || ['ended-steps', 'jobs', 'questions', 'signatures'].includes(space);

/** Whether nothing that people set up is stored. */
export async function isEmpty(store: Pick<Store, 'spaces'>): Promise<boolean> {
  return (await store.spaces()).every((space) => space === STORE_SPACE || isTransient(space));
}
