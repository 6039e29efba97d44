/**
 * The workspace's clock. It runs at normal speed from any starting time and can be fast-forwarded: everything that is due
 * on the way happens at its time and finishes before time continues, so an hour takes as long as what happens in it.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

export interface WorkspaceClock {
  now(): Temporal.Instant;
  nowMs(): number;
  /** A `limit` runs in real time: it guards against something that hangs, however fast the workspace's time runs. */
  after(delayMs: number, run: () => void, purpose?: 'wait' | 'limit'): () => void;
  /** Resolves when that much time has passed, or as soon as `until` holds. */
  forward(ms: number, until?: () => boolean): Promise<void>;
  /** For longer periods: everything due runs at the next multiple of the stride, so less of it happens. */
  stride(ms: number, strideMs: number, until: () => boolean): Promise<void>;
  /** Skips the time in between, as on a machine that slept: what is overdue runs afterwards. */
  leapTo(ms: number): Promise<void>;
  /** Whether it's being fast-forwarded. */
  moving(): boolean;
  onMove(listener: () => void): () => void;
  stop(): void;
}

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

const MAX_TIMER_MS = 60_000;
/** After this many idle checks in a row, nothing more is expected from what was started. */
const IDLE_CHECKS = 3;
const LONG_IDLE_CHECKS = 25;
const SHORT_WAIT_MS = 3_000;
/** However long something takes, time doesn't stand still forever. */
const MAX_PAUSE_MS = 8_000;

export function createWorkspaceClock(options: {
  readonly startMs: number;
  /** Whether something that was started is still under way. */
  readonly isBusy: () => boolean;
}): WorkspaceClock {
  const limits = createLimits();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const time = new MovableTime(options.startMs, () => limits.pending() > 0 || options.isBusy(), notify);
  let moves = 0;
  let last: Promise<void> = Promise.resolve();

  /** One move at a time. */
  function move(work: () => Promise<void>): Promise<void> {
    moves += 1;
    time.disarm();
    last = last.then(work).finally(() => {
      moves -= 1;
      if (moves === 0) time.arm();
      notify();
    });
    return last;
  }

  return {
    now: () => Temporal.Instant.fromEpochMilliseconds(time.nowMs()),
    nowMs: () => time.nowMs(),
    after(delayMs, run, purpose = 'wait') {
      if (purpose === 'limit') return limits.add(delayMs, run);
      const cancel = time.schedule(delayMs, run);
      if (moves === 0) time.arm();
      return () => {
        cancel();
        if (moves === 0) time.arm();
      };
    },
    forward: (ms, until = () => false) => move(() => time.forward(ms, until)),
    stride: (ms, strideMs, until) => move(() => time.stride(ms, strideMs, until)),
    leapTo: (ms) => move(() => time.leapTo(ms)),
    moving: () => moves > 0,
    onMove(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => time.stop(),
  };
}

/** Timers in real time. */
function createLimits() {
  const limits = new Set<NodeJS.Timeout>();
  return {
    pending: () => limits.size,
    add(delayMs: number, run: () => void): () => void {
      const limit = setTimeout(() => {
        limits.delete(limit);
        run();
      }, delayMs);
      limits.add(limit);
      return () => {
        limits.delete(limit);
        clearTimeout(limit);
      };
    },
  };
}

class MovableTime {
  #aheadMs: number;
  #wakeUp: NodeJS.Timeout | undefined;
  #stopped = false;
  readonly #timers = new Set<Timer>();
  readonly #isBusy: () => boolean;
  readonly #notify: () => void;

  constructor(startMs: number, isBusy: () => boolean, notify: () => void) {
    this.#aheadMs = startMs - Date.now();
    this.#isBusy = isBusy;
    this.#notify = notify;
  }

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.nowMs() + Math.max(0, Math.ceil(delayMs)), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** At normal speed one real timer is enough: it's set for whatever is due first. */
  arm(): void {
    this.disarm();
    const first = this.#next();
    if (first === undefined || this.#stopped) return;
    const fireAndRearm = () => {
      this.#fireDue();
      this.arm();
    };
    this.#wakeUp = setTimeout(fireAndRearm, Math.min(MAX_TIMER_MS, Math.max(0, first.dueMs - this.nowMs())));
  }

  disarm(): void {
    clearTimeout(this.#wakeUp);
  }

  stop(): void {
    this.#stopped = true;
    this.disarm();
  }

  async forward(ms: number, until: () => boolean): Promise<void> {
    const targetMs = this.nowMs() + ms;
    for (let due = this.#next(); due !== undefined && due.dueMs <= targetMs && !this.#stopped; due = this.#next()) {
      this.#advanceTo(due.dueMs);
      const before = this.#timers.size;
      this.#fire(due);
      await this.#settle(before);
      this.#notify();
      if (until()) return;
    }
    this.#advanceTo(targetMs);
  }

  async leapTo(ms: number): Promise<void> {
    this.#advanceTo(ms);
    const nowMs = this.nowMs();
    const overdue = [...this.#timers].filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    const before = this.#timers.size;
    for (const timer of overdue) if (this.#timers.has(timer)) this.#fire(timer);
    await this.#settle(before);
    // What was overdue may itself wait a moment, for instance before it retries.
    await this.forward(SHORT_WAIT_MS, () => false);
  }

  async stride(ms: number, strideMs: number, until: () => boolean): Promise<void> {
    const targetMs = this.nowMs() + ms;
    while (this.nowMs() < targetMs && !until() && !this.#stopped) {
      await this.leapTo(Math.min(targetMs, (Math.floor(this.nowMs() / strideMs) + 1) * strideMs));
      this.#notify();
    }
  }

  #advanceTo(ms: number): void {
    this.#aheadMs += Math.max(0, ms - this.nowMs());
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || timer.dueMs < first.dueMs) first = timer;
    return first;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    timer.run();
  }

  #fireDue(): void {
    for (let due = this.#next(); due !== undefined && due.dueMs <= this.nowMs(); due = this.#next()) this.#fire(due);
  }

  /**
   * Waits until what was started has ended: a few turns if nothing was. `timersBefore` is how many timers there were,
   * because a recurring one, such as a scheduler's, just replaces itself.
   */
  async #settle(timersBefore: number): Promise<void> {
    for (let check = 0; check < IDLE_CHECKS; check++) await turn();
    if (!this.#isBusy() && this.#timers.size <= timersBefore) return;
    const startedMs = performance.now();
    // A new timer may belong to something that is between two calls, so it must stay idle for longer.
    const enough = () => (this.#timers.size > timersBefore ? LONG_IDLE_CHECKS : IDLE_CHECKS);
    for (let idle = 0; idle < enough() && performance.now() - startedMs < MAX_PAUSE_MS && !this.#stopped; ) {
      await delay(1);
      // Time runs at normal speed here: what is under way may itself wait a moment.
      this.#fireDue();
      idle = this.#isBusy() ? 0 : idle + 1;
    }
  }
}
