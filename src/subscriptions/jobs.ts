/** Assembles what runs on a schedule: the scheduler, and the digests and watches on it. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Acknowledgment } from '../episodes/episode.ts';
import type { CommandTable } from '../grammar/command-table.ts';
import type { Logger } from '../observability/logger.ts';
import type { JobObserver } from '../observability/observers.ts';
import type { EpisodePage, PageQueue } from '../pagers/page.ts';
import { labelOf, type Projects } from '../projects/project.ts';
import type { Finding } from '../replies/finding.ts';
import type { Reply } from '../replies/reply.ts';
import { openScheduler, type Run, reconcilePeriodically, type Scheduler } from '../scheduler/index.ts';
import type { KeyValueStore } from '../store/create-store.ts';
import type { Store } from '../store/index.ts';
import { DAY_MS, MINUTE_MS } from '../time-units.ts';
import { createLocalLeases } from './delivery/lease.ts';
import type { Outbox } from './delivery/outbox.ts';
import { createPostRateLimiter, type PostRateLimiter } from './delivery/post-rate-limiter.ts';
import { createDigests } from './digest/create-digests.ts';
import type { Digests } from './digest/digest-commands.ts';
import { damagedFinding, lostNotice, pausedNotice, unschedulableFinding } from './paused-notice.ts';
import { repeatStrategy } from './recurrence/due-times.ts';
import type { Recurrence } from './recurrence/schedule.ts';
import type { WhyForbidden } from './service.ts';
import type { Subscription, SubscriptionRef } from './subscription.ts';
import { createWatches } from './watch/create-watches.ts';
import type { LastHandover } from './watch/handover.ts';
import type { Watches } from './watch/watch-commands.ts';

interface JobsDeps {
  readonly store: Store;
  readonly storeUrl: string;
  readonly projects: Projects;
  readonly commands: CommandTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: JobObserver | undefined;
  readonly command: string;
  /** Slack is set up after the jobs, which need it only once they run. */
  readonly outbox: () => Outbox<Reply>;
  readonly whyForbidden: WhyForbidden;
  /** Missing if there are no pagers. */
  readonly pages?: PageQueue | undefined;
  /** The last handover of each channel. */
  readonly handovers?: Pick<KeyValueStore<LastHandover>, 'set'>;
  /** Rejects while the stored data is lost. */
  readonly assertStored?: () => Promise<void>;
  /** Defaults to the scheduler that fits the store. */
  readonly scheduler?: Scheduler<Recurrence, SubscriptionRef> | undefined;
  /** Defaults to that of the reconciliation. */
  readonly reconcileEveryMs?: number;
}

export interface Jobs {
  readonly digests: Digests;
  readonly watches: Watches;
  /** Whether a watch will page again about the episode of a page. */
  isPagingAbout(page: EpisodePage): Promise<boolean>;
  /** Somebody acknowledged the episode of a page in PagerDuty. Resolves to whether it's open. */
  acknowledge(page: EpisodePage, by: Acknowledgment): Promise<boolean>;
  /** For the doctor: stored subscriptions that can't run, and records that can't be read. */
  examine(): Promise<Finding[]>;
  /** Catches up on missed runs and starts the scheduler. */
  start(): Promise<void>;
  /** Notifies every owner, once each, that their digests and watches are lost. Call it until no owner is left. */
  notifyLost(identity: string): Promise<void>;
  /** Whether a digest or a watch is running. */
  isBusy(): boolean;
  stop(): Promise<void>;
}

export async function createJobs(deps: JobsDeps): Promise<Jobs> {
  const { store, storeUrl, projects, clock, log, observer, command } = deps;
  const owner = randomUUID();
  const engine = { store, clock, repeatStrategy, log };
  const scheduler = deps.scheduler ?? (await openScheduler<Recurrence, SubscriptionRef>(storeUrl, engine));
  const common = {
    records: store,
    leases: store.exclusive ? createLocalLeases(clock) : store.locks,
    scheduler,
    // Shared: Slack's limits apply to everything that's posted.
    rateLimiter: observedLimiter(createPostRateLimiter({ clock, shared: store.turns }), observer),
    outbox: onceSetUp(deps.outbox),
    projects,
    commands: deps.commands,
    clock,
    ...{ log, observer, owner },
    whyForbidden: deps.whyForbidden,
    async notifyOwner(subscription: Subscription, reason: string) {
      const { id, reply } = pausedNotice(subscription, reason, command, labelOf(projects, subscription.project));
      await deps.outbox().sendDirect(subscription.owner, reply, id);
    },
  };
  const watch = createWatches({ ...common, pages: deps.pages });
  const digest = createDigests({
    ...common,
    episodes: watch.watches.episodes,
    handover: watch.watches.handover,
    handovers: deps.handovers,
    linkTo: (channel, ts) => deps.outbox().linkTo(channel, ts),
  });
  const services = [digest.service, watch.service];
  async function* allJobs() {
    // Otherwise an emptied store would look as if everything had been removed.
    await deps.assertStored?.();
    for (const service of services) yield* service.jobs();
  }
  let stopReconciling = () => {};
  const runners = { digest: digest.runner, watch: watch.runner };
  const counted = countRuns(({ payload }, context) => runners[payload.kind].run(payload, context));
  return {
    isBusy: counted.isBusy,
    digests: digest.digests,
    watches: watch.watches,
    isPagingAbout: (page) => watch.runner.isPagingAbout(watchOf(page), page.episode),
    acknowledge: (page, by) => watch.runner.acknowledgeElsewhere(watchOf(page), page.episode, by),
    async examine() {
      const unschedulable = (await Promise.all(services.map((service) => service.unschedulable()))).flat();
      return [
        ...unschedulable.map(({ subscription, reason }) => unschedulableFinding(subscription, reason)),
        ...store.damaged.list().map(damagedFinding),
      ];
    },
    notifyLost: createLostNotices(deps, owner, () => new Set(services.flatMap((service) => service.owners()))),
    async start() {
      // Slack accepted the token, or the bot would not have started: resume what was paused because of it.
      for (const service of services) await service.resumeWhere((_, reason) => reason === 'token_revoked');
      await scheduler.reconcile(allJobs());
      await scheduler.start(counted.run);
      stopReconciling = reconcilePeriodically({
        scheduler,
        jobs: allJobs,
        takeTurn: async (forMs) => store.exclusive || store.locks.acquire('reconcile', owner, forMs),
        clock,
        log,
        everyMs: deps.reconcileEveryMs,
      });
      for (const service of services) await service.notifyOwners();
    },
    stop() {
      stopReconciling();
      return scheduler.stop();
    },
  };
}

function countRuns(run: Run<Recurrence, SubscriptionRef>) {
  let running = 0;
  return {
    isBusy: () => running > 0,
    run: (...of: Parameters<typeof run>) => {
      running += 1;
      return run(...of).finally(() => {
        running -= 1;
      });
    },
  };
}

const watchOf = ({ channel, watch: id }: EpisodePage): SubscriptionRef => ({ kind: 'watch', channel, id });

const onceSetUp = (outbox: JobsDeps['outbox']): Pick<Outbox<Reply>, 'send' | 'find' | 'edit'> => ({
  send: (...post) => outbox().send(...post),
  find: (...search) => outbox().find(...search),
  edit: (...edit) => outbox().edit(...edit),
});

function observedLimiter(limiter: PostRateLimiter, observer: JobObserver | undefined): PostRateLimiter {
  if (observer === undefined) return limiter;
  return {
    hold: limiter.hold,
    async slot(channel) {
      const end = observer.postWaiting();
      await limiter.slot(channel).finally(end);
    },
  };
}

/** Covers the sending; after it, the lock is held for as long as the loss may last. */
const NOTICE_LOCK_MS = 2 * MINUTE_MS;

/** A lock in the emptied store decides which replica notifies an owner; if that one fails or dies, another does. */
function createLostNotices(
  { store, command, clock, log, outbox }: JobsDeps,
  self: string,
  owners: () => ReadonlySet<string>,
) {
  const notified = new Set<string>();
  let isNotifying = false;
  const lockOf = (owner: string): string => `lost-notice/${owner}`;

  async function notify(owner: string, identity: string): Promise<void> {
    if (!(store.exclusive || (await store.locks.acquire(lockOf(owner), self, NOTICE_LOCK_MS)))) return;
    try {
      await outbox().sendDirect(owner, lostNotice(command), `lost/${identity}/${owner}`, clock.now());
      notified.add(owner);
    } catch (err) {
      log.warn({ err }, 'could not notify an owner of the loss, will retry');
    }
    if (store.exclusive) return;
    if (notified.has(owner)) await store.locks.renew(lockOf(owner), self, DAY_MS);
    else await store.locks.release(lockOf(owner), self);
  }

  return async function notifyLost(identity: string): Promise<void> {
    if (isNotifying) return;
    isNotifying = true;
    try {
      for (const owner of owners()) if (!notified.has(owner)) await notify(owner, identity);
    } finally {
      isNotifying = false;
    }
  };
}
