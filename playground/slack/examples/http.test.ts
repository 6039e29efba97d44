import { App } from '@slack/bolt';
import { startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';

it('answers over HTTP', async () => {
  const slack = await startLocalSlack({ mode: 'http', workspace: { app: { commands: ['/hello'] } } });
  const app = new App(slack.appOptions());
  app.command('/hello', ({ ack }) => ack('Hello'));
  slack.setRequestUrl(await app.start(0));

  await slack.command({ command: '/hello' });
  expect((await slack.nextMessage({ visibleTo: 'maya' })).text).toBe('Hello');

  await app.stop();
  await slack.stop();
});
