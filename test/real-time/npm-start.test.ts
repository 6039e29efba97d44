/** What `npm start` adds to `main.ts`: what was compiled is kept for the next start, and never needed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const CHECKOUT = new URL('../..', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));

async function checkConfigAt(home: string): Promise<string> {
  const [, ...options] = scripts.start.split(' ');
  const env = { PATH: process.env.PATH, HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '--check-config'], {
    cwd: CHECKOUT,
    env,
  });
  return stdout;
}

test('what was compiled is kept at home, not in the checkout and not where others can write', async () => {
  const home = mkdtempSync(join(tmpdir(), 'wafbot-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  expect(await checkConfigAt(home)).toMatch(/in order/);
  expect(readdirSync(home)).toEqual(['.cache']);
  expect(readdirSync(join(home, '.cache', 'wafbot'))).not.toEqual([]);
});

test('where nothing can be written it starts all the same', async () => {
  expect(await checkConfigAt(devNull)).toMatch(/in order/);
});
