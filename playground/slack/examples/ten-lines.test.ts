import { startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';
import { createApp } from './greeter.ts';

it('says hello', async () => {
  const slack = await startLocalSlack({ workspace: { app: { commands: ['/hello'] } } });
  const app = createApp(slack.appOptions());
  await app.start();
  await slack.command({ command: '/hello', user: 'maya', channel: '#general' });
  expect((await slack.nextMessage()).text).toBe('Hello <@U0MAYA0001>');
  expect(slack.refusals).toEqual([]);
  await app.stop();
  await slack.stop();
});
