import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { type Page, startPage } from '../../../playground/page/index.ts';
import type { Screen } from '../../../playground/page/screen.ts';
import type { LocalSlack } from '../../../playground/slack/index.ts';
import { cleanUpAfterEach, startStage } from './local-slack-stage.ts';

const plain = (text: string) => ({ type: 'plain_text' as const, text });
const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const GENERAL = 'C0GENERAL1';

cleanUpAfterEach();
let page: Page | undefined;
afterEach(() => page?.stop());

async function open(): Promise<LocalSlack> {
  const slack = await startStage('socket', (app) => {
    app.command('/test', async ({ ack, command, client }) => {
      await ack({ text: `only for you: ${command.text}` });
      const button = { type: 'button' as const, action_id: 'form', text: plain('Form') };
      const blocks = [{ type: 'actions' as const, block_id: 'row', elements: [button] }];
      await client.chat.postMessage({ channel: command.channel_id, text: 'for all', blocks });
    });
    app.event('app_mention', async ({ event, say }) => {
      await say({ text: `heard ${event.text}`, thread_ts: event.ts });
    });
    app.message(async ({ message, say }) => {
      if (message.subtype === undefined) await say(`*you* said ${message.text}`);
    });
    app.action('form', async ({ ack, body, client }) => {
      await ack();
      if (body.type !== 'block_actions') return;
      const element = { type: 'plain_text_input' as const, action_id: 'name' };
      const view = { type: 'modal' as const, callback_id: 'form', title: plain('Form'), submit: plain('Go') };
      const blocks = [{ type: 'input' as const, block_id: 'name', label: plain('Name'), element }];
      await client.views.open({ trigger_id: body.trigger_id, view: { ...view, blocks } });
    });
    app.view('form', async ({ ack, view }) => {
      const name = view.state.values.name?.name?.value;
      await (name === 'bad' ? ack({ response_action: 'errors', errors: { name: 'Not that one.' } }) : ack());
    });
  });
  page = await startPage({ slack, examples: ['/test timeline last 24h'] });
  return slack;
}

const url = () => page?.url ?? '';
const act = async (action: string, body: object): Promise<unknown> =>
  (
    await fetch(`${url()}/actions/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json();
const say = (text: string, more: object = {}) =>
  act('say', { user: MAYA, client: 'one', place: GENERAL, text, thread: '', ...more });
const screen = async (place = GENERAL, user = MAYA, thread = '', client = 'one'): Promise<Screen> =>
  JSON.parse(await (await fetch(`${url()}/screen?${new URLSearchParams({ place, user, thread, client })}`)).text());
const shown = async (...where: Parameters<typeof screen>) =>
  (await screen(...where)).fragments.map((fragment) => fragment.html).join('\n');

test('a command typed on the page is answered on the page, private answers for one person only', async () => {
  const slack = await open();
  expect(await (await fetch(url())).text()).toContain('data-example="/test timeline last 24h"');
  expect(await say('/test timeline')).toEqual({});
  await slack.waitFor(() => slack.messages().length === 1);
  const seen = await shown();
  expect(seen).toContain('used <code>/test timeline</code>');
  expect(seen).toContain('only for you: timeline');
  expect(seen).toContain('Only visible to you');
  expect(seen).toContain('data-action="form"');
  expect(await shown(GENERAL, DIEGO)).not.toContain('only for you');
  expect(await say('/nope')).toMatchObject({
    error: '/nope isn’t a command here. Try /test or /invite @testapp.',
  });
  slack.deliveryFaults.loseNext();
  await say('/test silence');
  expect(await shown()).toContain('/test failed with the error “operation_timeout”.');
});

test('mentions are answered in a thread, direct messages in the conversation, and what people type is escaped', async () => {
  const slack = await open();
  await say('@testapp check <b>');
  await slack.waitFor(() => slack.messages().length === 2);
  expect(slack.messages()[0]?.text).toBe('<@U0TESTAPP1> check &lt;b&gt;');
  expect(await shown()).toContain('1 reply');
  const thread = await screen(GENERAL, MAYA, slack.messages()[0]?.ts);
  expect(thread.thread?.map((fragment) => fragment.html).join()).toContain(
    'heard <span class="mention">@testapp</span> check &lt;b&gt;',
  );
  expect(await say('/test x', { thread: '1.1' })).toMatchObject({ error: expect.stringContaining('threads') });
  await say('hello', { place: 'direct' });
  await slack.nextMessage({ match: ({ text }) => text.includes('hello') });
  expect(await shown('direct')).toContain('<strong>you</strong> said hello');
  expect(await say('@testapp hi', { place: 'C0LOUNGE01' })).toMatchObject({
    error: expect.stringContaining('isn’t in this channel'),
  });
});

test('a button opens a modal; an empty form, a complaint, and success', async () => {
  const slack = await open();
  await say('/test form');
  const { channel, ts } = await slack.nextMessage({ match: ({ text }) => text === 'for all' });
  const press = { user: MAYA, client: 'one', message: { channel, ts }, actionId: 'form', blockId: 'row' };
  await act('press-in-message', press);
  await slack.waitFor(() => slack.modals().length === 1);
  const { modal } = await screen();
  expect(modal?.html).toContain('data-input="name"');
  const submit = (name: string | null) =>
    act('submit', { user: MAYA, client: 'one', viewId: modal?.key, values: { name } });
  expect(await submit(null)).toEqual({ errors: { name: 'Please complete this required field.' } });
  expect(await submit('bad')).toEqual({ errors: { name: 'Not that one.' } });
  expect(await submit('good')).toEqual({});
  expect((await screen()).modal).toBeNull();
  expect(await act('press-in-message', { nonsense: true })).toHaveProperty('error');
});

test('a form belongs to the window it was opened in', async () => {
  const slack = await open();
  await say('/test form');
  const { channel, ts } = await slack.nextMessage({ match: ({ text }) => text === 'for all' });
  const press = { user: MAYA, message: { channel, ts }, actionId: 'form', blockId: 'row' };
  await act('press-in-message', { ...press, client: 'one' });
  await slack.waitFor(() => slack.modals().length === 1);
  expect((await screen()).modal).not.toBeNull();
  expect((await screen(GENERAL, MAYA, '', 'two')).modal).toBeNull();
  await act('press-in-message', { ...press, client: 'two' });
  await slack.waitFor(() => slack.modals().length === 2);
  const [mine, theirs] = [await screen(), await screen(GENERAL, MAYA, '', 'two')];
  expect(mine.modal?.key).not.toBe(theirs.modal?.key);
  await act('close', { user: MAYA, client: 'two', viewId: theirs.modal?.key });
  expect((await screen(GENERAL, MAYA, '', 'two')).modal).toBeNull();
  expect((await screen()).modal?.key).toBe(mine.modal?.key);
});

test('a place with something new is marked until it is read, for each person', async () => {
  const slack = await open();
  slack.say({ channel: 'random', user: 'diego', text: 'news' });
  const { nav, unread } = await screen();
  expect(unread).toBe(1);
  expect(nav).toMatch(/class="place unread" data-place="random"/);
  expect((await screen(GENERAL, DIEGO)).unread).toBe(0);
  const { newest } = await screen('random');
  await act('read', { user: MAYA, place: 'random', ts: newest });
  expect((await screen()).unread).toBe(0);
});

test('/invite brings the app into a channel', async () => {
  const slack = await open();
  expect((await screen('lounge')).note).toContain('/invite @testapp');
  expect(await say('/invite @nobody', { place: 'lounge' })).toHaveProperty('error');
  expect(await say('/invite @testapp', { place: 'lounge' })).toEqual({});
  expect(slack.channels().find(({ name }) => name === 'lounge')?.botIsMember).toBe(true);
  expect(await shown('lounge')).toContain('to this channel');
  const answer = slack.nextMessage({ channel: 'lounge' });
  expect(await say('@testapp hi', { place: 'lounge' })).toEqual({ thread: expect.any(String) });
  expect((await answer).text).toContain('heard');
});

test('open pages are told of a change', async () => {
  const slack = await open();
  const events = (await fetch(`${url()}/events`)).body?.pipeThrough(new TextDecoderStream());
  slack.say({ text: 'news' });
  let heard = '';
  for await (const chunk of events ?? []) {
    heard += chunk;
    if (heard.includes('event: change')) break;
  }
  expect(heard).toContain('event: change');
});

test('nothing foreign gets in: a strict policy, own host and origin only, files by id only', async () => {
  await open();
  const answer = await fetch(url());
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(await answer.text()).not.toMatch(/https?:\/\//);
  const status = (headers: Record<string, string>, method = 'GET', path = '/') =>
    new Promise((resolve) => {
      request(`${url()}${path}`, { method, headers }, (response) => resolve(response.resume().statusCode)).end();
    });
  const json = { 'content-type': 'application/json' };
  expect(await status({ host: 'evil.example' })).toBe(403);
  expect(await status({ ...json, origin: 'https://evil.example' }, 'POST', '/actions/say')).toBe(403);
  expect(await status({ 'content-type': 'text/plain' }, 'POST', '/actions/say')).toBe(403);
  expect(await status(json, 'POST', '/actions/toString')).toBe(404);
  expect(await status({}, 'GET', '/file/F000000009')).toBe(404);
  expect(await status({}, 'GET', '/static/..%2fstart-page.ts')).toBe(404);
  expect(await status({}, 'GET', '/static/app.js')).toBe(200);
  for (const path of ['/screen', '/events', '/file/F000000001', '/static/app.js', '/actions/drawer']) {
    expect(await status({ host: 'evil.example' }, 'GET', path)).toBe(403);
    expect(await status({ origin: 'https://evil.example' }, 'GET', path)).toBe(403);
  }
});
