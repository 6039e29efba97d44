/**
 * Limits how many calls run at once, and how many of those are for one asker. Waiting askers take turns, so heavy askers
 * queue behind their own requests.
 */
const MAX_RUNNING = 16;
const MAX_RUNNING_PER_ASKER = MAX_RUNNING / 2;

/** Digests and watches. */
const BOT_ASKER = '';

interface FairQueue {
  /** Rejects with the signal's reason when it aborts before the work has started. */
  run<T>(asker: string | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createFairQueue(): FairQueue {
  /** In the order of their next turn. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  function admit(): void {
    // Map iteration visits entries added during the loop, so an asker who had a turn comes up again at the end.
    for (const [asker, turns] of waiting) {
      if (total >= MAX_RUNNING) return;
      if ((running.get(asker) ?? 0) >= MAX_RUNNING_PER_ASKER) continue;
      const start = turns.shift();
      waiting.delete(asker);
      if (turns.length > 0) waiting.set(asker, turns);
      if (start === undefined) continue;
      total += 1;
      running.set(asker, (running.get(asker) ?? 0) + 1);
      start();
    }
  }

  function finish(asker: string): void {
    total -= 1;
    const left = (running.get(asker) ?? 0) - 1;
    if (left > 0) running.set(asker, left);
    else running.delete(asker);
    admit();
  }

  return {
    async run(asker = BOT_ASKER, work, signal) {
      signal.throwIfAborted();
      const turn = Promise.withResolvers<void>();
      const turns = waiting.get(asker) ?? [];
      turns.push(turn.resolve);
      waiting.set(asker, turns);
      const leave = (): void => {
        const at = turns.indexOf(turn.resolve);
        if (at < 0) return;
        turns.splice(at, 1);
        turn.reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      admit();
      await turn.promise.finally(() => signal.removeEventListener('abort', leave));
      try {
        return await work();
      } finally {
        finish(asker);
      }
    },
  };
}
