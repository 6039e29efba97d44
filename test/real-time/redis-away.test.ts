/** Redis stopped or frozen while people ask: every request is acknowledged in time and answered with a sentence. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { startWorldOn, textOf, type World } from '../support/world.ts';

describe.skipIf(!redisAvailable)(`while Redis is away${redisNote}`, () => {
  let redis: RedisServer;
  let world: World<Clock>;
  beforeEach(async () => {
    redis = await startRedis();
    // Real time: the wait for a frozen Redis is measured against Slack's three seconds.
    world = await startWorldOn(systemClock, { environment: { WAFBOT_STORE: redis.url } });
  });
  afterEach(async () => {
    redis.thaw();
    await world.stop();
    await redis.stop();
  });

  const SENTENCE = /Can’t reach the storage/;

  it.each([
    ['stopped', () => redis.kill()],
    ['frozen', async () => redis.freeze()],
  ])('%s: a command, a mention and a repeated delivery are acknowledged and answered once each', async (_how, away) => {
    const { slack } = world;
    await away();
    slack.deliveryFaults.duplicateNext();
    expect(await slack.command({ text: 'timeline last 2h' })).toMatchObject({ acked: true });
    expect(await slack.mention({ text: 'timeline last 2h' })).toMatchObject({ acked: true });
    const told = () => [...slack.messages(), ...slack.ephemerals()].filter((message) => SENTENCE.test(textOf(message)));
    await slack.waitFor(() => told().length >= 2, { what: 'two answers' });
    redis.thaw();
    await world.bot.stop();
    expect(told()).toHaveLength(2);
  });
});
