import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createWorkspaceClock, type WorkspaceClock } from '../../../playground/workspace-clock.ts';

const START_MS = Date.parse('2027-01-04T17:00:00Z');
const MINUTE_MS = 60_000;

let busy = false;
let clock: WorkspaceClock;
const open = () => {
  busy = false;
  clock = createWorkspaceClock({ startMs: START_MS, isBusy: () => busy });
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

test('a stride does what falls due at its multiples, until it has what it waits for', async () => {
  const { after, stride } = open();
  const at: number[] = [];
  const again = () => {
    at.push(minutesPassed());
    after(4 * MINUTE_MS, again);
  };
  after(4 * MINUTE_MS, again);
  await stride(600 * MINUTE_MS, 15 * MINUTE_MS, () => at.length === 3);
  expect(at).toEqual([15, 30, 45]);
});

test('at normal speed a wait takes as long as it says', async () => {
  const { after, nowMs } = open();
  const { promise, resolve } = Promise.withResolvers<number>();
  const before = nowMs();
  after(40, () => resolve(nowMs()));
  expect((await promise) - before).toBeGreaterThanOrEqual(40);
});
