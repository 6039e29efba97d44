/**
 * The time of the workspace. It runs at normal speed from any moment, and can be moved forward: everything that waits for
 * a moment on the way happens at that moment and is finished before time goes on, so an hour takes as long as what
 * happens in it.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

export interface WorkspaceClock {
  now(): Temporal.Instant;
  nowMs(): number;
  /** A `limit` is for real time: it guards against something that hangs, however fast the workspace's time runs. */
  after(delayMs: number, run: () => void, purpose?: 'wait' | 'limit'): () => void;
  /** Resolves when the time has come, or earlier when `until` holds. */
  forward(ms: number, until?: () => boolean): Promise<void>;
  /** The same for a long way: what falls due happens at the next multiple of the stride, so there is less of it. */
  stride(ms: number, strideMs: number, until: () => boolean): Promise<void>;
  /** Skips the time in between, as for a machine that slept: what is overdue happens afterwards. */
  leapTo(ms: number): Promise<void>;
  /** Whether it is being moved. */
  moving(): boolean;
  onMove(listener: () => void): () => void;
  stop(): void;
}

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

const MAX_TIMER_MS = 60_000;
/** Calm looks in a row after which nothing more is expected from what was started. */
const CALM_LOOKS = 3;
const LONG_CALM_LOOKS = 25;
const SHORT_WAIT_MS = 3_000;
/** However long something takes, time does not stand still for ever. */
const LONGEST_PAUSE_MS = 8_000;

export function createWorkspaceClock(options: {
  readonly startMs: number;
  /** Whether something that was started is still under way. */
  readonly isBusy: () => boolean;
}): WorkspaceClock {
  let aheadMs = options.startMs - Date.now();
  let wakeUp: NodeJS.Timeout | undefined;
  let moves = 0;
  let stopped = false;
  let last: Promise<void> = Promise.resolve();
  const timers = new Set<Timer>();
  const limits = new Set<NodeJS.Timeout>();
  const listeners = new Set<() => void>();
  const nowMs = () => Date.now() + aheadMs;
  const isBusy = () => limits.size > 0 || options.isBusy();

  const notify = () => {
    for (const listener of listeners) listener();
  };

  function next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (first === undefined || timer.dueMs < first.dueMs) first = timer;
    return first;
  }

  function fire(timer: Timer): void {
    timers.delete(timer);
    timer.run();
  }

  function fireDue(): void {
    for (let due = next(); due !== undefined && due.dueMs <= nowMs(); due = next()) fire(due);
  }

  /** At normal speed one timer of the machine is enough: it is set for whatever comes first. */
  function arm(): void {
    clearTimeout(wakeUp);
    const first = next();
    if (first === undefined || moves > 0 || stopped) return;
    wakeUp = setTimeout(
      () => {
        fireDue();
        arm();
      },
      Math.min(MAX_TIMER_MS, Math.max(0, first.dueMs - nowMs())),
    );
  }

  /**
   * Until what was started has ended: a few turns when nothing was, as long as it takes otherwise. `resting` is how many
   * waits there were before: one that is due by and by, such as the next look of a scheduler, takes the place of another.
   */
  async function settle(resting: number): Promise<void> {
    for (let look = 0; look < CALM_LOOKS; look++) await turn();
    if (!isBusy() && timers.size <= resting) return;
    const startedMs = performance.now();
    // A wait that is new may belong to something that is between two calls, so calm must last longer.
    const enough = () => (timers.size > resting ? LONG_CALM_LOOKS : CALM_LOOKS);
    for (let calm = 0; calm < enough() && performance.now() - startedMs < LONGEST_PAUSE_MS && !stopped; ) {
      await delay(1);
      // Meanwhile time runs at normal speed: what is under way may itself wait a moment.
      fireDue();
      calm = isBusy() ? 0 : calm + 1;
    }
  }

  async function forward(ms: number, until: () => boolean): Promise<void> {
    const targetMs = nowMs() + ms;
    for (let due = next(); due !== undefined && due.dueMs <= targetMs && !stopped; due = next()) {
      aheadMs += Math.max(0, due.dueMs - nowMs());
      const resting = timers.size;
      fire(due);
      await settle(resting);
      notify();
      if (until()) return;
    }
    aheadMs += Math.max(0, targetMs - nowMs());
  }

  async function leapTo(ms: number): Promise<void> {
    aheadMs += Math.max(0, ms - nowMs());
    const overdue = [...timers].filter(({ dueMs }) => dueMs <= nowMs()).sort((a, b) => a.dueMs - b.dueMs);
    const resting = timers.size;
    for (const timer of overdue) if (timers.has(timer)) fire(timer);
    await settle(resting);
    // What was overdue may itself wait a moment, for instance before it tries again.
    await forward(SHORT_WAIT_MS, () => false);
  }

  async function stride(ms: number, strideMs: number, until: () => boolean): Promise<void> {
    const targetMs = nowMs() + ms;
    while (nowMs() < targetMs && !until() && !stopped) {
      await leapTo(Math.min(targetMs, (Math.floor(nowMs() / strideMs) + 1) * strideMs));
      notify();
    }
  }

  /** One move after the other. */
  function move(work: () => Promise<void>): Promise<void> {
    moves += 1;
    clearTimeout(wakeUp);
    last = last.then(work).finally(() => {
      moves -= 1;
      arm();
      notify();
    });
    return last;
  }

  return {
    now: () => Temporal.Instant.fromEpochMilliseconds(nowMs()),
    nowMs,
    after(delayMs, run, purpose = 'wait') {
      if (purpose === 'limit') {
        const limit = setTimeout(() => {
          limits.delete(limit);
          run();
        }, delayMs);
        limits.add(limit);
        return () => {
          limits.delete(limit);
          clearTimeout(limit);
        };
      }
      const timer = { dueMs: nowMs() + Math.max(0, Math.ceil(delayMs)), run };
      timers.add(timer);
      arm();
      return () => {
        timers.delete(timer);
        arm();
      };
    },
    forward: (ms, until = () => false) => move(() => forward(ms, until)),
    stride: (ms, strideMs, until) => move(() => stride(ms, strideMs, until)),
    leapTo: (ms) => move(() => leapTo(ms)),
    moving: () => moves > 0,
    onMove(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      stopped = true;
      clearTimeout(wakeUp);
    },
  };
}
