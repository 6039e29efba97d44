/**
 * Copies one store into another, to move between SQLite and Redis. Entries that the target already has are left alone, so a
 * second run completes an interrupted one and never undoes newer changes.
 */
import { BotError } from '../errors.ts';
import { addRecord, takeBackup } from './backup.ts';
import { isEmpty, LAYOUT_KEY, type Layout, type OpenedStore, readLayout, STORE_SPACE } from './maintenance.ts';

export async function copyStore(from: OpenedStore, to: OpenedStore) {
  const { layout, records } = await takeBackup(from, Temporal.Now.instant());
  const target = await readLayout(to);
  if (target.version !== layout.version) {
    if (await isEmpty(to)) await to.update<Layout>(STORE_SPACE, LAYOUT_KEY, () => layout);
    else throw differentLayouts(layout, target);
  }
  const reports = new Map<string, { copied: number; alreadyThere: number }>();
  for (const record of records) {
    const report = reports.get(record.space) ?? { copied: 0, alreadyThere: 0 };
    reports.set(record.space, report);
    report[(await addRecord(to, record)) ? 'copied' : 'alreadyThere'] += 1;
  }
  return [...reports].map(([space, report]) => ({ space, ...report }));
}

const differentLayouts = (from: Layout, to: Layout): BotError =>
  new BotError('config', `The stores have different layouts (${from.version} and ${to.version}).`, {
    hint: 'Start the bot once on the store with the older one, then copy again.',
  });
