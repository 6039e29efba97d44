/** Composes the bot: which part gets what, and in which order parts are opened and closed. */
import { z } from 'zod';
import { createRenderer, drawWith, probeChartServer } from './charts/index.ts';
import { type Clock, sleep, systemClock, withTimeout } from './clock.ts';
import { storedConversations, storedHandovers, storedSettings } from './commands/channel-records.ts';
import { type Commands, createCommands } from './commands/index.ts';
import { storageFinding } from './commands/verbs/doctor.ts';
import { COMMANDS } from './commands/verbs/index.ts';
import { pagerFindings } from './commands/verbs/pager.ts';
import type { Config, SlackConfig } from './config/config.ts';
import { BotError } from './errors.ts';
import { listenFailure } from './listen.ts';
import { healthRoutes, startHealthServer } from './observability/health.ts';
import type { Logger } from './observability/logger.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import type { Pagers } from './pagers/index.ts';
import { openProjects } from './projects/open-projects.ts';
import { isAllowedChannel } from './projects/permissions.ts';
import { storedProject } from './projects/project.ts';
import type { Doctor, Finding } from './replies/finding.ts';
import type { Reply } from './replies/reply.ts';
import type { QuestionStore, StoredQuestion } from './slack/answer-question.ts';
import { renderMessage } from './slack/blocks/message.ts';
import { createHome } from './slack/home.ts';
import { createSlackApp, type SlackApp } from './slack/index.ts';
import { REMEMBER_MS } from './slack/middleware.ts';
import type { EndedSteps } from './slack/run-step.ts';
import { verifiedSignature } from './slack/transport/verify-requests.ts';
import type { ServicePause } from './statistics/statistics.ts';
import { createValidRecords, storedInstant, undefinedIfDamaged, watchStore } from './store/create-store.ts';
import { assertExpectedStore } from './store/expected-store.ts';
import { openStore, type Store, sqlitePath } from './store/index.ts';
import { type MigrationStep, migrateStore } from './store/layout.ts';
import type { OpenedStore } from './store/maintenance.ts';
import { createJobs, type Jobs } from './subscriptions/jobs.ts';

/** A complete configuration; the playground fills in its local services. */
export interface BotConfig extends Config {
  readonly slack: SlackConfig;
  readonly projects: NonNullable<Config['projects']>;
}

export interface Bot {
  readonly slack: SlackApp;
  readonly store: Store;
  /** Where agents are answered; `null` if they aren't. */
  readonly mcpPort: number | null;
  /** Where PagerDuty sends acknowledgments; `null` if it doesn't. */
  readonly acknowledgmentPort: number | null;
  /** Where health and metrics are served. */
  readonly port: number;
  /** Whether a request, a digest or a watch is under way. */
  isBusy(): boolean;
  /** Why requests to a service are paused, and until when; `null` if none are. */
  heldBack(): ServicePause | null;
  /** Finishes work in progress, then closes everything in reverse order of opening. */
  stop(): Promise<void>;
}

/** The part of a stop left after waiting for the services behind the bot, to tell people that it's restarting. */
const RESTART_NOTICE_MS = 2_000;
/** How long a stop waits for the services behind the bot. */
export const serviceGraceMs = ({ stopMs }: Pick<BotConfig, 'stopMs'>): number => stopMs - RESTART_NOTICE_MS;

export interface BotOptions {
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  /** Aborts a start, which lasts as long as Slack or Redis is unreachable: closes everything, then rejects. */
  readonly signal?: AbortSignal;
  /** Opens what draws the charts, for bots of one process that share it. */
  readonly openRenderer?: typeof createRenderer;
  /** Defaults to those of this version. */
  readonly migrations?: readonly MigrationStep[];
}

export async function startBot(config: BotConfig, log: Logger, options: BotOptions = {}): Promise<Bot> {
  const { clock = systemClock, metrics = createMetrics(), signal, openRenderer = createRenderer } = options;
  const closing: (() => Promise<unknown>)[] = [];
  const givingUp = new AbortController();
  const stop = async (): Promise<void> => {
    const faults: unknown[] = [];
    const endGrace = clock.after(serviceGraceMs(config), () => givingUp.abort(), 'limit');
    // A part that fails to close must not keep the others open.
    for (const close of closing.splice(0).reverse()) await close().catch((error: unknown) => faults.push(error));
    endGrace();
    if (faults.length > 0) throw new AggregateError(faults, 'some parts failed to close');
  };
  /** A part opened after the start was aborted is closed at once: the stop has already run. */
  const opened = async (close: () => Promise<unknown>): Promise<void> => {
    closing.push(close);
    if (signal?.aborted) await stop();
    signal?.throwIfAborted();
  };
  try {
    const composing = composeBot(config, {
      ...{ log, clock, metrics, opened, signal, openRenderer, migrations: options.migrations },
      openParts: () => closing.length,
      async closeDownTo(count) {
        for (const close of closing.splice(count).reverse())
          await close().catch((err: unknown) => log.warn({ err }, 'could not close a part before starting over'));
      },
      giveUp: givingUp.signal,
    });
    const bot = await (signal === undefined ? composing : unlessAborted(composing, signal));
    return { ...bot, stop };
  } catch (error) {
    await stop().catch((fault: unknown) => log.warn({ err: fault }, 'could not close after a failed start'));
    throw error;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const giveUp = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', giveUp));
}

interface Composition {
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly openRenderer: typeof createRenderer;
  readonly migrations: readonly MigrationStep[] | undefined;
  /** Registers how a part is closed, in the order of opening. Rejects if the start was aborted. */
  readonly opened: (close: () => Promise<unknown>) => Promise<void>;
  /** The number of open parts; `closeDownTo` closes the latest until that many are left. */
  readonly openParts: () => number;
  readonly closeDownTo: (count: number) => Promise<void>;
  /** Aborts the start. */
  readonly signal: AbortSignal | undefined;
  /** Aborted once a stop has waited long enough for the services behind the bot. */
  readonly giveUp: AbortSignal;
}

/** Parts that are opened one after another; the health server reports on them from the beginning. */
interface Opened {
  store?: Store;
  isMigrating?: boolean;
  watching?: Awaited<ReturnType<typeof watchStore>>;
  slack?: SlackApp;
  jobs?: Jobs;
}

type OpenedProjects = Awaited<ReturnType<typeof openProjects>>;

type Parts = Composition & {
  readonly config: BotConfig;
  readonly opening: Opened;
  readonly rendering: ReturnType<typeof createRenderer>;
  readonly store: OpenedStore;
  readonly projects: OpenedProjects;
  readonly pagers: Pagers | null;
};

async function composeBot(config: BotConfig, composition: Composition) {
  const { log, opened, giveUp, openRenderer } = composition;
  // The renderer's thread starts in parallel with everything below. If it can't start, neither does the bot.
  const rendering = openRenderer(config.charts, { log, giveUp });
  rendering.catch(() => {});
  await opened(async () => (await rendering.catch(() => null))?.close());
  const opening: Opened = {};
  const port = await serveHealth(config, composition, opening);
  for (;;) {
    const before = composition.openParts();
    try {
      return { ...(await composeOnStore(config, composition, opening, rendering)), port };
    } catch (error) {
      if (!isAway(error) || composition.signal?.aborted) throw error;
      log.warn({ ...error.detail }, 'Redis went away during the start, starting over');
      await composition.closeDownTo(before);
      await sleep(systemClock, START_AGAIN_MS);
    }
  }
}

/** A start waits for a Redis that goes away midway, as it does for one that's away from the beginning. */
const START_AGAIN_MS = 500;

const isAway = (error: unknown): error is BotError =>
  error instanceof BotError &&
  error.code === 'storage' &&
  error.detail.storage === 'redis' &&
  error.reason === undefined;

async function composeOnStore(
  config: BotConfig,
  composition: Composition,
  opening: Opened,
  rendering: Parts['rendering'],
) {
  const { log, clock, opened } = composition;
  const store = await openStore(config.store.reveal(), {
    log,
    now: clock.now,
    waitUntilReachable: true,
    onFailure: (cause) => composition.metrics.storeErrors.inc({ cause }),
  });
  opening.store = store;
  await opened(() => store.close());
  await prepareStore(store, config, composition, opening);
  const projects = await openServices(config, composition, store);
  const pagers = await openConfiguredPagers(config, composition, opening, store);
  const parts: Parts = { ...composition, config, opening, rendering, store, projects, pagers };
  const jobs = await createSubscriptions(parts);
  opening.jobs = jobs;
  const commands = createAnswers(parts, jobs);
  const slack = createSlack(parts, jobs, commands);
  opening.slack = slack;
  await opened(async () => {
    const jobsStopped = jobs.stop();
    // In parallel: a digest being posted needs Slack, and Slack must not close before it is done or the grace is over.
    await slack.stop(jobsStopped);
    await jobsStopped;
  });
  const mcpPort = await serveAgents(parts, slack, commands);
  const acknowledgmentPort = await receiveAcknowledgments(parts, jobs);
  const connecting = slack.start().catch((error: unknown) => {
    throw listenFailure(error, config.port, 'PORT');
  });
  await Promise.all([rendering, connecting]);
  if (slack.port() !== null) log.info({ port: slack.port() }, 'listening for Slack requests');
  await jobs.start();
  pagers?.start();
  // Last: a Redis that restarts empty during the start is no different from one that was empty before.
  const watching = await watchStore({ store, clock, log, onLost: jobs.notifyLost });
  opening.watching = watching;
  await opened(watching.stop);
  const isBusy = (): boolean => slack.isBusy() || jobs.isBusy();
  const heldBack = (): ServicePause | null => projects.projects.map((each) => each.heldBack?.()).find(Boolean) ?? null;
  return { slack, store, mcpPort, acknowledgmentPort, isBusy, heldBack };
}

async function prepareStore(store: OpenedStore, config: BotConfig, composition: Composition, opening: Opened) {
  const { log, clock, migrations } = composition;
  const path = sqlitePath(config.store.reveal());
  await assertExpectedStore(store, { path, isRequired: config.expectStore, log });
  const onBegin = (): void => {
    opening.isMigrating = true;
  };
  await migrateStore(store, { log, now: clock.now, steps: migrations, onBegin });
  opening.isMigrating = false;
}

/** Started before Redis and Slack, which may be unreachable for long: alive, but not ready. A port in use shows at once. */
async function serveHealth(config: BotConfig, { log, metrics, opened }: Composition, opening: Opened): Promise<number> {
  metrics.expectVerbs(COMMANDS.all.map(({ verb }) => verb));
  metrics.readSockets(() => opening.slack?.connected() ?? 0);
  const routes = healthRoutes(
    [
      {
        name: 'store',
        async check() {
          if (opening.isMigrating) throw migrating();
          await assertOpen(opening.watching).assertReady();
        },
      },
      { name: 'slack', check: async () => assertConnected(opening.slack) },
    ],
    metrics,
  );
  const health = await startHealthServer(routes, config.health, healthSetting(config));
  await opened(health.stop);
  log.info({ port: health.port }, 'serving health and metrics');
  return health.port;
}

/** Loaded only if it's configured, because the SDK takes long to load. */
async function serveAgents(parts: Parts, slack: SlackApp, commands: Commands): Promise<number | null> {
  const { config, projects, rendering, clock, log, metrics, opened } = parts;
  const { mcp, zone, command } = config;
  if (mcp === null) return null;
  const { startAgents } = await import('./mcp/index.ts');
  const server = await startAgents({
    ...{ ...mcp, projects: projects.projects, zone, command, clock, log },
    token: mcp.token?.reveal() ?? null,
    slackbot: mcp.slackbotSecret === null ? null : slackbotOf(slack, commands, mcp.slackbotSecret.reveal()),
    draw: drawing(config, rendering, metrics),
    observeQuestion: metrics.questionBegins,
  }).catch((error: unknown) => {
    throw listenFailure(error, mcp.port, 'WAFBOT_MCP_PORT');
  });
  await opened(server.stop);
  log.info({ port: server.port }, 'listening for agents');
  return server.port;
}

/** Loaded only if there is one. */
async function openConfiguredPagers(
  { pagers: settings }: BotConfig,
  { clock, log, metrics, giveUp, opened }: Composition,
  opening: Opened,
  store: Store,
): Promise<Pagers | null> {
  if (settings === null) return null;
  const { openPagers } = await import('./pagers/index.ts');
  const pagers = openPagers(settings, {
    ...{ store, clock, log, giveUp },
    observerOf: metrics.pagerObserver,
    // A damaged record may still be followed.
    isWatched: async (page) => (await opening.jobs?.isPagingAbout(page).catch(undefinedIfDamaged)) ?? true,
  });
  await opened(pagers.stop);
  return pagers;
}

/** Its own port: it has to be open to the internet, and nothing else of the bot should be. */
async function receiveAcknowledgments({ config, pagers, store, ...parts }: Parts, jobs: Jobs): Promise<number | null> {
  const settings = config.pagers?.acknowledgments ?? null;
  if (settings === null || pagers === null) return null;
  const { clock, log, opened } = parts;
  const seen = store.space<true>('pagerduty-events');
  const { startAcknowledgments } = await import('./pagers/acknowledgments.ts');
  const server = await startAcknowledgments({
    ...settings,
    ...{ clock, log },
    openPage: pagers.openPage,
    acknowledge: (page, { name: by, atMs }) => jobs.acknowledge(page, { by, atMs, via: 'PagerDuty' }),
    seen: { has: (id) => seen.has(id), add: (id, ttlMs) => seen.set(id, true, ttlMs) },
  }).catch((error: unknown) => {
    throw listenFailure(error, settings.port, 'WAFBOT_PAGERDUTY_WEBHOOK_PORT');
  });
  await opened(server.stop);
  log.info({ port: server.port }, 'listening for PagerDuty');
  return server.port;
}

const slackbotOf = (slack: SlackApp, commands: Commands, signingSecret: string) => ({
  commands,
  admit: slack.admit,
  isSigned: (request: Parameters<typeof verifiedSignature>[1]) => verifiedSignature(signingSecret, request) !== null,
  renderBlocks: (reply: Reply) => renderMessage(reply, { rendering: 'native' }).blocks ?? [],
});

async function openServices(config: BotConfig, composition: Composition, store: Store): Promise<OpenedProjects> {
  const { log, clock, metrics, opened, giveUp } = composition;
  const projects = await openProjects(config.projects, {
    store,
    observerOf: metrics.serviceObserver,
    clock,
    showAddresses: config.showAddresses,
    runbookHosts: config.runbookHosts,
    zone: config.zone,
    log,
  });
  await opened(() => projects.close());
  giveUp.addEventListener('abort', projects.abort, { once: true });
  return projects;
}

function createSubscriptions(parts: Parts): Promise<Jobs> {
  const { config, store, clock, log, metrics, opening } = parts;
  const { projects } = parts.projects;
  return createJobs({
    observer: metrics.jobObserver,
    pages: parts.pagers?.queue,
    store,
    storeUrl: config.store.reveal(),
    projects,
    commands: COMMANDS,
    clock,
    log,
    command: config.command,
    whyForbidden({ channel, project: storedAs }) {
      if (!isAllowedChannel(config, channel)) return 'channel_forbidden';
      const project = storedProject(projects, storedAs);
      if (project === undefined) return 'project_gone';
      return isAllowedChannel(project, channel) ? null : 'project_forbidden';
    },
    handovers: storedHandovers(store),
    outbox: () => assertSetUp(opening.slack).outbox,
    assertStored: async () => opening.watching?.assertStored(),
  });
}

/** As long as one check of a service. */
const EXAMINE_LIMIT_MS = 10_000;

const policyOf = ({ allowedChannels, admins }: BotConfig) => ({ allowedChannels, admins });

function createAnswers({ config, store, projects: { projects, examine }, clock, opening, pagers }: Parts, jobs: Jobs) {
  /** A check that hangs counts as failed; each service has its own limits. */
  const within = (what: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> =>
    withTimeout(clock, EXAMINE_LIMIT_MS, work, () => [
      { what, ok: false, says: 'No answer in time.', fix: 'try again in a minute.' },
    ]);
  const doctor: Doctor = {
    async examine(channel) {
      const services = Promise.all(projects.map(examine)).then((findings) => findings.flat());
      const slack = within('Slack', async () => opening.slack?.probe(channel) ?? []);
      const storage = within('Storage', () => probeStore(store));
      const charts = probeChartServer(config.charts);
      // An unreachable store is reported by its own finding.
      const stored = withTimeout(clock, EXAMINE_LIMIT_MS, jobs.examine, () => []).catch(() => []);
      const paging = within('Pagers', async () => pagerFindings((await pagers?.status()) ?? [])).catch(() => []);
      return (await Promise.all([services, slack, storage, charts, stored, paging])).flat();
    },
  };
  return createCommands({
    projects,
    digests: jobs.digests,
    watches: jobs.watches,
    settings: storedSettings(store),
    handovers: storedHandovers(store),
    conversations: storedConversations(store, clock.now),
    doctor,
    pagers,
    async assertPostable(channel) {
      await opening.slack?.assertPostable(channel);
    },
    joinChannel: async (channel) => assertSetUp(opening.slack).joinChannel(channel),
    findMentioned: async (name) => assertSetUp(opening.slack).findMentioned(name),
    policy: policyOf(config),
    now: clock.now,
    zone: config.zone,
    command: config.command,
  });
}

const questionSchema = z.object({
  owner: z.string(),
  text: z.string(),
  target: z.object({ channel: z.string(), user: z.string() }),
  askedAt: storedInstant,
  noticeId: z.string(),
  leftBehind: z.number().optional(),
  answered: z.boolean().optional(),
});

/** The questions under way. */
export function storedQuestions(store: Store): QuestionStore {
  const { update, list } = createValidRecords<StoredQuestion>(store, 'questions', questionSchema);
  return { update, list, locks: store.locks, exclusive: store.exclusive };
}

function storedSteps(store: Store): EndedSteps {
  const ended = store.space<true>('ended-steps');
  return { has: (execution) => ended.has(execution), add: (execution) => ended.set(execution, true, REMEMBER_MS) };
}

/** `null`: charts are turned off. */
const drawing = ({ charts }: BotConfig, rendering: Parts['rendering'], metrics: Metrics) =>
  charts.kind === 'none' ? null : metrics.timed(drawWith(rendering));

function createSlack(parts: Parts, jobs: Jobs, commands: Commands): SlackApp {
  const { config, store, projects, rendering, clock, log, metrics } = parts;
  const { botToken, apiUrl, transport } = config.slack;
  return createSlackApp({
    botToken: botToken.reveal(),
    apiUrl,
    receiver:
      transport.kind === 'socket'
        ? { kind: 'socket', appToken: transport.appToken.reveal() }
        : { kind: 'http', signingSecret: transport.signingSecret.reveal(), port: config.port },
    command: config.command,
    stopMs: config.stopMs,
    commands,
    alsoAnswer: config.alsoAnswer,
    drawChart: drawing(config, rendering, metrics),
    // Replicas on one Redis must agree on which requests they have seen; a single process uses its memory.
    isNewToAll: store.exclusive ? undefined : (key) => store.locks.acquire(`seen:${key}`, 'seen', REMEMBER_MS),
    isNewSignature: (signature) => isNewInStore(store, signature),
    storedZones: store.space<string>('cache-zones'),
    questions: storedQuestions(store),
    endedSteps: storedSteps(store),
    viewedChannels: store.space<string>('cache-viewed'),
    loadHome: createHome({
      jobs,
      projects: projects.projects,
      probeService: projects.examine,
      policy: policyOf(config),
      clock,
      zone: config.zone,
      log,
    }),
    log,
    clock,
    observeQuestion: metrics.questionBegins,
  });
}

/** The setting to change if the health port is in use. */
function healthSetting({ given, slack }: BotConfig): string {
  return given.has('WAFBOT_HEALTH_PORT') || slack.transport.kind === 'http' ? 'WAFBOT_HEALTH_PORT' : 'PORT';
}

const migrating = (): BotError =>
  new BotError('storage', 'The storage is being migrated.', { reason: { is: 'storage_migrating' } });

function assertOpen<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the store is not open yet');
  return part;
}

function assertSetUp(slack: SlackApp | undefined): SlackApp {
  if (slack === undefined) throw new Error('Slack is not set up yet');
  return slack;
}

function assertConnected(slack: SlackApp | undefined): void {
  const sockets = slack?.connected();
  if (sockets === undefined || sockets === 0) throw new Error('no connection to Slack');
}

/** Locks of an exclusive store end with the process, so it stores a record instead. */
async function isNewInStore(store: Store, signature: string): Promise<boolean> {
  if (!store.exclusive) return store.locks.acquire(`signature:${signature}`, 'seen', REMEMBER_MS);
  const seen = store.space<true>('signatures');
  if (await seen.has(signature)) return false;
  await seen.set(signature, true, REMEMBER_MS);
  return true;
}

async function probeStore({ ping, maintenance }: OpenedStore): Promise<Finding[]> {
  try {
    await ping();
    return [storageFinding(maintenance)];
  } catch (error) {
    const says = error instanceof BotError ? error.message : 'Storage is unreachable.';
    return [{ what: 'Storage', ok: false, says, fix: 'check WAFBOT_STORE and that the disk or Redis is up.' }];
  }
}
