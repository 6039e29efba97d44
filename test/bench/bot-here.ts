/** The bot in the benchmark's own process and on its clock; Slack and the service run in processes of their own. */

import { type Bot, type BotConfig, startBot } from '../../src/bot.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { readConfig } from '../../src/config/config.ts';
import { startPeer } from '../load/peer-process.ts';
import type { SlackPeer, StartOptions } from '../load/slack-peer.ts';
import { startService } from './contenders.ts';

const silent = () => undefined;
export const quietLog = {
  debug: silent,
  info: silent,
  warn: silent,
  error: (detail: object, message: string) => console.error(message, detail),
};

export async function preparePeers(options: StartOptions) {
  const slack = await startPeer<SlackPeer>(new URL('../load/slack-peer.ts', import.meta.url));
  const service = await startService();
  const environment = { ...(await slack.call.start(options)), ...(await service.call.environment()), PORT: '0' };
  return {
    slack: slack.call,
    startHere(store: string, clock: Clock = systemClock): Promise<Bot> {
      const config = readConfig({ ...environment, WAFBOT_STORE: store, WAFBOT_CHARTS: 'embedded' });
      const { slack: slackConfig, projects } = config;
      if (slackConfig === null || projects === null) throw new Error('the configuration is incomplete');
      const whole: BotConfig = { ...config, slack: slackConfig, projects };
      return startBot(whole, quietLog, { clock });
    },
    async stop() {
      await slack.stop();
      await service.stop();
    },
  };
}
