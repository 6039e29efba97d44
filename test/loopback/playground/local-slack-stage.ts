/** One local Slack and one tiny bot per test, both gone afterwards. */
import type { App } from '@slack/bolt';
import { afterEach } from 'vitest';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from '../../../playground/slack/index.ts';
import { startHttpBot, startSocketBot } from './tiny-bot.ts';

const stops: (() => Promise<void>)[] = [];

/** To be called once per test file. */
export function cleanUpAfterEach(): void {
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });
}

export async function startStage(
  mode: 'socket' | 'http',
  register: (app: App) => void,
  { clientPingTimeoutMs, ...options }: LocalSlackOptions & { readonly clientPingTimeoutMs?: number } = {},
): Promise<LocalSlack> {
  const slack = await startLocalSlack({ mode, eventRetryDelaysMs: [0, 0, 0], ...options });
  stops.push(slack.stop);
  const bot = await (mode === 'http'
    ? startHttpBot(slack, register)
    : startSocketBot(slack, register, clientPingTimeoutMs));
  stops.push(bot.stop);
  return slack;
}
