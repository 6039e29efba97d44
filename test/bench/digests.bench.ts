/**
 * The CPU time of a digest when many are due at the same moment, with their numbers, images and posts, in eight kinds.
 * The bot runs in this process, so nothing else is counted; Slack's rate limit costs no time here. The cost of one must
 * not grow with their number.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_HOSTS } from '../../playground/service/hosts.ts';
import { createHurriedClock } from '../support/hurried-clock.ts';
import { preparePeers } from './bot-here.ts';
import { isQuick, machineLoad, target, times } from './figures.ts';

const DAY_MS = 86_400_000;
const COUNTS = isQuick ? [25, 200] : [100, 1_000];
const [shop, api, blog, admin] = DEFAULT_HOSTS.map(({ id }) => ` on ${id}`);
const KINDS = ['', shop, api, blog, admin, `${shop}${api}`, `${shop}${blog}`, `${api}${blog}`].map(String);

async function measure(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'wafbot-bench-'));
  const peers = await preparePeers({ people: 1, digestChannels: count, fileReadyAfter: 0 });
  // Three days ago, so that the service's numbers are final.
  const clock = createHurriedClock(Date.now() - 3 * DAY_MS);
  const bot = await peers.startHere(`sqlite:${join(folder, 'wafbot.db')}`, clock);
  const due = clock.now().add({ hours: 1 }).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const time = due.toString().slice(11, 16);
  const created = await peers.slack.makeDigests({ count, time, kinds: KINDS });
  if (created !== count) throw new Error(`${created} of ${count} digests were created`);
  // A bot that runs has drawn before: the start of its thread for images is no part of a digest.
  const drawn = await peers.slack.askThese({ texts: ['timeline 40 days ago'], atOnce: 1, pictures: true });
  if (drawn.pictureMs.length !== 1) throw new Error(`no image before the digests: ${drawn.sample}`);
  const callsBefore = await peers.slack.countCalls();
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  clock.moveTo(due.epochMilliseconds);
  await peers.slack.digestsCame(count);
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const calls = await peers.slack.countCalls();
  await bot.stop();
  await peers.stop();
  rmSync(folder, { recursive: true, force: true });
  const during = (method: string): number => (calls[method] ?? 0) - (callsBefore[method] ?? 0);
  return {
    digests: count,
    'CPU ms each': (user + system) / 1_000 / count,
    'wall ms each': wallMs / count,
    posts: during('chat.postMessage'),
    'images uploaded': during('upload'),
  };
}

// Warms up.
await measure(KINDS.length);
const rows = [];
for (const count of COUNTS) rows.push(await measure(count));
console.log(`digests of ${KINDS.length} kinds, due at the same moment, with images; ${machineLoad()}`);
console.table(
  rows.map((row) => ({
    ...row,
    'CPU ms each': row['CPU ms each'].toFixed(1),
    'wall ms each': row['wall ms each'].toFixed(1),
  })),
);
const [few, many] = rows;
if (few === undefined || many === undefined) throw new Error('no measurements');
console.log(`one of ${many.digests} costs ${times(many['CPU ms each'] / few['CPU ms each'])} one of ${few.digests}`);
target('CPU time of a digest with its image', many['CPU ms each'], 15, 'ms');
process.exit();
