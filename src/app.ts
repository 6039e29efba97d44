/** The one place where the parts meet. Nothing is decided here but who is given what. */
import { createRenderer } from './charts/index.ts';
import { type Clock, systemClock } from './clock.ts';
import { homeEntries } from './commands/home.ts';
import { createCommands } from './commands/index.ts';
import type { ChannelSettings, HostAlias, Shelf } from './commands/ports.ts';
import type { Config, ServiceConfig, SlackConfig } from './config.ts';
import { createDoctor } from './doctor.ts';
import { healthRoutes, startHealthServer } from './health.ts';
import { createJobs } from './jobs.ts';
import { listenFailure } from './listening.ts';
import type { Logger } from './log.ts';
import { createMetrics } from './metrics.ts';
import { serviceOptions } from './service-options.ts';
import { createSlackApp, type SlackApp } from './slack/index.ts';
import { createFirstTime } from './slack/seen.ts';
import { openStore, type Store } from './store/index.ts';
import { createWafClient } from './waf/index.ts';

/** A configuration with nothing left open: the playground fills in its stand-ins. */
export interface BotConfig extends Config {
  readonly slack: SlackConfig;
  readonly service: ServiceConfig;
}

export interface Bot {
  readonly slack: SlackApp;
  readonly store: Store;
  /** Finishes what is under way, then closes everything in the reverse order of opening. */
  stop(): Promise<void>;
}

export async function startBot(config: BotConfig, log: Logger, clock: Clock = systemClock): Promise<Bot> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const bot = await openAll(config, log, clock, closing);
    return { ...bot, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openAll(config: BotConfig, log: Logger, clock: Clock, closing: (() => Promise<unknown>)[]) {
  const nowMs = (): number => clock.now().epochMilliseconds;
  const metrics = createMetrics();
  const store = await openStore(config.store.reveal(), { log, now: clock.now });
  closing.push(() => store.close());
  const renderer = await createRenderer(config.charts, { log });
  closing.push(() => renderer.close());
  const waf = createWafClient({
    ...serviceOptions(config.service),
    tokens: store.space('cache-tokens'),
    answers: store.space('cache-answers'),
    now: nowMs,
    log,
  });
  closing.push(() => waf.close());

  let slack: SlackApp | undefined;
  const doctor = createDoctor({ service: () => waf.probe(), slack: () => slack, store });
  const hosts = shelf<HostAlias>(store, 'hosts');
  const jobs = await createJobs({
    store,
    storeUrl: config.store.reveal(),
    statistics: waf,
    hosts,
    clock,
    log,
    command: config.command,
    outbox() {
      if (slack === undefined) throw new Error('a job ran before Slack was set up');
      return slack.outbox;
    },
  });
  const commands = createCommands({
    statistics: waf,
    digests: jobs.digests,
    watches: jobs.watches,
    hosts,
    settings: shelf<ChannelSettings>(store, 'settings'),
    doctor,
    policy: { allowedChannels: config.allowedChannels, admins: config.admins },
    now: clock.now,
    zone: config.zone,
    command: config.command,
  });
  const checks = [
    { name: 'store', check: () => store.ping() },
    {
      name: 'slack',
      async check() {
        const sockets = slack?.connected();
        if (sockets !== null && !sockets) throw new Error('no connection to Slack');
      },
    },
  ];
  const routes = healthRoutes(checks, metrics);
  const { botToken, apiUrl, transport } = config.slack;
  slack = createSlackApp({
    botToken: botToken.reveal(),
    apiUrl,
    transport:
      transport.kind === 'socket'
        ? { kind: 'socket', appToken: transport.appToken.reveal() }
        : { kind: 'http', signingSecret: transport.signingSecret.reveal(), port: config.port },
    command: config.command,
    commands,
    draw: config.charts.kind === 'none' ? null : async (spec) => (await renderer.draw(spec)).png,
    // Replicas on one Redis must agree on what was seen; a single process forgets with its end, and then answers a retry.
    firstTime: store.exclusive ? createFirstTime(nowMs) : (key) => store.claims.claim(`seen:${key}`, 'seen', 600_000),
    lookHome: async (user) => ({
      entries: homeEntries((await Promise.all([jobs.digests.listOwned(user), jobs.watches.listOwned(user)])).flat()),
      findings: await waf.probe(),
    }),
    log,
    clock,
    observe({ failed }) {
      metrics.questions.inc({ outcome: failed ? 'failed' : 'answered' });
    },
    routes,
  });
  // Before Slack, which may be away for long: a supervisor must see that the process lives, and a taken port shows at once.
  if (transport.kind === 'socket') {
    const server = await startHealthServer(routes, config.port);
    closing.push(() => new Promise((resolve) => void server.close(resolve)));
  }
  await slack.start().catch((error: unknown) => {
    throw listenFailure(error, config.port);
  });
  const running = slack;
  closing.push(() => running.stop());
  await jobs.start();
  closing.push(() => jobs.stop());
  return { slack, store };
}

function shelf<T>(store: Store, name: string): Shelf<T> {
  const space = store.space<T>(name);
  return {
    get: (key) => space.get<T>(key),
    async set(key, value) {
      await space.set(key, value);
    },
    async delete(key) {
      await space.delete(key);
    },
    entries: () => Array.fromAsync(store.list<T>(name)),
  };
}
