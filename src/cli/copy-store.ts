/** `wafbot copy-store <from> <to>`, `migrate` before: copies one store to another, except caches. Safe to run twice. */
import { existsSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { BotError } from '../errors.ts';
import { copyStore } from '../store/copy-store.ts';
import { openStore } from '../store/index.ts';
import type { OpenedStore } from '../store/maintenance.ts';

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: object, message: string) => console.error(`warning: ${message}`),
  error: (_: object, message: string) => console.error(message),
};

async function open(url: string, role: string): Promise<OpenedStore> {
  try {
    return await openStore(url, { log, now: systemClock.now });
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    throw new BotError('config', `Can't open the store to copy ${role}: ${error.message}`, {
      hint: error.hint,
    });
  }
}

export async function copyStores([from, to, ...rest]: readonly string[]): Promise<void> {
  if (!from || !to || rest.length > 0 || from === to) {
    throw new BotError('config', 'Name the store to copy from and the store to copy to.', {
      hint: 'For example: wafbot copy-store sqlite:./data/wafbot.db redis://127.0.0.1:6379',
    });
  }
  // Opening would create an empty file, and copying nothing would look like success.
  if (from.startsWith('sqlite:') && !existsSync(from.slice('sqlite:'.length))) {
    throw new BotError('config', 'The store to copy from does not exist.', { hint: 'Check the path of the file.' });
  }
  const source = await open(from, 'from');
  try {
    const target = await open(to, 'to');
    try {
      const reports = await copyStore(source, target);
      for (const { space, copied, alreadyThere } of reports) {
        console.log(`${space}: ${copied} copied, ${alreadyThere} already there`);
      }
      if (reports.length === 0) console.log('nothing to copy');
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
