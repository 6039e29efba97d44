import { App, webApi } from '@slack/bolt';
import { startLocalSlack } from 'slack-test-workspace';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

const start = async () => {
  const slack = await startLocalSlack({ eventRetryDelaysMs: [0] });
  const app = new App(slack.appOptions());
  const mentions: string[] = [];
  app.event('app_mention', async ({ event }) => {
    mentions.push(event.text);
  });
  await app.start();
  const retryConfig = { retries: 1, minTimeout: 10 };
  const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl, retryConfig });
  return { slack, app, mentions, client };
};
let stage: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  stage = await start();
});
beforeEach(() => stage.slack.faults.clear());
afterAll(async () => {
  await stage.app.stop();
  await stage.slack.stop();
});
const post = { channel: 'C0GENERAL1', text: 'Hello' };

it('rate limits', async () => {
  const { slack, client } = stage;
  slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 1 });
  await client.chat.postMessage(post);
  expect(slack.calls('chat.postMessage').map(({ status }) => status)).toEqual([429, 200]);
});

it('returns errors, as often as told, and where told', async () => {
  const { slack, client } = stage;
  const inGeneral = { times: 2, when: (args: { channel?: unknown }) => args.channel === 'C0GENERAL1' };
  slack.faults.inject('chat.postMessage', { kind: 'error', error: 'fatal_error' }, inGeneral);
  await expect(client.chat.postMessage(post)).rejects.toThrow('fatal_error');
  await expect(client.chat.postMessage({ ...post, channel: 'C0RANDOM01' })).resolves.toMatchObject({ ok: true });
});

it('loses responses: what the app retries happens twice', async () => {
  const { slack, client } = stage;
  const before = slack.messages('#random').length;
  slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
  await client.chat.postMessage({ channel: 'C0RANDOM01', text: 'Once?' });
  expect(
    slack
      .messages('#random')
      .slice(before)
      .map(({ text }) => text),
  ).toEqual(['Once?', 'Once?']);
});

it('holds a call until the test has looked', async () => {
  const { slack, client } = stage;
  const gate = slack.faults.hold('chat.postMessage');
  const posted = client.chat.postMessage(post);
  await gate.reached;
  expect(slack.callsUnderWay()).toBe(1);
  gate.release();
  await posted;
});

it('delivers an event again whose acknowledgement was lost', async () => {
  const { slack, mentions } = stage;
  slack.deliveryFaults.loseAckNext();
  await slack.mention({ text: 'twice' });
  await expect.poll(() => mentions).toHaveLength(2);
});

it('drops the connection, and the app reconnects', async () => {
  const { slack } = stage;
  slack.sockets.drop();
  await slack.waitFor(() => slack.sockets.connected() === 0);
  expect(await slack.command()).toMatchObject({ acked: false, error: 'dispatch_failed' });
  await slack.waitFor(() => slack.sockets.connected() === 1);
  expect((await slack.mention({ text: 'again' })).acked).toBe(true);
});
