import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { BotError } from '../../src/errors.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createSharedAnswers } from '../../src/waf/cache/shared-answers.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';

// Real processes and files on a busy machine: a limit for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 });

let opened: Store[] = [];
afterEach(async () => {
  await Promise.all(opened.map((store) => store.close()));
  opened = [];
});

async function answersOn(url: string, owner: string) {
  const store = await openStore(url, { log: createRecordingLog(), now: systemClock.now });
  opened.push(store);
  return createSharedAnswers({ store, clock: systemClock, owner, space: 'cache-answers' });
}

describe('in one process', () => {
  it('asks once for all who need the same, and again for another question', async () => {
    const answers = await answersOn('memory:', 'me');
    const asked: string[] = [];
    const get = (key: string) =>
      answers.get(key, 60_000, async () => {
        asked.push(key);
        await new Promise((resolve) => setImmediate(resolve));
        return { key };
      });
    const got = await Promise.all(Array.from({ length: 100 }, (_, n) => get(`q${n % 2}`)));
    expect(asked.sort()).toEqual(['q0', 'q1']);
    expect(got[1]).toEqual({ key: 'q1' });
    await get('q0');
    expect(asked).toHaveLength(2);
  });

  it('passes a failure on to all who waited, and does not keep a bug', async () => {
    const answers = await answersOn('memory:', 'me');
    let asked = 0;
    const failing = () =>
      answers.get('q', 60_000, async () => {
        asked += 1;
        throw new BotError('upstream_unavailable', 'The service is down.');
      });
    const results = await Promise.allSettled([failing(), failing()]);
    results.push(...(await Promise.allSettled([failing()])));
    expect(results.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(
      Array(3).fill('upstream_unavailable'),
    );
    expect(asked).toBe(1);
    const bug = () => answers.get('bug', 60_000, () => Promise.reject(new TypeError('x')));
    await expect(bug()).rejects.toThrow(TypeError);
    expect(await answers.get('bug', 60_000, async () => 1)).toBe(1);
  });
});

describe.skipIf(!redisAvailable)(`between replicas${redisNote}`, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('asks once for both', async () => {
    const replicas = await Promise.all([answersOn(redis.url, 'one'), answersOn(redis.url, 'two')]);
    const asked: string[] = [];
    const get = (n: number) => {
      const key = `q${Math.floor(n / 2) % 10}`;
      return replicas[n % 2]?.get(key, 60_000, async () => {
        asked.push(key);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return key;
      });
    };
    const got = await Promise.all(Array.from({ length: 200 }, (_, n) => get(n)));
    expect(asked).toHaveLength(10);
    expect(new Set(asked).size).toBe(10);
    expect(got.every((key, n) => key === `q${Math.floor(n / 2) % 10}`)).toBe(true);
  });
});
