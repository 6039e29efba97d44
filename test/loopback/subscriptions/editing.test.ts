/** Changing digests and watches instead of typing them again: sentences, lists, forms and the Home tab. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { LocalSlack, Message } from '../../../playground/slack/index.ts';
import type { ManualClock } from '../../support/clock.ts';
import { nextAnswer, passTo, startScheduledWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const CHANNEL = 'C0SECURITY';
const SHOP = '3ac26c59e15a4a11bb680a103a29ddb6';
/** The fields of every watch after how often it checks. */
const OTHERS = ['quiet', 'maintenance', 'mention_from', 'escalate_after'];
const worlds: World<ManualClock>[] = [];
const folders: string[] = [];

async function world(options: WorldOptions = {}): Promise<World<ManualClock>> {
  const environment = { WAFBOT_CHARTS: 'none', ...options.environment };
  const started = await startScheduledWorld({ ...options, environment });
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) {
    expect(started.slack.refusals).toEqual([]);
    await started.stop();
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function ask(w: World<ManualClock>, text: string, user = MAYA): Promise<Message> {
  await w.slack.command({ text, user });
  return nextAnswer(w.slack);
}

type Blocks = Message['blocks'];
type View = NonNullable<ReturnType<LocalSlack['home']>>;
const buttonsIn = (blocks: Blocks) =>
  blocks
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .filter(({ type }) => type === 'button')
    .map((each) => ({ label: String(each.text?.text), id: String(each.action_id), confirm: each.confirm?.text?.text }));

/** Presses the button with this label; `at` of several, from 0. */
async function press(w: World<ManualClock>, message: Message, label: string, at = 0): Promise<void> {
  const button = buttonsIn(message.blocks).filter((each) => each.label === label)[at];
  if (button === undefined) throw new Error(`no button ${label}`);
  await w.slack.clickButton({ message, actionId: button.id });
}

const form = (w: World<ManualClock>, user = MAYA): Promise<View> =>
  w.slack.waitFor(() => w.slack.modals(user).at(-1), { what: 'the form' });

const blocksOf = ({ blocks }: View): unknown[] => blocks.map((block) => block.block_id);

async function home(w: World<ManualClock>, user = MAYA): Promise<View> {
  const { hash } = w.slack.home(user) ?? { hash: '' };
  await w.slack.openHome(user);
  return w.slack.waitFor(
    () => {
      const view = w.slack.home(user);
      return view?.hash === hash ? undefined : view;
    },
    { what: 'the Home tab' },
  );
}

async function pressAtHome(w: World<ManualClock>, view: View, label: string, at = 0): Promise<void> {
  const button = buttonsIn(view.blocks).filter((each) => each.label === label)[at];
  if (button === undefined) throw new Error(`no button ${label}`);
  await w.slack.clickInView({ view, actionId: button.id });
}

describe('a list', () => {
  it('has Edit, Pause and Remove for each entry, and what is confirmed names the channel and the hosts', async () => {
    const w = await world();
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'watch on shop');
    await ask(w, 'watch attacks over 500 per 15m');
    const list = await ask(w, 'watches');
    const labels = buttonsIn(list.blocks).map(({ label }) => label);
    expect(labels).toEqual(['Edit', 'Pause', 'Remove', 'Edit', 'Pause', 'Remove', 'New watch']);
    expect(buttonsIn(list.blocks).flatMap(({ confirm }) => confirm ?? [])).toEqual([
      'This removes the watch “anything unusual, every 5 minutes” on shop from <#C0SECURITY>.',
      'This removes the watch “attacks over 500 per 15 minutes, every 5 minutes” from <#C0SECURITY>.',
    ]);
    await press(w, list, 'Remove', 0);
    const removed = textOf(await nextAnswer(w.slack));
    expect(removed).toContain('This channel no longer watches for *anything unusual, every 5 minutes* on shop.');
    expect(removed).toContain('One watch is left:\\n1. *attacks over 500 per 15 minutes, every 5 minutes*');
    expect(textOf(await ask(w, 'watch remove 1'))).toContain('No watches are left in this channel.');
  });

  it('names who set something up, and notifies nobody', async () => {
    const w = await world({ environment: { WAFBOT_RUNBOOK_HOSTS: 'https://wiki.example.org' } });
    for (const text of ['watch', 'digest daily at 09:00', 'ignore xss', 'quiet weekdays 22:00-06:00'])
      await ask(w, text);
    await ask(w, 'runbook sqli https://wiki.example.org/sqli');
    await ask(w, 'watch pause 1');
    for (const text of ['watches', 'digests', 'ignored', 'maintenance', 'runbooks', 'handover', 'handover']) {
      const list = await ask(w, text, DIEGO);
      if (text !== 'handover') expect(textOf(list)).toContain('by Maya Lindholm');
      expect(w.slack.notifications(CHANNEL).filter(({ ts }) => ts === list.ts)).toEqual([]);
    }
  });

  it('of twenty fits into a message, with buttons as long as there is room', async () => {
    const w = await world();
    for (let hour = 0; hour < 20; hour++) await ask(w, `digest daily at ${String(hour).padStart(2, '0')}:00`);
    const list = await ask(w, 'digests');
    expect(textOf(list)).toContain('20. *daily at 19:00');
    const edits = buttonsIn(list.blocks).filter(({ label }) => label === 'Edit');
    expect(edits.length).toBeGreaterThanOrEqual(4);
    expect(edits.length).toBeLessThan(20);
    // The last ones can be typed.
    expect((await ask(w, 'digest edit 20 weekdays 7:45')).text).toMatch(/^Digest changed: weekdays at 07:45/);
  });
});

describe('a watch', () => {
  it('is edited in a form that shows what is set and hides what does not apply', async () => {
    const w = await world();
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'watch quiet on shop quiet hours weekdays 22:00-06:00; sunday 20:00-24:00');
    await press(w, await ask(w, 'watches'), 'Edit');
    const view = await form(w);
    expect(view.source).toMatchObject({ title: { text: 'Edit watch' }, submit: { text: 'Save' } });
    expect(blocksOf(view)).toEqual(['what', 'calls', 'hosts', 'every', ...OTHERS, 'ignore']);
    expect(JSON.stringify(view.blocks)).toContain('"initial_option":{"text":{"type":"plain_text","text":"Quiet');
    expect(JSON.stringify(view.blocks)).toContain('"initial_value":"weekdays 22:00-06:00; Sundays 20:00-00:00"');
    // Another choice brings other fields, and keeps what was entered.
    await w.slack.clickInView({
      view,
      actionId: 'what',
      choice: 'attacks',
      state: { hosts: 'shop', calls: 'sensitive' },
    });
    const asked = await w.slack.waitFor(() => w.slack.modals(MAYA).find((each) => blocksOf(each).includes('over')));
    expect(blocksOf(asked)).toEqual(['what', 'over', 'per', 'hosts', 'every', ...OTHERS]);
    const values = { what: 'attacks', hosts: 'shop' };
    const wrong = await w.slack.submitView({ values: { ...values, over: 'many' } });
    expect(wrong.errors).toEqual({ over: expect.stringContaining('“many” isn’t a whole number') });
    const unknown = await w.slack.submitView({ values: { ...values, over: '700', hosts: 'shpo' } });
    expect(Object.keys(unknown.errors)).toEqual(['hosts']);
    const hours = await w.slack.submitView({ values: { ...values, over: '700', quiet: 'at night' } });
    expect(hours.errors).toEqual({ quiet: expect.stringContaining('I don’t understand “') });
    await w.slack.submitView({ values: { ...values, over: '700', quiet: 'weekdays 22:00-06:00' } });
    const changed = textOf(await nextAnswer(w.slack));
    expect(changed).toMatch(/^Watch changed: attacks over 700 per 15 minutes, every 5 minutes on shop/);
    expect(changed).toContain('It starts afresh');
    const list = textOf(await ask(w, 'watches'));
    expect(list).toContain('*1* watch in this channel');
    expect(list).toContain('attacks over 700 per 15 minutes');
    expect(list).toContain('Quiet hours weekdays 22:00 – 06:00');
    expect(list).not.toContain('Sundays');
    expect(w.slack.modals(MAYA)).toEqual([]);
  });

  it('keeps what the sentence does not name, its ID included, and survives a restart', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-editing-'));
    folders.push(folder);
    const w = await world({ environment: { WAFBOT_STORE: `sqlite:${folder}/wafbot.db` } });
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'watch on shop every 10m');
    const idIn = (message: Message) => /watch edit ([a-z0-9]{6})/.exec(textOf(message))?.[1];
    const before = idIn(await ask(w, 'watches'));
    expect(textOf(await ask(w, 'watch edit 1 sensitive'))).toMatch(
      /^Watch changed: anything unusual, every 10 minutes on shop/,
    );
    const list = await ask(w, 'watches');
    expect(textOf(list)).toContain('Sensitivity *sensitive*');
    expect(idIn(list)).toBe(before);
    expect(textOf(await ask(w, 'watch edit on all hosts'))).toMatch(
      /^Watch changed: anything unusual, every 10 minutes,/,
    );
    expect(textOf(await ask(w, 'watch edit 1 every 1m'))).toMatch(/^Watch changed: anything unusual, every minute,/);
    await w.restart();
    expect(textOf(await ask(w, 'watch edit'))).toMatch(/^This watch: anything unusual, every minute/);
  });

  it('is never made the same as another, and an old button says that it is gone', async () => {
    const w = await world();
    await ask(w, 'watch');
    await ask(w, 'watch attacks over 500 per 15m');
    const list = await ask(w, 'watches');
    expect(textOf(await ask(w, 'watch edit 2 anything'))).toContain('This channel already has another watch for that');
    expect(textOf(await ask(w, 'watch edit 2 quiet'))).toContain('This watch alerts at the number you set');
    await ask(w, 'watch edit 2 attacks over 800 per 15m');
    await press(w, list, 'Edit', 1);
    expect(textOf(await nextAnswer(w.slack))).toContain('There is no such watch in this channel');
    expect(w.slack.modals(MAYA)).toEqual([]);
  });

  it('that is edited during an episode says so in its message, and follows its new subject', async () => {
    const fromMinute = Temporal.Instant.from('2026-03-10T15:00:00Z').epochMilliseconds / 60_000;
    const waves = [{ kind: 'step', fromMinute, minutes: 60, perMinute: 60 }] as const;
    const w = await world({ service: { seed: 7, seededWaves: false, waves } });
    await ask(w, 'watch');
    await passTo(w, '2026-03-10T15:25:00Z');
    const alert = w.slack.messages(CHANNEL).find(({ text }) => text.includes('Surge since'));
    expect(alert).toBeDefined();
    await w.slack.command({ text: 'watch edit 1 attacks over 100 per 15m' });
    await w.slack.nextMessage({ match: ({ text }) => text.startsWith('Watch changed') });
    expect(w.slack.messages(CHANNEL).find(({ ts }) => ts === alert?.ts)?.text).toContain(
      'the watch was changed at 16:25',
    );
    await passTo(w, '2026-03-10T15:30:00Z');
    expect(w.slack.messages(CHANNEL).filter(({ text }) => /Attacks over 100/.test(text))).toHaveLength(1);
  });
});

describe('the form of a watch', () => {
  const WIKI = 'https://wiki.example.org';

  async function editOnly(w: World<ManualClock>): Promise<View> {
    await press(w, await ask(w, 'watches'), 'Edit');
    return form(w);
  }

  /** Chooses what brings another field, and waits for that. */
  async function choose(
    w: World<ManualClock>,
    view: View,
    [actionId, choice, brings]: readonly [string, string, string],
    state = {},
  ) {
    await w.slack.clickInView({ view, actionId, choice, state });
    return w.slack.waitFor(() => w.slack.modals(MAYA).find((each) => blocksOf(each).includes(brings)));
  }

  it('sets what is ignored on its hosts, its maintenance and runbooks, reports each mistake in its field, and ends it', async () => {
    const w = await world({ environment: { WAFBOT_RUNBOOK_HOSTS: WIKI } });
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'ignore webshell for 2 days');
    await ask(w, 'watch on shop');
    const first = await editOnly(w);
    expect(blocksOf(first)).toEqual(['what', 'calls', 'hosts', 'every', ...OTHERS, 'ignore', 'runbook_for']);
    expect(JSON.stringify(first.blocks)).toContain('Now: Webshell until Thu 12 Mar');
    await choose(w, first, ['ignore', 'robot', 'ignore_until']);
    await choose(w, await form(w), ['runbook_for', 'sqli', 'runbook'], { ignore: ['robot'] });
    const values = { ignore: ['robot', 'xss'], runbook_for: 'sqli', runbook: `${WIKI}/sqli` };
    const late = await w.slack.submitView({ values: { ...values, ignore_until: 'yesterday' } });
    expect(late.errors).toEqual({ ignore_until: expect.stringContaining('within the next 90 days') });
    const other = await w.slack.submitView({ values: { ...values, runbook: 'https://evil.example/x' } });
    expect(other.errors).toEqual({ runbook: expect.stringContaining('I may not link to evil.example') });
    const times = await w.slack.submitView({ values: { ...values, maintenance: 'saturday' } });
    expect(times.errors).toEqual({ maintenance: expect.stringContaining('From when to when?') });
    const host = await w.slack.submitView({ values: { ...values, hosts: 'shpo' } });
    expect(Object.keys(host.errors)).toEqual(['hosts']);
    await w.slack.submitView({ values: { ...values, ignore_until: 'friday', maintenance: 'saturday 02:00-04:00' } });
    const saved = textOf(await nextAnswer(w.slack));
    expect(saved).toMatch(/^Watch changed: anything unusual, every 5 minutes on shop/);
    expect(saved).toContain('Maintenance Saturdays 02:00 – 04:00');
    expect(saved).toContain('Ignoring Malicious crawlers, XSS on shop until the end of Fri 13 Mar.');
    expect(saved).toContain('Runbook for SQL injection set.');
    const list = textOf(await ask(w, 'watches'));
    expect(list).toContain('Ignored until the end of Fri 13 Mar: Malicious crawlers on shop.');
    expect(list).toContain(`Runbooks: <${WIKI}/sqli|SQL injection>.`);
    // What is set is shown, and what is taken away ends; what other hosts have stays.
    const second = await editOnly(w);
    const blocks = JSON.stringify(second.blocks);
    expect(blocks).toContain('Malicious crawlers on shop until the end of Fri 13 Mar');
    expect(blocks).toContain('"initial_value":"Saturdays 02:00-04:00"');
    expect(blocks).toContain('SQL injection: wiki.example.org/sqli');
    expect(JSON.stringify(second.blocks.find((block) => block.block_id === 'ignore'))).toContain(
      '"initial_options":[{"text":{"type":"plain_text","text":"XSS"},"value":"xss"}',
    );
    await choose(w, second, ['runbook_for', 'sqli', 'runbook']);
    await w.slack.submitView({ values: { ignore: [], maintenance: '', runbook_for: 'sqli', runbook: '' } });
    const ended = textOf(await nextAnswer(w.slack));
    expect(ended).toContain('Nothing is ignored on shop now.');
    expect(ended).toContain('No runbook for SQL injection.');
    expect(textOf(await ask(w, 'watches'))).not.toMatch(/Maintenance|crawlers|Runbooks/);
    expect(textOf(await ask(w, 'ignored'))).toContain('1. Webshell');
  });

  it('of other hosts says that the watch starts afresh, also with a mention, and after a mistake in it', async () => {
    const w = await world();
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'watch');
    await ask(w, 'watch mention @diego');
    await editOnly(w);
    const other = { hosts: 'shop', mention_from: 'elevated' };
    const wrong = await w.slack.submitView({ values: { ...other, mention: '@nobdy-here' } });
    expect(Object.keys(wrong.errors)).toEqual(['mention']);
    await w.slack.submitView({ values: { ...other, mention: '@leads' } });
    const changed = textOf(await nextAnswer(w.slack));
    expect(changed).toMatch(/^Watch changed: anything unusual, every 5 minutes on shop/);
    expect(changed).toContain('Mentions *@leads* in every alert.');
    expect(changed).toContain('It starts afresh');
  });

  it('of a new one ignores on its hosts, too, and is refused to who may not change anything before it opens', async () => {
    const w = await world({ environment: { WAFBOT_ADMINS: MAYA } });
    const list = await ask(w, 'watches');
    await press(w, list, 'New watch');
    const view = await choose(w, await form(w), ['ignore', 'robot', 'ignore_until']);
    expect(blocksOf(view)).not.toContain('runbook_for');
    await w.slack.submitView({ values: { ignore: ['robot'], maintenance: 'sunday 01:00-02:00' } });
    const created = textOf(await nextAnswer(w.slack));
    expect(created).toMatch(/^Watch created/);
    expect(created).toContain('Ignoring Malicious crawlers until ');
    expect(created).toContain('Maintenance Sundays 01:00 – 02:00');
    const button = buttonsIn(list.blocks).find(({ label }) => label === 'New watch');
    await w.slack.clickButton({ message: list, actionId: button?.id ?? '', user: DIEGO });
    await w.slack.waitFor(() => w.slack.ephemerals(DIEGO).find(({ text }) => text.includes('Only an admin')));
    expect(w.slack.modals(DIEGO)).toEqual([]);
  });
});

describe('a digest', () => {
  it('leaves neither gap nor overlap when its schedule changes, and none comes at once', async () => {
    // Tuesday, 15:30 in Stockholm.
    const w = await world({});
    await ask(w, 'digest daily at 09:00');
    await passTo(w, '2026-03-11T08:00:00Z');
    await passTo(w, '2026-03-11T14:00:00Z');
    await nextAnswer(w.slack);
    // Due at noon today, by the new schedule.
    await press(w, await ask(w, 'digests'), 'Edit');
    const view = await form(w);
    expect(blocksOf(view)).toEqual(['content', 'rhythm', 'time', 'hosts', 'zone']);
    await w.slack.submitView({ values: { time: '12:00' } });
    expect((await nextAnswer(w.slack)).text).toMatch(/^Digest changed: daily at 12:00 in Europe\/Stockholm/);
    await passTo(w, '2026-03-12T10:59:00Z');
    await passTo(w, '2026-03-12T11:00:00Z');
    const windows = w.slack
      .messages(CHANNEL)
      .flatMap((message) => /timeline (\S+Z)\/(\S+Z)/.exec(textOf(message))?.slice(1, 3).join(' – ') ?? []);
    expect(windows).toEqual(['2026-03-10T07:57Z – 2026-03-11T07:57Z', '2026-03-11T07:57Z – 2026-03-12T10:57Z']);
  });

  it('changes its hosts and zone alone, too', async () => {
    const w = await world();
    await ask(w, `hosts add shop ${SHOP}`);
    await ask(w, 'digest weekdays 8:30');
    expect((await ask(w, 'digest edit 1 on shop')).text).toMatch(
      /^Digest changed: weekdays at 08:30 in Europe\/Stockholm on shop/,
    );
    expect((await ask(w, 'digest edit 1 in Asia/Tokyo')).text).toMatch(
      /^Digest changed: weekdays at 08:30 in Asia\/Tokyo on shop/,
    );
    const refused = textOf(await ask(w, 'digest edit 1 at 25:99'));
    expect(refused).toMatch(/time of day|understand/);
  });
});

describe('the Home tab', () => {
  it('creates, edits and removes in the channel, where others see it, and shows it at once', async () => {
    const w = await world();
    await pressAtHome(w, await home(w), 'New watch');
    const view = await form(w);
    expect(blocksOf(view)).toEqual(['channel', 'what', 'calls', 'hosts', 'every', ...OTHERS, 'ignore']);
    await w.slack.submitView({ values: { channel: CHANNEL, calls: 'quiet' } });
    const created = await nextAnswer(w.slack);
    expect([created.channel, created.text.split(':')[0]]).toEqual([CHANNEL, 'Watch created']);
    const shown = await w.slack.waitFor(() => {
      const tab = w.slack.home(MAYA);
      return tab && JSON.stringify(tab.blocks).includes('anything unusual') ? tab : undefined;
    });
    expect(buttonsIn(shown.blocks).find(({ confirm }) => confirm !== undefined)?.confirm).toContain(
      'from <#C0SECURITY>',
    );
    await pressAtHome(w, shown, 'Edit');
    const edit = await form(w);
    expect(JSON.stringify(edit.blocks[0])).toContain('In <#C0SECURITY>');
    expect(blocksOf(edit).slice(1)).toEqual(['what', 'calls', 'hosts', 'every', ...OTHERS, 'ignore']);
    await w.slack.submitView({ values: { every: '15m' } });
    expect(textOf(await nextAnswer(w.slack))).toContain('every 15 minutes');
    const tab = await w.slack.waitFor(() => {
      const later = w.slack.home(MAYA);
      return later && JSON.stringify(later.blocks).includes('every 15 minutes') ? later : undefined;
    });
    await pressAtHome(w, tab, 'Remove');
    expect(textOf(await nextAnswer(w.slack))).toContain('Watch removed');
    await w.slack.waitFor(() => JSON.stringify(w.slack.home(MAYA)?.blocks).includes('Nothing yet'));
  });

  it('reports a channel that it cannot post to in that field', async () => {
    const w = await world();
    w.slack.changeChannel('C0ONCALL01', { archived: true });
    await pressAtHome(w, await home(w), 'New digest');
    await form(w);
    const refused = await w.slack.submitView({ values: { channel: 'C0ONCALL01' } });
    expect(refused.errors).toEqual({ channel: expect.stringContaining('archived') });
  });
});

describe('permission', () => {
  it('to edit is that of an admin, before a form opens and when it is submitted', async () => {
    const w = await world({ environment: { WAFBOT_ADMINS: MAYA } });
    await ask(w, 'watch');
    const list = await ask(w, 'watches', DIEGO);
    const [edit] = buttonsIn(list.blocks);
    await w.slack.clickButton({ message: list, actionId: edit?.id ?? '', user: DIEGO });
    const refused = await w.slack.waitFor(() =>
      w.slack.ephemerals(DIEGO).find(({ text }) => text.includes('Only an admin')),
    );
    expect(refused.visibleTo).toBe(DIEGO);
    expect(w.slack.modals(DIEGO)).toEqual([]);
    await w.slack.clickButton({ message: list, actionId: edit?.id ?? '', user: MAYA });
    await form(w);
    await w.restart(() => {}, { WAFBOT_ADMINS: DIEGO });
    const { errors } = await w.slack.submitView({ user: MAYA, values: { calls: 'quiet' } });
    expect(Object.values(errors).join()).toContain('Only an admin');
  });
});
