/** Backups that the bot makes by itself, as files next to the database: `wafbot.db.<name>.backup`. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writePrivately } from '../backup.ts';
import type { KeptBackups } from '../maintenance.ts';

const ENDING = '.backup';

export function createBackupFiles(path: string): KeptBackups {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  const fileOf = (name: string): string => join(folder, `${prefix}${name}${ENDING}`);
  return {
    async save(name, text) {
      writePrivately(fileOf(name), text);
      return fileOf(name);
    },
    names: async () =>
      readdirSync(folder)
        .filter((file) => file.startsWith(prefix) && file.endsWith(ENDING))
        .map((file) => file.slice(prefix.length, -ENDING.length))
        .sort(),
    read: async (name) => (existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : undefined),
    remove: async (name) => rmSync(fileOf(name), { force: true }),
  };
}
