/**
 * How long one turn of the event loop holds everybody else up. Measured as the time that this thread has spent itself,
 * so that other processes on the machine make no difference.
 */
export const spentMicros = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

/** The longest turn, in milliseconds, until the work is done. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let running = true;
  let before = spentMicros();
  const look = (): void => {
    const now = spentMicros();
    longest = Math.max(longest, now - before);
    before = now;
    if (running) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    running = false;
    look();
  }
  return longest / 1000;
}

/** The least of several rounds, since compiling and collecting garbage are not meant; one that is good is enough. */
export async function leastTurnMs(work: () => Promise<unknown>, { goodMs = 0, rounds = 12 } = {}): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least > goodMs; round += 1) least = Math.min(least, await longestTurnMs(work));
  return least;
}
