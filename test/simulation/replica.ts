/** One process of the bot, put together as `bot.ts` does it, on the models of what is outside of it. */
import { App, type ReceiverEvent } from '@slack/bolt';
import { storedQuestions } from '../../src/bot.ts';
import { type Clock, epochMsOf } from '../../src/clock.ts';
import type { ChannelSettings } from '../../src/commands/channel-records.ts';
import { channelSettingsSchema, storedConversations } from '../../src/commands/channel-records.ts';
import { type Commands, createCommands } from '../../src/commands/index.ts';
import { COMMANDS } from '../../src/commands/verbs/index.ts';
import {
  createEpisodeLog,
  type EpisodeList,
  type EpisodeQuery,
  type StoredBlock,
  storedBlockSchema,
} from '../../src/episodes/episode-log.ts';
import {
  type IgnoredCategories,
  type IgnoredCategory,
  ignoredCategoriesSchema,
  storedIgnored,
} from '../../src/episodes/ignored.ts';
import { createLastVerdicts } from '../../src/episodes/last-verdicts.ts';
import type { HostAlias } from '../../src/grammar/hosts.ts';
import type { Logger } from '../../src/observability/logger.ts';
import { hostAliasSchema } from '../../src/projects/open-projects.ts';
import { onlyProject, type Projects } from '../../src/projects/project.ts';
import {
  createAnswerQuestion,
  createPendingQuestions,
  createProgressNotices,
  createResumeQuestion,
} from '../../src/slack/answer-question.ts';
import { registerListeners } from '../../src/slack/listeners/index.ts';
import { createDeduplicate, createUserProfiles, dropRepeated, REMEMBER_MS } from '../../src/slack/middleware.ts';
import { createPosting } from '../../src/slack/posting/index.ts';
import { type SlackClients, slackLogger } from '../../src/slack/transport/web-api.ts';
import type { Statistics } from '../../src/statistics/statistics.ts';
import { createKeyValueStore, createStore, createValidRecords, watchStore } from '../../src/store/create-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createJobs, type Jobs } from '../../src/subscriptions/jobs.ts';
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
  readonly withQuestions: boolean;
}

export type Replica = Awaited<ReturnType<typeof openReplica>>;

export const COMMAND = '/waf';
export const BOT_USER = 'UBOT';
export const TEAM = 'T1';
const ZONE = 'UTC';
const IDENTITY = { botName: 'wafbot', url: null, teamId: null };
const userName = async (): Promise<null> => null;
const TAKEOVER_FREEZES = 0.4;
/** Less often than in production, because most of what happens in a history would be that. */
const RECONCILE_EVERY_MS = 90_000;

export async function openReplica(around: Surroundings, life: Life) {
  const { world, slack } = around;
  const clock = world.clockOf(life);
  const log = logOf(world, life);
  const store = createStore(around.store.open(life), log);
  const projects = openProject(around, life, store, log);
  const clients = slack.clientsOf(life);
  const posting = createPosting({ clients, drawChart: null, identity: IDENTITY, userName, clock, log });
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
  // Who takes a question over may freeze too, so that it's taken over in turn.
  const onTakeover = (): void => {
    if (world.chance.happens(TAKEOVER_FREEZES)) world.freeze(life, world.chance.between(10_000, 60_000));
  };
  const answers = (): Commands => createAnswers(store, projects, jobs, clock);
  const app = around.withQuestions
    ? createApp({ clients, posting, commands: answers(), store, clock, log, onTakeover })
    : null;
  await app?.open();
  await jobs.start();
  const stored = await watchStore({ store, clock: slowed(clock), log, onLost: jobs.notifyLost });
  watching = stored;
  return {
    life,
    jobs,
    assertReady: stored.assertReady,
    deliver: async (event: ReceiverEvent) => app?.deliver(event),
    /** For everyone, until the end of the history. */
    ignore: (category: string) => ignoreFrom(projects[0].ignored, category, clock.now()),
  };
}

function ignoreFrom({ change }: IgnoredCategories, category: string, now: Temporal.Instant) {
  const [fromMs, untilMs] = [now.epochMilliseconds, now.add({ hours: 24 }).epochMilliseconds];
  return change((current) => [...current, { category, hosts: [], fromMs, untilMs, by: 'U1' }]);
}

function createAnswers(store: Store, projects: Projects, jobs: Jobs, clock: Clock): Commands {
  return createCommands({
    projects,
    digests: jobs.digests,
    watches: jobs.watches,
    settings: createKeyValueStore<ChannelSettings>(store, 'settings', channelSettingsSchema),
    conversations: storedConversations(store, clock.now),
    doctor: { examine: async () => [] },
    assertPostable: async () => {},
    joinChannel: async () => ({ is: 'member' }),
    findMentioned: async () => ({ nearest: [], groups: 'listed' }),
    policy: { allowedChannels: null, admins: null },
    now: clock.now,
    zone: ZONE,
    command: COMMAND,
  });
}

interface AppParts {
  readonly clients: SlackClients;
  readonly posting: ReturnType<typeof createPosting>;
  readonly commands: Commands;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onTakeover: () => void;
}

/** Bolt with the real listeners as `slack/index.ts` joins them, fed by hand instead of by a socket. */
function createApp({ clients, posting, commands, store, clock, log, onTakeover }: AppParts) {
  const { deliverReply, postAndConfirm, respond } = posting;
  const profiles = createUserProfiles(clients, clock, log, store.space<string>('cache-zones'));
  const common = { commands, userZone: profiles.zone, deliverReply, clock, log, command: COMMAND };
  const startProgressNotice = createProgressNotices({ clients, postAndConfirm, respond, clock, log });
  const isNewToAll = (key: string): Promise<boolean> => store.locks.acquire(`seen:${key}`, 'seen', REMEMBER_MS);
  const isNew = createDeduplicate(clock, log, store.exclusive ? undefined : isNewToAll);
  const pending = createPendingQuestions({ store: storedQuestions(store), clock: slowed(clock), log, markSeen: isNew });
  const answerQuestion = createAnswerQuestion({
    ...common,
    pending,
    startProgressNotice,
    observeQuestion: () => () => {},
  });
  const resume = createResumeQuestion({ clients, log }, answerQuestion);
  const app = new App({
    authorize: async () => ({ botToken: 'xoxb-simulation', botId: 'B1', botUserId: BOT_USER, teamId: TEAM }),
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    logger: slackLogger(log),
    convoStore: false,
  });
  app.use(dropRepeated(isNew));
  registerListeners(app, { ...common, answerQuestion, respond, publishHome: async () => {}, clients });
  app.error(async (error) => log.error({ err: error.original ?? error }, 'listener failed'));
  return {
    deliver: (event: ReceiverEvent) => app.processEvent(event),
    /** Answers what processes before this one left behind. */
    async open(): Promise<void> {
      await pending.open();
      pending.resumeWith(async (text, target, question) => {
        onTakeover();
        await resume(text, target, question);
      });
    },
  };
}

/** Looking for questions left behind every two seconds, and at the store every 20, would be most of what happens in a history. */
const slowed = (clock: Clock): Clock => ({
  now: clock.now,
  after: (delayMs, run, purpose) => clock.after(purpose === 'limit' ? delayMs : 5 * delayMs, run, purpose),
});

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
  const ignored = createValidRecords<readonly IgnoredCategory[]>(store, 'ignored', ignoredCategoriesSchema);
  return onlyProject(
    {
      statistics,
      hosts: createKeyValueStore<HostAlias>(store, 'hosts', hostAliasSchema),
      lastVerdicts: createLastVerdicts(),
      episodes: withEpisodes ? episodes : { ...episodes, within: noEpisodes },
    },
    storedIgnored(ignored),
  );
}

const noEpisodes = async ({ toMs }: EpisodeQuery): Promise<EpisodeList> => ({
  episodes: [],
  held: [],
  judged: true,
  untilMs: toMs,
  stale: false,
  lacksCategories: false,
});

/** The client of the service from its requests upward: only HTTP and credentials are left out. */
export function openStatistics(
  { world, service }: Pick<Surroundings, 'world' | 'service'>,
  life: Life,
  store: Store,
  log: Logger,
): Statistics {
  const now = world.wallMs;
  const sleep = (ms: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    world.after(ms, life, resolve);
    return promise;
  };
  const request = createRequest({
    ...{ now, log },
    closing: new AbortController().signal,
    peer: service.peerOf(life),
    retries: createRetryPolicy({
      ...{ log, sleep },
      now: world.nowMs,
      service: 'statistics',
      random: world.chance.fraction,
    }),
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
