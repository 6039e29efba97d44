/** The watches, joined: the repository and subscriptionService they share with digests, a runner of their own, statistics that are kept. */
import type { Clock } from '../../clock.ts';
import type { HostAlias, KeyValueStore, Statistics, Watches } from '../../commands/ports.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Outbox } from '../../slack/posting/outbox.ts';
import type { Store } from '../../store/index.ts';
import { type CachedTimelines, createTimelineCache } from '../../waf/cache/timeline-cache.ts';
import type { Leases, Scheduler } from '../ports.ts';
import type { Recurrence } from '../recurrence/recurrence.ts';
import { createSubscriptionRepository } from '../repository.ts';
import { createSubscriptionService } from '../service.ts';
import type { SubscriptionRef } from '../subscription.ts';
import { createWatchRunner, type WatchDetails } from './watch-runner.ts';
import { createWatchesPort } from './watches.ts';

/** A baseline that nobody has asked for in this long is not worth its place. */
const KEPT_MS = 2 * 86_400_000;

export interface WatchesDependencies {
  readonly store: Store;
  readonly leases: Leases;
  readonly scheduler: Pick<Scheduler<Recurrence, SubscriptionRef>, 'put' | 'remove' | 'nextRunAt'>;
  readonly statistics: Statistics;
  readonly hosts: KeyValueStore<HostAlias>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly owner: string;
  readonly outbox: Pick<Outbox, 'send' | 'find' | 'edit'>;
  /** Tells the owner of a watch that it is paused, and why. */
  readonly tell: Parameters<typeof createSubscriptionService<unknown, WatchDetails>>[0]['tell'];
}

export function createWatches(deps: WatchesDependencies) {
  const { store, scheduler, clock, log, outbox } = deps;
  const { now } = clock;
  const repository = createSubscriptionRepository<WatchDetails>({ records: store, kind: 'watch', now });
  const kept = store.space<CachedTimelines>('cache-baselines');
  const statistics = createTimelineCache({
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
    subscriptionOf: ({ channel, id }) => repository.get(channel, id),
    pause: (subscription, reason) => subscriptionService.pauseUndeliverable(subscription, reason),
  });
  const subscriptionService = createSubscriptionService<unknown, WatchDetails>({
    repository,
    scheduler,
    delivery: {
      run: (pointer, context) => runner.run(pointer, context),
      // A watch has a state instead of a deliveryLog of runs, and nothing to catch up with.
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
  const watches: Watches = createWatchesPort({ subscriptionService, runner, now });
  return { watches, subscriptionService, runner };
}
