/** What people ask without knowing a command, at every listener; and the buttons that come with what was not understood. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import { startWorld, textOf, type World } from '../../support/world.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
let world: World;
let minute = 0;
beforeAll(async () => {
  world = await startWorld({ environment: { WAFBOT_CHARTS: 'none' } });
  await world.slack.command({ text: `hosts add shop ${ID}` });
  await world.slack.nextMessage();
});
afterEach(() => {
  // Slack takes every block; where the bot is not in the channel, the answer takes another way.
  expect(world.slack.refusals.filter(({ error }) => error !== 'not_in_channel')).toEqual([]);
  // Nobody asks all of this within a minute.
  minute += 1;
  world.clock.set(Temporal.Instant.from('2026-03-10T14:30:00Z').add({ minutes: minute }).toString());
});
afterAll(() => world.stop());

const buttons = ({ blocks }: Message): { label: string; id: string; value: string; style?: string }[] =>
  blocks
    .filter(({ type }) => type === 'actions')
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .map(({ text, action_id: id, value, style }) => ({ label: text.text, id, value, style }));

async function press(message: Message, label: string): Promise<void> {
  const button = buttons(message).find((each) => each.label === label);
  if (button === undefined) throw new Error(`no button ${label} in ${textOf(message)}`);
  await world.slack.clickButton({ message, actionId: button.id });
}

/** The colour of a verdict stands before its heading. */
const VERDICT = /^(🟢|🟠|🔴|⚪) /u;

const ways: readonly (readonly [string, (text: string) => Promise<unknown>])[] = [
  ['the slash command', (text) => world.slack.command({ text })],
  ['a mention', (text) => world.slack.mention({ text })],
  [
    'a mention in a thread',
    (text) => world.slack.mention({ text, threadTs: world.slack.say({ text: 'the shop is slow' }).ts }),
  ],
  ['a direct message', (text) => world.slack.directMessage({ text })],
];

describe.each(ways)('by %s', (_way, say) => {
  async function ask(text: string): Promise<Message> {
    await say(text);
    return world.slack.nextMessage();
  }

  it.each(['hello', 'is everything ok?', 'are we under attack?', 'status', "what's going on?", 'anything unusual?'])(
    '“%s” gets the check',
    async (text) => {
      expect((await ask(text)).text).toMatch(VERDICT);
    },
  );

  it('help and thanks are answered', async () => {
    expect((await ask('help me')).text).toMatch(/^What you can ask/);
    expect((await ask('thanks!')).text).toBe("You're welcome");
  });

  it('an unknown word keeps its caret, and the sentence as it was meant is a button that gets its answer', async () => {
    const fault = await ask('timelien last 2h on shop');
    expect(textOf(fault)).toContain('timelien last 2h on shop\\n^^^^^^^^');
    expect(buttons(fault)[0]).toMatchObject({ label: 'timeline last 2h on shop', style: 'primary' });
    await press(fault, 'timeline last 2h on shop');
    if (fault.visibleTo === undefined) {
      // What everyone has seen becomes the answer.
      await world.slack.waitFor(() => world.slack.message(fault)?.versions.length === 2, { what: 'the answer' });
      expect(textOf(world.slack.message(fault) ?? fault)).not.toContain('timelien');
    } else {
      // What only the asker has seen goes, and the answer is where the question would have been answered.
      const answer = await world.slack.nextMessage();
      expect(answer.visibleTo).toBeUndefined();
      await world.slack.waitFor(() => world.slack.message(fault) === undefined, { what: 'the end of the fault' });
    }
  });
});

describe('an error', () => {
  async function ask(text: string): Promise<Message> {
    await world.slack.command({ text });
    return world.slack.nextMessage();
  }
  const labels = (message: Message): string[] => buttons(message).map(({ label }) => label);

  it('about a host that nobody has added offers to add it, with its name filled in', async () => {
    const fault = await ask('timeline today on warehouse');
    expect(labels(fault)).toEqual(['Add this host', 'Help']);
    await press(fault, 'Add this host');
    const view = await world.slack.waitFor(() => world.slack.modals().at(-1), { what: 'the form' });
    expect(JSON.stringify(view)).toContain('"initial_value":"warehouse"');
    const { errors } = await world.slack.submitView({ viewId: view.id, values: { name: 'warehouse', id: 'short' } });
    expect(errors).toMatchObject({ id: expect.stringContaining("doesn't look like a domain ID") });
  });

  it('about a window that lies ahead says so, with examples but no button for another date', async () => {
    const fault = await ask('attacks next week');
    expect(fault.text).toMatch(/^That's in the future/);
    expect(textOf(fault)).toMatch(/For example: `\/waf attacks [^`]+` or `\/waf [^`]+`/);
    expect(labels(fault)).toEqual(['Help']);
  });

  it('in a private question stays private when its button is pressed', async () => {
    const fault = await ask('timelien last 24h privately');
    expect(fault.visibleTo).toBeDefined();
    await press(fault, 'timeline last 24h privately');
    expect((await world.slack.nextMessage()).visibleTo).toBe(fault.visibleTo);
  });

  it('of the service can be tried again, and what is wrong can be looked up', async () => {
    world.service.misbehave({ kind: 'refuse', code: 'APIG.0613' });
    const fault = await ask('attacks 2026-03-01 09:00-10:00');
    expect(fault.text).toMatch(/^Can't reach your WAF statistics.* \(unavailable\)/);
    expect(labels(fault)).toEqual(['Try again', 'Doctor']);
    await press(fault, 'Doctor');
    expect((await world.slack.nextMessage()).text).toMatch(/^Doctor/);
    world.service.resetFaults();
    await press(fault, 'Try again');
    const answer = await world.slack.nextMessage();
    expect(answer.text).not.toMatch(/does not answer/);
    expect(answer.visibleTo).toBeUndefined();
  });
});

describe('a channel that the bot is not in', () => {
  const GENERAL = 'C0GENERAL1';

  it('is joined by the first button of an answer there, where it is public', async () => {
    await world.slack.command({ text: 'timeline last 2h', channel: GENERAL });
    const answer = await world.slack.nextMessage();
    expect(buttons(answer)[0]?.label).toBe('Invite me');
    world.slack.faults.inject('conversations.join', { kind: 'error', error: 'missing_scope' }, { times: 1 });
    await press(answer, 'Invite me');
    const refused = textOf(await world.slack.nextMessage());
    expect(refused).toContain("I can't join this channel by myself");
    expect(refused).toContain('Type /invite @wafbot here.');
    await press(answer, 'Invite me');
    expect((await world.slack.nextMessage()).text).toMatch(/^I joined this channel/);
    await world.slack.command({ text: 'join', channel: GENERAL });
    expect((await world.slack.nextMessage()).text).toMatch(/^I'm already in this channel/);
    await world.slack.command({ text: 'timeline last 2h', channel: GENERAL });
    expect(buttons(await world.slack.nextMessage())[0]?.label).not.toBe('Invite me');
  });
});

describe('a category by itself', () => {
  it('gets its count, its share, and what it was when it is compared like with like', async () => {
    for (const text of ['sqli last 24h', 'how many sql injections in the last 24h please?']) {
      await world.slack.command({ text });
      const answer = await world.slack.nextMessage();
      expect(answer.text).toMatch(
        /^SQL injection [\d,]+ · [\d.]+ % of [\d,.]+k? attacks: Compared with the same hours/,
      );
      expect(answer.text).toMatch(/: [\d,]+ → [\d,]+/);
    }
  });
});

describe('a word for what to do with a digest or a watch', () => {
  it.each([
    ['digest pasue 1', 'digest pause 1'],
    ['watch sqlii over 50 per 10m', 'watch sqli over 50 per 10m'],
  ])('%s is put right by a button', async (text, corrected) => {
    await world.slack.command({ text });
    expect(buttons(await world.slack.nextMessage())[0]).toMatchObject({ label: corrected, value: corrected });
  });
});

describe('the examples of the help', () => {
  it('are buttons that answer where the question would have been answered', async () => {
    await world.slack.command({ text: 'help' });
    const help = await world.slack.nextMessage();
    expect(help.visibleTo).toBeDefined();
    await press(help, 'attacks yesterday');
    expect((await world.slack.nextMessage()).visibleTo).toBeUndefined();
    expect(world.slack.message(help)).toBeDefined();
  });
});

describe('a new host', () => {
  it('is looked for once, and what was found is said', async () => {
    const calls = () => world.service.calls('timeline').length;
    const before = calls();
    await world.slack.command({ text: `hosts add blog ${ID.replace('3', '4')}` });
    const added = await world.slack.nextMessage();
    expect(added.text).toMatch(/^Host added · (no traffic seen|[\d,]+ requests) in the last 7 days/);
    expect(calls() - before).toBe(1);
  });

  it('without a request is doubted', async () => {
    const none = (body: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(body).map(([name, list]) => [
          name,
          Array.isArray(list) ? list.map((point) => ({ ...point, count: 0, num: 0, value: 0 })) : list,
        ]),
      );
    world.service.misbehave({ kind: 'change', change: none }, { on: 'timeline' });
    await world.slack.command({ text: `hosts add typo ${ID.replace('3', '5')}` });
    const added = await world.slack.nextMessage();
    world.service.resetFaults();
    expect(added.text).toMatch(/^Host added · no traffic seen in the last 7 days/);
    expect(textOf(added)).toContain('Is the ID right?');
    expect(buttons(added).map(({ label }) => label)).toEqual(['Show it', 'Change the ID']);
  });
});

describe('the form of the settings', () => {
  it('shows what is set, and changes several at once', async () => {
    await world.slack.command({ text: 'settings zone Asia/Tokyo' });
    await press(await world.slack.nextMessage(), 'Change');
    const view = await world.slack.waitFor(
      () => world.slack.modals().find(({ callbackId }) => callbackId === 'form_settings'),
      { what: 'the form' },
    );
    expect(JSON.stringify(view)).toContain('"initial_value":"Asia/Tokyo"');
    const refused = await world.slack.submitView({
      viewId: view.id,
      values: { zone: 'UTC', hosts: 'shpo', answers: 'private' },
    });
    expect(Object.keys(refused.errors)).toEqual(['hosts']);
    await world.slack.submitView({ viewId: view.id, values: { zone: 'UTC', hosts: 'shop', answers: 'private' } });
    const saved = textOf(await world.slack.nextMessage());
    expect(saved).toContain('*Zone:* UTC');
    expect(saved).toContain('*Hosts:* shop');
    expect(saved).toContain('*Answers:* private');
    await world.slack.command({ text: 'settings reset' });
    await world.slack.nextMessage();
  });
});
