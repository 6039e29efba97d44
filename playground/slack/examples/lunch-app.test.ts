/** A whole app, over Socket Mode and over HTTP. */
import { startLocalSlack } from 'slack-test-workspace';
import { afterEach, describe, expect, it } from 'vitest';
import { createLunchApp } from './lunch-app.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0).reverse()) await stop();
});

const MANIFEST = {
  display_information: { name: 'Lunch' },
  features: {
    slash_commands: [{ command: '/lunch' }],
    shortcuts: [{ name: 'Order lunch', type: 'global', callback_id: 'lunch_now' }],
  },
  oauth_config: {
    scopes: { bot: ['channels:history', 'chat:write', 'commands', 'files:write', 'reactions:read', 'reactions:write'] },
  },
  settings: { event_subscriptions: { bot_events: ['app_home_opened', 'message.channels', 'reaction_added'] } },
};

async function start(mode: 'socket' | 'http', now: () => number = Date.now) {
  const slack = await startLocalSlack({ mode, now, manifest: MANIFEST });
  cleanUp.push(slack.stop);
  const app = createLunchApp(slack.appOptions());
  const server = await app.start(0);
  cleanUp.push(() => app.stop());
  if (mode === 'http') slack.setRequestUrl(server);
  return slack;
}

describe.each(['socket', 'http'] as const)('over %s', (mode) => {
  it('takes an order: command, button, menu, form with a mistake, message, reaction, file', async () => {
    const slack = await start(mode);
    await slack.command({ command: '/lunch', user: 'maya', channel: '#random' });
    const question = await slack.nextMessage({ channel: '#random' });

    await slack.clickButton({ message: question, actionId: 'order', user: 'diego' });
    const form = await slack.waitFor(() => slack.modals('diego')[0]);
    const { options } = await slack.loadOptions({ view: form, actionId: 'dish', query: 'p' });
    expect(options.map(({ value }) => value)).toEqual(['pho', 'pizza']);

    const empty = await slack.submitView({ user: 'diego' });
    expect(empty.unfilled).toEqual(['dish', 'count']);
    const mistake = await slack.submitView({ user: 'diego', values: { dish: 'pho', count: 'none' } });
    expect(mistake.errors).toEqual({ count: 'Order at least one.' });
    expect(slack.modals('diego')).toHaveLength(1);
    await slack.submitView({ user: 'diego', values: { dish: 'pho', count: '2' } });
    expect(slack.modals('diego')).toEqual([]);

    const order = await slack.nextMessage({ channel: '#random' });
    expect(order.text).toBe('<@U0DIEGO001> orders 2 × Pho');
    const receipt = await slack.nextMessage({ match: ({ fileIds }) => fileIds.length > 0 });
    expect(String(slack.file(receipt.fileIds[0] ?? '')?.bytes)).toBe('2 × Pho');
    expect(slack.message(order)?.reactions).toEqual([{ name: 'fork_and_knife', users: ['U0TESTAPP1'] }]);
    expect(slack.refusals).toEqual([]);
  });

  it('answers a message, opens the form from anywhere, shows its Home tab', async () => {
    const slack = await start(mode);
    const { message } = await slack.sendMessage({ text: 'I am hungry', channel: '#general' });
    expect(await slack.nextMessage()).toMatchObject({ text: 'Try `/lunch`.', threadTs: message?.ts });
    await slack.shortcut({ callbackId: 'lunch_now', user: 'anjali' });
    expect((await slack.waitFor(() => slack.modals('anjali')[0])).callbackId).toBe('order_form');
    await slack.openHome('maya');
    expect((await slack.waitFor(() => slack.home('maya'))).blocks).toHaveLength(2);
    expect(slack.refusals).toEqual([]);
  });

  it('deletes what somebody crosses out', async () => {
    const slack = await start(mode);
    await slack.command();
    const question = await slack.nextMessage();
    slack.react({ message: question, name: 'x', user: 'maya' });
    await slack.waitFor(() => slack.message(question) === undefined);
  });

  it('asks later, by the injected clock', async () => {
    let now = Date.parse('2026-11-17T11:00:00Z');
    const slack = await start(mode, () => now);
    await slack.command({ text: 'in 30 minutes' });
    await slack.waitFor(() => slack.scheduled()[0]);
    expect(slack.postScheduled()).toEqual([]);
    now += 30 * 60_000;
    expect(slack.postScheduled().map(({ text }) => text)).toEqual(['Who is hungry?']);
  });

  it('waits as long as a rate limit says', async () => {
    const slack = await start(mode);
    slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 1 });
    await slack.command();
    expect((await slack.nextMessage()).text).toBe('Who is hungry?');
    const [refused, posted] = slack.calls('chat.postMessage');
    expect(refused).toMatchObject({ status: 429, fault: 'rate_limited' });
    expect((posted?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
  });
});
