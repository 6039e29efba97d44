import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createPostRateLimiter } from '../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createRecordingLog } from '../support/log.ts';
import { redisAvailable, redisNote, startRedis } from '../support/redis.ts';

const BETWEEN_MS = 40;
const PER_CHANNEL_MS = 300;

describe.skipIf(!redisAvailable)(`replicas on one Redis${redisNote}`, () => {
  it('post at one pace together, whichever of them posts', async () => {
    const redis = await startRedis();
    const stores = await Promise.all(Array.from({ length: 3 }, () => open(redis.url)));
    const startMs = performance.now();
    const posted = await Promise.all(
      stores.flatMap((store) => postBy(store, ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g'])),
    );
    const lastMs = Math.max(...posted.map(({ atMs }) => atMs)) - startMs;
    const inOne = posted.filter(({ channel }) => channel === 'a');
    // Each by itself would be done in a third of this time.
    expect(lastMs).toBeGreaterThan((posted.length - 1) * BETWEEN_MS);
    expect(Math.max(...inOne.map(({ atMs }) => atMs)) - startMs).toBeGreaterThan((inOne.length - 1) * PER_CHANNEL_MS);
    await Promise.all(stores.map((store) => store.close()));
    await redis.stop();
  });

  it('rest together when Slack asks one of them to, and keep their own pace while Redis is away', async () => {
    const redis = await startRedis();
    const [one, two] = await Promise.all([open(redis.url), open(redis.url)]);
    const limiter = limiterOn(one);
    await limiter.slot('a');
    limiter.hold(500);
    const heldAtMs = performance.now();
    // On the same connection: when it is answered, Redis knows of the rest.
    await one.ping();
    await limiterOn(two).slot('b');
    expect(performance.now() - heldAtMs).toBeGreaterThan(480);

    await redis.kill();
    const alone = await Promise.all(postBy(two, ['a', 'b', 'c']));
    expect(alone).toHaveLength(3);
    await Promise.all([one.close(), two.close()]);
    await redis.stop();
  });
});

const open = (url: string): Promise<Store> => openStore(url, { log: createRecordingLog(), now: systemClock.now });

const limiterOn = ({ turns }: Store) =>
  createPostRateLimiter({ clock: systemClock, shared: turns, betweenMs: BETWEEN_MS, perChannelMs: PER_CHANNEL_MS });

function postBy(store: Store, channels: readonly string[]): Promise<{ channel: string; atMs: number }>[] {
  const limiter = limiterOn(store);
  return channels.map(async (channel) => {
    await limiter.slot(channel);
    return { channel, atMs: performance.now() };
  });
}
