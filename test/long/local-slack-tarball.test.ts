/** The local Slack as somebody else gets it: packed, installed into an empty folder, and used for apps that aren't wafbot. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLocalSlack } from '../../playground/slack/index.ts';

const CHECKOUT = path.join(import.meta.dirname, '../..');
const PACKAGE = path.join(CHECKOUT, 'playground/slack');
const folder = mkdtempSync(path.join(tmpdir(), 'local-slack-tarball-'));
const { HOME, NODE_EXTRA_CA_CERTS } = process.env;
const env = {
  PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
  HOME,
  // Where a proxy has a certificate of its own, npm reaches the registry only with it.
  ...(NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS }),
};

function run(command: string, args: readonly string[], cwd = folder, more: Readonly<Record<string, string>> = {}) {
  return new Promise<string>((resolve, reject) => {
    execFile(command, args, { cwd, env: { ...env, ...more }, timeout: 120_000 }, (error, out, err) => {
      if (error === null) resolve(out);
      else reject(new Error(`${command} ${args.join(' ')}\n${out}\n${err}`));
    });
  });
}

/** What a project that tests a Bolt app has anyway; taken from here, so that nothing but the package is installed. */
const OTHERS = ['@slack/bolt', '@types/node', 'vitest'];

let packed: readonly string[] = [];
beforeAll(async () => {
  await run(path.join(CHECKOUT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], PACKAGE);
  const pack = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], PACKAGE);
  const [{ files, filename }] = JSON.parse(pack);
  packed = files.map((file: { path: string }) => file.path);
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const quick = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quick, path.join(folder, filename)]);
  for (const name of OTHERS) {
    const link = path.join(folder, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(CHECKOUT, 'node_modules', name), link);
  }
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('has the compiled package, its papers and the examples', () => {
  const roots = new Set(packed.map((file) => file.split('/')[0]));
  expect([...roots].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'examples', 'package.json']);
  const inDist = packed.filter((file) => file.startsWith('dist/'));
  expect(inDist.filter((file) => !/\.(js|d\.ts)$/.test(file))).toEqual([]);
  expect(inDist).toContain('dist/index.d.ts');
});

it('is built before it is packed, and brings two packages', () => {
  const {
    scripts,
    dependencies,
    private: isPrivate,
  } = JSON.parse(readFileSync(path.join(folder, 'node_modules/slack-test-workspace/package.json'), 'utf8'));
  expect(scripts.prepack).toBe('npm run build');
  expect(isPrivate).toBeUndefined();
  expect(Object.keys(dependencies)).toEqual(['ws', 'zod']);
});

it('passes the tests of other apps, and its own', async () => {
  cpSync(path.join(folder, 'node_modules/slack-test-workspace/examples'), path.join(folder, 'examples'), {
    recursive: true,
  });
  for (const file of ['people.test.ts', 'web-api.test.ts'])
    cpSync(path.join(PACKAGE, 'test', file), path.join(folder, 'test', file));
  const report = path.join(folder, 'report.json');
  const vitest = path.join(CHECKOUT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  await run(process.execPath, [vitest, 'run', '--no-isolate', '--testTimeout=60000', ...reporters]);
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
  expect(numPassedTests).toBe(numTotalTests);
  expect(numPassedTests).toBeGreaterThan(40);
});

it('has types that need nothing but those of Node', async () => {
  const code = `import { startLocalSlack, type LocalSlack } from 'slack-test-workspace';
    const slack: LocalSlack = await startLocalSlack();
    export const text: string = (await slack.nextMessage({ channel: '#general' })).text;
    // @ts-expect-error There is no such option.
    await startLocalSlack({ mood: 'http' });`;
  writeFileSync(path.join(folder, 'typed.ts'), code);
  const strict = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--module', 'nodenext', '--types', 'node'];
  await run(path.join(CHECKOUT, 'node_modules/.bin/tsc'), [...strict, 'typed.ts']);
});

it('redirects an app that has no setting for the address of Slack', async () => {
  const app = `import { App } from '@slack/bolt';
    const app = new App({ token: process.env.SLACK_BOT_TOKEN, appToken: process.env.SLACK_APP_TOKEN, socketMode: true });
    app.command('/test', async ({ ack }) => { await ack('Hello'); setTimeout(() => process.exit(), 100); });
    await app.start();`;
  writeFileSync(path.join(folder, 'app.js'), app);
  const slack = await startLocalSlack();
  const ended = run(process.execPath, ['--import', 'slack-test-workspace/redirect', 'app.js'], folder, slack.env);
  await slack.waitFor(() => slack.sockets.connected() === 1, { what: 'the app to connect' });
  expect((await slack.command()).ack).toEqual({ text: 'Hello' });
  await ended;
  await slack.stop();
});
