/** The playground: the whole bot between a local Slack and a local statistics service, with a page to talk to it. */

import { type Page, startPage } from '../playground/page/index.ts';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from '../playground/slack/index.ts';
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
    const slack = await startLocalSlack({ mode: 'socket', workspace: { app: { commands: [config.command] } } });
    closing.push(() => slack.stop());
    const service = config.service === null ? await startStatisticsService() : null;
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

/** On the port that was asked for; where none was, a newcomer whose usual port is taken gets another one. */
async function openPage(config: Config, slack: LocalSlack): Promise<Page> {
  const examples = EXAMPLES.map((example) => `${config.command} ${example}`);
  try {
    return await startPage({ slack, port: config.port, examples });
  } catch (error) {
    if (!isPortTaken(error) || config.given.has('PORT')) throw listenFailure(error, config.port);
    return startPage({ slack, port: 0, examples });
  }
}

/** The stand-ins take the place of what is not configured; a playground leaves no file behind unless told to. */
function localConfig(config: Config, slack: LocalSlack, service: StatisticsService | null): BotConfig {
  return {
    ...config,
    store: config.given.has('WAFBOT_STORE') ? config.store : new Secret('memory:'),
    port: 0,
    listenOn: '127.0.0.1',
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
  const { username, password, domainName } = DEFAULT_USER;
  return {
    baseUrl: service.url,
    iamUrl: service.iamUrl,
    projectId: DEFAULT_PROJECT_ID,
    auth: { kind: 'token', username, password: new Secret(password), domainName },
  };
}
