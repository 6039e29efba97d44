import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@keyv/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createBullmqScheduler } from '../../src/scheduler/bullmq.ts';
import { schedulerContract } from '../contract/scheduler.contract.ts';
import { eventually } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';
import { type Steps, stepTable } from '../support/recurrences.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

describe.skipIf(!redisAvailable)(`the Redis scheduler${redisNote}`, () => {
  let redis: RedisServer;
  let database = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  // BullMQ lives by the machine's clock, so this subject's time is real and its steps are short.
  schedulerContract({
    stepMs: 600,
    clock: systemClock,
    open({ fresh, concurrency = 50 }) {
      if (fresh) database += 1;
      return createBullmqScheduler<Steps, string>({
        url: `${redis.url}/${database}`,
        clock: systemClock,
        repeatStrategy: stepTable,
        log: createRecordingLog(),
        concurrency,
      });
    },
    passUntil: (holds) => eventually(holds, 'a run'),
    pass: (ms) => delay(ms),
  });
});

describe.skipIf(!redisAvailable)(`the Redis scheduler in trouble${redisNote}`, () => {
  const open = (redis: RedisServer, log = createRecordingLog(), stopLimitMs = 10_000) =>
    createBullmqScheduler<Steps, string>({
      url: redis.url,
      clock: systemClock,
      repeatStrategy: stepTable,
      log,
      lockMs: 1_000,
      stallCheckMs: 300,
      stopLimitMs,
    });
  const steps = (everyMs: number): Steps => ({ startMs: Date.now(), everyMs });

  it('goes on when Redis was killed and is back', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const scheduler = await open(redis);
    const ran: string[] = [];
    await scheduler.start(async (job) => {
      ran.push(job.id);
      return 'done';
    });
    await scheduler.put({ id: 'a', timing: steps(500), payload: '' });
    await expect.poll(() => ran.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
    await redis.kill();
    await redis.revive();
    const before = ran.length;
    await expect.poll(() => ran.length, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    await scheduler.stop();
    await redis.stop();
  });

  it('keeps a run that is being put off when the connection breaks', async () => {
    const redis = await startRedis();
    const proxy = await startTcpProxy(redis.port);
    const log = createRecordingLog();
    const scheduler = await open({ ...redis, url: `redis://127.0.0.1:${proxy.port}` }, log);
    const attempts: number[] = [];
    await scheduler.start(async ({ id }, { attempt }) => {
      attempts.push(attempt);
      if (attempts.length > 1) return 'done';
      proxy.breakAt(`:${id}:`);
      return { retryAfterMs: 100 };
    });
    // The next due time is too far away to stand in for this one.
    const dueMs = Date.now() + 500;
    await scheduler.put({ id: 'a', timing: { startMs: dueMs - 3_600_000, everyMs: 3_600_000 }, payload: '' });
    await eventually(() => attempts.length > 1, 'the run to come back');
    expect(proxy.broken()).toBe(1);
    await scheduler.stop();
    await proxy.close();
    await redis.stop();
  });

  it('lets go of a late run whose due time it cannot compute, and goes on with the others', async () => {
    const redis = await startRedis();
    const first = await open(redis);
    const dueMs = Date.now() + 300;
    const soon = { startMs: dueMs - 3_600_000, everyMs: 3_600_000 };
    await first.put({ id: 'stranger', timing: { ...soon, everyMs: 3_600_001 }, payload: '' });
    await first.put({ id: 'known', timing: soon, payload: '' });
    await first.stop();
    await eventually(() => Date.now() > dueMs + 10, 'the due time');
    // Another version, or a machine without some time zone, cannot compute what the first could.
    const refuse =
      <R>(compute: (timing: Steps, at: Temporal.Instant) => R) =>
      (timing: Steps, at: Temporal.Instant) => {
        if (timing.everyMs === 3_600_001) throw new RangeError('a zone that is not known here');
        return compute(timing, at);
      };
    const { next, latest, previous } = stepTable;
    const log = createRecordingLog();
    const second = await createBullmqScheduler<Steps, string>({
      url: redis.url,
      clock: systemClock,
      repeatStrategy: { next: refuse(next), latest: refuse(latest), previous: refuse(previous) },
      log,
      lockMs: 1_000,
      stallCheckMs: 300,
    });
    const ran: string[] = [];
    await second.start(async ({ id }) => {
      ran.push(id);
      return 'done';
    });
    const client = createClient({ url: redis.url });
    await client.connect();
    const isLeft = async () => (await client.keys('wafbot-engine:jobs:repeat:stranger:*')).length > 0;
    await eventually(async () => ran.length > 0 && !(await isLeft()), 'the run to be let go');
    expect(ran).toEqual(['known']);
    expect(log.lines.map(({ message }) => message)).toContain('could not compute the due time of a job');
    client.destroy();
    await second.stop();
    await redis.stop();
  });

  it('refuses at once while Redis is away, and still stops', async () => {
    const redis = await startRedis();
    const log = createRecordingLog();
    const scheduler = await open(redis, log);
    await scheduler.start(async () => 'done');
    await redis.kill();
    await expect.poll(() => log.lines.length, { timeout: 20_000 }).toBeGreaterThan(0);
    const away = { code: 'storage' };
    await expect(scheduler.put({ id: 'a', timing: steps(500), payload: '' })).rejects.toMatchObject(away);
    await expect(scheduler.nextRunAt('a')).rejects.toMatchObject(away);
    await scheduler.stop();
    expect(JSON.stringify(log.lines)).not.toContain(String(redis.port));
    await redis.stop();
  });

  it('stops soon when Redis neither answers nor goes away', async () => {
    const redis = await startRedis();
    const scheduler = await open(redis, createRecordingLog(), 200);
    await scheduler.start(async () => 'done');
    redis.freeze();
    await scheduler.stop();
    await redis.stop();
  });
});
