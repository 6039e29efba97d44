/** One process of the bot, put together as `bot.ts` does it, on the models of what is outside of it. */
import { epochMsOf } from '../../src/clock.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import {
  createEpisodeLog,
  type EpisodeList,
  type EpisodeQuery,
  type StoredBlock,
  storedBlockSchema,
} from '../../src/episodes/episode-log.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import type { HostAlias } from '../../src/grammar/hosts.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { hostAliasSchema } from '../../src/projects/open-projects.ts';
import { onlyProject, type Projects } from '../../src/projects/project.ts';
import { createPosting } from '../../src/slack/posting/index.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';
import { createKeyValueStore, createStore, createValidRecords, watchStore } from '../../src/store/create-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createJobs } from '../../src/subscriptions/jobs.ts';
import { repeatStrategy } from '../../src/subscriptions/recurrence/due-times.ts';
import type { Recurrence } from '../../src/subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from '../../src/subscriptions/subscription.ts';
import { createBestEffortCache, createReplicaSharing } from '../../src/waf/cache.ts';
import { createRequest, createRetryPolicy } from '../../src/waf/client/http.ts';
import { createQueries } from '../../src/waf/client/queries.ts';
import { createEventsDialect } from '../../src/waf/dialects/events.ts';
import type { QueueModel } from './queue-model.ts';
import type { ServiceModel } from './service-model.ts';
import type { SlackModel } from './slack-model.ts';
import type { StoreModel } from './store-model.ts';
import type { Life, World } from './world.ts';

export interface Surroundings {
  readonly world: World;
  readonly store: StoreModel;
  /** On Redis; the embedded scheduler needs only the store. */
  readonly queue: QueueModel<Recurrence, SubscriptionRef> | null;
  readonly slack: SlackModel;
  readonly service: ServiceModel;
  /** Without it, digests have their numbers but nobody searches for episodes, which takes most of the time. */
  readonly withEpisodes: boolean;
}

export type Replica = Awaited<ReturnType<typeof openReplica>>;

const COMMAND = '/waf';
const ZONE = 'UTC';
/** Less often than in production, which saves half of the time that a history takes. */
const RECONCILE_EVERY_MS = 60_000;

export async function openReplica(around: Surroundings, life: Life) {
  const { world, slack } = around;
  const clock = world.clockOf(life);
  const log = logOf(world, life);
  const store = createStore(around.store.open(life), log);
  const projects = openProject(around, life, store, log);
  const clients = slack.clientsOf(life);
  const posting = createPosting({ clients, drawChart: null, identity: { botName: 'wafbot' }, clock, log });
  let watching: Awaited<ReturnType<typeof watchStore>> | undefined;
  const jobs = await createJobs({
    ...{ store, projects, clock, log },
    storeUrl: 'memory:',
    scheduler: around.queue?.open(life, { clock, repeatStrategy, log }),
    commands: COMMANDS,
    command: COMMAND,
    whyForbidden: () => null,
    outbox: () => posting.outbox,
    assertStored: async () => watching?.assertStored(),
    reconcileEveryMs: RECONCILE_EVERY_MS,
  });
  await jobs.start();
  watching = await watchStore({ store, clock, log, onLost: jobs.notifyLost });
  return { life, jobs };
}

function openProject({ world, service, withEpisodes }: Surroundings, life: Life, store: Store, log: Logger): Projects {
  const clock = world.clockOf(life);
  const statistics = openStatistics({ world, service }, life, store, log);
  const blocks = store.space<StoredBlock>('episodes');
  const episodes = createEpisodeLog({
    statistics,
    blocks: {
      ...createValidRecords<StoredBlock>(store, 'episodes', storedBlockSchema),
      set: blocks.set.bind(blocks),
    },
    nowMs: epochMsOf(clock),
    zone: ZONE,
  });
  return onlyProject({
    statistics,
    hosts: createKeyValueStore<HostAlias>(store, 'hosts', hostAliasSchema),
    lastVerdicts: createLastVerdicts(),
    episodes: withEpisodes ? episodes : { ...episodes, within: noEpisodes },
  });
}

const noEpisodes = async ({ toMs }: EpisodeQuery): Promise<EpisodeList> => ({
  episodes: [],
  judged: true,
  untilMs: toMs,
  stale: false,
});

/** The client of the service from its requests upward: only HTTP and credentials are left out. */
function openStatistics(
  { world, service }: Pick<Surroundings, 'world' | 'service'>,
  life: Life,
  store: Store,
  log: Logger,
): Statistics {
  const now = world.nowMs;
  const sleep = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    world.after(ms, life, resolve);
    return promise;
  };
  const request = createRequest({
    ...{ now, log },
    closing: new AbortController().signal,
    peer: service.peerOf(life),
    retries: createRetryPolicy({ ...{ now, log, sleep }, service: 'statistics', random: world.chance.fraction }),
    authorizer: { admit: async () => () => {}, prepare: async () => {}, hooks: {} },
  });
  const cache = createBestEffortCache(store.space('cache-answers'), log);
  return createQueries({
    ...{ cache, now, log },
    dialect: createEventsDialect({ request, projectId: 'simulation', showAddresses: 'masked' }),
    replicas: createReplicaSharing({
      ...{ cache, sleep, log },
      locks: store.exclusive ? null : store.locks,
      owner: life.name,
    }),
    showAddresses: 'masked',
    scope: 'simulation',
    maxRangeDays: 30,
    concurrency: 4,
    observe: undefined,
  });
}

/** What operators would see is part of the record; a bug that was caught is one all the same. */
function logOf(world: World, life: Life): Logger {
  const write = (facts: object, message: string): void =>
    world.record(`${life.name} logs: ${message}${reasonIn(facts)}`);
  return { debug: () => {}, info: write, warn: write, error: write };
}

function reasonIn(facts: object): string {
  const err: unknown = 'err' in facts ? facts.err : undefined;
  return err instanceof Error ? ` (${err.message})` : '';
}
