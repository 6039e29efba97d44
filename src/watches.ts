/** The watches, joined: the book and desk they share with digests, a runner of their own, statistics that are kept. */
import type { Clock } from './clock.ts';
import type { HostAlias, Shelf, Statistics, Watches } from './commands/ports.ts';
import { createBook } from './digests/book.ts';
import type { BookingPointer } from './digests/booking.ts';
import { createDesk } from './digests/desk.ts';
import type { Engine, Leases, Log } from './digests/ports.ts';
import type { Timing } from './digests/timing.ts';
import { createBaselineKeeper, type KeptBaseline } from './digests/watch/baseline-keeper.ts';
import { createWatchBookings } from './digests/watch/watch-bookings.ts';
import { createWatchRunner, type WatchDetails } from './digests/watch/watch-runner.ts';
import type { Outbox } from './slack/outbox.ts';
import type { Store } from './store/index.ts';

/** A baseline that nobody has asked for in this long is not worth its place. */
const KEPT_MS = 2 * 86_400_000;

export interface WatchesDependencies {
  readonly store: Store;
  readonly leases: Leases;
  readonly engine: Pick<Engine<Timing, BookingPointer>, 'put' | 'remove' | 'nextRunAt'>;
  readonly statistics: Statistics;
  readonly hosts: Shelf<HostAlias>;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
  readonly outbox: Pick<Outbox, 'send' | 'find' | 'edit'>;
  /** Tells the owner of a watch that it is paused, and why. */
  readonly tell: Parameters<typeof createDesk<unknown, WatchDetails>>[0]['tell'];
}

export function createWatches(deps: WatchesDependencies) {
  const { store, engine, clock, log, outbox } = deps;
  const { now } = clock;
  const book = createBook<WatchDetails>({ records: store, kind: 'watch', now });
  const kept = store.space<KeptBaseline>('cache-baselines');
  const statistics = createBaselineKeeper({
    statistics: deps.statistics,
    shelf: {
      get: (key) => kept.get(key),
      set: async (key, value) => {
        await kept.set(key, value, KEPT_MS);
      },
    },
    now,
  });
  const runner = createWatchRunner({
    records: store,
    leases: deps.leases,
    outbox,
    clock,
    log,
    owner: deps.owner,
    statistics,
    hosts: deps.hosts,
    bookingOf: ({ channel, id }) => book.get(channel, id),
    pause: (booking, reason) => desk.pauseUndeliverable(booking, reason),
  });
  const desk = createDesk<unknown, WatchDetails>({
    book,
    engine,
    delivery: {
      run: (pointer, occasion) => runner.run(pointer, occasion),
      // A watch has a state instead of a ledger of runs, and nothing to catch up with.
      history: async () => [],
      skipTo: async () => ({ runs: [] }),
      settledUntil: async () => undefined,
      forget: async (pointer) => {
        await runner.forget(pointer);
        return undefined;
      },
    },
    now,
    log,
    tell: deps.tell,
  });
  const watches: Watches = createWatchBookings({ desk, runner, now });
  return { watches, desk, runner };
}
