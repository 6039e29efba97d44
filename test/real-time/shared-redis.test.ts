/** A Redis that others fill too: what the bot asks of it must not grow with what is theirs. */
import { createClient } from '@keyv/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { createManualClock } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { nextAnswer, startWorld, textOf, type World } from '../support/world.ts';

const FOREIGN_KEYS = 20_000;
const ID = '3ac26c59e15a4a11bb680a103a29ddb6';

describe.skipIf(!redisAvailable)(`a Redis with the keys of others${redisNote}`, () => {
  let redis: RedisServer;
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    redis = await startRedis();
    client = createClient({ url: redis.url });
    await client.connect();
    await client.mSet(Array.from({ length: FOREIGN_KEYS }, (_, n): [string, string] => [`other:${n}`, 'x']));
  });
  afterAll(async () => {
    await client.close();
    await redis.stop();
  });

  async function scans(): Promise<number> {
    return Number(/cmdstat_scan:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0);
  }

  describe('under a bot', () => {
    let world: World;
    beforeAll(async () => {
      // As the version before has written it: a name for a host that is in no index.
      await client.set('wafbot:hosts::blog', JSON.stringify({ value: { name: 'blog', id: ID, addedBy: 'U1' } }));
      world = await startWorld({ environment: { WAFBOT_STORE: redis.url, WAFBOT_CHARTS: 'none' } });
    });
    afterAll(() => world.stop());

    async function answerTo(text: string): Promise<string> {
      await world.slack.command({ text });
      return textOf(await nextAnswer(world.slack));
    }

    it('knows the hosts that were named before, and those named since', async () => {
      expect(await answerTo('timeline last 2h on blog')).toContain('on blog');
      expect(await answerTo(`hosts add shop ${ID.replace('3', '4')}`)).toContain('Host added');
      expect(await answerTo('hosts')).toMatch(/blog.*shop/s);
    });

    it('answers a question and shows the Home tab without scanning', async () => {
      const before = await scans();
      expect(await answerTo('timeline last 2h on blog')).toContain('on blog');
      await world.slack.openHome();
      await world.slack.waitFor(() => world.slack.home(), { what: 'the Home tab' });
      expect(await scans()).toBe(before);
    });
  });

  it('lists what other replicas write, remove and let expire', async () => {
    const open = () => openStore(`${redis.url}/1`, { log: createRecordingLog(), now: createManualClock().now });
    const [one, two] = await Promise.all([open(), open()]);
    const listed = async () => (await Array.fromAsync(one.list('settings'))).map(([key]) => key).sort();
    expect(await listed()).toEqual([]);
    await two.space('settings').set('a', 1);
    await two.space('settings').set('b', 2, 1);
    await two.update('settings', 'c', () => 3);
    await two.update('settings', 'd', () => 4);
    await two.update('settings', 'd', () => undefined);
    await two.space('settings').set('e', 5);
    await two.space('settings').delete('e');
    await expect.poll(listed).toEqual(['a', 'c']);
    // A key that was gone when it was listed is there again once it is written.
    await two.space('settings').set('e', 6);
    await one.update('settings', 'd', () => 7);
    expect(await listed()).toEqual(['a', 'c', 'd', 'e']);
    await Promise.all([one.close(), two.close()]);
  });
});
