/** Time, waiting and time limits. Everything that depends on time takes a `Clock`, so that tests can control it. */
export interface Clock {
  now(): Temporal.Instant;
  /**
   * Calls `run` once after the delay; the returned function cancels it. `limit` marks timeouts, so that a test clock can skip
   * waits without triggering them; `upkeep` marks recurring checks that nobody waits for, which a clock that is moved may do
   * less often.
   */
  after(delayMs: number, run: () => void, purpose?: 'wait' | 'limit' | 'upkeep'): () => void;
  /** Milliseconds for measuring durations, unaffected by changes of the wall clock. Defaults to those of `now`. */
  elapsedMs?(): number;
}

/** Node fires longer timers at once, so longer waits are split. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Temporal.Now.instant(),
  elapsedMs: () => performance.now(),
  after(delayMs, run) {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number) => {
      timer = setTimeout(
        () => (leftMs > MAX_TIMER_MS ? arm(leftMs - MAX_TIMER_MS) : run()),
        Math.min(leftMs, MAX_TIMER_MS),
      );
    };
    arm(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  },
};

let lastTurn: Promise<void> = Promise.resolve();
let waitingForTurn = 0;

/** Whether long work has yielded and is about to continue. */
export const isBetweenTurns = (): boolean => waitingForTurn > 0;

const turnOfLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Yields the event loop between parts of long work. Waiting tasks get one turn each: a hundred digests whose data arrives
 * together would otherwise block everything else.
 */
export function nextTurn(): Promise<void> {
  waitingForTurn += 1;
  lastTurn = lastTurn.then(turnOfLoop).then(() => {
    waitingForTurn -= 1;
  });
  return lastTurn;
}

/** Runs long work in parts, yielding the event loop after each. */
export async function inTurns<Result>(work: Iterator<unknown, Result>): Promise<Result> {
  for (;;) {
    const part = work.next();
    if (part.done === true) return part.value;
    await nextTurn();
  }
}

/** The clock as milliseconds since the epoch, for code that computes with numbers. */
export const epochMsOf = (clock: Clock) => (): number => clock.now().epochMilliseconds;

/** Measures durations, because people and time servers set the wall clock. */
export const elapsedMsOf = (clock: Clock): (() => number) => clock.elapsedMs ?? epochMsOf(clock);

export function sleep(clock: Clock, delayMs: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  clock.after(delayMs, done.resolve);
  return done.promise;
}

/** A timer this late means that the process was frozen: an answer may have arrived that hasn't been read yet. */
const FROZEN_MS = 1_000;

/**
 * The result of `work`, or of `onTimeout` if the limit passes first; with one more period if the process was frozen.
 * `work` gets a signal that is aborted on timeout or by the caller's signal; a late failure is ignored.
 */
export async function withTimeout<T>(
  clock: Clock,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  onTimeout: () => T,
  signal?: AbortSignal,
): Promise<T> {
  const limit = Promise.withResolvers<null>();
  const abort = new AbortController();
  const nowMs = elapsedMsOf(clock);
  const dueMs = nowMs() + limitMs;
  const passed = (): void => {
    // In this order: work that fails because of the abort must not win the race.
    limit.resolve(null);
    abort.abort();
  };
  let cancel = clock.after(
    limitMs,
    () => {
      if (nowMs() - dueMs > FROZEN_MS) cancel = clock.after(limitMs, passed, 'limit');
      else passed();
    },
    'limit',
  );
  const follow = () => abort.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  try {
    const first = await Promise.race([work(abort.signal).then((value) => ({ value })), limit.promise]);
    return first === null ? onTimeout() : first.value;
  } finally {
    cancel();
    signal?.removeEventListener('abort', follow);
  }
}
