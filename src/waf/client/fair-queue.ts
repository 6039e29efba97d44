/**
 * Calls to the service in turns. Only so many are made at once, at most half of them for one asker; of those who wait,
 * each has the next turn before anybody has another one. So whoever asks a lot waits for themselves.
 */
const AT_ONCE = 16;
const AT_ONCE_FOR_ONE = AT_ONCE / 2;

/** Digests and watches, which nobody asks for. */
const THE_BOT_ITSELF = '';

export interface FairQueue {
  /** Rejects with the signal's reason when it aborts before the turn has come. */
  run<T>(asker: string | undefined, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createFairQueue(): FairQueue {
  /** Who has the next turn comes first. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let total = 0;

  function admit(): void {
    // A map goes on to what is added meanwhile: whoever had a turn is at its end again.
    for (const [asker, turns] of waiting) {
      if (total >= AT_ONCE) return;
      if ((running.get(asker) ?? 0) >= AT_ONCE_FOR_ONE) continue;
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
    async run(asker = THE_BOT_ITSELF, work, signal) {
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
