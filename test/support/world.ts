/** The whole bot between a local Slack and a local statistics service, at a time of day of the test's choosing. */

import { setTimeout as delay } from 'node:timers/promises';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../../playground/service/server.ts';
import {
  type LocalSlack,
  type LocalSlackOptions,
  type Message,
  startLocalSlack,
} from '../../playground/slack/index.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { type Bot, type BotConfig, startBot } from '../../src/bot.ts';
import { type ChartRenderer, createRenderer } from '../../src/charts/index.ts';
import type { Clock } from '../../src/clock.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { RECONCILE_EVERY_MS } from '../../src/scheduler/reconcile-periodically.ts';
import { Secret } from '../../src/secret.ts';
import { LOOK_EVERY_MS, SLOW_AFTER_MS } from '../../src/slack/answer-question.ts';
import { MINUTE_MS } from '../../src/time-units.ts';
import { createManualClock, eventually, type ManualClock } from './clock.ts';
import { createImpatientClock, type ImpatientClock } from './impatient-clock.ts';

export interface World<C extends Clock = ImpatientClock> {
  readonly slack: LocalSlack;
  readonly service: StatisticsService;
  readonly clock: C;
  readonly bot: Bot;
  /** Every line the bot logged. */
  readonly logged: readonly string[];
  /** Ends the bot and starts it anew on the same store, as a deployment does. */
  restart(meanwhile?: () => unknown, environment?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  readonly mode?: 'socket' | 'http';
  readonly at?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly slack?: LocalSlackOptions;
  readonly service?: Parameters<typeof startStatisticsService>[0];
  /** One that runs already; it ends with the world. */
  readonly givenService?: StatisticsService;
  /** As an operator would set it; the events dialect, without a probe, where left out. */
  readonly dialect?: 'auto';
  /** Reconciles jobs and checks the store every 20 s as in production, not every five minutes; that takes most of the time of a long test. */
  readonly keepsUpOften?: boolean;
  /** What the local Slack is told before the bot starts. */
  readonly prepare?: (slack: LocalSlack) => void;
}

/** A Tuesday afternoon in Europe, well away from any change of clocks. */
export const TUESDAY = '2026-03-10T14:30:00Z';

/** Every wait is over at once: for conversations. */
export function startWorld(options: WorldOptions = {}): Promise<World> {
  return startWorldOn(
    createImpatientClock(options.at ?? TUESDAY, [SLOW_AFTER_MS, RECONCILE_EVERY_MS, LOOK_EVERY_MS]),
    options,
  );
}

/** Time stands still until the test moves it: for what runs by itself. */
export function startScheduledWorld(options: WorldOptions = {}): Promise<World<ManualClock>> {
  const slack: LocalSlackOptions = { fileReadyAfter: 0, ...options.slack };
  const clock = createManualClock(options.at ?? TUESDAY);
  return startWorldOn(options.keepsUpOften === true ? clock : keepingUpRarely(clock), { ...options, slack });
}

export function keepingUpRarely(clock: ManualClock): ManualClock {
  const after: Clock['after'] = (delayMs, run, purpose) =>
    clock.after(purpose === 'upkeep' ? 5 * MINUTE_MS : delayMs, run, purpose);
  return { ...clock, after };
}

let shared: Promise<ChartRenderer> | undefined;

/** The thread that draws takes longer to start than the rest of the bot, so all bots of a worker share one. */
const openRenderer: typeof createRenderer = async (options, deps) => {
  if (options.kind !== 'embedded') return createRenderer(options, deps);
  shared ??= createRenderer(options, { log: createLogger('silent', []) });
  return { ...(await shared), close: async () => {} };
};

/** On a clock of the test's own. */
export async function startWorldOn<C extends Clock>(clock: C, options: WorldOptions): Promise<World<C>> {
  const { mode = 'socket' } = options;
  const nowMs = (): number => clock.now().epochMilliseconds;
  const slack = await startLocalSlack({ mode, now: nowMs, workspace: WORKSPACE, ...options.slack });
  const service = options.givenService ?? (await startStatisticsService({ now: nowMs, seed: 7, ...options.service }));
  const logged: string[] = [];
  const log = createLogger('debug', [], { write: (line: string) => void logged.push(line) });

  async function start(environment = {}): Promise<Bot> {
    const { dialect } = options;
    const config = configFor(slack, service, mode, { ...options.environment, ...environment }, dialect);
    const bot = await startBot(config, log, { clock, openRenderer });
    const port = bot.slack.port();
    if (port !== null) slack.setRequestUrl(`http://127.0.0.1:${port}/slack/events`);
    return bot;
  }
  options.prepare?.(slack);
  let bot = await start();
  return {
    slack,
    service,
    clock,
    logged,
    get bot() {
      return bot;
    },
    async restart(meanwhile = () => {}, environment = {}) {
      await bot.stop();
      await meanwhile();
      bot = await start(environment);
    },
    async stop() {
      await bot.stop();
      await slack.stop();
      await service.close();
    },
  };
}

export function configFor(
  slack: LocalSlack,
  service: Pick<StatisticsService, 'url' | 'iamUrl'>,
  mode: 'socket' | 'http',
  environment: Readonly<Record<string, string>>,
  dialect: 'auto' | 'events' = 'events',
): BotConfig {
  const { username, password, domainName } = DEFAULT_USER;
  const base = readConfig({ WAFBOT_STORE: 'memory:', WAFBOT_CHARTS: 'embedded', PORT: '0', ...environment });
  return {
    ...base,
    slack: {
      botToken: new Secret(slack.botToken),
      apiUrl: slack.apiUrl,
      transport:
        mode === 'socket'
          ? { kind: 'socket', appToken: new Secret(slack.appToken) }
          : { kind: 'http', signingSecret: new Secret(slack.signingSecret) },
    },
    projects: base.projects ?? [
      {
        name: null,
        allowedChannels: null,
        baseUrl: service.url,
        iamUrl: service.iamUrl,
        projectId: DEFAULT_PROJECT_ID,
        dialect,
        enterpriseProject: undefined,
        auth: { kind: 'token', username, password: new Secret(password), domainName },
      },
    ],
  };
}

/** Lets time trickle until something holds that needs both the network and the clock, but no further than `limitMs`. */
export function passUntil(
  world: World<ManualClock>,
  holds: () => unknown,
  what: string,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  let passedMs = 0;
  // Not faster than this: what runs for real, such as the drawing of a chart, must not seem to take for ever.
  return eventually(holds, what, async () => {
    await delay(4);
    const ms = Math.min(20, limitMs - passedMs);
    passedMs += ms;
    await world.clock.advance(ms);
  });
}

/** On a busy machine, more could pass while a run waits for its peers. A watch that runs a minute late may skip its next look. */
const MAX_LATE_MS = 50_000;

/**
 * Moves time to the instant and waits until each run that was due by then is over. The scheduler writes down a job's
 * next due time after its run, so that nothing more can come of an earlier one.
 */
export async function passTo(world: World<ManualClock>, instant: Temporal.Instant | string): Promise<void> {
  await world.clock.advanceTo(instant);
  const nowMs = world.clock.now().epochMilliseconds;
  const isOver = async (): Promise<boolean> => {
    const jobs = await Array.fromAsync(world.bot.store.list<{ nextMs: number }>('jobs'));
    return jobs.every(([, { nextMs }]) => nextMs > nowMs);
  };
  await passUntil(world, isOver, `the end of what was due by ${instant}`, MAX_LATE_MS);
}

/** The next message that is not the notice which comes first where an answer takes long, as on a busy machine. */
export const nextAnswer = (slack: LocalSlack): Promise<Message> =>
  slack.nextMessage({ match: ({ text }) => !text.startsWith('Working on') });

/** In a timeline, whatever it found: what happens at the time of a test on the real clock is not known before. */
export const REQUESTS = /[\d.,]+( [kM])? requests\b/;

/** A digest, whatever it found. */
export function isDigest(message: { readonly text: string; readonly blocks: readonly unknown[] }): boolean {
  return textOf(message).includes('Pause this digest');
}

/** All the text of a message, as one string: what a reader can read. */
export function textOf(message: { readonly text: string; readonly blocks: readonly unknown[] }): string {
  return `${message.text}\n${JSON.stringify(message.blocks)}`;
}
