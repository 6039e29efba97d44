/**
 * A backup is text: a line about it, then a line for each record. The same for every database, so what was backed up on
 * one can be restored on another.
 */
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { BotError } from '../errors.ts';
import { isRecord, parseJson } from '../untrusted-input.ts';
import {
  FIRST_LAYOUT,
  isEmpty,
  isTransient,
  LAYOUT_KEY,
  type Layout,
  type OpenedStore,
  type RecordText,
  readLayout,
  STORE_SPACE,
} from './maintenance.ts';

const layoutSchema = z.object({
  version: z.number(),
  minVersion: z.number(),
  by: z.string(),
  migrating: z.string().optional(),
});
const headerSchema = z.object({
  wafbot: z.literal('backup'),
  at: z.string(),
  layout: layoutSchema,
  records: z.number(),
});
const recordSchema = z.object({ space: z.string(), key: z.string(), text: z.string() });

export interface Backup {
  /** When it was made. */
  readonly at: string;
  readonly layout: Layout;
  readonly records: readonly RecordText[];
}

const isLayout = ({ space, key }: RecordText): boolean => space === STORE_SPACE && key === LAYOUT_KEY;

export async function takeBackup({ maintenance }: OpenedStore, now: Temporal.Instant): Promise<Backup> {
  const records = await maintenance.snapshot((space) => !isTransient(space));
  const stored = parseJson(records.find(isLayout)?.text ?? '');
  const layout = layoutSchema.safeParse(isRecord(stored) ? stored.value : undefined).data ?? FIRST_LAYOUT;
  return { at: now.toString(), layout, records: records.filter((record) => !isLayout(record)) };
}

export function backupText({ at, layout, records }: Backup): string {
  const header = { wafbot: 'backup', at, layout, records: records.length };
  return [header, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Throws if it isn't a whole backup. */
export function parseBackup(text: string): Backup {
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const header = headerSchema.safeParse(parseJson(first)).data;
  if (header === undefined) throw unreadable('That isn’t a wafbot backup.');
  const records = lines.flatMap((line) => recordSchema.safeParse(parseJson(line)).data ?? []);
  if (records.length !== header.records || records.length !== lines.length) {
    throw unreadable(`The backup is damaged: ${records.length} of its ${header.records} records can be read.`);
  }
  return { at: header.at, layout: header.layout, records };
}

const unreadable = (message: string): BotError => new BotError('config', message, { hint: 'Use another file.' });

const MAX_KEPT = 3;

/** Makes a backup that stays with the store, and removes the oldest of more than three. Resolves to where it is. */
export async function keepBackup(store: OpenedStore, why: string, now: Temporal.Instant): Promise<string> {
  const { backups } = store.maintenance;
  const time = now.round('second').toString().replaceAll(':', '-');
  const place = await backups.save(`${time}-${why}`, backupText(await takeBackup(store, now)));
  for (const name of (await backups.names()).slice(0, -MAX_KEPT)) await backups.remove(name);
  return place;
}

/** Readable by its owner only, and written completely or not at all. */
export function writePrivately(path: string, text: string): void {
  const unfinished = `${path}.unfinished`;
  const file = openSync(unfinished, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}

/**
 * Restores a store from a backup, with the backup's layout: the next start migrates it if necessary. Refuses a store
 * that has records, unless they may be replaced; then it makes a backup of them first and resolves to where that is. If
 * it's interrupted on Redis, only another restore can open the store.
 */
export async function restoreBackup(
  store: OpenedStore,
  { layout, records }: Backup,
  { replace, now }: { readonly replace: boolean; readonly now: Temporal.Instant },
): Promise<string | null> {
  const isNew = await isEmpty(store);
  if (!(isNew || replace)) {
    throw new BotError('config', 'The store isn’t empty.', {
      hint: 'To replace everything in it by the backup, add --replace.',
    });
  }
  // The leftovers of an interrupted restore need no backup.
  const isWhole = !isNew && (await readLayout(store)).restoring !== true;
  const before = isWhole ? await keepBackup(store, 'before-restore', now) : null;
  const { maintenance } = store;
  // Before the transaction, because durability differs for caches and can't be switched inside one.
  for (const space of await store.spaces()) if (isTransient(space)) await store.space(space).clear();
  await maintenance.atomically(async () => {
    const mark = (next: Layout) => store.update<Layout>(STORE_SPACE, LAYOUT_KEY, () => next);
    await mark({ ...layout, restoring: true });
    for (const space of await store.spaces()) if (space !== STORE_SPACE) await store.space(space).clear();
    for (const record of records) {
      if (record.space === STORE_SPACE) await store.update(STORE_SPACE, record.key, () => undefined);
      await addRecord(store, record);
    }
    await mark(layout);
  });
  return before;
}

/** Adds a record from another database, with its remaining lifetime. False if there already is one. */
export async function addRecord(
  store: Pick<OpenedStore, 'maintenance' | 'space'>,
  record: RecordText,
): Promise<boolean> {
  if (!(await store.maintenance.add(record))) return false;
  const stored = parseJson(record.text);
  if (isRecord(stored) && typeof stored.expires === 'number') {
    await store.space(record.space).set(record.key, stored.value, Math.max(1, stored.expires - Date.now()));
  }
  return true;
}
