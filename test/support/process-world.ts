/** The bot as a process of its own between a local Slack and a local statistics service. */
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../../playground/service/server.ts';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from '../../playground/slack/index.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { type BotProcess, startBotProcess } from './bot-process.ts';

export interface ProcessWorld {
  readonly slack: LocalSlack;
  readonly service: StatisticsService;
  readonly bot: BotProcess;
  /** Leaves nothing behind. */
  stop(): Promise<void>;
}

interface ProcessWorldOptions {
  readonly mode?: 'socket' | 'http';
  readonly environment?: Readonly<Record<string, string>>;
  readonly slack?: LocalSlackOptions;
}

/** Resolves once the bot is ready. */
export async function startProcessWorld(options: ProcessWorldOptions = {}): Promise<ProcessWorld> {
  const { mode = 'socket' } = options;
  const slack = await startLocalSlack({ mode, workspace: WORKSPACE, ...options.slack });
  const service = await startStatisticsService();
  const bot = startBotProcess({
    SLACK_BOT_TOKEN: slack.botToken,
    ...(mode === 'socket' ? { SLACK_APP_TOKEN: slack.appToken } : { SLACK_SIGNING_SECRET: slack.signingSecret }),
    SLACK_API_URL: slack.apiUrl,
    WAF_BASE_URL: service.url,
    WAF_IAM_URL: service.iamUrl,
    WAF_PROJECT_ID: DEFAULT_PROJECT_ID,
    WAF_USERNAME: DEFAULT_USER.username,
    WAF_PASSWORD: DEFAULT_USER.password,
    WAF_DOMAIN_NAME: DEFAULT_USER.domainName,
    WAFBOT_STORE: 'memory:',
    PORT: '0',
    WAFBOT_HEALTH_PORT: '0',
    ...options.environment,
  });
  const stop = async (): Promise<void> => {
    await bot.clear();
    await slack.stop();
    await service.close();
  };
  try {
    await bot.printed(/wafbot is ready/);
    if (mode === 'http') slack.setRequestUrl(`http://127.0.0.1:${await slackPort(bot)}/slack/events`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { slack, service, bot, stop };
}

/** With PORT=0 the system chooses the port, and the log names it. */
async function slackPort(bot: BotProcess): Promise<string> {
  const served = /"port":(\d+)[^\n]*listening for Slack requests/;
  await bot.printed(served);
  return served.exec(bot.output.out)?.[1] ?? '';
}
