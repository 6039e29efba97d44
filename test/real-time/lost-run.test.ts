import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openScheduler, reconcilePeriodically } from '../../src/scheduler/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import { createFakeOutbox } from '../support/channel.ts';
import { eventually } from '../support/clock.ts';
import { createRecordingLog } from '../support/log.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';

describe.skipIf(!redisAvailable)(`a digest on Redis${redisNote}`, () => {
  it('whose run was taken and lost comes by itself, once, long before its next due time', async () => {
    const redis = await startRedis();
    const log = createRecordingLog();
    const slack = createFakeOutbox<string>(systemClock.now);
    const store = await openStore(redis.url, { log, now: systemClock.now });
    const scheduler = await openScheduler<Recurrence, SubscriptionRef>(redis.url, {
      store,
      clock: systemClock,
      repeatStrategy,
      log,
    });
    const { service, runner } = createDigestDelivery<string>({
      records: store,
      leases: store.locks,
      scheduler,
      outbox: slack.outbox,
      rateLimiter: createPostRateLimiter({ clock: systemClock }),
      clock: systemClock,
      log,
      owner: 'one',
      compose: async () => ({ message: 'digest', tail: null }),
      apologise: () => 'sorry',
      notifyOwner: async () => undefined,
    });
    let taken = 0;
    await scheduler.start(async (job, context) => {
      taken += 1;
      return taken === 1 ? 'done' : runner.run(job.payload, context);
    });
    const stop = reconcilePeriodically({
      scheduler,
      jobs: () => service.jobs(),
      takeTurn: async () => true,
      clock: systemClock,
      log,
      everyMs: 100,
    });
    // The second multiple of this is a moment away, the third decades.
    const everyMs = Math.ceil((Date.now() + 1_000) / 2);
    const wanted = { channel: 'C1', owner: 'U1', zone: 'UTC', hosts: [], timing: { everyMs } };
    const digest = await service.create(wanted);
    await eventually(async () => (await service.history(digest)).length > 0, 'the digest');
    stop();
    await scheduler.stop();
    expect(slack.posted).toHaveLength(1);
    expect(taken).toBeGreaterThan(1);
    await store.close();
    await redis.stop();
  });
});
