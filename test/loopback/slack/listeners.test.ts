/** Every listener and verb through the real Bolt and the local Slack; every message checked the way Slack would. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../../playground/slack/index.ts';
import { startWorld, textOf, type World } from '../../support/world.ts';

const ID = '3ac26c59e15a4a11bb680a103a29ddb6';
let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.slack.command({ text: `hosts add shop ${ID}` });
  await next();
});
/** Slack accepted everything the bot posted. */
const expectNoRefusals = () => expect(world.slack.refusals).toEqual([]);
afterEach(expectNoRefusals);
afterAll(async () => {
  await world.stop();
  expectNoRefusals();
});

/** The next message with words in it; a file shared in a thread is a message of its own. */
const next = (filter: Parameters<typeof world.slack.nextMessage>[0] = {}) =>
  world.slack.nextMessage({ ...filter, match: ({ text }) => text !== '' });

const actions = (message: Message): { label: string; id: string; value: string }[] =>
  message.blocks
    .filter(({ type }) => type === 'actions')
    .flatMap((block) => (Array.isArray(block.elements) ? block.elements : []))
    .map((element) => ({ label: element.text.text, id: element.action_id, value: element.value }));

async function click(message: Message, label: string): Promise<void> {
  const button = actions(message).find((action) => action.label === label);
  if (button === undefined) throw new Error(`no button ${label} in ${textOf(message)}`);
  await world.slack.clickButton({ message, actionId: button.id });
}

describe('verbs by slash command', () => {
  it.each([
    ['timeline yesterday', /^1\.\d M requests · [\d,]+ attacks \([\d.]+ %\): Compared with the Monday before: /],
    ['last 24h', /^1\.\d M requests · [\d,]+ attacks \([\d.]+ %\): Compared with the same hours a week before: /],
    ['timeline last 6h vs previous on shop', /^No traffic seen for shop: is its ID right\? /],
    ['attacks last 24h', /[\d,]+ attacks( in total| · ).*: Compared with the same hours a week before: /],
    ['compare today vs yesterday', /^Attacks .*, requests .* · 00:00–15:27 on both days: /],
    ['compare last 6h', /^Attacks .*, requests .* · vs the same hours the day before: /],
    ['hosts', /^Hosts: /],
    ['settings', /^Channel settings: /],
    ['doctor', /^Doctor: /],
  ])('%s', async (text, finding) => {
    const { slack } = world;
    await slack.command({ text });
    const message = await next();
    expect(message.text).toMatch(finding);
    expect(message.visibleTo).toBeUndefined();
  });

  it('asks for help when nothing is said', async () => {
    await world.slack.command({ text: '' });
    expect(textOf(await next())).toContain('What you can ask');
  });
});

describe('a mention', () => {
  it('is answered in the thread it was asked in', async () => {
    const { slack } = world;
    const root = slack.say({ text: 'the shop is slow' });
    await slack.mention({ text: 'attacks last 2h', threadTs: root.ts });
    const message = await next({ threadTs: root.ts });
    expect(message.text).toMatch(/[\d,]+ attacks( in total| · )/);
  });

  it('starts a thread below a question in the channel', async () => {
    const { slack } = world;
    await slack.mention({ text: 'timeline last 2h' });
    const message = await next();
    expect(message.threadTs).toBeDefined();
  });

  it('tells a fault in that thread too, where everyone can see that it was answered', async () => {
    const { slack } = world;
    await slack.mention({ text: 'timeline bananas' });
    const message = await next();
    expect(textOf(message)).toContain('^^^^^^^');
  });
});

describe('a direct message', () => {
  it('is a question, with or without the command', async () => {
    const { slack } = world;
    for (const text of ['attacks last 2h', '/waf attacks last 2h']) {
      await slack.directMessage({ text });
      expect((await next()).text).toMatch(/[\d,]+ attacks( in total| · )/);
    }
  });
});

describe('the message shortcut', () => {
  it('answers in the thread of the message, half an hour each side of it', async () => {
    const { slack } = world;
    const said = slack.say({ text: 'pager went off' });
    await slack.messageShortcut({ callbackId: 'waf_around_message', message: said });
    const message = await next({ threadTs: said.ts });
    expect(textOf(message)).toContain('Tue 10 Mar 15:00–15:30 · Europe/Stockholm (UTC+1)');
  });
});

describe('buttons', () => {
  it('edit the message in place', async () => {
    const { slack } = world;
    await slack.command({ text: 'timeline 2026-03-10T06:00Z/2026-03-10T08:00Z' });
    const message = await next();
    await click(message, 'Period before');
    await slack.waitFor(() => slack.message(message)?.versions.length === 2, { what: 'the edit' });
    expect(textOf(slack.message(message) ?? message)).toContain('Tue 10 Mar 05:00–07:00 · Europe/Stockholm (UTC+1)');
  });

  it('answer below it', async () => {
    const { slack } = world;
    await slack.command({ text: 'timeline last 2h' });
    const message = await next();
    await click(message, 'By category');
    const below = await next({ threadTs: message.ts });
    expect(below.text).toMatch(/[\d,]+ attacks( in total| · )/);
  });

  it('post the numbers as a file in the thread', async () => {
    const { slack } = world;
    await slack.command({ text: 'timeline last 2h' });
    const message = await next();
    await click(message, 'CSV');
    const file = await slack.waitFor(
      () => slack.files().find(({ name, bytes }) => name.endsWith('.csv') && bytes !== undefined),
      {
        what: 'the file',
      },
    );
    const csv = file.bytes?.toString('utf8') ?? '';
    expect(csv.split('\r\n')[0]).toBe('interval_start,interval_end,zone,requests,attacks,complete');
    expect(csv.split('\r\n')[1]).toMatch(
      /^2026-03-10T13:30:00\+01:00,2026-03-10T13:31:00\+01:00,Europe\/Stockholm,\d+,\d+,yes$/,
    );
    expect(csv.trim().split('\r\n')).toHaveLength(118);
    expect((await next({ threadTs: message.ts })).text).toMatch(/: The numbers are in the file below\.$/);
  });

  it('still work after a restart', async () => {
    const { slack } = world;
    await slack.command({ text: 'timeline last 2h' });
    const message = await next();
    await world.restart();
    await click(message, 'By category');
    expect((await next({ threadTs: message.ts })).text).toMatch(/[\d,]+ attacks( in total| · )/);
  });

  it('that carry no text are not answered, and end nothing', async () => {
    const { slack } = world;
    await slack.command({ text: 'timeline last 2h' });
    const { channel, ts } = await next();
    const posted = slack.messages().length;
    for (const value of [7, {}, ['timeline'], null])
      for (const actionId of ['say:ask:0', 'there:0', 'ask:0']) {
        const actions = [{ type: 'button', action_id: actionId, block_id: 'b', action_ts: '1.1', value }];
        const [message, container] = [{ ts }, { type: 'message', message_ts: ts, channel_id: channel }];
        const place = { team: { id: 'T1' }, channel: { id: channel }, message, container };
        const payload = { type: 'block_actions', user: { id: 'U0MAYA0001' }, ...place, actions };
        const envelopeId = `${actionId} ${JSON.stringify(value)}`;
        slack.sockets.sendFrame(JSON.stringify({ type: 'interactive', envelope_id: envelopeId, payload }));
      }
    await slack.command({ text: 'doctor' });
    expect((await next()).text).toMatch(/^Doctor: /);
    expect(slack.messages()).toHaveLength(posted + 1);
  });

  it('of a private answer answer privately', async () => {
    const { slack } = world;
    await slack.command({ text: 'timeline last 2h privately' });
    const message = await next();
    expect(message.visibleTo).toBeDefined();
    await click(message, 'By category');
    expect((await next()).visibleTo).toBe(message.visibleTo);
  });
});
