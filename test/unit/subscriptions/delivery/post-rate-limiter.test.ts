import { beforeEach, describe, expect, it } from 'vitest';
import {
  createPostRateLimiter,
  type PostRateLimiter,
} from '../../../../src/subscriptions/delivery/post-rate-limiter.ts';
import { createManualClock, type ManualClock } from '../../../support/clock.ts';

let clock: ManualClock;
let rateLimiter: PostRateLimiter;
let sent: Array<{ channel: string; ms: number }>;
let startMs: number;

beforeEach(() => {
  clock = createManualClock();
  rateLimiter = createPostRateLimiter({ clock, perChannelMs: 1_000, betweenMs: 200 });
  sent = [];
  startMs = clock.now().epochMilliseconds;
});

const ask = (channel: string) => {
  void rateLimiter.slot(channel).then(() => sent.push({ channel, ms: clock.now().epochMilliseconds - startMs }));
};

describe('the rateLimiter', () => {
  it('lets the first message through at once', async () => {
    ask('a');
    await clock.advance(0);
    expect(sent).toEqual([{ channel: 'a', ms: 0 }]);
  });

  it('keeps a second between two of a channel and the set time between any two', async () => {
    for (const channel of ['a', 'a', 'a', 'b', 'c']) ask(channel);
    await clock.advance(10_000);
    expect(sent).toEqual([
      { channel: 'a', ms: 0 },
      { channel: 'b', ms: 200 },
      { channel: 'c', ms: 400 },
      { channel: 'a', ms: 1_000 },
      { channel: 'a', ms: 2_000 },
    ]);
  });

  it.each([
    ['back by ten years', -315_360_000_000],
    ['forward by a day', 86_400_000],
  ])('goes on at its pace when the clock is set %s', async (_, byMs) => {
    for (const channel of ['a', 'a', 'b']) ask(channel);
    await clock.advance(0);
    clock.set(byMs);
    startMs += byMs;
    rateLimiter.hold(500);
    ask('c');
    await clock.advance(10_000);
    expect(sent).toEqual([
      { channel: 'a', ms: 0 },
      { channel: 'b', ms: 500 },
      { channel: 'c', ms: 700 },
      { channel: 'a', ms: 1_000 },
    ]);
  });

  it('is fair: a channel with many does not keep one with few waiting', async () => {
    for (let n = 0; n < 50; n += 1) ask('loud');
    for (let n = 0; n < 10; n += 1) ask(`quiet-${n}`);
    await clock.advance(2_600);
    expect(sent.filter(({ channel }) => channel !== 'loud')).toHaveLength(10);
    await clock.advance(60_000);
    expect(sent).toHaveLength(60);
  });

  it('never breaks a limit, however they come', async () => {
    for (let round = 0; round < 30; round += 1) {
      for (let n = 0; n <= round % 4; n += 1) ask(`c${(round * 7 + n) % 5}`);
      await clock.advance((round * 137) % 900);
    }
    await clock.advance(60_000);
    const times = sent.map(({ ms }) => ms);
    expect(times.slice(1).every((ms, index) => ms - (times[index] ?? 0) >= 200)).toBe(true);
    for (const channel of ['c0', 'c1', 'c2', 'c3', 'c4']) {
      const own = sent.filter((one) => one.channel === channel).map(({ ms }) => ms);
      expect(own.slice(1).every((ms, index) => ms - (own[index] ?? 0) >= 1_000)).toBe(true);
    }
    expect(sent).toHaveLength(Array.from({ length: 30 }, (_, round) => (round % 4) + 1).reduce((a, b) => a + b));
  });

  it('rests when asked to', async () => {
    rateLimiter.hold(5_000);
    ask('a');
    await clock.advance(4_999);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toHaveLength(1);
  });

  it('leaves no timer behind', async () => {
    ask('a');
    await clock.advance(5_000);
    expect(clock.pending()).toBe(0);
  });
});

describe('with turns that replicas share', () => {
  /** As the store's, on the test's clock. */
  function sharedTurns() {
    const freeAt = new Map<string, number>();
    const nowMs = () => clock.now().epochMilliseconds;
    let away = false;
    return {
      async take(turns: readonly { key: string; everyMs: number }[]) {
        if (away) throw new Error('away');
        const waits = turns.map(({ key }) => Math.max(0, (freeAt.get(key) ?? 0) - nowMs()));
        if (waits.every((ms) => ms === 0)) for (const { key, everyMs } of turns) freeAt.set(key, nowMs() + everyMs);
        return waits;
      },
      async hold(key: string, ms: number) {
        freeAt.set(key, nowMs() + ms);
      },
      goAway() {
        away = true;
      },
    };
  }
  const replica = (shared: ReturnType<typeof sharedTurns>) => {
    const limiter = createPostRateLimiter({ clock, shared, perChannelMs: 1_000, betweenMs: 200 });
    return (channel: string) =>
      void limiter.slot(channel).then(() => sent.push({ channel, ms: clock.now().epochMilliseconds - startMs }));
  };

  it('two keep the limits of one, and a channel that is taken holds up no other', async () => {
    const shared = sharedTurns();
    const [one, two] = [replica(shared), replica(shared)];
    for (const channel of ['a', 'a', 'b']) one(channel);
    for (const channel of ['a', 'c', 'd']) two(channel);
    await clock.advance(10_000);
    const times = sent.map(({ ms }) => ms);
    expect(sent).toHaveLength(6);
    expect(times.slice(1).every((ms, index) => ms - (times[index] ?? 0) >= 200)).toBe(true);
    const inOne = sent.filter(({ channel }) => channel === 'a').map(({ ms }) => ms);
    expect(inOne.slice(1).every((ms, index) => ms - (inOne[index] ?? 0) >= 1_000)).toBe(true);
    expect(sent.filter(({ channel }) => channel !== 'a').every(({ ms }) => ms < 1_000)).toBe(true);
    expect(clock.pending()).toBe(0);
  });

  it('one keeps its own pace when they are away', async () => {
    const shared = sharedTurns();
    shared.goAway();
    const one = replica(shared);
    for (const channel of ['a', 'a', 'b']) one(channel);
    await clock.advance(10_000);
    expect(sent).toEqual([
      { channel: 'a', ms: 0 },
      { channel: 'b', ms: 200 },
      { channel: 'a', ms: 1_000 },
    ]);
  });
});
