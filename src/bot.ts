/** Composition of the bot: who is given what, and in which order it is opened and closed. `subscriptions/jobs.ts` does what is scheduled. */
import { createRenderer } from './charts/index.ts';
import { type Clock, epochMsOf, systemClock } from './clock.ts';
import type { ChannelSettings } from './commands/context.ts';
import { createCommands } from './commands/index.ts';
import { COMMANDS } from './commands/verbs/index.ts';
import type { Config, SlackConfig } from './config/config.ts';
import { BotError } from './errors.ts';
import { healthRoutes, listenFailure, startHealthServer } from './observability/health.ts';
import type { Logger } from './observability/logger.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { openProjects } from './projects/open-projects.ts';
import { isAllowedChannel } from './projects/permissions.ts';
import { storedProject } from './projects/project.ts';
import type { Doctor, Finding } from './replies/finding.ts';
import { createHome } from './slack/home.ts';
import { createSlackApp, type SlackApp } from './slack/index.ts';
import { REMEMBER_MS } from './slack/transport/request-middleware.ts';
import { createKeyValueStore } from './store/create-store.ts';
import { openStore, type Store } from './store/index.ts';
import { createJobs } from './subscriptions/jobs.ts';

/** A configuration with nothing left open: the playground fills in its stand-ins. */
export interface BotConfig extends Config {
  readonly slack: SlackConfig;
  readonly projects: NonNullable<Config['projects']>;
}

export interface Bot {
  readonly slack: SlackApp;
  readonly store: Store;
  /** Where health and metrics are served. */
  readonly port: number;
  /** Finishes what is under way, then closes everything in the reverse order of opening. */
  stop(): Promise<void>;
}

/** How long a stop waits for the services behind the bot. Longer, and a supervisor would rather kill it. */
export const STOP_GRACE_MS = 2_000;

export interface BotOptions {
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  /** Gives up a start that is under way, which lasts as long as Slack or Redis is away: it closes all, then rejects. */
  readonly signal?: AbortSignal;
}

export async function startBot(config: BotConfig, log: Logger, options: BotOptions = {}): Promise<Bot> {
  const { clock = systemClock, metrics = createMetrics(), signal } = options;
  const closing: (() => Promise<unknown>)[] = [];
  const givingUp = new AbortController();
  const stop = async (): Promise<void> => {
    const faults: unknown[] = [];
    const endGrace = clock.after(STOP_GRACE_MS, () => givingUp.abort(), 'limit');
    // A part that cannot be closed must not keep the others open.
    for (const close of closing.splice(0).reverse()) await close().catch((error: unknown) => faults.push(error));
    endGrace();
    if (faults.length > 0) throw new AggregateError(faults, 'not everything could be closed');
  };
  /** What has just been opened when the start is given up is closed at once: the stop has passed it by. */
  const opened = async (close: () => Promise<unknown>): Promise<void> => {
    closing.push(close);
    if (signal?.aborted) await stop();
    signal?.throwIfAborted();
  };
  try {
    const composing = composeBot(config, { log, clock, metrics, opened, giveUp: givingUp.signal });
    const bot = await (signal === undefined ? composing : unlessAborted(composing, signal));
    return { ...bot, stop };
  } catch (error) {
    await stop().catch((fault: unknown) => log.warn({ err: fault }, 'closing after a failed start'));
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
  /** To be told how each part is closed again, in the order of opening. Fails when the start has been given up. */
  readonly opened: (close: () => Promise<unknown>) => Promise<void>;
  /** Aborted when a stop has waited long enough for the services behind the bot. */
  readonly giveUp: AbortSignal;
}

async function composeBot(config: BotConfig, { log, clock, metrics, opened, giveUp }: Composition) {
  // A thread of its own, which gets ready beside everything below. Where it cannot, the bot does not start.
  const rendering = createRenderer(config.charts, { log, giveUp });
  rendering.catch(() => {});
  await opened(async () => (await rendering.catch(() => null))?.close());
  let slack: SlackApp | undefined;
  let openedStore: Store | undefined;
  metrics.readSockets(() => slack?.connected() ?? 0);
  const routes = healthRoutes(
    [
      { name: 'store', check: async () => assertOpen(openedStore).ping() },
      { name: 'slack', check: async () => assertConnected(slack) },
    ],
    metrics,
  );
  // Before Redis and Slack, which may be unreachable for long: alive, but not ready. And a port in use shows at once.
  const health = await startHealthServer(routes, config.health, healthSetting(config));
  await opened(health.stop);
  log.info({ port: health.port }, 'health and metrics are served');
  const store = await openStore(config.store.reveal(), { log, now: clock.now, waitUntilReachable: true });
  openedStore = store;
  await opened(() => store.close());
  const openedProjects = await openProjects(config.projects, {
    store,
    observe: (kind, outcome, project) =>
      metrics.serviceCalls.inc(project === undefined ? { kind, outcome } : { kind, outcome, project }),
    nowMs: epochMsOf(clock),
    showAddresses: config.showAddresses,
    log,
  });
  const { projects } = openedProjects;
  await opened(() => openedProjects.close());
  giveUp.addEventListener('abort', openedProjects.abort, { once: true });

  const doctor: Doctor = {
    async examine(channel) {
      // A store that is away is a finding of its own.
      const stored = jobs.examine().catch(() => []);
      const services = Promise.all(projects.map(openedProjects.examine)).then((findings) => findings.flat());
      return (await Promise.all([services, slack?.probe(channel) ?? [], probeStore(store), stored])).flat();
    },
  };
  const jobs = await createJobs({
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
    outbox() {
      if (slack === undefined) throw new Error('a job ran before Slack was set up');
      return slack.outbox;
    },
  });
  const policy = { allowedChannels: config.allowedChannels, admins: config.admins };
  const commands = createCommands({
    projects,
    digests: jobs.digests,
    watches: jobs.watches,
    settings: createKeyValueStore<ChannelSettings>(store, 'settings'),
    doctor,
    async assertPostable(channel) {
      await slack?.assertPostable(channel);
    },
    async joinChannel(channel) {
      if (slack === undefined) throw new Error('a question came before Slack was set up');
      return slack.joinChannel(channel);
    },
    policy,
    now: clock.now,
    zone: config.zone,
    command: config.command,
  });
  const { botToken, apiUrl, transport } = config.slack;
  slack = createSlackApp({
    botToken: botToken.reveal(),
    apiUrl,
    receiver:
      transport.kind === 'socket'
        ? { kind: 'socket', appToken: transport.appToken.reveal() }
        : { kind: 'http', signingSecret: transport.signingSecret.reveal(), port: config.port },
    command: config.command,
    commands,
    alsoAnswer: config.alsoAnswer,
    drawChart: config.charts.kind === 'none' ? null : async (spec) => (await (await rendering).draw(spec)).png,
    // Replicas on one Redis must agree on which requests they have had; for a single process its memory is enough.
    isNewToAll: store.exclusive ? undefined : (key) => store.locks.acquire(`seen:${key}`, 'seen', REMEMBER_MS),
    isNewSignature: (signature) => isNewInStore(store, signature),
    storedZones: store.space<string>('cache-zones'),
    loadHome: createHome({
      jobs,
      projects,
      probeService: openedProjects.examine,
      policy,
      clock,
      zone: config.zone,
      log,
    }),
    log,
    clock,
    onAnswered({ outcome, durationMs }) {
      metrics.questions.inc({ outcome });
      metrics.answerSeconds.observe(durationMs / 1000);
    },
  });
  const running = slack;
  await opened(async () => {
    const jobsStopped = jobs.stop();
    // Together: a digest that is being posted needs Slack, and must not wait for it longer than the stop may take.
    await running.stop(jobsStopped);
    await jobsStopped;
  });
  const connecting = slack.start().catch((error: unknown) => {
    throw listenFailure(error, config.port, 'PORT');
  });
  await Promise.all([rendering, connecting]);
  if (slack.port() !== null) log.info({ port: slack.port() }, "Slack's requests are taken");
  await jobs.start();
  return { slack, store, port: health.port };
}

/** The setting that an operator changes when the port for health is taken. */
function healthSetting({ given, slack }: BotConfig): string {
  return given.has('WAFBOT_HEALTH_PORT') || slack.transport.kind === 'http' ? 'WAFBOT_HEALTH_PORT' : 'PORT';
}

function assertOpen(store: Store | undefined): Store {
  if (store === undefined) throw new Error('the store is not open yet');
  return store;
}

function assertConnected(slack: SlackApp | undefined): void {
  const sockets = slack?.connected();
  if (sockets === undefined || sockets === 0) throw new Error('no connection to Slack');
}

/** Locks of an exclusive store end with the process; what must outlive it is a record there. */
async function isNewInStore(store: Store, signature: string): Promise<boolean> {
  if (!store.exclusive) return store.locks.acquire(`signature:${signature}`, 'seen', REMEMBER_MS);
  const seen = store.space<true>('signatures');
  if (await seen.has(signature)) return false;
  await seen.set(signature, true, REMEMBER_MS);
  return true;
}

async function probeStore(store: Store): Promise<Finding[]> {
  try {
    await store.ping();
    return [{ what: 'Storage', ok: true, says: 'The storage answers.' }];
  } catch (error) {
    const says = error instanceof BotError ? error.message : 'The storage does not answer.';
    return [{ what: 'Storage', ok: false, says, fix: 'check WAFBOT_STORE, and that the disk or Redis is up.' }];
  }
}
