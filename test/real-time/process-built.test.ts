/**
 * The program as the image has it: built, with nothing beside it but what cannot be bundled, on a file system that is
 * read-only but for the folder of its data, as `docker run --read-only` has it.
 */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BuiltImage, buildImage } from '../support/built-image.ts';
import { cleanUpAfterEach, healthUrl, later, portOf, runBot, startStandIns } from '../support/process-stage.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { nextAnswer, REQUESTS, textOf } from '../support/world.ts';

cleanUpAfterEach();

let image: BuiltImage;
beforeAll(async () => {
  image = await buildImage();
});
afterAll(() => image?.remove());

async function cli(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [image.program, ...args], { env, cwd: image.folder });
  return stdout;
}

const READ_ONLY = 'mount -o remount,bind,ro / && ! touch probe 2>/dev/null';
const isReadOnly = spawnSync('unshare', ['--mount', 'sh', '-c', READ_ONLY]).status === 0;
const note = isReadOnly
  ? ', on a read-only file system'
  : ' (on a writable file system: this user may not mount anything)';

it(`answers with a picture, keeps its data, and ends well${note}`, async () => {
  const { slack, environment } = await startStandIns('socket');
  const script = `mkdir data && mount --bind data data && ${READ_ONLY} && exec "$@"`;
  const within = isReadOnly ? ['unshare', '--mount', 'sh', '-c', script, 'sh'] : [];
  const bot = runBot({ ...environment, WAFBOT_STORE: 'sqlite:data/wafbot.db' }, ['start'], image.program, within);
  await bot.printed(/wafbot is ready/);
  await slack.command({ text: 'timeline last 24h' });
  expect(textOf(await nextAnswer(slack))).toMatch(REQUESTS);
  const picture = await slack.waitFor(() => slack.files()[0], { what: 'the picture' });
  expect(picture.name).toMatch(/\.png$/);
  await slack.command({ text: 'digest daily at 09:00' });
  expect((await nextAnswer(slack)).text).toMatch(/^Digest scheduled/);
  bot.signal('SIGTERM');
  expect([await bot.ended, bot.output.err]).toEqual([0, '']);
  expect(bot.output.out).not.toMatch(/"level":[4-6]0/);
});

it.skipIf(!redisAvailable)(`works on Redis too, and so do the commands at a shell${redisNote}`, async () => {
  const { slack, environment } = await startStandIns('socket');
  const redis = await startRedis();
  later(() => redis.stop());
  const nowhere = { WAFBOT_CHARTS: 'quickchart:http://127.0.0.1:9' };
  const bot = runBot({ ...environment, ...nowhere, WAFBOT_STORE: redis.url }, ['start'], image.program);
  await bot.printed(/wafbot is ready/);
  await slack.command({ text: 'timeline last 24h' });
  await slack.nextMessage();
  // The chart server cannot be reached. The log says where in the source that was found out.
  await bot.printed(/"at":"src\/charts\/render\/quickchart\.ts:\d+"/);
  await slack.command({ text: 'digest daily at 09:00' });
  expect((await nextAnswer(slack)).text).toMatch(/^Digest scheduled/);
  const PORT = String(portOf(await healthUrl(bot)));
  expect(await cli(['health'], { ...environment, PORT })).toBe('The bot is ready.\n');
  expect(
    await cli(['waf', 'timeline', '--from', '2026-03-01T00:00:00Z', '--to', '2026-03-01T06:00:00Z'], environment),
  ).toMatch(/\d/);
  bot.signal('SIGTERM');
  expect(await bot.ended).toBe(0);
});

it('without settings ends with 78 and opens no playground', async () => {
  const bot = runBot({ PORT: '0' }, ['start'], image.program);
  expect([await bot.ended, bot.output.out]).toEqual([78, '']);
  expect(bot.output.err).toContain('SLACK_BOT_TOKEN is missing');
});
