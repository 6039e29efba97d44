/** People of other organisations and other bots in a shared channel, and people who may not ask: who is answered, and how. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Message, WorkspaceSpec } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import type { Clock } from '../../../src/clock.ts';
import { startScheduledWorld, startWorld, textOf, type World, type WorldOptions } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const PARTNER = 'U0PARTNER1';
const OTHER_BOT = 'U0OTHERBOT';
const workspace: WorkspaceSpec = {
  ...WORKSPACE,
  users: [
    ...WORKSPACE.users,
    { id: PARTNER, name: 'petra', realName: 'Petra of Partner Inc', tz: 'Europe/Vienna', teamId: 'T0PARTNER1' },
    { id: OTHER_BOT, name: 'otherbot', realName: 'Another bot', botId: 'B0OTHER001' },
  ],
};

const worlds: World<Clock>[] = [];
async function world(options: WorldOptions = {}): Promise<World> {
  const started = await startWorld({ slack: { workspace }, ...options });
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

/** Everything the bot posted, once nothing more can come: a stop waits for the requests under way. */
async function allPosted({ bot, slack }: World<Clock>): Promise<Message[]> {
  await bot.stop();
  const everywhere = [...slack.channels().flatMap(({ id }) => slack.messages(id)), ...slack.ephemerals()];
  return everywhere.filter(({ botId }) => botId !== undefined);
}

const ONLY_OURS = 'I only answer members of the organization that installed me';

describe('somebody of another organisation', () => {
  it.each([
    ['in a mention', (w: World) => w.slack.mention({ text: 'timeline last 2h', user: PARTNER })],
    ['in a direct message', (w: World) => w.slack.directMessage({ text: 'timeline last 2h', user: PARTNER })],
  ])('%s is told so alone, and the service is not asked', async (_where, ask) => {
    const w = await world();
    await ask(w);
    const refusal = await w.slack.nextMessage();
    expect(textOf(refusal)).toContain(ONLY_OURS);
    expect(refusal.channel.startsWith('D') || refusal.visibleTo === PARTNER).toBe(true);
    expect(w.service.requests).toEqual([]);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('may not press a button below somebody else’s answer', async () => {
    const w = await world();
    await w.slack.command({ text: 'hosts' });
    const message = await w.slack.nextMessage();
    await w.slack.command({ text: 'timeline last 2h' });
    const answer = await w.slack.nextMessage();
    for (const [on, actionId] of [
      [answer, 'say:replace:1'],
      [message, 'say:modal:0'],
    ] as const) {
      expect(await w.slack.clickButton({ message: on, actionId, user: PARTNER })).toMatchObject({ acked: true });
      expect(await w.slack.nextMessage()).toMatchObject({
        visibleTo: PARTNER,
        text: expect.stringContaining(ONLY_OURS),
      });
    }
    expect(w.slack.modals(PARTNER)).toEqual([]);
  });

  it('is answered where that is another workspace of the same organisation', async () => {
    const always = { times: Number.POSITIVE_INFINITY };
    const bot = { user: 'wafbot', team_id: 'T0TEAM0001', user_id: 'U0WAFBOT01', bot_id: 'B0WAFBOT01' };
    const colleague = { id: PARTNER, team_id: 'T0PARTNER1', enterprise_user: { enterprise_id: 'E0ORG00001' } };
    const says = (answer: object) => ({ kind: 'body', body: JSON.stringify({ ok: true, ...answer }) }) as const;
    const w = await world({
      prepare: ({ faults }) => {
        faults.inject('auth.test', says({ ...bot, enterprise_id: 'E0ORG00001' }), always);
        faults.inject('users.info', says({ user: colleague }), always);
      },
    });
    await w.slack.mention({ text: 'hosts', user: PARTNER });
    expect((await w.slack.nextMessage()).text).toMatch(/^Hosts: /);
  });

  it('is answered where the operator says so', async () => {
    const w = await world({ environment: { WAFBOT_ALSO_ANSWER: 'external' } });
    await w.slack.mention({ text: 'hosts', user: PARTNER });
    expect((await w.slack.nextMessage()).text).toMatch(/^Hosts: /);
  });
});

describe('another bot', () => {
  it('gets no answer at all: two bots that mention each other would never stop', async () => {
    const w = await world();
    await w.slack.mention({ text: 'hosts', user: OTHER_BOT });
    await w.slack.mention({ text: 'settings', user: MAYA });
    expect((await w.slack.nextMessage()).text).toMatch(/^Channel settings/);
    expect(await allPosted(w)).toHaveLength(1);
  });

  it('is answered where the operator says so', async () => {
    const w = await world({ environment: { WAFBOT_ALSO_ANSWER: 'bots, external' } });
    await w.slack.mention({ text: 'hosts', user: OTHER_BOT });
    expect((await w.slack.nextMessage()).text).toMatch(/^Hosts: /);
  });
});

describe('somebody who may not ask in a channel', () => {
  const environment = { WAFBOT_ALLOWED_CHANNELS: 'C0ONCALL01', WAFBOT_ADMINS: MAYA };

  it('hears so alone after a mention: no admin is called by name for all to see', async () => {
    const w = await world({ environment });
    await w.slack.mention({ text: 'timeline last 2h', user: DIEGO });
    const refusal = await w.slack.nextMessage();
    expect(refusal).toMatchObject({
      visibleTo: DIEGO,
      text: expect.stringContaining('not allowed to answer in this channel'),
    });
    await w.slack.mention({ text: 'settings private', user: DIEGO, channel: 'C0ONCALL01' });
    expect(await w.slack.nextMessage()).toMatchObject({ visibleTo: DIEGO });
    expect((await allPosted(w)).filter(({ visibleTo }) => visibleTo === undefined)).toEqual([]);
  });

  it('sees in the Home tab where to ask, and nothing of the service; an admin sees it', async () => {
    const w = await world({ environment });
    await w.slack.openHome(DIEGO);
    const home = JSON.stringify(await w.slack.waitFor(() => w.slack.home(DIEGO), { what: 'the Home tab' }));
    expect(home).toContain('Ask me in <#C0ONCALL01>');
    expect(home).not.toContain('under attack');
    expect(w.service.requests).toEqual([]);
    await w.slack.openHome(MAYA);
    const admins = await w.slack.waitFor(() => w.slack.home(MAYA), { what: 'the Home tab of an admin' });
    expect(JSON.stringify(admins)).toContain('Are we under attack?');
  });

  it('does not see there what was made in a channel that is no longer allowed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-home-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const store = { WAFBOT_STORE: `sqlite:${folder}/bot.db` };
    const w = await startScheduledWorld({ slack: { workspace }, environment: store });
    worlds.push(w);
    for (const channel of ['C0SECURITY', 'C0ONCALL01']) {
      await w.slack.command({ text: 'digest daily at 09:00', user: DIEGO, channel });
      await w.slack.nextMessage();
    }
    await w.restart(() => {}, { ...store, ...environment });
    await w.slack.openHome(DIEGO);
    const home = JSON.stringify(await w.slack.waitFor(() => w.slack.home(DIEGO), { what: 'the Home tab' }));
    expect(home).toContain('<#C0ONCALL01> digest');
    expect(home).not.toContain('<#C0SECURITY> digest');
  });
});

describe('the Home tab', () => {
  it('asks the service once, however many open it at once or soon after', async () => {
    const w = await world();
    let opened = 0;
    const open = async (user: string): Promise<number> => {
      opened += 1;
      await w.slack.openHome(user);
      await w.slack.waitFor(() => w.slack.calls('views.publish').length === opened, { what: 'the Home tab' });
      return w.service.requests.length;
    };
    const asked = await open(MAYA);
    expect(asked).toBeGreaterThan(0);
    for (const user of [DIEGO, 'U0ANJALI01', MAYA]) expect(await open(user)).toBe(asked);
    w.clock.set('2026-03-10T14:32:00Z');
    expect(await open(MAYA)).toBeGreaterThan(asked);
  });
});

describe('an archived channel', () => {
  it.each(['digest daily at 09:00', 'watch'])('takes no %s: the asker is told why', async (text) => {
    const w = await startScheduledWorld({ slack: { workspace } });
    worlds.push(w);
    w.slack.changeChannel('C0SECURITY', { archived: true });
    await w.slack.command({ text });
    const refusal = await w.slack.nextMessage();
    expect(textOf(refusal)).toContain('This channel is archived, so I can’t post here');
    w.slack.changeChannel('C0SECURITY', { archived: false });
    await w.slack.command({ text: 'digests' });
    expect(textOf(await w.slack.nextMessage())).not.toContain('Next:');
    expect(await Array.fromAsync(w.bot.store.list('jobs'))).toEqual([]);
  });

  it('is taken for an open one while Slack does not tell', async () => {
    const w = await startScheduledWorld({ slack: { workspace } });
    worlds.push(w);
    w.slack.faults.inject('conversations.info', { kind: 'rate_limited', retryAfterSeconds: 60 });
    await w.slack.command({ text: 'digest daily at 09:00' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Digest scheduled/);
  });
});
