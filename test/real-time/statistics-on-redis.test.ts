/** Two replicas of the whole bot on one Redis: what they ask the service together, and what is told while Redis is away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StatisticsService, startStatisticsService } from '../../playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from '../../playground/slack/index.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { type Bot, startBot } from '../../src/bot.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { eventually } from '../support/clock.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { configFor, nextAnswer, TUESDAY, textOf } from '../support/world.ts';

const PEOPLE = Array.from({ length: 50 }, (_, n) => ({ id: `U0PERSON${n}`, name: `p${n}`, realName: `Person ${n}` }));
/** Real timers, at a time of day that moves on by a millisecond with every look: the minute does not end meanwhile. */
let looks = 0;
const clock: Clock = {
  now() {
    looks += 1;
    return Temporal.Instant.from(TUESDAY).add({ milliseconds: 10_000 + (looks % 40_000) });
  },
  after: systemClock.after,
};

describe.skipIf(!redisAvailable)(`two replicas on one Redis${redisNote}`, () => {
  let redis: RedisServer;
  let slack: LocalSlack;
  let service: StatisticsService;
  let bots: Bot[] = [];
  const logged: string[] = [];

  beforeAll(async () => {
    redis = await startRedis();
    const nowMs = () => clock.now().epochMilliseconds;
    const workspace = { ...WORKSPACE, users: [...WORKSPACE.users, ...PEOPLE] };
    slack = await startLocalSlack({ mode: 'socket', now: nowMs, workspace });
    service = await startStatisticsService({ now: nowMs });
    const config = configFor(slack, service, 'socket', { WAFBOT_STORE: redis.url, WAFBOT_CHARTS: 'none' });
    const log = createLogger('debug', [], { write: (line: string) => void logged.push(line) });
    bots = await Promise.all([startBot(config, log, { clock }), startBot(config, log, { clock })]);
  });
  afterAll(async () => {
    await Promise.all(bots.map((bot) => bot.stop()));
    await slack.stop();
    await service.close();
    await redis.stop();
  });

  it('ask the service once for 50 people who ask the same at once, with one token', async () => {
    await Promise.all(PEOPLE.map(({ id }) => slack.command({ user: id, text: 'timeline last 24h privately' })));
    for (const _ of PEOPLE)
      expect((await nextAnswer(slack)).text).toMatch(/^[\d.,]+( [kM])? requests · [\d,]+ attacks/);
    // The window, the one that it is compared with, and those that episodes are found in: each once.
    const windows = service.calls('timeline').map(({ search }) => `${search.get('from')}-${search.get('to')}`);
    expect(windows).toHaveLength(10);
    expect(new Set(windows).size).toBe(10);
    expect(service.calls('token')).toHaveLength(1);
  });

  it('tell a storage that is away as that, and not as a service that does not answer', async () => {
    await redis.kill();
    await eventually(() => logged.some((line) => line.includes('Redis unreachable')), 'the loss of Redis');
    await slack.command({ text: 'timeline last 24h' });
    const message = await nextAnswer(slack);
    expect(message.text).toMatch(/^I can['’]t use my storage: Can['’]t reach the storage/);
    expect(textOf(message)).not.toMatch(/statistics service/i);
    await redis.revive();
    await eventually(() => logged.some((line) => line.includes('Redis connected')), 'the return of Redis');
  });
});
