import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { inTurns, nextTurn, sleep, systemClock, withTimeout } from '../../src/clock.ts';
import { createManualClock } from '../support/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 86_400_000;

it('waits longer than a timer of Node can', () => {
  const run = vi.fn();
  systemClock.after(60 * DAY_MS, run);
  vi.advanceTimersByTime(59 * DAY_MS);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(DAY_MS);
  expect(run).toHaveBeenCalledTimes(1);
});

it('calls off, also after many days', () => {
  const run = vi.fn();
  const cancel = systemClock.after(60 * DAY_MS, run);
  vi.advanceTimersByTime(40 * DAY_MS);
  cancel();
  vi.advanceTimersByTime(40 * DAY_MS);
  expect(run).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

it('sleeps', async () => {
  const slept = vi.fn();
  void sleep(systemClock, 1_000).then(slept);
  await vi.advanceTimersByTimeAsync(999);
  expect(slept).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(slept).toHaveBeenCalled();
});

it('limits work in time and leaves no timer behind', async () => {
  const never = (): never => {
    throw new Error('too late');
  };
  expect(await withTimeout(systemClock, 1_000, async () => 'done', never)).toBe('done');
  await expect(withTimeout(systemClock, 1_000, () => Promise.reject(new TypeError('x')), never)).rejects.toThrow(
    TypeError,
  );
  expect(vi.getTimerCount()).toBe(0);
});

it('passes the abort of a caller on to the work', async () => {
  const caller = new AbortController();
  const untilAborted = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const work = withTimeout(systemClock, 1_000, untilAborted, () => 'late', caller.signal);
  caller.abort(new RangeError('enough'));
  await expect(work).rejects.toThrow(RangeError);
  expect(vi.getTimerCount()).toBe(0);
});

it('gives up work that takes too long, with an error or a substitute, and tells it', async () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(new TypeError('aborted'))));
  const failed = withTimeout(systemClock, 1_000, untilAborted, () => {
    throw new RangeError('too late');
  });
  const outcome = expect(failed).rejects.toThrow(RangeError);
  const substituted = withTimeout(systemClock, 1_000, untilAborted, () => 'instead');
  await vi.advanceTimersByTimeAsync(1_000);
  await outcome;
  expect(await substituted).toBe('instead');
  expect(vi.getTimerCount()).toBe(0);
});

it('does not give up work because the process stood still, but where it takes long after that', async () => {
  const clock = createManualClock();
  const answer = Promise.withResolvers<string>();
  const answered = withTimeout(
    clock,
    1_000,
    () => answer.promise,
    () => 'too late',
  );
  const silent = withTimeout(
    clock,
    1_000,
    () => new Promise<string>(() => {}),
    () => 'too late',
  );
  clock.leap(60_000);
  // The timers come first, as in Node, and then what arrived meanwhile.
  await clock.advance(1);
  answer.resolve('answered');
  expect(await answered).toBe('answered');
  await clock.advance(1_000);
  expect(await silent).toBe('too late');
  expect(clock.pending()).toBe(0);
});

it('gives a turn of the event loop to each that waits, with others in between', async () => {
  vi.useRealTimers();
  const seen: string[] = [];
  let waiting = true;
  const other = (): void => {
    seen.push('other');
    if (waiting) setImmediate(other);
  };
  setImmediate(other);
  await Promise.all(['first', 'second', 'third'].map((name) => nextTurn().then(() => seen.push(name))));
  waiting = false;
  expect(seen).toEqual(['other', 'first', 'other', 'second', 'other', 'third']);
});

it('lets others have a turn after each part of long work', async () => {
  vi.useRealTimers();
  const seen: string[] = [];
  function* work(): Generator<void, string> {
    for (const part of ['first', 'second']) {
      seen.push(part);
      setImmediate(() => seen.push('other'));
      yield;
    }
    return 'done';
  }
  expect(await inTurns(work())).toBe('done');
  expect(seen).toEqual(['first', 'other', 'second', 'other']);
});
