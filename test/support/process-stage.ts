/** The bot as a process between a local Slack and a local statistics service, all gone after each test. */
import { afterEach } from 'vitest';
import {
  DEFAULT_PROJECT_ID,
  DEFAULT_USER,
  type StatisticsService,
  startStatisticsService,
} from '../../playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from '../../playground/slack/index.ts';
import { WORKSPACE } from '../../playground/workspace.ts';
import { type BotProcess, startBotProcess } from './bot-process.ts';

export interface StandIns {
  readonly slack: LocalSlack;
  readonly service: StatisticsService;
  /** What a bot between the two needs. Its store is its memory. */
  readonly environment: Readonly<Record<string, string>>;
}

const leftovers: (() => unknown)[] = [];

/** To be called once per test file. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const clear of leftovers.splice(0).reverse()) await clear();
  });
}

/** Something to be ended after the test, before what was started earlier. */
export function later(clear: () => unknown): void {
  leftovers.push(clear);
}

/** `program` is the tests' build unless another is named. */
export function runBot(
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = ['start'],
  program?: string,
  within?: readonly string[],
): BotProcess {
  const bot = startBotProcess(environment, args, program, within);
  later(() => bot.clear());
  return bot;
}

export async function startStandIns(mode: 'socket' | 'http'): Promise<StandIns> {
  const slack = await startLocalSlack({ mode, workspace: WORKSPACE });
  later(() => slack.stop());
  const service = await startStatisticsService();
  later(() => service.close());
  const environment = {
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
  };
  return { slack, service, environment };
}

/** Where it serves health: with PORT=0 the system chooses the port, and the log names it. */
export async function healthUrl(bot: BotProcess): Promise<string> {
  const served = /"port":(\d+)[^\n]*serving health and metrics/;
  await bot.printed(served);
  return `http://127.0.0.1:${served.exec(bot.output.out)?.[1]}`;
}

export const portOf = (url: string): number => Number(new URL(url).port);
