/** The Web API through Slack's own client: what works, and the error where it doesn't. */
import { webApi } from '@slack/bolt';
import { type LocalSlackOptions, startLocalSlack } from 'slack-test-workspace';
import { afterEach, describe, expect, it } from 'vitest';

const GENERAL = 'C0GENERAL1';
const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0)) await stop();
});

async function start(options: LocalSlackOptions = {}) {
  const slack = await startLocalSlack(options);
  cleanUp.push(slack.stop);
  const logger = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, setName() {}, getLevel: () => 'error' };
  const client = new webApi.WebClient(slack.botToken, { slackApiUrl: slack.apiUrl, logger: logger as never });
  return { slack, client };
}

const errorOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'none',
    (error: { data?: { error?: string } }) => error.data?.error ?? String(error),
  );

describe('reactions and pins', () => {
  it('are added, read and removed', async () => {
    const { slack, client } = await start();
    const { ts: timestamp } = slack.say({ text: 'Hello' });
    const at = { channel: GENERAL, timestamp };
    await client.reactions.add({ ...at, name: 'eyes' });
    expect(slack.react({ message: { channel: GENERAL, ts: timestamp }, name: 'eyes', user: 'maya' })).toBeUndefined();
    const { message } = await client.reactions.get(at);
    expect(message?.reactions).toEqual([{ name: 'eyes', users: ['U0TESTAPP1', 'U0MAYA0001'], count: 2 }]);
    expect(await errorOf(client.reactions.add({ ...at, name: 'eyes' }))).toBe('already_reacted');
    expect(await errorOf(client.reactions.add({ ...at, name: ':eyes:' }))).toBe('invalid_name');
    await client.reactions.remove({ ...at, name: 'eyes' });
    expect(await errorOf(client.reactions.remove({ ...at, name: 'eyes' }))).toBe('no_reaction');
    await client.pins.add(at);
    expect((await client.pins.list({ channel: GENERAL })).items).toHaveLength(1);
    expect(await errorOf(client.pins.add(at))).toBe('already_pinned');
    await client.pins.remove(at);
    expect(await errorOf(client.pins.remove(at))).toBe('no_pin');
  });

  it.each([
    [{ channel: GENERAL, timestamp: '1.000000' }, 'message_not_found'],
    [{ channel: 'C0NOWHERE1', timestamp: '1.000000' }, 'channel_not_found'],
    [{ channel: 'C0LOUNGE01', timestamp: '1.000000' }, 'not_in_channel'],
  ])('need a message that the app can see: %o', async (at, error) => {
    const { client } = await start();
    expect(await errorOf(client.reactions.add({ ...at, name: 'eyes' }))).toBe(error);
  });
});

describe('channels', () => {
  it('are created, changed, filled and left', async () => {
    const { slack, client } = await start();
    const { channel } = await client.conversations.create({ name: 'plans', is_private: true });
    const id = channel?.id ?? '';
    await client.conversations.invite({ channel: id, users: 'U0MAYA0001,U0DIEGO001' });
    await client.conversations.kick({ channel: id, user: 'U0DIEGO001' });
    await client.conversations.setTopic({ channel: id, topic: 'Secret' });
    await client.conversations.setPurpose({ channel: id, purpose: 'Plans' });
    await client.conversations.rename({ channel: id, name: 'plots' });
    const { channel: info } = await client.conversations.info({ channel: id });
    const topics = { topic: { value: 'Secret' }, purpose: { value: 'Plans' } };
    expect(info).toMatchObject({ name: 'plots', ...topics, num_members: 2 });
    await client.conversations.archive({ channel: id });
    expect(await errorOf(client.chat.postMessage({ channel: id, text: 'x' }))).toBe('is_archived');
    await client.conversations.unarchive({ channel: id });
    await client.conversations.leave({ channel: id });
    const left = slack.channels().find((each) => each.id === id);
    expect(left).toMatchObject({ botIsMember: false, members: ['U0MAYA0001'] });
  });

  it('have names that Slack accepts, once', async () => {
    const { client } = await start();
    expect(await errorOf(client.conversations.create({ name: 'General!' }))).toBe('invalid_name_specials');
    expect(await errorOf(client.conversations.create({ name: 'general' }))).toBe('name_taken');
  });

  it('are listed by type and page', async () => {
    const { client } = await start();
    await client.conversations.create({ name: 'plans', is_private: true });
    const named = ({ channels = [] }: { channels?: { name?: string }[] }) => channels.map(({ name }) => name);
    const first = await client.conversations.list({ limit: 2 });
    expect(named(first)).toEqual(['general', 'random']);
    const cursor = first.response_metadata?.next_cursor ?? '';
    expect(named(await client.conversations.list({ limit: 2, cursor }))).toEqual(['lounge']);
    expect(named(await client.conversations.list({ types: 'private_channel' }))).toEqual(['plans']);
  });
});

it('people are found by address, and have one only with its scope', async () => {
  const { slack, client } = await start();
  const found = await client.users.lookupByEmail({ email: 'maya@example.com' });
  expect(found.user?.profile?.email).toBe('maya@example.com');
  expect(await errorOf(client.users.lookupByEmail({ email: 'nobody@example.com' }))).toBe('users_not_found');
  slack.revokeScope('users:read.email');
  expect((await client.users.info({ user: 'U0MAYA0001' })).user?.profile?.email).toBeUndefined();
  expect((await client.users.profile.get({ user: 'U0MAYA0001' })).profile?.real_name).toBe('Maya Lindholm');
  expect((await client.usergroups.users.list({ usergroup: 'S0ONCALL01' })).users).toHaveLength(2);
  expect((await client.team.info()).team?.name).toBe('Local Workspace');
});

describe('a stream', () => {
  const whom = { recipient_user_id: 'U0MAYA0001', recipient_team_id: 'T0TEAM0001' };

  it('grows, and is a message when it ends', async () => {
    const { slack, client } = await start();
    const { ts } = slack.say({ text: 'A question' });
    const stream = client.chatStream({ channel: GENERAL, thread_ts: ts, ...whom, buffer_size: 1 });
    await stream.append({ markdown_text: 'An ' });
    const shown = slack.thread('#general', ts).at(-1);
    expect(shown).toMatchObject({ text: 'An ', streaming: true });
    await stream.append({ chunks: [{ type: 'task_update', id: '1', title: 'Think', status: 'complete' }] });
    await stream.stop({ markdown_text: 'answer' });
    const message = await slack.nextMessage();
    expect(message).toMatchObject({ ts: shown?.ts, text: 'An answer', streaming: false, edited: false });
    expect(message.blocks).toMatchObject([{ type: 'task_card', task_id: '1', status: 'complete' }]);
    const again = client.chat.appendStream({ channel: GENERAL, ts: message.ts, markdown_text: '!' });
    expect(await errorOf(again)).toBe('message_not_in_streaming_state');
  });

  it.each([
    [{}, 'missing_recipient_user_id'],
    [{ thread_ts: '1.000000' }, 'invalid_thread_ts'],
    [{ ...whom, chunks: [{ type: 'poem' }] }, 'invalid_chunks'],
  ])('is refused with %o', async (args, error) => {
    const { slack, client } = await start();
    const { ts } = slack.say({ text: 'A question' });
    const started = client.apiCall('chat.startStream', { channel: GENERAL, thread_ts: ts, ...args });
    expect(await errorOf(started)).toBe(error);
  });
});

it('schedules within limits', async () => {
  const now = Date.parse('2026-11-17T09:00:00Z');
  const { slack, client } = await start({ now: () => now });
  const at = (hours: number) => ({ channel: GENERAL, text: 'x', post_at: now / 1000 + hours * 3600 });
  expect(await errorOf(client.chat.scheduleMessage(at(-1)))).toBe('time_in_past');
  expect(await errorOf(client.chat.scheduleMessage(at(24 * 121)))).toBe('time_too_far');
  const { scheduled_message_id = '' } = await client.chat.scheduleMessage(at(1));
  expect((await client.chat.scheduledMessages.list()).scheduled_messages).toMatchObject([{ id: scheduled_message_id }]);
  await client.chat.deleteScheduledMessage({ channel: GENERAL, scheduled_message_id });
  expect(slack.scheduled()).toEqual([]);
});

it('deletes files of the app, and of nobody else', async () => {
  const { slack, client } = await start();
  const theirs = slack.uploadFile({ name: 'a.txt', bytes: Buffer.from('a'), user: 'maya' });
  expect(await errorOf(client.files.delete({ file: theirs.id }))).toBe('cant_delete_file');
  await client.filesUploadV2({ filename: 'b.txt', content: 'b' });
  const [, own] = slack.files();
  await client.files.delete({ file: own?.id ?? '' });
  expect(slack.files()).toEqual([theirs]);
});

it('says which method it does not have', async () => {
  const { slack, client } = await start();
  const { data } = await client.apiCall('admin.users.list').catch((reason) => reason);
  expect(data).toMatchObject({ error: 'unknown_method', req_method: 'admin.users.list' });
  expect(data.response_metadata.messages[0]).toContain("The local Slack doesn't support admin.users.list");
  expect(slack.refusals).toMatchObject([{ method: 'admin.users.list', error: 'unknown_method' }]);
});
