/**
 * The workspace's clock. It runs at normal speed from any starting time and can be fast-forwarded: everything that is due
 * on the way happens at its time and finishes before time continues, so an hour takes as long as what happens in it.
 */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';

type Purpose = 'wait' | 'limit' | 'upkeep';

export interface WorkspaceClock {
  now(): Temporal.Instant;
  nowMs(): number;
  /**
   * A `limit` runs in real time: it guards against something that hangs, however fast the workspace's time runs. `upkeep` is
   * done less often while time is moved.
   */
  after(delayMs: number, run: () => void, purpose?: Purpose): () => void;
  /** Resolves when that much time has passed, or as soon as `until` holds. */
  forward(ms: number, until?: () => boolean): Promise<void>;
  /** For longer periods: while it's quiet, everything due runs at the next multiple of the stride, so less of it happens. */
  travel(journey: LongJourney): Promise<void>;
  /** Skips the time in between, as on a machine that slept: what is overdue runs afterwards. */
  leapTo(ms: number): Promise<void>;
  /** Whether it's being fast-forwarded. */
  moving(): boolean;
  /** From where to where it's being fast-forwarded. */
  journey(): Journey | undefined;
  onMove(listener: () => void): () => void;
  stop(): void;
}

interface Journey {
  readonly fromMs: number;
  readonly toMs: number;
}

interface LongJourney {
  readonly toMs: number;
  readonly strideMs: number;
  readonly isQuiet: () => boolean;
  /** Ends it early. */
  readonly until: () => boolean;
}

/** What is under way elsewhere, so that time waits for it. */
export interface Surroundings {
  /** Whether a call is under way, given how many limits are running. */
  readonly isBusy: (limits: number) => boolean;
  /** Whether the app is in the middle of something, perhaps waiting for this clock. */
  readonly isAtWork?: () => boolean;
}

interface Timer {
  readonly dueMs: number;
  /** How much later it may run while time is moved. */
  readonly slackMs: number;
  readonly run: () => void;
}

const MAX_TIMER_MS = 60_000;
/** After this many idle checks in a row, nothing more is expected from what was started. */
const IDLE_CHECKS = 3;
/** While the app is at work without a call, it may be about to make one: time must not be moved far. */
const LONG_IDLE_CHECKS = 100;
const NOT_FAR_MS = 5_000;
const SHORT_WAIT_MS = 3_000;
/** Time moves on eventually, however long something takes. */
const MAX_PAUSE_MS = 8_000;
/** Running upkeep several times a minute would take longer than everything else. */
const UPKEEP_SLACK_MS = 10 * 60_000;

export function createWorkspaceClock(options: Surroundings & { readonly startMs: number }): WorkspaceClock {
  const limits = createLimits();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const { startMs, isBusy, isAtWork = () => false } = options;
  const time = new MovableTime(startMs, { isBusy: () => isBusy(limits.pending()), isAtWork }, notify);
  let moves = 0;
  let last: Promise<void> = Promise.resolve();
  let journey: Journey | undefined;

  /** One move at a time. */
  function move(work: () => Promise<void>, toMs?: number): Promise<void> {
    moves += 1;
    time.disarm();
    journey ??= toMs === undefined ? undefined : { fromMs: time.nowMs(), toMs };
    last = last.then(work).finally(() => {
      moves -= 1;
      if (moves === 0) {
        journey = undefined;
        time.arm();
      }
      notify();
    });
    return last;
  }

  return {
    now: () => Temporal.Instant.fromEpochMilliseconds(time.nowMs()),
    nowMs: () => time.nowMs(),
    after(delayMs, run, purpose = 'wait') {
      if (purpose === 'limit') return limits.add(delayMs, run);
      const cancel = time.schedule(delayMs, run, purpose === 'upkeep' ? UPKEEP_SLACK_MS : 0);
      if (moves === 0) time.arm();
      return () => {
        cancel();
        if (moves === 0) time.arm();
      };
    },
    forward: (ms, until = () => false) => move(() => time.forward(ms, until), time.nowMs() + ms),
    travel: (long) => move(() => time.travel(long), long.toMs),
    leapTo: (ms) => move(() => time.leapTo(ms)),
    moving: () => moves > 0,
    journey: () => journey,
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
  readonly #isAtWork: () => boolean;
  readonly #notify: () => void;

  constructor(startMs: number, around: { isBusy: () => boolean; isAtWork: () => boolean }, notify: () => void) {
    this.#aheadMs = startMs - Date.now();
    this.#isBusy = around.isBusy;
    this.#isAtWork = around.isAtWork;
    this.#notify = notify;
  }

  nowMs(): number {
    return Date.now() + this.#aheadMs;
  }

  schedule(delayMs: number, run: () => void, slackMs: number): () => void {
    const timer = { dueMs: this.nowMs() + Math.max(0, Math.ceil(delayMs)), slackMs, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** At normal speed one real timer is enough: it's set for whatever is due first. */
  arm(): void {
    this.disarm();
    const first = this.#next(dueMsOf);
    if (first === undefined || this.#stopped) return;
    const fireAndRearm = () => {
      this.#fireDue(dueMsOf);
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
    while (!until()) {
      const due = this.#next(latestMsOf);
      if (due === undefined || latestMsOf(due) > targetMs || this.#stopped) return this.#advanceTo(targetMs);
      this.#advanceTo(latestMsOf(due));
      this.#fire(due);
      await this.#settle();
      this.#notify();
    }
  }

  async leapTo(ms: number): Promise<void> {
    this.#advanceTo(ms);
    const nowMs = this.nowMs();
    const overdue = [...this.#timers].filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
    for (const timer of overdue) if (this.#timers.has(timer)) this.#fire(timer);
    await this.#settle();
    // What was overdue may itself wait a moment, for instance before it retries.
    await this.forward(SHORT_WAIT_MS, () => false);
  }

  async travel({ toMs, strideMs, isQuiet, until }: LongJourney): Promise<void> {
    while (this.nowMs() < toMs && !until() && !this.#stopped) {
      const nextMs = Math.min(toMs, (Math.floor(this.nowMs() / strideMs) + 1) * strideMs);
      await (isQuiet() ? this.leapTo(nextMs) : this.forward(nextMs - this.nowMs(), until));
      this.#notify();
    }
  }

  #advanceTo(ms: number): void {
    this.#aheadMs += Math.max(0, ms - this.nowMs());
  }

  #next(atMs: (timer: Timer) => number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (first === undefined || atMs(timer) < atMs(first)) first = timer;
    return first;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    timer.run();
  }

  #fireDue(atMs: (timer: Timer) => number): void {
    const next = () => this.#next(atMs);
    for (let due = next(); due !== undefined && atMs(due) <= this.nowMs(); due = next()) this.#fire(due);
  }

  /** Most of the app's own waits are short. */
  #isDueSoon(): boolean {
    const next = this.#next(latestMsOf);
    return next !== undefined && latestMsOf(next) - this.nowMs() <= NOT_FAR_MS;
  }

  /** Waits until started work has ended, or can only continue once time does. */
  async #settle(): Promise<void> {
    const startedMs = performance.now();
    const idleChecks = () => (this.#isAtWork() && !this.#isDueSoon() ? LONG_IDLE_CHECKS : IDLE_CHECKS);
    for (let idle = 0; idle < idleChecks() && performance.now() - startedMs < MAX_PAUSE_MS && !this.#stopped; ) {
      // A turn of the loop is enough to see that nothing goes on, and takes a hundredth of the shortest timer.
      await (this.#isBusy() || this.#isAtWork() ? delay(1) : turn());
      // Time runs at normal speed here: what is under way may itself wait a moment.
      this.#fireDue(latestMsOf);
      idle = this.#isBusy() ? 0 : idle + 1;
    }
  }
}

const dueMsOf = ({ dueMs }: Timer): number => dueMs;
const latestMsOf = ({ dueMs, slackMs }: Timer): number => dueMs + slackMs;
