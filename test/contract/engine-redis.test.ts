import { afterAll, beforeAll, describe, vi } from 'vitest';
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
