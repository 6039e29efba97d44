import { webApi } from '@slack/bolt';
import { startLocalSlack } from 'slack-test-workspace';
import { expect, it } from 'vitest';

it('runs by the clock of the test', async () => {
  let now = Date.parse('2026-11-17T09:00:00Z');
  const slack = await startLocalSlack({ now: () => now });
  const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl });

  const { ts = '' } = await client.chat.postMessage({ channel: 'C0GENERAL1', text: 'Good morning' });
  expect(ts).toBe('1794906000.000000');

  const post_at = now / 1000 + 3600;
  await client.chat.scheduleMessage({ channel: 'C0GENERAL1', post_at, text: 'Coffee?' });
  now += 3_600_000;
  expect(slack.postScheduled().map(({ text }) => text)).toEqual(['Coffee?']);

  await slack.stop();
});
