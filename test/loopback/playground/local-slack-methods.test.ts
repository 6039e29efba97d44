import { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { QUIET } from './tiny-bot.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const modal = (title: string, more: object = {}) => ({
  type: 'modal' as const,
  title: plain(title),
  blocks: [],
  ...more,
});
const JANUARY_MS = Date.UTC(2026, 0, 15, 12);

let slack: LocalSlack;
let client: WebClient;
beforeEach(async () => {
  slack = await startLocalSlack({ now: () => JANUARY_MS });
  client = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl, logger: QUIET, retryConfig: { retries: 0 } });
});
afterEach(() => slack.stop());

const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => 'ok',
    (error: { data?: { error?: string } }) => error.data?.error,
  );

test('people have the zone of their profile, or none', async () => {
  const user = async (id: string) => (await client.users.info({ user: id })).user;
  expect(await user('U0MAYA0001')).toMatchObject({
    real_name: 'Maya Lindholm',
    tz: 'Europe/Stockholm',
    tz_offset: 3600,
  });
  expect(await user('U0ANJALI01')).toMatchObject({ tz: 'Asia/Kolkata', tz_offset: 19_800 });
  expect(await user('U0NOZONE01')).not.toHaveProperty('tz');
  expect(await errorOf(client.users.info({ user: 'U0NOBODY01' }))).toBe('user_not_found');
});

test('channels tell whether the bot is in them; a direct message opens once', async () => {
  expect((await client.conversations.info({ channel: 'C0LOUNGE01' })).channel).toMatchObject({ is_member: false });
  expect((await client.conversations.members({ channel: 'C0GENERAL1' })).members).toContain('U0TESTAPP1');
  const opened = await client.conversations.open({ users: 'U0DIEGO001' });
  const posted = await client.chat.postMessage({ channel: 'U0DIEGO001', text: 'hello' });
  expect(posted.channel).toBe(opened.channel?.id);
  expect(slack.messages(posted.channel).map(({ text }) => text)).toEqual(['hello']);
});

test('history is newest first, threads oldest first, both in pages and bounded by time', async () => {
  const channel = 'C0GENERAL1';
  const first = await client.chat.postMessage({ channel, text: 'first' });
  const second = await client.chat.postMessage({ channel, text: 'second' });
  await client.chat.postMessage({ channel, text: 'reply', thread_ts: String(first.ts) });
  const texts = (answer: { messages?: { text?: string }[] }) => answer.messages?.map(({ text }) => text);
  expect(texts(await client.conversations.history({ channel }))).toEqual(['second', 'first']);
  expect(texts(await client.conversations.history({ channel, oldest: String(first.ts) }))).toEqual(['second']);
  const inclusive = { channel, oldest: String(first.ts), latest: String(first.ts), inclusive: true };
  expect(texts(await client.conversations.history(inclusive))).toEqual(['first']);
  const page = await client.conversations.history({ channel, limit: 1 });
  expect(page).toMatchObject({ has_more: true });
  const cursor = String(page.response_metadata?.next_cursor);
  expect(texts(await client.conversations.history({ channel, limit: 1, cursor }))).toEqual(['first']);
  expect(texts(await client.conversations.replies({ channel, ts: String(first.ts) }))).toEqual(['first', 'reply']);
  expect(await errorOf(client.conversations.replies({ channel, ts: '1.1' }))).toBe('thread_not_found');
  await client.chat.delete({ channel, ts: String(second.ts) });
  expect(texts(await client.conversations.history({ channel }))).toEqual(['first']);
});

test('editing keeps every version; a text alone takes the blocks away', async () => {
  const blocks = [{ type: 'header' as const, text: plain('Head') }];
  const { channel = '', ts = '' } = await client.chat.postMessage({ channel: 'C0GENERAL1', text: 'one', blocks });
  await client.chat.update({ channel, ts, text: 'two' });
  expect(slack.message({ channel, ts })).toMatchObject({ text: 'two', blocks: [], edited: true });
  expect(slack.message({ channel, ts })?.versions.map(({ text }) => text)).toEqual(['one', 'two']);
});

test('modals: stacked three high, found by their own id, changed only by who saw the last state', async () => {
  const trigger = async (view?: { readonly id: string }) =>
    (view === undefined ? await slack.command() : await slack.clickInView({ view, actionId: 'more' })).triggerId ?? '';
  const more = [
    { type: 'actions' as const, elements: [{ type: 'button' as const, action_id: 'more', text: plain('More') }] },
  ];
  const open = await client.views.open({
    trigger_id: await trigger(),
    view: modal('1', { blocks: more, external_id: 'mine' }),
  });
  const hash = String(open.view?.hash);
  const update = (view: object, by: object) => client.apiCall('views.update', { view: modal('2', view), ...by });
  expect(await errorOf(update({ blocks: more }, { external_id: 'mine', hash }))).toBe('ok');
  expect(await errorOf(update({ blocks: more }, { view_id: open.view?.id, hash }))).toBe('hash_conflict');
  expect(await errorOf(update({}, { view_id: 'V000000000' }))).toBe('not_found');
  expect(await errorOf(client.views.push({ trigger_id: await trigger(), view: modal('x') }))).toBe(
    'invalid_trigger_id',
  );
  const push = async () => {
    const [top] = slack.modals().toReversed();
    if (top === undefined) throw new Error('no modal is open');
    return errorOf(client.views.push({ trigger_id: await trigger(top), view: modal('p', { blocks: more }) }));
  };
  expect([await push(), await push(), await push()]).toEqual(['ok', 'ok', 'push_limit_reached']);
  await slack.closeView();
  expect(slack.modals()).toHaveLength(2);
});

test('canvases are Markdown within limits, and nobody sees one before it is shared', async () => {
  const create = (markdown: string, more: object = {}) =>
    client.canvases.create({ title: 'Report', document_content: { type: 'markdown', markdown }, ...more });
  const { canvas_id: id = '' } = await create('## Summary\n\nCalm.');
  expect(slack.canvas(id)).toMatchObject({ title: 'Report', markdown: '## Summary\n\nCalm.', access: {} });
  const share = (more: object) =>
    client.apiCall('canvases.access.set', { canvas_id: id, access_level: 'read', ...more });
  await share({ channel_ids: ['C0GENERAL1'] });
  expect(slack.canvases()[0]?.access).toEqual({ C0GENERAL1: 'read' });
  expect(await errorOf(share({ channel_ids: ['C0GENERAL1'], user_ids: ['U0MAYA0001'] }))).toBe('invalid_arguments');
  expect(await errorOf(share({ channel_ids: ['C0NOWHERE1'] }))).toBe('channel_not_found');
  expect(await errorOf(share({ canvas_id: 'F0NOSUCH01', user_ids: ['U0MAYA0001'] }))).toBe('canvas_not_found');

  expect(await errorOf(create('#### too deep'))).toBe('canvas_creation_failed');
  const table = (rows: number) => ['| a | b |', '| --- | --- |', ...Array(rows).fill('| 1 | x\\|y |')].join('\n');
  expect(await errorOf(create(table(149)))).toBe('ok');
  expect(await errorOf(create(table(150)))).toBe('canvas_creation_failed');
  expect(await errorOf(create('x'.repeat(1_048_577)))).toBe('canvas_creation_failed');
  slack.revokeScope('canvases:write');
  expect(await errorOf(create('Calm.'))).toBe('missing_scope');
});

test('on a free plan a canvas is a tab of a channel', async () => {
  const free = await startLocalSlack({ workspace: { team: { plan: 'free' } } });
  const other = new WebClient(free.botToken, { slackApiUrl: free.apiUrl, logger: QUIET });
  const content = { document_content: { type: 'markdown', markdown: 'Calm.' } } as const;
  expect(await errorOf(other.canvases.create(content))).toBe('free_teams_cannot_create_non_tabbed_canvases');
  await other.canvases.create({ ...content, channel_id: 'C0GENERAL1' });
  expect(free.canvases()[0]).toMatchObject({ tabIn: 'C0GENERAL1', access: { C0GENERAL1: 'write' } });
  await free.stop();
});
