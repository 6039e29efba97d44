/** The smallest real Bolt app that uses every listener, to hold the local Slack against Slack's own client code. */
import { App, HTTPReceiver, type Logger, LogLevel, SocketModeReceiver } from '@slack/bolt';
import type { LocalSlack } from '../../../playground/slack/index.ts';

export interface TinyBot {
  readonly app: App;
  stop(): Promise<void>;
}

/** What goes wrong here is meant to. */
export const QUIET: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
};

const CLIENT = { timeout: 10_000, retryConfig: { retries: 1, minTimeout: 20, maxTimeout: 50 } };

export async function startSocketBot(
  slack: LocalSlack,
  register: (app: App) => void,
  clientPingTimeout = 5_000,
): Promise<TinyBot> {
  const clientOptions = { slackApiUrl: slack.apiUrl, timeout: 10_000 };
  const receiver = new SocketModeReceiver({
    appToken: slack.appToken,
    logger: QUIET,
    // Also the pause before it reconnects.
    clientPingTimeout,
    installerOptions: { clientOptions },
  });
  const app = createApp(slack, receiver);
  register(app);
  await app.init();
  await app.start();
  return { app, stop: () => receiver.client.disconnect() };
}

export async function startHttpBot(slack: LocalSlack, register: (app: App) => void): Promise<TinyBot> {
  const receiver = new HTTPReceiver({ signingSecret: slack.signingSecret, logger: QUIET });
  const app = createApp(slack, receiver);
  register(app);
  await app.init();
  const server = await receiver.start(0);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  slack.setRequestUrl(`http://127.0.0.1:${port}/slack/events`);
  return {
    app,
    stop: async () => {
      await receiver.stop();
    },
  };
}

function createApp(slack: LocalSlack, receiver: SocketModeReceiver | HTTPReceiver): App {
  return new App({
    token: slack.botToken,
    receiver,
    deferInitialization: true,
    convoStore: false,
    logger: QUIET,
    clientOptions: { ...CLIENT, slackApiUrl: slack.apiUrl },
  });
}
