/** What can go wrong around a question, one by one: each ends in exactly one visible answer. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import { SLOW_AFTER_MS } from '../../../src/slack/answer-question.ts';
import { eventually } from '../../support/clock.ts';
import { startWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const worlds: World[] = [];
async function world(options: WorldOptions = {}): Promise<World> {
  const started = await startWorld(options);
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

const types = (message: Message): string[] => message.blocks.map(({ type }) => String(type));
/** Everything the bot posted, once nothing more can come: a stop waits for the requests under way. */
async function allPosted(w: World): Promise<Message[]> {
  await w.bot.stop();
  const everywhere = [...w.slack.channels().flatMap(({ id }) => w.slack.messages(id)), ...w.slack.ephemerals()];
  return everywhere.filter(({ botId }) => botId !== undefined);
}

describe('where the bot may not post', () => {
  it('a channel it is not in: Slack’s own chart, and how to get the picture', async () => {
    const w = await world();
    await w.slack.command({ text: 'attacks last 24h', channel: 'C0GENERAL1' });
    const message = await w.slack.nextMessage();
    expect(message).toMatchObject({ channel: 'C0GENERAL1', via: 'response_url' });
    expect(types(message)).toContain('data_visualization');
    expect(types(message)).not.toContain('image');
    expect(textOf(message)).toContain('/invite @wafbot');
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('an archived channel: the asker gets the answer alone', async () => {
    const w = await world();
    w.slack.changeChannel('C0SECURITY', { archived: true });
    await w.slack.command({ text: 'timeline last 2h' });
    const message = await w.slack.nextMessage();
    expect(message.channel).toMatch(/^D/);
    expect(textOf(message)).toContain('archived');
  });

  it('a mention in a channel it was thrown out of: the asker hears in a direct message', async () => {
    const w = await world();
    w.slack.faults.inject('chat.postMessage', { kind: 'error', error: 'not_in_channel' });
    await w.slack.mention({ text: 'timeline last 2h' });
    const message = await w.slack.nextMessage();
    expect(message.channel).toMatch(/^D/);
    expect(textOf(message)).toContain('/invite');
  });

  it('an expired response_url on top of that: a direct message', async () => {
    const w = await world();
    const gate = w.service.hold();
    await w.slack.command({ text: 'attacks last 2h', channel: 'C0GENERAL1' });
    w.slack.expireResponseUrls();
    gate.release();
    const message = await w.slack.nextMessage();
    expect(message.channel).toMatch(/^D/);
    expect(message.text).toMatch(/[\d,]+ attacks( in total| · )/);
  });
});

describe('a private answer', () => {
  it('is for the asker alone, with Slack’s own chart instead of a picture', async () => {
    const w = await world();
    await w.slack.command({ text: 'attacks last 24h privately', user: DIEGO });
    const message = await w.slack.nextMessage();
    expect(message.visibleTo).toBe(DIEGO);
    expect(types(message)).toContain('data_visualization');
    expect(await allPosted(w)).toHaveLength(1);
    expect(w.slack.files()).toEqual([]);
  });

  it('sends its file by direct message', async () => {
    const w = await world();
    await w.slack.command({ text: 'attacks last 24h privately csv', user: DIEGO });
    const message = await w.slack.nextMessage({ match: ({ text }) => text !== '' });
    expect(textOf(message)).toContain('I sent you the file in a direct message');
    const file = w.slack.files().find(({ name }) => name.endsWith('.csv'));
    expect(file?.channels[0]).toMatch(/^D/);
  });

  it('is the default where the channel says so', async () => {
    const w = await world();
    await w.slack.command({ text: 'settings private' });
    await w.slack.nextMessage();
    await w.slack.command({ text: 'timeline last 2h' });
    expect((await w.slack.nextMessage()).visibleTo).toBe(MAYA);
  });
});

describe('blocks and pictures that fail', () => {
  it('a block that has not arrived in this workspace: the next best form', async () => {
    const w = await world({ environment: { WAFBOT_CHARTS: 'none' } });
    w.slack.faults.refuseBlockType('data_visualization');
    await w.slack.command({ text: 'attacks last 24h' });
    const message = await w.slack.nextMessage();
    expect(types(message)).not.toContain('data_visualization');
    expect(textOf(message)).toContain('SQL injection');
  });

  it('no block at all: the text arrives', async () => {
    const w = await world();
    for (const type of ['image', 'data_visualization', 'table', 'header', 'section'])
      w.slack.faults.refuseBlockType(type);
    await w.slack.command({ text: 'attacks last 24h' });
    const message = await w.slack.nextMessage();
    expect(message.blocks).toEqual([]);
    expect(message.text).toContain('SQL injection');
  });

  it('an upload that never becomes ready: the answer without it, after a bounded wait', async () => {
    const w = await world({ slack: { fileReadyAfter: 'never' } });
    await w.slack.command({ text: 'timeline last 24h' });
    const message = await w.slack.nextMessage();
    expect(types(message)).toContain('data_visualization');
    expect(w.slack.calls('chat.postMessage').length).toBeLessThan(10);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('an upload that takes a moment: the picture', async () => {
    const w = await world({ slack: { fileReadyAfter: 4 } });
    await w.slack.command({ text: 'timeline last 24h' });
    expect(types(await w.slack.nextMessage())).toContain('image');
  });

  it('an upload that fails: the answer', async () => {
    const w = await world();
    w.slack.faults.inject('upload', { kind: 'status', status: 500 }, { times: Number.POSITIVE_INFINITY });
    await w.slack.command({ text: 'timeline last 24h' });
    expect(types(await w.slack.nextMessage())).toContain('data_visualization');
  });
});

describe('Slack misbehaving', () => {
  it('delivers an envelope twice: one answer', async () => {
    const w = await world();
    w.slack.deliveryFaults.duplicateNext();
    await w.slack.command({ text: 'timeline last 2h' });
    await w.slack.nextMessage();
    await w.slack.command({ text: 'doctor' });
    await w.slack.nextMessage();
    expect(await allPosted(w)).toHaveLength(2);
  });

  it('loses a mention and delivers it again: it is answered', async () => {
    const w = await world();
    w.slack.deliveryFaults.loseNext();
    const asked = w.slack.mention({ text: 'attacks last 2h' });
    w.slack.deliveryFaults.retryNow();
    const message = await w.slack.nextMessage();
    expect(message.text).toMatch(/[\d,]+ attacks( in total| · )/);
    await asked;
  });

  it('loses the answer to a post that it made: the message is found, not posted again', async () => {
    const w = await world();
    w.slack.faults.inject('chat.postMessage', { kind: 'response_lost' });
    await w.slack.command({ text: 'doctor' });
    await w.slack.nextMessage();
    await w.slack.waitFor(() => w.slack.calls('conversations.history').length > 0, {
      what: 'the look into the history',
    });
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('asks to slow down: the answer comes after the wait it named', async () => {
    const w = await world();
    w.slack.faults.inject('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 4 });
    await w.slack.command({ text: 'doctor' });
    expect(await w.slack.nextMessage()).toMatchObject({ via: 'api' });
    expect(w.clock.waits).toContain(4_000);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('refreshes a socket: the other one takes the command', async () => {
    const w = await world();
    await w.slack.waitFor(() => w.slack.sockets.connected() === 2, { what: 'two sockets' });
    w.slack.sockets.disconnect('refresh_requested', 1);
    await w.slack.command({ text: 'doctor' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Doctor/);
  });
});

describe('a stop in the middle of a question', () => {
  it.each(['socket', 'http'] as const)('waits for its answer in %s mode', async (mode) => {
    const w = await world({ mode });
    const gate = w.service.hold();
    await w.slack.command({ text: 'timeline last 2h' });
    await eventually(() => w.service.requests.length > 0, 'the question to the service');
    const posted = allPosted(w);
    gate.release();
    expect((await posted).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^[\d.,]+( [kM])? requests · [\d,]+ attacks/),
    ]);
  });
});

describe('two people at once', () => {
  it('get their own answers in their own zones', async () => {
    const w = await world();
    const gate = w.service.hold();
    await Promise.all([
      w.slack.command({ text: 'timeline today', user: MAYA }),
      w.slack.command({ text: 'timeline today', user: DIEGO, channel: 'C0ONCALL01' }),
    ]);
    gate.release();
    const [a, b] = [
      await w.slack.nextMessage({ channel: 'C0SECURITY' }),
      await w.slack.nextMessage({ channel: 'C0ONCALL01' }),
    ];
    expect(textOf(a)).toContain('Tue 10 Mar 00:00–15:30 · Europe/Stockholm (UTC+1)');
    expect(textOf(b)).toContain('Tue 10 Mar 00:00–10:30 · America/New_York (UTC−4)');
  });

  it('someone without a zone in the profile gets the configured one', async () => {
    const w = await world({ environment: { WAFBOT_ZONE: 'Asia/Kathmandu' } });
    await w.slack.command({ text: 'timeline today', user: 'U0NOZONE01' });
    expect(textOf(await w.slack.nextMessage())).toContain('Asia/Kathmandu (UTC+5:45)');
  });

  it('and the channel’s zone goes before the asker’s', async () => {
    const w = await world();
    await w.slack.command({ text: 'settings zone Australia/Lord_Howe' });
    await w.slack.nextMessage();
    await w.slack.command({ text: 'timeline today', user: DIEGO });
    expect(textOf(await w.slack.nextMessage())).toContain('Australia/Lord_Howe (UTC+11)');
  });
});

describe('the service', () => {
  it('down: one sentence that says so, to the asker, with a reference that the log has', async () => {
    const w = await world();
    w.service.misbehave({ kind: 'reset' });
    await w.slack.command({ text: 'timeline last 24h' });
    const message = await w.slack.nextMessage();
    expect(message.visibleTo).toBe(MAYA);
    const text = textOf(message);
    const reference = /Reference for the log: `(\w{8})`/.exec(text)?.[1];
    expect(reference).toBeDefined();
    expect(w.logged.join('')).toContain(`"reference":"${reference}"`);
    expect(text).not.toMatch(/http|127\.0\.0\.1|stack|at src/);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it.each([
    ['a command', (w: World) => w.slack.command({ text: 'timeline last 24h' })],
    ['a mention', (w: World) => w.slack.mention({ text: 'timeline last 24h' })],
  ])('slow after %s: the asker sees that it runs, and the notice becomes the answer', async (_listener, ask) => {
    const w = await world();
    const gate = w.service.hold();
    await ask(w);
    await eventually(() => w.clock.waits.includes(SLOW_AFTER_MS), 'the wait for slowness');
    w.clock.end(SLOW_AFTER_MS);
    const notice = await w.slack.nextMessage();
    expect(notice.text).toBe('Working on `timeline last 24h` …');
    gate.release();
    const edited = await w.slack.waitFor(
      () => w.slack.messages().find((message) => message.ts === notice.ts && message.edited),
      { what: 'the edit' },
    );
    expect(edited.text).toMatch(/^[\d.,]+( [kM])? requests · [\d,]+ attacks/);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('slow for a private question: nobody else sees the notice', async () => {
    const w = await world();
    const gate = w.service.hold();
    await w.slack.command({ text: 'timeline last 24h privately' });
    await eventually(() => w.clock.waits.includes(SLOW_AFTER_MS), 'the wait for slowness');
    w.clock.end(SLOW_AFTER_MS);
    expect(await w.slack.nextMessage()).toMatchObject({
      visibleTo: MAYA,
      text: expect.stringContaining('The answer follows.'),
    });
    gate.release();
    expect((await w.slack.nextMessage()).visibleTo).toBe(MAYA);
  });

  it('slow and then failing: the notice becomes the failure', async () => {
    const w = await world();
    w.service.misbehave({ kind: 'reset' });
    const gate = w.service.hold({ times: 1 });
    await w.slack.command({ text: 'timeline last 24h' });
    await eventually(() => w.clock.waits.includes(SLOW_AFTER_MS), 'the wait for slowness');
    w.clock.end(SLOW_AFTER_MS);
    const notice = await w.slack.nextMessage();
    gate.release();
    await w.slack.waitFor(() => w.slack.message(notice)?.edited, { what: 'the edit' });
    expect(textOf(w.slack.message(notice) ?? notice)).toContain('Reference for the log');
    expect(await allPosted(w)).toHaveLength(1);
  });

  it.each<[string, (body: Record<string, unknown>) => unknown, RegExp]>([
    ['empty data', () => ({ requests: [], attacks: [] }), /No data/],
    ['all zero', (body) => zero(body), /^No traffic seen on any host: Not a single request was counted/],
    [
      'one point',
      () => ({
        requests: [{ time: Date.parse('2026-03-10T14:00:00Z'), num: 7 }],
        attacks: [{ time: Date.parse('2026-03-10T14:00:00Z'), num: 1 }],
      }),
      /^7 requests · 1 attack /,
    ],
    ['ten thousand points', () => many(10_000), /^9,997 requests · 19,994 attacks/],
  ])('%s', async (_what, change, expected) => {
    const w = await world();
    w.service.misbehave({ kind: 'change', change }, { on: 'timeline' });
    await w.slack.command({ text: 'timeline last 7 days' });
    const message = await w.slack.nextMessage();
    expect(message.text).toMatch(expected);
    expect(w.slack.refusals).toEqual([]);
  });

  it('an unknown category is shown under its own name', async () => {
    const w = await world();
    w.service.misbehave(
      { kind: 'change', change: (body) => ({ ...body, zeroday: 9_999_999 }) },
      { on: 'distribution' },
    );
    await w.slack.command({ text: 'attacks last 24h why' });
    const text = textOf(await w.slack.nextMessage());
    expect(text).toContain('zeroday');
    expect(text).toContain('9,999,999');
    expect(text).toContain('the service counts them separately');
  });
});

function zero(body: Record<string, unknown>): unknown {
  const none = (points: unknown) => (Array.isArray(points) ? points.map((point) => ({ ...point, num: 0 })) : points);
  return { requests: none(body.requests), attacks: none(body.attacks) };
}

function many(count: number): unknown {
  const end = Date.parse('2026-03-10T14:30:00Z');
  const points = (num: number) =>
    Array.from({ length: count }, (_, at) => ({ time: end - (count - 1 - at) * 60_000, num }));
  return { requests: points(1), attacks: points(2) };
}

describe('hostile names', () => {
  it('a host called <!channel> pings nobody', async () => {
    const w = await world();
    await w.slack.command({ text: `hosts add "!channel" ${ID}` });
    await w.slack.nextMessage();
    await w.slack.command({ text: 'timeline last 2h on "!channel"' });
    const message = await w.slack.nextMessage();
    expect(message.text).toContain('!channel');
    expect(textOf(message)).not.toContain('<!channel');
    expect(w.slack.refusals).toEqual([]);
  });
});

describe('permission', () => {
  const environment = { WAFBOT_ALLOWED_CHANNELS: 'C0ONCALL01', WAFBOT_ADMINS: MAYA };

  it('a channel that is not allowed is refused, with who can help', async () => {
    const w = await world({ environment });
    await w.slack.command({ text: 'timeline last 2h', user: DIEGO });
    const text = textOf(await w.slack.nextMessage());
    expect(text).toContain('not allowed to answer in this channel');
    expect(text).toContain(`<@${MAYA}>`);
    expect(w.service.requests).toEqual([]);
  });

  it('only admins change hosts and settings; everyone may look', async () => {
    const w = await world({ environment });
    for (const text of [`hosts add shop ${ID}`, 'settings private']) {
      await w.slack.command({ text, user: DIEGO, channel: 'C0ONCALL01' });
      expect(textOf(await w.slack.nextMessage())).toContain('Only an admin');
    }
    await w.slack.command({ text: 'hosts', user: DIEGO, channel: 'C0ONCALL01' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Hosts: No hosts yet/);
    await w.slack.command({ text: `hosts add shop ${ID}`, user: MAYA, channel: 'C0ONCALL01' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Host added/);
  });
});

describe('forms and Home', () => {
  it('a host is added in a form, and a refusal is shown in it', async () => {
    const w = await world();
    await w.slack.command({ text: 'hosts' });
    const message = await w.slack.nextMessage();
    await w.slack.clickButton({ message, actionId: 'say:modal:0' });
    await w.slack.waitFor(() => w.slack.modals(MAYA).length === 1, { what: 'the form' });
    const refused = await w.slack.submitView({ values: { name: 'shop', id: 'nonsense' } });
    expect(JSON.stringify(refused)).toContain("doesn't look like a domain ID");
    await w.slack.submitView({ values: { name: 'shop', id: ID } });
    expect((await w.slack.nextMessage()).text).toMatch(/^Host added · [^:]+: shop now means/);
    expect(w.slack.modals(MAYA)).toEqual([]);
  });
});
