/** The program as `npm pack` makes it: without the playground and without tests. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BotProcess, startBotProcess } from '../support/bot-process.ts';

const CHECKOUT = new URL('../../', import.meta.url).pathname;
const TOKENS = { SLACK_BOT_TOKEN: 'xoxb-bot-secret', SLACK_APP_TOKEN: 'xapp-app-secret' };
const SERVICE = {
  WAF_BASE_URL: 'https://waf.example.com',
  WAF_PROJECT_ID: 'p-1',
  WAF_ACCESS_KEY: 'AKxyz',
  WAF_SECRET_KEY: 'SKxyz',
};

const folder = mkdtempSync(join(tmpdir(), 'wafbot-packed-'));
let packed: readonly string[] = [];
beforeAll(async () => {
  const pack = promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: CHECKOUT });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse((await pack).stdout);
  packed = files.map((file) => file.path);
  for (const file of packed) cpSync(join(CHECKOUT, file), join(folder, file));
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(environment: Record<string, string>, args: readonly string[] = []): Promise<BotProcess> {
  const bot = startBotProcess(environment, args, join(folder, 'src/main.ts'));
  await bot.ended;
  await bot.clear();
  return bot;
}

it('has the bot and its papers, nothing else', () => {
  const roots = new Set(packed.map((file) => file.split('/')[0]));
  expect([...roots].sort()).toEqual(
    [
      '.env.example',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'docs',
      'manifest.slackbot.yml',
      'manifest.yml',
      'package.json',
      'src',
    ].sort(),
  );
});

it('without tokens it is refused with what to do, and opens no playground', async () => {
  const bot = await run({ PORT: '0' });
  expect(await bot.ended).toBe(78);
  expect(bot.output.out).toBe('');
  expect(bot.output.err).toContain(
    '  - SLACK_BOT_TOKEN is missing; copy it from the app\'s "OAuth & Permissions" page.',
  );
  expect(bot.output.err).toContain('  - WAF_BASE_URL is missing; ');
});

it('with tokens it needs nothing that was left out', async () => {
  const bot = await run({ ...TOKENS, ...SERVICE }, ['--check-config']);
  expect([await bot.ended, bot.output.err]).toEqual([0, '']);
});
