/** Who is notified by which message, and the user groups that can be mentioned. */
import { WebClient } from '@slack/web-api';
import { afterEach, describe, expect, test } from 'vitest';
import { type LocalSlack, type LocalSlackOptions, startLocalSlack } from '../../../playground/slack/index.ts';
import { QUIET } from './tiny-bot.ts';

const started: LocalSlack[] = [];
afterEach(async () => {
  for (const slack of started.splice(0)) await slack.stop();
});

const [MAYA, DIEGO, ANJALI, SAM] = ['U0MAYA0001', 'U0DIEGO001', 'U0ANJALI01', 'U0NOZONE01'];
const channel = 'C0GENERAL1';

async function start(options: LocalSlackOptions = {}) {
  const slack = await startLocalSlack(options);
  started.push(slack);
  const logger = QUIET;
  const client = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl, logger, retryConfig: { retries: 0 } });
  const notified = () => slack.notifications().map(({ user, why, text }) => [user, why, text]);
  const post = async (text: string, more: object = {}) =>
    (await client.chat.postMessage({ channel, text, ...more })).ts ?? '';
  return { slack, client, notified, post };
}

const section = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });

describe('a mention', () => {
  test('of a person, a group or everyone notifies those who are in the channel', async () => {
    const { slack, notified, post } = await start();
    await post(`one <@${MAYA}>`);
    await post('two <!subteam^S0ONCALL01>');
    expect(notified()).toEqual([
      [MAYA, 'mention', `one <@${MAYA}>`],
      [DIEGO, 'group', 'two <!subteam^S0ONCALL01>'],
      [ANJALI, 'group', 'two <!subteam^S0ONCALL01>'],
    ]);
    slack.changeChannel(channel, { members: [DIEGO, SAM] });
    slack.forget();
    await post(`<@${MAYA}> <!subteam^S0ONCALL01|@oncall> <@${DIEGO}>`);
    await post('<!here>');
    expect(notified().map(([user, why]) => [user, why])).toEqual([
      [DIEGO, 'mention'],
      [DIEGO, 'channel'],
      [SAM, 'channel'],
    ]);
  });

  test('counts in the blocks, not in the text beside them, in plain text, code or attachments', async () => {
    const { notified, post } = await start();
    const mention = `<@${MAYA}>`;
    const header = { type: 'header' as const, text: { type: 'plain_text' as const, text: mention } };
    await post(mention, { blocks: [header, section('no `<@U0DIEGO001>`')] });
    await post('hello', { attachments: [{ text: mention, blocks: [section(mention)] }] });
    await post('<!subteam^S0FORMER01> <!subteam^S0NOBODY01> @maya <@S0ONCALL01>');
    expect(notified()).toEqual([]);
    const run = (element: object) => ({
      type: 'rich_text' as const,
      elements: [{ type: 'rich_text_section' as const, elements: [element] }],
    });
    await post('a', { blocks: [section(mention)] });
    await post('b', { blocks: [run({ type: 'usergroup', usergroup_id: 'S0ONCALL01' })] });
    await post('c', { blocks: [run({ type: 'user', user_id: SAM })] });
    expect(notified()).toEqual([
      [MAYA, 'mention', 'a'],
      [DIEGO, 'group', 'b'],
      [ANJALI, 'group', 'b'],
      [SAM, 'mention', 'c'],
    ]);
  });

  test('notifies nobody if an edit adds it, if it is ephemeral, or if people mention themselves', async () => {
    const { slack, client, notified, post } = await start();
    const ts = await post('calm');
    await client.chat.update({ channel, ts, text: `worse <@${MAYA}>`, blocks: [section(`<@${MAYA}>`)] });
    await client.chat.postEphemeral({ channel, user: MAYA, text: `<@${MAYA}>` });
    slack.say({ channel, user: 'maya', text: `<@${MAYA}>` });
    expect(notified()).toEqual([]);
  });
});

test('a direct message notifies, and a reply those who take part in its thread', async () => {
  const { slack, client, notified, post } = await start();
  await client.chat.postMessage({ channel: SAM, text: 'psst' });
  const ts = await post(`alert <@${MAYA}>`);
  slack.say({ channel, user: 'diego', text: 'on it', threadTs: ts });
  await post('over', { thread_ts: ts });
  expect(notified()).toEqual([
    [SAM, 'direct', 'psst'],
    [MAYA, 'mention', `alert <@${MAYA}>`],
    [MAYA, 'thread', 'on it'],
    [MAYA, 'thread', 'over'],
    [DIEGO, 'thread', 'over'],
  ]);
});

describe('user groups', () => {
  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => 'ok',
      (error: { data?: { error?: string; needed?: string } }) => [error.data?.error, error.data?.needed],
    );

  test('are listed, with their members and with the disabled ones if asked for', async () => {
    const { client } = await start();
    const listed = async (options: object = {}) => (await client.usergroups.list(options)).usergroups;
    expect(await listed()).toMatchObject([{ id: 'S0ONCALL01', handle: 'oncall', name: 'On call', date_delete: 0 }]);
    expect((await listed())?.[0]).not.toHaveProperty('users');
    expect(await listed({ include_users: true })).toMatchObject([{ users: [DIEGO, ANJALI] }]);
    expect((await listed({ include_disabled: true }))?.map(({ handle }) => handle)).toEqual(['oncall', 'former']);
  });

  test('need a scope and a paid plan', async () => {
    const { slack, client } = await start();
    slack.revokeScope('usergroups:read');
    expect(await errorOf(client.usergroups.list())).toEqual(['missing_scope', 'usergroups:read']);
    const free = await start({ workspace: { team: { plan: 'free' } } });
    expect(await errorOf(free.client.usergroups.list())).toEqual(['plan_upgrade_required', undefined]);
  });
});
