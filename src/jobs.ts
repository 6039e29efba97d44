/** What runs by itself: the scheduler, the digests on it, and what they say. Joined here, used by `app.ts`. */
import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import { assess } from './commands/assess.ts';
import type { Host } from './commands/grammar/hosts.ts';
import type { Digests, HostAlias, KeyValueStore, Statistics, Watches } from './commands/ports.ts';
import type { Line, Reply } from './commands/replies/reply.ts';
import { verdictHeadline } from './commands/replies/verdict-lines.ts';
import type { Logger } from './observability/logger.ts';
import { openScheduler, type Scheduler } from './scheduler/index.ts';
import type { Outbox } from './slack/posting/outbox.ts';
import type { Store } from './store/index.ts';
import { createDigestsPort, reasonInWords } from './subscriptions/digest/digests.ts';
import { apology, createReport } from './subscriptions/digest/report.ts';
import {
  createDigests,
  createLocalLeases,
  createPostRateLimiter,
  type PostRateLimiter,
  type Recurrence,
  repeatStrategy,
  type Subscription,
  type SubscriptionRef,
} from './subscriptions/index.ts';
import { createWatches } from './subscriptions/watch/create-watches.ts';
import type { Range } from './time/index.ts';
import { createSharedAnswers } from './waf/cache/shared-answers.ts';
import { shareStatistics } from './waf/cache/shared-statistics.ts';

export interface JobsDependencies {
  readonly store: Store;
  readonly storeUrl: string;
  readonly statistics: Statistics;
  readonly hosts: KeyValueStore<HostAlias>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly command: string;
  /** Known only after Slack is set up, and used only once the jobs run. */
  readonly outbox: () => Outbox;
}

export interface Jobs {
  readonly digests: Digests;
  readonly watches: Watches;
  /** Takes up what was missed and runs from now on. */
  start(): Promise<void>;
  /** Takes no new runs and waits for those under way. */
  stop(): Promise<void>;
}

/** A verdict compares hours with hours; of a longer window it would say nothing a reader could use. */
const LONGEST_JUDGED_MS = 26 * 3_600_000;

export async function createJobs(deps: JobsDependencies): Promise<Jobs> {
  const { store, storeUrl, hosts, clock, log } = deps;
  const owner = randomUUID();
  const scheduler: Scheduler<Recurrence, SubscriptionRef> = await openScheduler(storeUrl, {
    store,
    clock,
    repeatStrategy,
    log,
  });
  const statistics = store.exclusive
    ? deps.statistics
    : shareStatistics(deps.statistics, createSharedAnswers({ store, clock, owner, space: 'cache-shared-answers' }));
  const report = createReport({ statistics, hosts, now: clock.now, verdict: verdictLine(statistics) });
  const leases = store.exclusive ? createLocalLeases(clock.now) : store.locks;
  const rateLimiter = createPostRateLimiter({ clock });
  const outbox: Pick<Outbox, 'send' | 'find' | 'edit'> = {
    send: (channel, reply, runId) => deps.outbox().send(channel, reply, runId),
    find: (channel, runId, since) => deps.outbox().find(channel, runId, since),
    edit: (channel, ts, reply) => deps.outbox().edit(channel, ts, reply),
  };
  const tell = async (
    { kind, owner: user, channel, id, state }: Subscription<unknown>,
    reason: string,
  ): Promise<void> => {
    const since = state.is === 'paused' ? state.at : '';
    const note = pausedNote(kind, channel, reasonInWords(reason), deps.command);
    await deps.outbox().tell(user, note, `paused/${kind}/${channel}/${id}/${since}`);
  };
  const common = { leases, scheduler, hosts, clock, log, owner, tell };
  const watching = createWatches({ ...common, store, statistics, outbox: paced(outbox, rateLimiter) });
  const digesting = createDigests<Reply>({
    ...common,
    records: store,
    outbox,
    rateLimiter,
    compose: report,
    apologise: apology,
  });
  const services = [digesting.subscriptionService, watching.subscriptionService];
  async function* allJobs() {
    for (const subscriptionService of services) yield* subscriptionService.jobs();
  }
  return {
    watches: watching.watches,
    digests: createDigestsPort({
      subscriptionService: digesting.subscriptionService,
      clock,
      report: (subscription, window) => report(subscription, window, { late: false }),
      windowAt: (subscription, at, previousDueAt) => digesting.delivery.windowAt(subscription, at, previousDueAt),
    }),
    async start() {
      // Slack has accepted the token, or we would not be here: what was paused for its sake goes on.
      for (const subscriptionService of services)
        await subscriptionService.resumeWhere((_, reason) => reason === 'token_revoked');
      await scheduler.reconcile(allJobs());
      await scheduler.start(({ payload }, context) =>
        payload.kind === 'watch' ? watching.runner.run(payload, context) : digesting.delivery.run(payload, context),
      );
      for (const subscriptionService of services) await subscriptionService.tellOwners();
    },
    stop: () => scheduler.stop(),
  };
}

/** Whether the window was normal, in one line. */
function verdictLine(statistics: Statistics) {
  return async (range: Range, hosts: readonly Host[], zone: string): Promise<Line | null> => {
    if (lengthOf(range) > LONGEST_JUDGED_MS) return null;
    const ids = hosts.map(({ id }) => id);
    const { verdict } = await assess(statistics, { range, hosts: ids, zone, categoriesAgainst: 'hours before' });
    return verdict.level === 'not_enough_data' ? null : ['Verdict: ', ...verdictHeadline(verdict)];
  };
}

/** Everything that is posted unasked waits in one queue. An edit may be made twice, and Slack limits it apart. */
function paced(
  outbox: Pick<Outbox, 'send' | 'find' | 'edit'>,
  rateLimiter: PostRateLimiter,
): Pick<Outbox, 'send' | 'find' | 'edit'> {
  return {
    ...outbox,
    async send(channel, reply, runId) {
      await rateLimiter.slot(channel);
      return outbox.send(channel, reply, runId);
    },
  };
}

const lengthOf = ({ from, to }: Range): number => to.epochMilliseconds - from.epochMilliseconds;

function pausedNote(kind: 'digest' | 'watch', channel: string, reason: string, command: string): Reply {
  return {
    title: `Your ${kind} is paused`,
    headline: [`The ${kind} you set up in `, { channel }, ` cannot be delivered: ${reason}.`],
    body: [['When that is put right, bring it back there with ', { code: `${command} ${kind} resume` }, '.']],
  };
}
