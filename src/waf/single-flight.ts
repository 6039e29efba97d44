/**
 * One call in flight for each question, however many ask it. A caller who gives up leaves alone; the call itself is
 * given up only when nobody waits for it any more.
 */
interface Flight<T> {
  readonly result: Promise<T>;
  readonly abort: AbortController;
  waiting: number;
}

export function createSingleFlight<T>() {
  const flights = new Map<string, Flight<T>>();

  function start(key: string, run: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const abort = new AbortController();
    const flight: Flight<T> = { result: run(abort.signal), abort, waiting: 0 };
    flights.set(key, flight);
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    return flight;
  }

  async function join(flight: Flight<T>, key: string, signal: AbortSignal | undefined): Promise<T> {
    flight.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await (signal === undefined ? flight.result : Promise.race([flight.result, left.promise]));
    } finally {
      signal?.removeEventListener('abort', leave);
      flight.waiting -= 1;
      if (flight.waiting === 0 && flights.get(key) === flight) {
        flights.delete(key);
        flight.abort.abort();
      }
    }
  }

  return {
    async fly(key: string, run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      return join(flights.get(key) ?? start(key, run), key, signal);
    },
    /** Gives up everything in flight; whoever waits is told this reason. */
    abortAll(reason: Error): void {
      for (const flight of flights.values()) flight.abort.abort(reason);
      flights.clear();
    },
  };
}
