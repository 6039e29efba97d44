/**
 * Starts the playground: the whole bot between a local Slack and a local statistics service, with a page to talk to it. The
 * only file that imports `playground/`. The bot only gets their URLs and a clock.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connectBanner } from '../playground/connect.ts';
import { lastNight, type Night, playNight, wavesBefore } from '../playground/history.ts';
import { type AskedNight, chooseNight, type NightChoice, timeOf } from '../playground/night-choice.ts';
import { type Drawer, type Nights, type Page, startPage } from '../playground/page/index.ts';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from '../playground/slack/index.ts';
import { createDrawer } from '../playground/try-it/drawer.ts';
import type { Upcoming } from '../playground/try-it/outlook.ts';
import { WORKSPACE } from '../playground/workspace.ts';
import { createWorkspaceClock, type WorkspaceClock } from '../playground/workspace-clock.ts';
import { type Bot, type BotConfig, startBot } from './bot.ts';
import { isBetweenTurns, sleep } from './clock.ts';
import { COMMANDS } from './commands/verbs/index.ts';
import type { Config } from './config/config.ts';
import type { ProjectConfig } from './config/projects-file.ts';
import { UsageError } from './errors.ts';
import { isPortTaken, listenFailure } from './listen.ts';
import type { Logger } from './observability/logger.ts';
import { Secret } from './secret.ts';
import type { Store } from './store/index.ts';
import { repeatStrategy } from './subscriptions/recurrence/due-times.ts';
import type { Recurrence } from './subscriptions/recurrence/schedule.ts';
import type { SubscriptionRef } from './subscriptions/subscription.ts';

const EXAMPLES = ['check', 'timeline last 24h', 'attacks today on shop', 'compare today vs yesterday', 'help'];
const MANIFEST = new URL('../manifest.yml', import.meta.url);
/** The channel shown first, where something has happened. */
const START = 'oncall';

export type { AskedNight };

export interface Playground {
  readonly url: string;
  stop(): Promise<void>;
}

export interface PlaygroundOptions {
  /** The time in the workspace when the page opens; now by default. */
  readonly openAtMs?: number;
  /** The zone of the first person; the machine's by default. */
  readonly zone?: string;
  /** The night to play, as requested by `--seed` and `--at`; overrides the two above. */
  readonly night?: AskedNight;
}

export async function startPlayground(
  config: Config,
  log: Logger,
  { openAtMs, zone = Temporal.Now.timeZoneId(), night = {} }: PlaygroundOptions = {},
): Promise<Playground> {
  const chosen = chooseNight(night, zone);
  if ('problem' in chosen) throw new UsageError(chosen.problem);
  let page: Page | undefined;
  const link = ({ seed, at }: { seed: number; at: string }) => `${page?.url ?? ''}/?seed=${seed}&at=${at}`;
  const start = (choice: NightChoice) => startWorld(config, log, choice, link);
  let world = await start(openAtMs === undefined || night.at ? chosen : { ...chosen, openAtMs });
  let change: Promise<unknown> | undefined;
  const nights: Nights = {
    current: () => world.night,
    async play(asked) {
      const choice = chooseNight(asked, zone);
      if ('problem' in choice) return { error: choice.problem };
      if (!hasHistory(config))
        return { error: 'Only simulated nights have a seed. Unset WAFBOT_STORE and the service.' };
      if (change !== undefined) return { error: 'Another night is being played already.' };
      // The current night keeps answering until the next one has been played.
      const starting = start(choice);
      change = starting.catch(() => undefined);
      try {
        const last = world;
        world = await starting;
        page?.show(world);
        await last.stop();
        return {};
      } finally {
        change = undefined;
      }
    },
  };
  try {
    page = await openPage(config, world, nights);
  } catch (error) {
    await world.stop();
    throw error;
  }
  return {
    url: page.url,
    async stop() {
      await page?.stop();
      await change;
      await world.stop();
    },
  };
}

/** With a configured store or a real service, no history is simulated. */
const hasHistory = (config: Config) => config.projects === null && !config.given.has('WAFBOT_STORE');

/** Everything behind the page: replaced as a whole when another night is played. */
interface World {
  readonly slack: LocalSlack;
  readonly drawer: Drawer | undefined;
  readonly night: ReturnType<Nights['current']>;
  stop(): Promise<void>;
}

async function startWorld(
  config: Config,
  log: Logger,
  choice: NightChoice,
  link: (night: World['night']) => string,
): Promise<World> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const isSimulated = config.projects === null;
    const { seed, zone, openAtMs } = choice;
    const night = lastNight(openAtMs, zone, seed);
    let bot: Bot | undefined;
    const clock = createWorkspaceClock({
      startMs: isSimulated ? night.eveningMs : Date.now(),
      isBusy: (limits) => isBetweenTurns() || slack.callsUnderWay() > 0 || isServing(service, limits),
      isAtWork: () => bot?.isBusy() ?? false,
    });
    closing.push(async () => clock.stop());
    const slack = await startLocalSlack({
      mode: 'socket',
      workspace: { ...WORKSPACE, app: { ...WORKSPACE.app, commands: [config.command] }, users: usersIn(zone) },
      now: clock.nowMs,
      fileReadyAfter: 0,
    });
    closing.push(() => slack.stop());
    const service = isSimulated ? await startService(night, clock) : null;
    closing.push(async () => service?.close());
    const started = await startBot(localConfig(config, slack, service), log, { clock });
    bot = started;
    closing.push(() => started.stop());
    if (hasHistory(config)) await playNight(night, { slack, clock, command: config.command });
    else await clock.leapTo(openAtMs);
    slack.setFileReadyAfter(1);
    const played = { id: randomUUID(), seed, at: timeOf(choice) };
    const drawer =
      service === null
        ? undefined
        : createDrawer({
            slack,
            service,
            clock,
            command: config.command,
            upcoming: (untilMs) => upcomingRuns(started.store, untilMs),
            heldBack: started.heldBack,
            night: { seed, link: () => link(played) },
          });
    closing.push(async () => drawer?.stop());
    return { slack, drawer, night: played, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startService(night: Night, clock: WorkspaceClock): Promise<StatisticsService> {
  return startStatisticsService({
    users: [{ ...DEFAULT_USER, password: randomUUID() }],
    keys: [],
    now: clock.nowMs,
    wait: (ms) => sleep(clock, ms),
    seed: night.seed,
    waves: wavesBefore(night),
    seededWaves: false,
    // The richer dialect: it also shows paths, countries, what was blocked, and single events.
    habits: { speaks: ['overviews'], hostLists: 'cloud' },
  });
}

/** Slow responses wait on the playground's clock, and so do the time limits on them. */
function isServing(service: StatisticsService | null, limits: number): boolean {
  const waiting = service?.responsesWaiting() ?? 0;
  return (service?.requestsUnderWay() ?? 0) > waiting || (limits > 0 && waiting === 0);
}

/** When digests and watches are due, as the scheduler stored it. */
async function upcomingRuns(store: Store, untilMs: number): Promise<readonly Upcoming[]> {
  const runs: Upcoming[] = [];
  for await (const [job, { timing, payload, nextMs }] of store.list<StoredRun>('jobs')) {
    const after = (ms: number) => repeatStrategy.next(timing, Temporal.Instant.fromEpochMilliseconds(ms));
    for (let atMs = nextMs; atMs <= untilMs; atMs = after(atMs).at.epochMilliseconds)
      runs.push({ kind: payload.kind, job, atMs });
  }
  return runs;
}

interface StoredRun {
  readonly timing: Recurrence;
  readonly payload: SubscriptionRef;
  readonly nextMs: number;
}

/** Newcomers act as the first person, so that person gets their zone. */
const usersIn = (zone: string) => WORKSPACE.users.map((user, index) => (index === 0 ? { ...user, tz: zone } : user));

/** On the configured port. Without one, another port is used if 3000 is taken. */
async function openPage(config: Config, { slack, drawer }: World, nights: Nights): Promise<Page> {
  const { command, port } = config;
  const options = {
    slack,
    start: START,
    examples: EXAMPLES.map((example) => `${command} ${example}`),
    suggestions: suggestionsFor(command),
    banner: connectBanner(await readFile(MANIFEST, 'utf8')),
    drawer,
    nights,
  };
  try {
    return await startPage({ ...options, port });
  } catch (error) {
    if (!isPortTaken(error) || config.given.has('PORT')) throw listenFailure(error, port, 'PORT');
    return startPage({ ...options, port: 0 });
  }
}

function suggestionsFor(command: string) {
  const own = COMMANDS.all.flatMap(({ examples, summary }) =>
    examples.map((example, index) => ({ text: `${command} ${example}`, summary, isFirst: index === 0 })),
  );
  const { name } = WORKSPACE.app;
  return [...own, { text: `/invite @${name}`, summary: `adds ${name} to this channel`, isFirst: true }];
}

/** Uses local services for what is not configured, and an in-memory store unless one is set. */
function localConfig(config: Config, slack: LocalSlack, service: StatisticsService | null): BotConfig {
  return {
    ...config,
    store: config.given.has('WAFBOT_STORE') ? config.store : new Secret('memory:'),
    port: 0,
    health: { host: '127.0.0.1', port: 0 },
    slack: {
      botToken: new Secret(slack.botToken),
      apiUrl: slack.apiUrl,
      transport: { kind: 'socket', appToken: new Secret(slack.appToken) },
    },
    projects: config.projects ?? [localProject(service)],
  };
}

function localProject(service: StatisticsService | null): ProjectConfig {
  if (service === null) throw new Error('the local statistics service is not running');
  const { username, password, domainName } = service.user;
  return {
    baseUrl: service.url,
    iamUrl: service.iamUrl,
    projectId: DEFAULT_PROJECT_ID,
    dialect: 'overviews',
    enterpriseProject: undefined,
    name: null,
    allowedChannels: null,
    auth: { kind: 'token', username, password: new Secret(password), domainName },
  };
}
