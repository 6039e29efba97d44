/** A store that is emptied, replaced or full while the bot runs: it goes not ready, says so, and recreates nothing. */
import { copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@keyv/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, type ManualClock } from '../support/clock.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { startScheduledWorld, textOf, type World } from '../support/world.ts';

const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';

const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear();
});

async function worldOn(store: string): Promise<World<ManualClock>> {
  const world = await startScheduledWorld({
    keepsUpOften: true,
    environment: { WAFBOT_STORE: store, WAFBOT_CHARTS: 'none' },
  });
  leftovers.push(() => world.stop());
  for (const [user, text] of [
    [MAYA, 'digest daily at 09:00'],
    [DIEGO, 'watch attacks over 500 per 15m'],
  ] as const) {
    await world.slack.command({ text, user });
    await world.slack.nextMessage();
  }
  return world;
}

async function readiness({ bot }: World<ManualClock>): Promise<readonly [number, unknown]> {
  const response = await fetch(`http://127.0.0.1:${bot.port}/readyz`);
  return [response.status, await response.json()];
}

const directMessages = ({ slack }: World<ManualClock>): string[] =>
  slack
    .channels()
    .filter(({ id }) => id.startsWith('D'))
    .flatMap(({ id }) => slack.messages(id).map(textOf))
    .filter((text) => text.includes('digests and watches are gone'));

async function expectLossNoticed(world: World<ManualClock>): Promise<void> {
  await world.clock.advance(60_000);
  await eventually(() => directMessages(world).length === 2, 'a message to each owner');
  expect(await readiness(world)).toEqual([503, { ready: false, store: 'lost', slack: 'ok' }]);
  expect(world.logged.filter((line) => line.includes('STORAGE WAS EMPTIED'))).toHaveLength(1);
  await world.clock.advance(60_000);
  expect(directMessages(world)).toHaveLength(2);
}

describe.skipIf(!redisAvailable)(`a Redis${redisNote}`, () => {
  async function onRedis() {
    const redis = await startRedis();
    leftovers.push(() => redis.stop());
    const client = createClient({ url: redis.url });
    await client.connect();
    leftovers.push(() => client.close());
    return { world: await worldOn(redis.url), client };
  }

  it('that is emptied: not ready within a minute, owners are told once, and nothing is created anew', async () => {
    const { world, client } = await onRedis();
    expect((await readiness(world))[0]).toBe(200);
    await client.flushAll();
    await expectLossNoticed(world);
    const keys = await client.keys('*');
    expect(keys.filter((key) => /wafbot:(digests|watches|store|ledgers|settings)::/.test(key))).toEqual([]);
  });

  it('that is emptied while Slack fails: owners are told once Slack works again', async () => {
    const { world, client } = await onRedis();
    const fault = { kind: 'error', error: 'fatal_error' } as const;
    world.slack.faults.inject('conversations.open', fault, { times: Number.POSITIVE_INFINITY });
    await client.flushAll();
    await world.clock.advance(60_000);
    await eventually(() => world.logged.some((line) => line.includes('could not notify an owner')), 'a failed notice');
    world.slack.faults.clear();
    await eventually(async () => {
      await world.clock.advance(20_000);
      return directMessages(world).length === 2;
    }, 'a message to each owner');
  });

  it('that is full: readyz says so until there is room', async () => {
    const { world, client } = await onRedis();
    await client.configSet('maxmemory', '1mb');
    expect(await readiness(world)).toEqual([503, { ready: false, store: 'full', slack: 'ok' }]);
    await client.configSet('maxmemory', '0');
    expect((await readiness(world))[0]).toBe(200);
  });
});

describe('a SQLite file', () => {
  it.each([
    ['is deleted', (file: string) => rmSync(file)],
    ['is replaced', (file: string) => [copyFileSync(file, `${file}.copy`), renameSync(`${file}.copy`, file)]],
    ['is emptied', (file: string) => truncateSync(file)],
  ] as const)('that %s: not ready within a minute, and owners are told once', async (_, lose) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-lost-'));
    leftovers.push(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'bot.db');
    const world = await worldOn(`sqlite:${file}`);
    expect((await readiness(world))[0]).toBe(200);
    lose(file);
    await expectLossNoticed(world);
  });
});
