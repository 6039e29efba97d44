/** The one way to know the time and to wait, so that tests can hold both in their hand. Importable by all. */
export interface Clock {
  now(): Temporal.Instant;
  /** Calls `run` once after the delay; the returned function calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** Node refuses longer timers by firing them at once; the waiting is done in steps instead. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Temporal.Now.instant(),
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

export function sleep(clock: Clock, delayMs: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  clock.after(delayMs, done.resolve);
  return done.promise;
}
