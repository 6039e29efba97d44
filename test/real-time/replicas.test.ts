import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StatisticsService, startStatisticsService } from '../../playground/service/server.ts';
import { systemClock } from '../../src/clock.ts';
import { openScheduler } from '../../src/scheduler/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createDigestDelivery } from '../../src/subscriptions/digest/create-digests.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import { jobIdOf, refOf, type SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import { createWafClient } from '../../src/waf/index.ts';
import { createFakeOutbox } from '../support/channel.ts';
import { count } from '../support/counts.ts';
import { createRecordingLog } from '../support/log.ts';
import { type RedisServer, redisAvailable, redisNote, startRedis } from '../support/redis.ts';

const DIGESTS = count(1_000, 300, 500);
const QUESTIONS = 10;
const LEAD_MS = 10 * DIGESTS;

describe.skipIf(!redisAvailable)(`two replicas on one Redis${redisNote}`, () => {
  let redis: RedisServer;
  let service: StatisticsService;
  beforeAll(async () => {
    redis = await startRedis();
    service = await startStatisticsService();
  });
  afterAll(async () => {
    await service.close();
    await redis.stop();
  });

  it('deliver hundreds of digests of one moment exactly once, and ask each question once', async () => {
    const slack = createFakeOutbox<string>(systemClock.now);
    const sentBy = new Map<string, number>();

    async function replica(owner: string) {
      const log = createRecordingLog();
      const store = await openStore(redis.url, { log, now: systemClock.now });
      const client = createWafClient({
        baseUrl: service.url,
        projectId: service.projectId,
        auth: { kind: 'aksk', ...service.key },
        tokens: store.space('cache-tokens'),
        answers: store.space('cache-answers'),
        locks: store.locks,
        now: Date.now,
        log,
      });
      const scheduler = await openScheduler<Recurrence, SubscriptionRef>(redis.url, {
        store,
        clock: systemClock,
        repeatStrategy,
        log,
      });
      const digests = createDigestDelivery<string>({
        records: store,
        leases: store.locks,
        scheduler,
        outbox: {
          ...slack.outbox,
          send: (channel, message, runId) => {
            sentBy.set(owner, (sentBy.get(owner) ?? 0) + 1);
            return slack.outbox.send(channel, message, runId);
          },
        },
        rateLimiter: createPostRateLimiter({ clock: systemClock, perChannelMs: 1, betweenMs: 0 }),
        clock: systemClock,
        log,
        owner,
        async compose({ hosts, zone }, { to }) {
          // An hour that is over, so that its numbers are final however long this takes.
          const range = { from: to.subtract({ hours: 2 }), to: to.subtract({ hours: 1 }) };
          const { points } = await client.timeline({ range, hosts, zone });
          return { message: `${points.length} points`, tail: null };
        },
        apologise: () => 'sorry',
        notifyOwner: async () => undefined,
      });
      return { store, client, scheduler, digests };
    }

    const replicas = [await replica('one'), await replica('two')] as const;
    const [{ digests, scheduler }] = replicas;
    const since = systemClock.now();
    // The second multiple of this is a few seconds away, the third decades.
    const everyMs = Math.floor((Date.now() + LEAD_MS) / 2);
    const made = await Promise.all(
      Array.from({ length: DIGESTS }, (_, n) =>
        digests.repository.create({
          channel: `C${Math.floor(n / 20)}-${n % 20}`,
          owner: 'U1',
          zone: 'UTC',
          hosts: [`host-${n % QUESTIONS}`],
          timing: { everyMs },
        }),
      ),
    );
    // On a busy machine the moment may come before the last one is put; since then it is late, and not lost.
    await Promise.all(
      made.map((subscription) =>
        scheduler.put({ id: jobIdOf(subscription), timing: { everyMs }, payload: refOf(subscription), since }),
      ),
    );
    await Promise.all(
      replicas.map((one) => one.scheduler.start((job, context) => one.digests.runner.run(job.payload, context))),
    );
    await expect.poll(() => slack.posted.length, { timeout: 60_000, interval: 50 }).toBeGreaterThanOrEqual(DIGESTS);
    // What would be sent twice is on its way by the time everything has been recorded.
    await Promise.all(replicas.map((one) => one.scheduler.stop()));
    const histories = await Promise.all(made.map((subscription) => digests.service.history(subscription)));
    await Promise.all(replicas.map((one) => one.client.close()));
    await Promise.all(replicas.map((one) => one.store.close()));

    expect(slack.posted).toHaveLength(DIGESTS);
    expect(new Set(slack.posted.map(({ runId }) => runId)).size).toBe(DIGESTS);
    expect(histories.every((runs) => runs.length === 1 && runs[0]?.outcome === 'sent')).toBe(true);
    expect(service.calls('timeline')).toHaveLength(QUESTIONS);
    expect(sentBy.get('one')).toBeGreaterThan(0);
    expect(sentBy.get('two')).toBeGreaterThan(0);
  }, 120_000);
});
