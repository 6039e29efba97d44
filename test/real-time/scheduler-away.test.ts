/** Redis answers for the store and not for the scheduler: what people make is made, once, and comes. */
import { createClient } from '@keyv/redis';
import { afterEach, expect, it } from 'vitest';
import { RECONCILE_EVERY_MS } from '../../src/scheduler/reconcile-periodically.ts';
import { eventually } from '../support/clock.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { nextAnswer, startWorld, textOf, type World } from '../support/world.ts';

let redis: RedisServer;
let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  await redis.stop();
});

async function rule(...acl: string[]): Promise<void> {
  const admin = createClient({ url: redis.url });
  await admin.connect();
  await admin.sendCommand(['ACL', 'SETUSER', 'default', ...acl]);
  admin.destroy();
}

it.skipIf(!redisAvailable)(
  `a digest made while the scheduler fails is there once, also when it is asked for again, and is scheduled later${redisNote}`,
  async () => {
    redis = await startRedis();
    world = await startWorld({ environment: { WAFBOT_STORE: redis.url } });
    const { slack } = world;
    const ask = async (text: string): Promise<string> => {
      await slack.command({ text });
      return textOf(await nextAnswer(slack));
    };
    await rule('resetkeys', '~wafbot:*');
    expect(await ask('digest daily at 09:00')).toContain('Digest scheduled');
    expect(await ask('digest daily at 09:00')).toContain('Digest scheduled');
    expect(await ask('digests')).toContain('digest in this channel');

    await rule('allkeys');
    const scheduled = createClient({ url: redis.url });
    await scheduled.connect();
    const jobs = () => scheduled.sendCommand(['ZRANGE', 'wafbot-engine:jobs:repeat', '0', '-1']);
    world.clock.end(RECONCILE_EVERY_MS);
    await eventually(async () => Array.isArray(await jobs()) && String(await jobs()).startsWith('digest/'), 'the job');
    expect(await jobs()).toHaveLength(1);
    scheduled.destroy();
  },
);
