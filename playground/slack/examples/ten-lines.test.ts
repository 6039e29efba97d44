import { App } from '@slack/bolt';
import { startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';

it('says hello', async () => {
  const slack = await startLocalSlack({ workspace: { app: { commands: ['/hello'] } } });
  const app = new App(slack.appOptions());
  app.command('/hello', async ({ ack, say, command }) => {
    await ack();
    await say(`Hello <@${command.user_id}>`);
  });
  await app.start();
  await slack.command({ command: '/hello', user: 'maya', channel: '#general' });
  expect((await slack.nextMessage()).text).toBe('Hello <@U0MAYA0001>');
  expect(slack.refusals).toEqual([]);
  await app.stop();
  await slack.stop();
});
