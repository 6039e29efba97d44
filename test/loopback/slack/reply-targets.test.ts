/** Where answers go: threads that are new, channels without the bot, forms and the Home tab. */
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { Message } from '../../../playground/slack/index.ts';
import type { Clock } from '../../../src/clock.ts';
import { SLOW_AFTER_MS } from '../../../src/slack/answer-question.ts';
import { eventually } from '../../support/clock.ts';
import { startScheduledWorld, startWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
type AnyWorld = World<Clock>;
const worlds: AnyWorld[] = [];
async function world(options: WorldOptions = {}): Promise<World> {
  const started = await startWorld(options);
  worlds.push(started);
  return started;
}
/** For digests, which would all fall due at once on a clock whose waits end immediately. */
async function scheduled(): Promise<AnyWorld> {
  const started = await startScheduledWorld();
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) {
    await started.stop();
    expect(started.slack.refusals.filter(({ error }) => error.startsWith('invalid'))).toEqual([]);
  }
});

interface Button {
  readonly label: string;
  readonly id: string;
}
const buttonsOf = (blocks: readonly Record<string, unknown>[]): Button[] =>
  blocks
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements }) => (Array.isArray(elements) ? elements : []))
    .map((element) => ({ label: element.text.text, id: element.action_id }));
function idOf(blocks: readonly Record<string, unknown>[], label: string): string {
  const found = buttonsOf(blocks).find((button) => button.label === label);
  if (found === undefined) throw new Error(`no button ${label}: ${JSON.stringify(buttonsOf(blocks))}`);
  return found.id;
}
const click = (w: AnyWorld, message: Message, label: string, user = MAYA) =>
  w.slack.clickButton({ message, actionId: idOf(message.blocks, label), user });

describe('a mention', () => {
  it.each([
    ['', 'What you can ask'],
    ['timeline bananas', '^^^^^^^'],
  ])('of “%s” is answered in its thread, for all to see', async (text, expected) => {
    const w = await world();
    const { message } = await w.slack.mention({ text });
    const answer = await w.slack.nextMessage();
    expect(answer).toMatchObject({ threadTs: message?.ts });
    expect(answer.visibleTo).toBeUndefined();
    expect(textOf(answer)).toContain(expected);
  });

  it('that asks privately is answered beside it: a private word in a new thread would be seen by nobody', async () => {
    const w = await world();
    await w.slack.mention({ text: 'attacks last 2h privately' });
    const answer = await w.slack.nextMessage();
    expect(answer).toMatchObject({ visibleTo: MAYA });
    expect(answer.threadTs).toBeUndefined();
    const root = w.slack.say({ text: 'the shop is slow' });
    await w.slack.mention({ text: 'attacks last 2h privately', threadTs: root.ts });
    expect(await w.slack.nextMessage()).toMatchObject({ visibleTo: MAYA, threadTs: root.ts });
  });

  it('that asks privately and fails, fails privately', async () => {
    const w = await world();
    w.service.misbehave({ kind: 'reset' });
    await w.slack.mention({ text: 'attacks last 2h privately' });
    expect(await w.slack.nextMessage()).toMatchObject({ visibleTo: MAYA });
  });

  it('that asks privately and is slow shows the asker alone that it runs', async () => {
    const w = await world();
    const gate = w.service.hold();
    await w.slack.mention({ text: 'timeline last 24h privately' });
    await eventually(() => w.clock.waits.includes(SLOW_AFTER_MS), 'the wait for slowness');
    w.clock.end(SLOW_AFTER_MS);
    const notice = await w.slack.nextMessage();
    expect(notice).toMatchObject({ visibleTo: MAYA });
    expect(notice.text).toBe('Working on `timeline last 24h privately` … The answer follows.');
    gate.release();
    expect(await w.slack.nextMessage()).toMatchObject({ visibleTo: MAYA });
  });
});

describe('a channel the bot is not in', () => {
  it('the shortcut answers in the thread of the message all the same', async () => {
    const w = await world();
    const said = w.slack.say({ text: 'pager went off', channel: 'C0GENERAL1' });
    await w.slack.messageShortcut({ callbackId: 'waf_around_message', message: said });
    const answer = await w.slack.nextMessage();
    expect(answer).toMatchObject({ channel: 'C0GENERAL1', threadTs: said.ts, via: 'response_url' });
    expect(textOf(answer)).toContain('I’m not in <#C0GENERAL1>. To get the chart as a picture: `/invite @wafbot`');
  });

  it('its buttons replace the message and answer below it', async () => {
    const w = await world();
    await w.slack.command({ text: 'timeline 2026-03-10T06:00Z/2026-03-10T08:00Z', channel: 'C0GENERAL1' });
    const message = await w.slack.nextMessage();
    w.slack.faults.inject('chat.update', { kind: 'error', error: 'channel_not_found' });
    await click(w, message, 'Period before');
    await w.slack.waitFor(() => w.slack.message(message)?.versions.length === 2, { what: 'the edit' });
    expect(textOf(w.slack.message(message) ?? message)).toContain('Tue 10 Mar 05:00–07:00 · Europe/Stockholm (UTC+1)');
    await click(w, w.slack.message(message) ?? message, 'By category');
    expect(await w.slack.nextMessage()).toMatchObject({ threadTs: message.ts, via: 'response_url' });
  });

  it('a post that Slack refuses for any reason still reaches the asker', async () => {
    const w = await world();
    w.slack.faults.inject('chat.postMessage', { kind: 'error', error: 'restricted_action_read_only_channel' });
    await w.slack.command({ text: 'doctor' });
    const answer = await w.slack.nextMessage();
    expect(answer.via).toBe('response_url');
    expect(textOf(answer)).toContain('Slack doesn’t let me post in <#C0SECURITY>');
  });
});

describe('a file', () => {
  it('that could not be posted is not promised', async () => {
    const w = await world();
    w.slack.faults.inject('upload', { kind: 'status', status: 500 }, { times: Number.POSITIVE_INFINITY });
    await w.slack.command({ text: 'attacks last 24h privately csv' });
    expect(textOf(await w.slack.nextMessage())).toContain('I couldn’t post the file');
    await w.slack.command({ text: 'attacks last 24h csv' });
    const answer = await w.slack.nextMessage();
    expect((await w.slack.nextMessage({ threadTs: answer.ts })).text).toMatch(/^I couldn’t post the file/);
  });
});

describe('a digest from an answer', () => {
  it('begins with the hosts of that answer', async () => {
    const w = await scheduled();
    await w.slack.command({ text: `hosts add "my shop" ${DEFAULT_HOSTS[0]?.id}` });
    await w.slack.nextMessage();
    await w.slack.command({ text: 'timeline last 2h on "my shop" why' });
    const message = await w.slack.nextMessage();
    await click(w, message, 'Create a digest');
    const [modal] = await w.slack.waitFor(() => w.slack.modals(MAYA).length === 1 && w.slack.modals(MAYA), {
      what: 'the form',
    });
    expect(JSON.stringify(modal?.blocks)).toContain('"initial_value":"\\"my shop\\""');
    await w.slack.submitView({ values: { hosts: '"my shop"' } });
    const made = await w.slack.nextMessage();
    expect(textOf(made)).toContain('on my shop');
    expect(made.text).toMatch(/^Digest scheduled: /);
  });

  it('says so when the form does not open', async () => {
    const w = await world();
    await w.slack.command({ text: 'hosts' });
    const message = await w.slack.nextMessage();
    w.slack.faults.inject('views.open', { kind: 'error', error: 'expired_trigger_id' });
    await click(w, message, 'Add a host');
    const answer = await w.slack.nextMessage();
    expect(answer.visibleTo).toBe(MAYA);
    expect(answer.text).toContain('or type `/waf hosts add shop &lt;domain ID&gt;`');
  });
});

describe('the Home tab', () => {
  const homeText = (w: AnyWorld): string => JSON.stringify(w.slack.home(MAYA)?.blocks ?? []);
  const openHome = async (w: AnyWorld): Promise<void> => {
    await w.slack.openHome(MAYA);
    await w.slack.waitFor(() => w.slack.home(MAYA), { what: 'the Home tab' });
  };

  it('shows digests and watches, and pauses one in its channel', async () => {
    const w = await scheduled();
    for (const text of ['digest daily at 09:00', 'watch attacks over 500 per 15m']) {
      await w.slack.command({ text, channel: 'C0ONCALL01' });
      await w.slack.nextMessage();
    }
    await openHome(w);
    const view = w.slack.home(MAYA);
    expect(homeText(w)).toMatch(/<#C0ONCALL01> digest: .*Next: .*No run yet.*<#C0ONCALL01> watch: /);
    if (view === undefined) throw new Error('no Home tab');
    await w.slack.clickInView({ view, actionId: idOf(view.blocks, 'Pause') });
    const told = await w.slack.nextMessage();
    expect(told).toMatchObject({ channel: 'C0ONCALL01' });
    expect(told.text).toMatch(/^Digest paused: /);
    await w.slack.waitFor(() => homeText(w).includes('*Paused* by'), { what: 'the refreshed tab' });
    const labels = buttonsOf(w.slack.home(MAYA)?.blocks ?? []).map(({ label }) => label);
    expect(labels.filter((label) => /^(Resume|Pause|Remove)$/.test(label))).toEqual([
      'Resume',
      'Remove',
      'Pause',
      'Remove',
    ]);
  });

  it('tells a fault by direct message, where the person will see it', async () => {
    const w = await scheduled();
    await w.slack.command({ text: 'digest daily at 09:00', channel: 'C0ONCALL01' });
    await w.slack.nextMessage();
    await openHome(w);
    const view = w.slack.home(MAYA);
    if (view === undefined) throw new Error('no Home tab');
    await w.slack.command({ text: 'digest remove', channel: 'C0ONCALL01' });
    await w.slack.nextMessage();
    await w.slack.clickInView({ view, actionId: idOf(view.blocks, 'Pause') });
    const told = await w.slack.nextMessage();
    expect(told.channel).toMatch(/^D/);
    expect(textOf(told)).toContain('This digest was removed');
    await w.slack.waitFor(() => homeText(w).includes('Nothing yet'), { what: 'the refreshed tab' });
  });
});
