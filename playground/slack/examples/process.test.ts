import { spawn } from 'node:child_process';
import { startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';

const APP = `
  import { App } from '@slack/bolt';
  const app = new App({
    token: process.env.SLACK_BOT_TOKEN,
    appToken: process.env.SLACK_APP_TOKEN,
    socketMode: true,
    clientOptions: { slackApiUrl: process.env.SLACK_API_URL },
  });
  app.message('hello', async ({ say }) => { await say('Hello from a process of its own'); });
  await app.start();
`;

it('tests an app in a process of its own', async () => {
  const manifest = {
    display_information: { name: 'Greeter' },
    oauth_config: { scopes: { bot: ['chat:write', 'channels:history'] } },
    settings: { event_subscriptions: { bot_events: ['message.channels'] } },
  };
  const slack = await startLocalSlack({ manifest });
  const app = spawn(process.execPath, ['--input-type=module', '--eval', APP], {
    env: { ...process.env, ...slack.env },
  });
  await slack.waitFor(() => slack.sockets.connected() === 1, { what: 'the app to connect' });

  await slack.sendMessage({ text: 'hello', channel: '#general' });
  expect((await slack.nextMessage()).text).toBe('Hello from a process of its own');

  app.kill();
  await slack.stop();
});
