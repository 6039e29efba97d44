/**
 * The program that tests start as a process: built, as the package and the image have it, because that starts twice as
 * fast. `npm start` on a checkout has tests of its own.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CHECKOUT = join(import.meta.dirname, '../..');

/** Where the tests' build is. */
export const BUILT = join(CHECKOUT, 'node_modules/.cache/built');

/** Benchmarks and load runs outside of the tests build it themselves, if they need it. */
export const isBuilt = process.env.VITEST === 'true';

export const CHECKED_OUT = join(CHECKOUT, 'src/wafbot.js');
export const PROGRAM = isBuilt ? join(BUILT, 'wafbot.js') : CHECKED_OUT;

/** Vitest calls this once, before the first test that starts a process. */
export async function setup(): Promise<void> {
  const rolldown = join(CHECKOUT, 'node_modules/.bin/rolldown');
  await promisify(execFile)(rolldown, ['-c', '-d', BUILT], { cwd: CHECKOUT });
}
