import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createRedisEngine } from '../../src/store/engine/redis.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';
import { type Steps, stepTable } from '../support/timetables.ts';
import { engineContract } from './engine.contract.ts';

// Real processes and files on a busy machine: a limit for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

describe.skipIf(!redisAvailable)(`the Redis engine${redisNote}`, () => {
  let redis: RedisServer;
  let database = 0;
  beforeAll(async () => {
    redis = await startRedis(['--appendonly', 'no', '--databases', '64']);
  });
  afterAll(() => redis.stop());

  // BullMQ lives by the machine's clock, so this subject's time is real and its steps are short.
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  engineContract({
    stepMs: 600,
    clock: systemClock,
    open({ fresh, concurrency = 50 }) {
      if (fresh) database += 1;
      return createRedisEngine<Steps, string>({
        url: `${redis.url}/${database}`,
        clock: systemClock,
        timetable: stepTable,
        log: createRecordingLog(),
        concurrency,
      });
    },
    async passUntil(holds) {
      for (let turn = 0; turn < 400 && !holds(); turn += 1) await wait(10);
    },
    pass: wait,
  });
});

describe.skipIf(!redisAvailable)(`the Redis engine in trouble${redisNote}`, () => {
  const open = (redis: RedisServer, log = createRecordingLog(), stopLimitMs = 10_000) =>
    createRedisEngine<Steps, string>({
      url: redis.url,
      clock: systemClock,
      timetable: stepTable,
      log,
      lockMs: 1_000,
      stallCheckMs: 300,
      stopLimitMs,
    });
  const steps = (everyMs: number): Steps => ({ startMs: Date.now(), everyMs });

  it('goes on when Redis was killed and is back', async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const engine = await open(redis);
    const ran: string[] = [];
    await engine.start(async (job) => {
      ran.push(job.id);
      return 'done';
    });
    await engine.put({ id: 'a', timing: steps(500), payload: '' });
    await expect.poll(() => ran.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
    await redis.kill();
    await redis.revive();
    const before = ran.length;
    await expect.poll(() => ran.length, { timeout: 30_000 }).toBeGreaterThan(before + 1);
    await engine.stop();
    await redis.stop();
  });

  it('refuses at once while Redis is away, and still stops', async () => {
    const redis = await startRedis();
    const log = createRecordingLog();
    const engine = await open(redis, log);
    await engine.start(async () => 'done');
    await redis.kill();
    await expect.poll(() => log.lines.length, { timeout: 20_000 }).toBeGreaterThan(0);
    const away = { code: 'upstream_unavailable' };
    await expect(engine.put({ id: 'a', timing: steps(500), payload: '' })).rejects.toMatchObject(away);
    await expect(engine.nextRunAt('a')).rejects.toMatchObject(away);
    await engine.stop();
    expect(JSON.stringify(log.lines)).not.toContain(String(redis.port));
    await redis.stop();
  });

  it('stops soon when Redis neither answers nor goes away', async () => {
    const redis = await startRedis();
    const engine = await open(redis, createRecordingLog(), 200);
    await engine.start(async () => 'done');
    redis.freeze();
    await engine.stop();
    await redis.stop();
  });
});
