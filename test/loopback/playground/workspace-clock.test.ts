import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createWorkspaceClock, type WorkspaceClock } from '../../../playground/workspace-clock.ts';

const START_MS = Date.parse('2027-01-04T17:00:00Z');
const MINUTE_MS = 60_000;

let busy = false;
let clock: WorkspaceClock;
const open = () => {
  busy = false;
  clock = createWorkspaceClock({ startMs: START_MS, isBusy: (limits) => limits > 0 || busy });
  return clock;
};
afterEach(() => clock.stop());
const minutesPassed = () => Math.floor((clock.nowMs() - START_MS) / MINUTE_MS);

test('what falls due on the way happens in order, each at its own time', async () => {
  const { after, forward } = open();
  const happened: [string, number][] = [];
  const note = (what: string) => () => void happened.push([what, minutesPassed()]);
  after(20 * MINUTE_MS, note('later'));
  after(5 * MINUTE_MS, () => {
    note('first')();
    after(5 * MINUTE_MS, note('what the first one set'));
  });
  const cancel = after(7 * MINUTE_MS, note('cancelled'));
  cancel();
  after(90 * MINUTE_MS, note('too late'));
  await forward(60 * MINUTE_MS);
  expect(happened).toEqual([
    ['first', 5],
    ['what the first one set', 10],
    ['later', 20],
  ]);
  expect(minutesPassed()).toBe(60);
});

test('time does not go on while something is under way, and stops where it was told to', async () => {
  const { after, forward } = open();
  let endedAt = -1;
  after(MINUTE_MS, () => {
    busy = true;
    setTimeout(() => {
      endedAt = minutesPassed();
      busy = false;
    }, 30);
  });
  after(2 * MINUTE_MS, () => {});
  after(3 * MINUTE_MS, () => {});
  await forward(60 * MINUTE_MS, () => minutesPassed() === 2);
  expect(endedAt).toBe(1);
  expect(minutesPassed()).toBe(2);
});

test('a limit is for real time, however far the clock is moved', async () => {
  const { after, forward, leapTo } = open();
  let passed = false;
  const cancel = after(
    10 * MINUTE_MS,
    () => {
      passed = true;
    },
    'limit',
  );
  await Promise.race([forward(60 * MINUTE_MS), turn()]);
  cancel();
  await leapTo(START_MS + 120 * MINUTE_MS);
  expect(passed).toBe(false);
});

test('a leap does what is overdue afterwards, once', async () => {
  const { after, leapTo, moving } = open();
  const at: number[] = [];
  const again = () => {
    at.push(minutesPassed());
    after(5 * MINUTE_MS, again);
  };
  after(5 * MINUTE_MS, again);
  const leaping = leapTo(START_MS + 600 * MINUTE_MS);
  expect(moving()).toBe(true);
  await leaping;
  expect(moving()).toBe(false);
  expect(at).toEqual([600]);
});

test('a long journey does what falls due at its own time, and at multiples of the stride while it is quiet', async () => {
  const { after, travel, journey } = open();
  const at: number[] = [];
  const again = () => {
    at.push(minutesPassed());
    after(4 * MINUTE_MS, again);
  };
  after(4 * MINUTE_MS, again);
  const isQuiet = () => minutesPassed() < 15 || minutesPassed() >= 30;
  const toMs = START_MS + 600 * MINUTE_MS;
  const travelling = travel({ toMs, strideMs: 15 * MINUTE_MS, isQuiet, until: () => at.length === 5 });
  expect(journey()).toEqual({ fromMs: expect.any(Number), toMs });
  await travelling;
  expect(at).toEqual([15, 19, 23, 27, 45]);
  expect(journey()).toBeUndefined();
});

test('upkeep is done rarely while time is moved, and when it is due at normal speed', async () => {
  const { after, forward } = open();
  const at: number[] = [];
  const again = () => {
    at.push(minutesPassed());
    after(MINUTE_MS / 3, again, 'upkeep');
  };
  after(MINUTE_MS / 3, again, 'upkeep');
  await forward(60 * MINUTE_MS);
  expect(at).toEqual([10, 20, 31, 41, 51]);
  const { promise, resolve } = Promise.withResolvers<void>();
  after(20, resolve, 'upkeep');
  await promise;
});

test('while the app is at work without a call, time goes on only after a while, because it may wait for the clock', async () => {
  let isAtWork = true;
  clock = createWorkspaceClock({ startMs: START_MS, isBusy: () => false, isAtWork: () => isAtWork });
  const { after, forward } = clock;
  const happened: string[] = [];
  after(MINUTE_MS, () => {
    setTimeout(() => void happened.push('the call it was about to make'), 5);
    after(MINUTE_MS, () => {
      happened.push('what it waited for');
      isAtWork = false;
    });
  });
  await forward(5 * MINUTE_MS);
  expect(happened).toEqual(['the call it was about to make', 'what it waited for']);
});

test('at normal speed a wait takes as long as it says', async () => {
  const { after, nowMs } = open();
  const { promise, resolve } = Promise.withResolvers<number>();
  const before = nowMs();
  after(40, () => resolve(nowMs()));
  expect((await promise) - before).toBeGreaterThanOrEqual(40);
});
