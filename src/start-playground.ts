/**
 * Starts the playground: the whole bot between a local Slack and a local statistics service, with a page to talk to it.
 * The only file of the bot that imports `playground/`, which is not part of an installed package or image.
 */
import { randomUUID } from 'node:crypto';
import { type Page, startPage } from '../playground/page/index.ts';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from '../playground/slack/index.ts';
import { WORKSPACE } from '../playground/workspace.ts';
import { type BotConfig, startBot } from './bot.ts';
import type { Config, ServiceConfig } from './config/config.ts';
import { isPortTaken, listenFailure } from './observability/health.ts';
import type { Logger } from './observability/logger.ts';
import { Secret } from './secret.ts';

const EXAMPLES = ['timeline last 24h', 'attacks today', 'check', 'compare today vs yesterday', 'help'];

export interface Playground {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPlayground(config: Config, log: Logger): Promise<Playground> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const app = { ...WORKSPACE.app, commands: [config.command] };
    const slack = await startLocalSlack({ mode: 'socket', workspace: { ...WORKSPACE, app } });
    closing.push(() => slack.stop());
    const users = [{ ...DEFAULT_USER, password: randomUUID() }];
    const service = config.service === null ? await startStatisticsService({ users, keys: [] }) : null;
    closing.push(async () => service?.close());
    const bot = await startBot(localConfig(config, slack, service), log);
    closing.push(() => bot.stop());
    const page = await openPage(config, slack);
    closing.push(() => page.stop());
    return { url: page.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** On the configured port. Without one, a newcomer whose port 3000 is taken gets another. */
async function openPage(config: Config, slack: LocalSlack): Promise<Page> {
  const examples = EXAMPLES.map((example) => `${config.command} ${example}`);
  try {
    return await startPage({ slack, port: config.port, examples });
  } catch (error) {
    if (!isPortTaken(error) || config.given.has('PORT')) throw listenFailure(error, config.port, 'PORT');
    return startPage({ slack, port: 0, examples });
  }
}

/** Local services stand in for what is not configured, and unless a store is named nothing is left behind. */
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
    service: config.service ?? localService(service),
  };
}

function localService(service: StatisticsService | null): ServiceConfig {
  if (service === null) throw new Error('the local statistics service is not running');
  const { username, password, domainName } = service.user;
  return {
    baseUrl: service.url,
    iamUrl: service.iamUrl,
    projectId: DEFAULT_PROJECT_ID,
    auth: { kind: 'token', username, password: new Secret(password), domainName },
  };
}
