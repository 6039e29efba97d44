/** The program as a process on a Redis that is away, frozen, or says no when it starts. */
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/clock.ts';
import { casesOf } from '../support/counts.ts';
import { cleanUpAfterEach, healthUrl, later, runBot, startStandIns } from '../support/process-stage.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { nextAnswer } from '../support/world.ts';

cleanUpAfterEach();

async function launchRedis(...args: readonly string[]): Promise<RedisServer> {
  const redis = await startRedis(['--appendonly', 'no', ...args]);
  later(() => redis.stop());
  return redis;
}

const AWAY: readonly [string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown][] = [
  ['away', (redis) => redis.kill(), (redis) => redis.revive()],
  ['frozen', (redis) => redis.freeze(), (redis) => redis.thaw()],
];

describe.skipIf(!redisAvailable)(`a start on Redis${redisNote}`, () => {
  it.each(AWAY)('that is %s: alive, not ready, and at work as soon as it is back', async (_, leave, comeBack) => {
    const redis = await launchRedis();
    const { slack, environment } = await startStandIns('socket');
    await leave(redis);
    const bot = runBot({ ...environment, WAFBOT_STORE: redis.url });
    const url = await healthUrl(bot);
    await bot.printed(/Redis unreachable, reconnecting/);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false, store: 'failed', slack: 'failed' }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await comeBack(redis);
    await bot.printed(/wafbot is ready/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await slack.command({ text: 'digest list' });
    expect((await nextAnswer(slack)).text).toMatch(/^Digests/);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
    expect(bot.output.out + bot.output.err).not.toContain(String(redis.port));
  });

  const MIDWAY = [
    [14, 'killed', AWAY[0]],
    [18, 'frozen', AWAY[1]],
    [24, 'killed', AWAY[0]],
  ] as const;
  it.each(casesOf(MIDWAY, ([at]) => at === 18))(
    'that goes away midway, at command %i, %s: waits for it',
    async (count, _, away) => {
      const redis = await launchRedis('--appendonly', 'yes');
      const proxy = await startTcpProxy(redis.port);
      later(() => proxy.close());
      const [, leave, comeBack] = away ?? [];
      const struck = Promise.withResolvers<void>();
      proxy.strikeAt(count, async () => {
        await leave?.(redis);
        struck.resolve();
      });
      const { environment } = await startStandIns('socket');
      const bot = runBot({ ...environment, WAFBOT_STORE: `redis://127.0.0.1:${proxy.port}`, WAFBOT_CHARTS: 'none' });
      await struck.promise;
      await bot.printed(/Redis unreachable|went away during the start/);
      expect(bot.output.out).not.toContain('wafbot is ready');
      await comeBack?.(redis);
      await bot.printed(/wafbot is ready/);
      bot.signal('SIGTERM');
      expect(await bot.ended).toBe(0);
    },
  );

  // More than the limit of a command. Half a minute passes until the start has given up.
  it.each(casesOf([2_100], () => false))('that takes %i ms for each response: waits until it is faster', async (ms) => {
    const redis = await launchRedis();
    const proxy = await startTcpProxy(redis.port);
    later(() => proxy.close());
    proxy.slowDown(ms);
    const { environment } = await startStandIns('socket');
    const bot = runBot({ ...environment, WAFBOT_STORE: `redis://127.0.0.1:${proxy.port}`, WAFBOT_CHARTS: 'none' });
    await bot.printed(/Redis unreachable|went away during the start/);
    expect(bot.output.out).not.toContain('wafbot is ready');
    proxy.slowDown(0);
    await bot.printed(/wafbot is ready/);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  it('that is away: ends well when told to', async () => {
    const redis = await launchRedis();
    const { environment } = await startStandIns('socket');
    await redis.kill();
    const bot = runBot({ ...environment, WAFBOT_STORE: redis.url });
    await bot.printed(/Redis unreachable/);
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  it.each([
    ['refuses the password', (url: string) => url.replace('//', '//:wrong-one@'), 'Redis rejected the credentials.'],
    ['cannot be meant by its address', () => 'redis://[bad', 'Can’t read the storage address.'],
  ])('that %s: ends with the code of a wrong configuration', async (_, change, message) => {
    const redis = await launchRedis('--requirepass', 'right-one');
    const { environment } = await startStandIns('socket');
    const bot = runBot({ ...environment, WAFBOT_STORE: change(redis.url) });
    expect(await bot.ended).toBe(78);
    expect(bot.output.err).toContain(`wafbot cannot start. ${message}`);
    expect(bot.output.err).not.toMatch(/wrong-one|127\.0\.0\.1/);
  });

  it('that freezes later: a command is answered with a sentence, and works again once it is back', async () => {
    const redis = await launchRedis();
    const { slack, environment } = await startStandIns('socket');
    const bot = runBot({ ...environment, WAFBOT_STORE: redis.url });
    await bot.printed(/wafbot is ready/);
    redis.freeze();
    const asked = await slack.command({ text: 'digest list' });
    expect(asked).toMatchObject({ acked: true });
    expect((await nextAnswer(slack)).text).toContain('Can’t reach the storage right now.');
    redis.thaw();
    const asks = async (): Promise<boolean> => {
      await slack.command({ text: 'digest list' });
      return (await nextAnswer(slack)).text.startsWith('Digests');
    };
    await eventually(asks, 'the answer that needs the store');
    bot.signal('SIGTERM');
    expect(await bot.ended).toBe(0);
  });
});
