/** What `npm ci` and `npm start` add to `main.ts`: what was compiled is kept for the next start, and never needed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const CHECKOUT = new URL('../..', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', CHECKOUT), 'utf8'));

async function runAt(home: string, script: string, ...more: string[]): Promise<string> {
  const [, ...options] = script.split(' ');
  const env = { PATH: process.env.PATH, HOME: home };
  const { stdout } = await promisify(execFile)(process.execPath, [...options, ...more], { cwd: CHECKOUT, env });
  return stdout;
}
const checkConfigAt = (home: string) => runAt(home, scripts.start, '--check-config');

test('npm ci keeps what was compiled at home, where nobody else can write, and the first start compiles nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'wafbot-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  await runAt(home, scripts.prepare);
  expect(readdirSync(home)).toEqual(['.cache']);
  const kept = () => readdirSync(join(home, '.cache', 'wafbot'), { recursive: true });
  const prepared = kept().length;
  expect(prepared).toBeGreaterThan(500);
  expect(await checkConfigAt(home)).toMatch(/configuration is valid/);
  expect(kept()).toHaveLength(prepared);
});

test('where nothing can be written it starts all the same', async () => {
  expect(await checkConfigAt(devNull)).toMatch(/configuration is valid/);
});
