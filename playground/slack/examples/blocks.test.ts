import { App } from '@slack/bolt';
import { checkMessage, startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';

const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }];

it.each(['socket', 'http'] as const)('refuses invalid blocks over %s as Slack does', async (mode) => {
  const slack = await startLocalSlack({ mode });
  const app = new App(slack.appOptions());
  app.event('app_mention', async ({ say }) => {
    await say({ text: 'Hello', blocks });
  });
  app.error(async () => {});
  const server = await app.start(0);
  if (mode === 'http') slack.setRequestUrl(server);

  await slack.mention({ text: 'hello', channel: '#general' });
  const refusal = await slack.waitFor(() => slack.refusals[0]);
  expect(refusal.method).toBe('chat.postMessage');
  expect(refusal.problems).toEqual([
    { error: 'invalid_blocks', pointer: '/blocks/0/text/text', message: 'must be less than 151 characters' },
  ]);

  await app.stop();
  await slack.stop();
});

it('checks blocks without a workspace', () => {
  const [problem] = checkMessage(blocks, 'Hello');
  expect(problem?.pointer).toBe('/blocks/0/text/text');
});
