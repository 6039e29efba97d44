/** Slackbot asks the server for agents, as the local Slack plays it: it signs, calls and displays. */
import { afterEach, describe, expect, it } from 'vitest';
import type { SlackbotInput, WorkspaceSpec } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { startWorld, textOf, type World } from '../../support/world.ts';

const SECRET = 'signing-secret-of-the-test';
const MAYA = 'U0MAYA0001';
const PARTNER = 'U0PARTNER1';
const workspace: WorkspaceSpec = {
  ...WORKSPACE,
  users: [
    ...WORKSPACE.users,
    { id: PARTNER, name: 'petra', realName: 'Petra of Partner Inc', tz: 'Europe/Vienna', teamId: 'T0PARTNER1' },
  ],
};

let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function open(environment: Record<string, string> = {}): Promise<World> {
  world = await startWorld({
    slack: { workspace, signingSecret: SECRET },
    environment: { WAFBOT_SLACKBOT_SECRET: SECRET, WAFBOT_MCP_PORT: '0', ...environment },
  });
  return world;
}

const ask = ({ slack, bot }: World, input: Partial<SlackbotInput> = {}) =>
  slack.slackbot({ url: `http://127.0.0.1:${bot.mcpPort}/slackbot`, tool: 'waf_check', user: MAYA, ...input });

describe('a person who asks Slackbot', () => {
  it('sees the answer of the bot in its own blocks, in their zone', async () => {
    const w = await open();
    const { status, problems, message, result } = await ask(w, { args: { range: 'last 3h' } });
    expect([status, problems]).toEqual([200, []]);
    expect(message?.visibleTo).toBe(MAYA);
    const [header] = message?.blocks ?? [];
    expect(header).toMatchObject({ type: 'header', text: { type: 'plain_text' } });
    const shown = textOf(message ?? { text: '', blocks: [] });
    expect(shown).toMatch(/Tue 10 Mar \d\d:30–\d\d:30 · [A-Z]\w+\/\w+ \(UTC/);
    expect(shown).not.toContain('"type":"actions"');
    expect(result).toMatchObject({ structuredContent: { finding: expect.any(String) } });
    // The heading is that of the same question in a channel.
    await w.slack.command({ text: 'check last 3h', user: MAYA });
    const inChannel = await w.slack.nextMessage();
    expect(inChannel.blocks[0]?.text).toEqual(header?.text);
  });

  it('sees every tool of the bot', async () => {
    const w = await open();
    for (const [tool, args] of [
      ['waf_ask', { sentence: 'attacks yesterday' }],
      ['waf_ask', { sentence: 'timeline last 24h' }],
      ['waf_incident', { range: 'yesterday' }],
      ['waf_who', { range: 'yesterday' }],
      ['waf_hosts', {}],
    ] as const) {
      const { problems, message } = await ask(w, { tool, args });
      expect([tool, problems, message === undefined]).toEqual([tool, [], false]);
    }
  });

  it('has the limits that they have in channels', async () => {
    const w = await open();
    const held = w.service.hold();
    const asking = [1, 2, 3, 4, 5, 6].map((days) =>
      ask(w, { tool: 'waf_ask', args: { sentence: `timeline ${days} days ago` } }),
    );
    const { message: refused } = await Promise.race(asking);
    expect(refused?.text).toContain('5 questions in progress');
    await w.slack.command({ text: 'timeline last 2h', user: MAYA });
    const inChannel = await w.slack.nextMessage();
    held.release();
    await Promise.all(asking);
    expect(inChannel.text).toContain('5 questions in progress');
  });
});

describe('a request', () => {
  it.each([
    ['signed with another secret', { secret: 'another-secret-of-sixteen' }],
    ['that is old', { ageSeconds: 600 }],
    ['from the future', { ageSeconds: -600 }],
  ])('%s is refused with 401', async (_what, forged) => {
    const w = await open();
    expect(await ask(w, { forged })).toMatchObject({ status: 401, message: undefined });
    expect(w.service.requests).toEqual([]);
  });

  it('of Slackbot needs no token, and that of an agent another path', async () => {
    const w = await open();
    const { status } = await w.slack.slackbot({ url: `http://127.0.0.1:${w.bot.mcpPort}/mcp`, tool: 'waf_check' });
    expect(status).toBe(404);
  });
});

it.each([
  ['somebody of another organization', { user: PARTNER }, {}, 'I only answer members of the organization'],
  ['who is not named', { forged: { slack: null } }, {}, 'the request names none'],
  ['who has no team', { forged: { slack: { user_id: MAYA } } }, {}, 'the request names none'],
  ['where channels are limited', {}, { WAFBOT_ALLOWED_CHANNELS: 'C0GENERAL1' }, "I'm not allowed to answer"],
])('refuses %s in words', async (_who, input, environment, words) => {
  const w = await open(environment);
  const { result, message } = await ask(w, input);
  expect(result).toMatchObject({ isError: true });
  expect(message?.text).toContain(words);
  expect(w.service.requests).toEqual([]);
});

it('answers an admin where channels are limited', async () => {
  const w = await open({ WAFBOT_ALLOWED_CHANNELS: 'C0GENERAL1', WAFBOT_ADMINS: MAYA });
  const { result } = await ask(w);
  expect(result).not.toHaveProperty('isError');
});
