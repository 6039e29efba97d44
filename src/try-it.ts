/** The playground: the whole bot between a local Slack and a local statistics service, with a page to talk to it. */
import { type BotConfig, startBot } from './app.ts';
import type { Config, ServiceConfig } from './config.ts';
import type { Logger } from './log.ts';
import { startPage } from './playground/page/index.ts';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from './playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from './playground/slack/index.ts';
import { Secret } from './secret.ts';

const EXAMPLES = ['timeline last 24h', 'attacks today', 'check', 'compare today vs yesterday', 'help'];

export async function startPlayground(config: Config, log: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  const slack = await startLocalSlack({ mode: 'socket', workspace: { app: { commands: [config.command] } } });
  const service = config.service === null ? await startStatisticsService() : null;
  const bot = await startBot(localConfig(config, slack, service), log);
  const page = await startPage({
    slack,
    port: config.port,
    examples: EXAMPLES.map((example) => `${config.command} ${example}`),
  });
  console.log(`wafbot playground: open ${page.url} and type ${config.command} timeline last 24h   (Ctrl-C stops it)`);
  return {
    url: page.url,
    async stop() {
      await page.stop();
      await bot.stop();
      await slack.stop();
      await service?.close();
    },
  };
}

/** The stand-ins take the place of what is not configured; a playground leaves no file behind unless told to. */
function localConfig(config: Config, slack: LocalSlack, service: StatisticsService | null): BotConfig {
  return {
    ...config,
    store: config.given.has('WAFBOT_STORE') ? config.store : new Secret('memory:'),
    port: 0,
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
