/** Redis full, slow, and replaced by its replica, while people ask: nothing that was confirmed is lost. */
import { createClient } from '@keyv/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { eventually } from '../support/clock.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { nextAnswer, REQUESTS, startWorldOn, textOf } from '../support/world.ts';

const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear();
});

async function launchRedis(...args: readonly string[]): Promise<RedisServer> {
  const redis = await startRedis(['--appendonly', 'no', ...args]);
  leftovers.push(() => redis.stop());
  return redis;
}

/** What somebody with `redis-cli` would type. */
async function tell({ url }: RedisServer, ...command: string[]): Promise<string> {
  const client = createClient({ url });
  await client.connect();
  try {
    return String(await client.sendCommand(command));
  } finally {
    await client.close();
  }
}

async function startBotOn(url: string) {
  const world = await startWorldOn(systemClock, { environment: { WAFBOT_STORE: url } });
  leftovers.push(() => world.stop());
  const { slack } = world;
  const ask = async (text: string): Promise<string> => {
    expect(await slack.command({ text })).toMatchObject({ acked: true });
    return textOf(await nextAnswer(slack));
  };
  return { ...world, ask };
}

describe.skipIf(!redisAvailable)(`Redis in trouble under a running bot${redisNote}`, () => {
  it('full: what cannot be saved is refused with a sentence, the rest goes on, and room puts it right', async () => {
    const redis = await launchRedis('--maxmemory-policy', 'noeviction');
    const { ask } = await startBotOn(redis.url);
    expect(await ask('digest daily at 09:00')).toMatch(/^Digest scheduled/);
    await tell(redis, 'CONFIG', 'SET', 'maxmemory', '1mb');
    expect(await ask('digest daily at 10:00')).toMatch(/The storage is full, so nothing can be saved\./);
    expect(await ask('timeline last 2h')).toMatch(REQUESTS);
    const listed = await ask('digest list');
    expect(listed).toContain('09:00');
    expect(listed).not.toContain('10:00');
    await tell(redis, 'CONFIG', 'SET', 'maxmemory', '0');
    expect(await ask('digest daily at 11:00')).toMatch(/^Digest scheduled/);
    expect(await ask('digest list')).toMatch(/09:00[\s\S]*11:00/);
  });

  it('slow: commands are acknowledged at once and answered once, and what is saved is there', async () => {
    const redis = await launchRedis();
    const proxy = await startTcpProxy(redis.port);
    leftovers.push(() => proxy.close());
    const { ask, slack } = await startBotOn(`redis://127.0.0.1:${proxy.port}`);
    proxy.slowDown(150);
    expect(await ask('digest daily at 09:00')).toMatch(/^Digest scheduled/);
    expect(await slack.command({ text: 'timeline last 2h' })).toMatchObject({ acked: true });
    const answers = () => slack.messages().filter((message) => REQUESTS.test(textOf(message)));
    // Perhaps after a notice that it is being worked on, which becomes the answer.
    await eventually(() => answers().length > 0, 'the answer');
    expect(await slack.command({ text: 'digest list' })).toMatchObject({ acked: true });
    // *Digest scheduled* names the time too.
    await eventually(
      () => slack.messages().filter((message) => textOf(message).includes('09:00')).length === 2,
      'the list',
    );
    expect(answers()).toHaveLength(1);
    expect(slack.messages().filter((message) => textOf(message).startsWith('Digest scheduled'))).toHaveLength(1);
  });

  it('failing over to its replica on the same address: found again by itself, with all that was confirmed', async () => {
    const first = await launchRedis();
    const second = await launchRedis('--replicaof', `127.0.0.1 ${first.port}`);
    await eventually(
      async () => (await tell(second, 'INFO', 'replication')).includes('master_link_status:up'),
      'the link',
    );
    const proxy = await startTcpProxy(first.port);
    leftovers.push(() => proxy.close());
    const { ask, slack } = await startBotOn(`redis://127.0.0.1:${proxy.port}`);
    expect(await ask('digest daily at 09:00')).toMatch(/^Digest scheduled/);
    await tell(first, 'WAIT', '1', '0');
    await first.kill();
    await tell(second, 'REPLICAOF', 'NO', 'ONE');
    proxy.moveTo(second.port);
    let listed = '';
    await eventually(async () => {
      listed = await ask('digest list');
      return !listed.includes('Can’t reach the storage');
    }, 'an answer from the store');
    expect(listed).toContain('09:00');
    expect(await ask('digest daily at 10:00')).toMatch(/^Digest scheduled/);
    expect(await ask('digest list')).toMatch(/09:00[\s\S]*10:00/);
    expect(slack.messages().filter((message) => textOf(message).startsWith('Digest scheduled'))).toHaveLength(2);
  });
});
