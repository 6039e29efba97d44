/**
 * What 10,000 stored digests cost: the bot's startup compared with an empty store, and the longest turn of the event loop
 * while a person who owns three of them opens the Home tab.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/index.ts';
import { parseSchedule } from '../../src/subscriptions/recurrence/parse-schedule.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import { longestTurnMs } from '../support/loop-meter.ts';
import { redisAvailable, startRedis } from '../support/redis.ts';
import { preparePeers, quietLog } from './bot-here.ts';
import { isQuick, machineLoad, median, spread, target } from './figures.ts';

const COUNT = 10_000;
const OWN = 3;
const ROUNDS = isQuick ? 2 : 8;
const OPENED = isQuick ? 10 : 30;
const PERSON = 'U0LOAD00000';

/** The repository creates the first; the others are copies of it. */
async function fill(url: string): Promise<void> {
  const now = () => Temporal.Now.instant();
  const store = await openStore(url, { log: quietLog, now });
  const schedule = parseSchedule('daily at 09:00', 'UTC');
  const repository = createSubscriptionRepository({ records: store, kind: 'digest', now });
  const first = await repository.create({ channel: 'C0', owner: PERSON, zone: 'UTC', hosts: [], timing: { schedule } });
  const pages = Array.from({ length: COUNT }, (_, n) => {
    const [channel, owner] = [`C${n}`, n < OWN ? PERSON : `U${n % 1_000}`];
    return { key: channel, value: [{ ...first, id: `d${n}`, channel, owner }] };
  });
  await store.space('digests').setMany(pages);
  const owners = Map.groupBy(pages, ({ value: [digest] }) => digest?.owner ?? '');
  await store
    .space('digest-owners')
    .setMany([...owners].map(([key, theirs]) => ({ key, value: theirs.map(({ key: channel }) => channel) })));
  await store.close();
}

const peers = await preparePeers({ people: 1, digestChannels: 0 });

async function startMs(url: string): Promise<number> {
  const begun = performance.now();
  const bot = await peers.startHere(url);
  const took = performance.now() - begun;
  await bot.stop();
  return took;
}

async function measure(name: string, empty: string, full: string) {
  await fill(full);
  // The first start with them plans their jobs.
  for (const url of [empty, full]) await startMs(url);
  const starts = { empty: [] as number[], full: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    starts.empty.push(await startMs(empty));
    starts.full.push(await startMs(full));
  }
  const bot = await peers.startHere(full);
  await peers.slack.openHome(PERSON);
  const turns: number[] = [];
  for (let n = 0; n < OPENED; n += 1) turns.push(await longestTurnMs(() => peers.slack.openHome(PERSON)));
  await bot.stop();
  return {
    name,
    'start with none, ms': spread(starts.empty, 0),
    [`start with ${COUNT}, ms`]: spread(starts.full, 0),
    'more, ms': Math.round(median(starts.full) - median(starts.empty)),
    'Home, longest turn, ms': spread(turns),
    turn: median(turns),
  };
}

const folder = mkdtempSync(join(tmpdir(), 'wafbot-bench-'));
const rows = [await measure('SQLite', `sqlite:${join(folder, 'empty.db')}`, `sqlite:${join(folder, 'full.db')}`)];
if (redisAvailable && !isQuick) {
  const [empty, full] = [await startRedis(), await startRedis()];
  rows.push(await measure('Redis', empty.url, full.url));
  await empty.stop();
  await full.stop();
}
rmSync(folder, { recursive: true, force: true });
console.log(`${COUNT} digests stored, ${OWN} owned by the person who opens the Home tab; p50 / p95; ${machineLoad()}`);
console.table(rows.map(({ turn: _, ...row }) => row));
for (const { name, turn } of rows) target(`Home tab on ${name}, longest turn of the event loop`, turn, 20, 'ms');
await peers.stop();
process.exit();
