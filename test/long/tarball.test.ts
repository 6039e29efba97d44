/** The package as an operator gets it: packed, installed into an empty folder, and run by its name. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHELL_COMMANDS } from '../../src/cli.ts';
import { cleanUpAfterEach, runBot, startStandIns } from '../support/process-stage.ts';
import { nextAnswer } from '../support/world.ts';

cleanUpAfterEach();

const CHECKOUT = path.join(import.meta.dirname, '../..');
const MANIFEST = JSON.parse(readFileSync(path.join(CHECKOUT, 'package.json'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-tarball-'));
const installed = path.join(folder, 'node_modules/wafbot');
/** The link that npm makes, which a person at a shell runs. */
const wafbot = path.join(folder, 'node_modules/.bin/wafbot');
const home = path.join(folder, 'home');
mkdirSync(home);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(command: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  return new Promise<Ended>((resolve) => {
    execFile(command, args, { ...options, timeout: 120_000, killSignal: 'SIGKILL' }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err });
    });
  });
}

/** With nothing in the environment but this Node on the path. */
const shell = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(wafbot, args, { cwd: home, env: { PATH: path.dirname(process.execPath), HOME: home, ...env } });

let packed: readonly string[] = [];
beforeAll(async () => {
  const npm = async (args: readonly string[], cwd: string): Promise<string> => {
    const { code, out, err } = await run('npm', [...args, '--ignore-scripts'], { cwd, env: process.env });
    if (code !== 0) throw new Error(`npm ${args[0]}: ${err}`);
    return out;
  };
  const rolldown = path.join(CHECKOUT, 'node_modules/.bin/rolldown');
  await run(rolldown, ['-c', 'rolldown.config.ts'], { cwd: CHECKOUT, env: process.env });
  const [pack] = JSON.parse(await npm(['pack', '--json', '--pack-destination', folder], CHECKOUT));
  packed = pack.files.map((file: { path: string }) => file.path);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const quick = ['--prefer-offline', '--no-audit', '--no-fund'];
  await npm(['install', '--omit=dev', ...quick, path.join(folder, pack.filename)], folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the tarball', () => {
  it('has the program and its papers, nothing else', () => {
    const roots = new Set(packed.map((file) => file.split('/')[0]));
    const manifests = readdirSync(CHECKOUT).filter((file) => /^manifest.*\.yml$/.test(file));
    const papers = ['.env.example', 'CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'docs', 'deploy'];
    expect([...roots].sort()).toEqual([...papers, 'dist', ...manifests, 'package.json'].sort());
    for (const file of packed.filter((each) => each.startsWith('docs/'))) expect(file).toMatch(/\.md$/);
  });

  it('is built before it is packed or published, and needs no other build', () => {
    expect(MANIFEST.scripts.prepack).toBe('npm run build');
    expect(MANIFEST.private).toBeUndefined();
  });

  it('names what is bundled, for scanners', () => {
    const { components } = JSON.parse(readFileSync(path.join(installed, 'dist/sbom.cdx.json'), 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['@slack/bolt', 'bullmq', ...Object.keys(MANIFEST.dependencies)]));
    for (const name of names) {
      expect(readFileSync(path.join(installed, 'dist/LICENCES.txt'), 'utf8')).toContain(`${name}\n\n`);
    }
  });
});

describe('wafbot', () => {
  it('says its version and lists its commands', async () => {
    expect(await shell(['--version'])).toEqual({ code: 0, out: `${MANIFEST.version}\n`, err: '' });
    const { code, out } = await shell(['--help']);
    expect(code).toBe(0);
    for (const [name, { summary }] of Object.entries(SHELL_COMMANDS)) {
      expect(out).toMatch(new RegExp(`^ {2}${name} +${RegExp.escape(summary)}$`, 'm'));
    }
  });

  it.each(Object.keys(SHELL_COMMANDS))('%s has a help', async (name) => {
    const { code, out, err } = await shell([name, '--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`wafbot ${name}`);
  });

  it('refuses a command it does not have', async () => {
    const { code, out, err } = await shell(['strat']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^Name a command: start, playground, .*\n$/);
  });

  it('on a Node that is too old says which one it needs, and reads nothing newer before', async () => {
    const entry = readFileSync(path.join(installed, 'dist/wafbot.js'), 'utf8');
    expect(entry).not.toMatch(/(^|;|\s)import\s*[^(\s]/m);
    const versions = `Object.defineProperty(process, 'versions', { value: { node: '22.1.0' } })`;
    const old = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(versions)}` };
    const { code, out, err } = await shell(['start'], old);
    expect([code, out]).toEqual([78, '']);
    expect(err).toMatch(/^wafbot needs Node 26 or newer\. This is Node 22\.1\.0 \(.+\)\.\n$/);
  });
});

describe('settings', () => {
  it.each([['check-config'], ['start'], ['start', '--check-config']])(
    'every fault is listed by %s %s',
    async (...args) => {
      const { code, out, err } = await shell(args, { WAFBOT_ZONE: 'Nowhere', WAFBOT_STROE: 'memory:' });
      expect([code, out]).toEqual([78, '']);
      const faults = err.split('\n').filter((line) => line.startsWith('  - '));
      expect(faults.map((fault) => /[A-Z]+_[A-Z_]+|credentials/.exec(fault)?.[0])).toEqual([
        'WAFBOT_STROE',
        'WAFBOT_ZONE',
        'SLACK_BOT_TOKEN',
        'SLACK_APP_TOKEN',
        'WAF_BASE_URL',
        'WAF_PROJECT_ID',
        'WAF_IAM_URL',
        'credentials',
      ]);
    },
  );

  it('that are complete are shown without secrets', async () => {
    const { environment } = await startStandIns('socket');
    const { code, out, err } = await shell(['check-config'], environment);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^The configuration is valid\.\n/);
    expect(out).not.toContain(environment.SLACK_BOT_TOKEN);
  });
});

it('holds a conversation, with a picture, and continues it after a restart', async () => {
  const { slack, environment } = await startStandIns('socket');
  const settings = { ...environment, WAFBOT_STORE: `sqlite:${path.join(folder, 'wafbot.db')}` };
  const start = async () => {
    const bot = runBot(settings, ['start'], wafbot);
    await bot.printed(/wafbot is ready/);
    return bot;
  };
  const stop = async (bot: Awaited<ReturnType<typeof start>>) => {
    bot.signal('SIGTERM');
    expect([await bot.ended, bot.output.err]).toEqual([0, '']);
  };
  const ask = async (text: string) => {
    await slack.command({ text });
    return (await nextAnswer(slack)).text;
  };
  const before = await start();
  // By the machine's clock: at some hours there is an attack to begin with.
  expect(await ask('timeline last 24h')).toMatch(
    /^([\d.,]+( [kM])? requests · [\d,]+ attacks|(🟠|🔴|🔵) .* [\d,]+ attacks)/u,
  );
  expect((await slack.waitFor(() => slack.files()[0], { what: 'the picture' })).name).toMatch(/\.png$/);
  expect(await ask('attacks yesterday')).toMatch(/attacks/);
  expect(await ask('digest daily at 09:00')).toMatch(/^Digest scheduled/);
  await stop(before);
  const after = await start();
  expect(await ask('digests')).toBe('Digests: 1 digest in this channel.');
  await stop(after);
  expect((await shell(['doctor'], settings)).out).toMatch(/All is well: \d+ checks passed\.\n$/);
});

it('opens the playground, which ignores the settings of a bot', async () => {
  const foreign = { WAFBOT_STORE: 'redis://127.0.0.1:1', SLACK_BOT_TOKEN: 'xoxb-own', NODE_ENV: 'production' };
  const playground = runBot({ ...foreign, PORT: '0' }, ['playground'], wafbot);
  await playground.printed(/wafbot playground: open http:\S+/);
  const url = /http:\S+/.exec(playground.output.out)?.[0] ?? '';
  const page = await (await fetch(url)).text();
  const assets = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map(([, file = '']) => file);
  expect(assets.length).toBeGreaterThan(3);
  for (const asset of assets) expect([asset, (await fetch(new URL(asset, url))).status]).toEqual([asset, 200]);
  playground.signal('SIGINT');
  expect([await playground.ended, playground.output.err]).toEqual([0, '']);
});
