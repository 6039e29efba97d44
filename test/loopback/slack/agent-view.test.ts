/** The direct message as Slack's agent view, as the local Slack shows it for the bot that was installed from manifest.agent.yml. */
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import { RECONCILE_EVERY_MS } from '../../../src/scheduler/reconcile-periodically.ts';
import { SLOW_AFTER_MS } from '../../../src/slack/answer-question.ts';
import { PROMPTS } from '../../../src/slack/listeners/agent-view.ts';
import { eventually } from '../../support/clock.ts';
import { createImpatientClock } from '../../support/impatient-clock.ts';
import { PARTNER, workspaceFrom } from '../../support/manifest-workspace.ts';
import { startTwoProjects } from '../../support/two-projects.ts';
import { startWorld, TUESDAY, textOf, type World } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const SECURITY = 'C0SECURITY';
const SHOP = DEFAULT_HOSTS[0]?.id ?? '';
const workspace = workspaceFrom('manifest.agent.yml');

let world: World | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function open(environment: Record<string, string> = {}, spec = workspace): Promise<World> {
  world = await startWorld({ slack: { workspace: spec }, environment: { WAFBOT_CHARTS: 'none', ...environment } });
  return world;
}

type Talking = Pick<World, 'slack'>;

async function say({ slack }: Talking, text: string, user = DIEGO, threadTs?: string) {
  const { message } = await slack.directMessage({ text, user, ...(threadTs !== undefined && { threadTs }) });
  const answer = await slack.nextMessage({ match: ({ channel }) => channel === message?.channel });
  return { asked: message, answer, shown: textOf(answer) };
}

async function set({ slack }: Talking, text: string, user = MAYA): Promise<void> {
  await slack.command({ text, channel: SECURITY, user });
  await slack.nextMessage();
}

describe('opening the direct message', () => {
  it('suggests prompts, each of which is answered', async () => {
    const w = await open();
    await w.slack.openDirectMessage({ user: DIEGO });
    const suggested = await w.slack.waitFor(() => w.slack.suggestedPrompts(DIEGO), { what: 'the prompts' });
    expect(suggested).toEqual({ title: 'Try asking', prompts: PROMPTS });
    for (const { message } of suggested.prompts) {
      const { shown } = await say(w, message);
      expect(shown).not.toMatch(/don't know|can't tell|Did you mean/);
    }
    expect(w.slack.refusals).toEqual([]);
  });

  it('of a bot without the agent view suggests nothing, and its answers are in no thread', async () => {
    const w = await open({}, workspaceFrom('manifest.yml'));
    await w.slack.openDirectMessage({ user: DIEGO });
    const { answer } = await say(w, 'hosts');
    expect(answer.threadTs).toBeUndefined();
    expect(w.slack.calls().filter(({ method }) => method.startsWith('assistant.'))).toEqual([]);
    expect(w.slack.refusals).toEqual([]);
  });
});

describe('a message', () => {
  it('has a status while the bot works, and an answer in its own thread, where follow-ups go on', async () => {
    const w = await open();
    const held = w.service.hold();
    const { message } = await w.slack.directMessage({ text: 'attacks yesterday', user: DIEGO });
    if (message === undefined) throw new Error('no message');
    await w.slack.waitFor(() => w.slack.status(message) === 'is looking at the numbers…', { what: 'the status' });
    held.release();
    const answer = await w.slack.nextMessage();
    expect(answer.threadTs).toBe(message.ts);
    expect(w.slack.status(message)).toBe('');
    await eventually(() => w.logged.some((line) => line.includes('question done')), 'the end of the question');
    const { shown } = await say(w, 'and today?', DIEGO, message.ts);
    expect(shown).toContain('from the previous question');
    expect((await say(w, 'timeline last 2h')).answer.threadTs).not.toBe(message.ts);
  });

  it('is answered though Slack accepts neither status nor prompts', async () => {
    const w = await open();
    const always = { times: Number.POSITIVE_INFINITY };
    for (const method of ['setStatus', 'setSuggestedPrompts'])
      w.slack.faults.inject(`assistant.threads.${method}`, { kind: 'error', error: 'internal_error' }, always);
    await w.slack.openDirectMessage({ user: DIEGO });
    expect((await say(w, 'check')).shown).toContain('usual');
  });
});

describe('the channel that a person looks at', () => {
  it('decides hosts and zone that the sentence leaves open, until they look elsewhere', async () => {
    const w = await open();
    await set(w, `hosts add shop ${SHOP}`);
    await set(w, 'settings hosts shop');
    await set(w, 'settings zone Asia/Tokyo');
    await w.slack.openDirectMessage({ user: DIEGO, viewing: SECURITY });
    const { shown } = await say(w, 'timeline last 2h');
    expect(shown).toMatch(/shop · [^"]*Asia\/Tokyo/);
    expect(shown).toContain(`Asked as in <#${SECURITY}>, which you’re viewing`);
    expect((await say(w, 'timeline last 2h in UTC')).shown).toMatch(/shop · [^"]*UTC/);
    expect((await say(w, 'timeline last 2h', MAYA)).shown).toMatch(/all hosts · [^"]*Europe\/Stockholm/);
    await w.slack.viewChannel({ user: DIEGO, viewing: 'C0ONCALL01' });
    expect((await say(w, 'timeline last 2h')).shown).toMatch(/all hosts · [^"]*America\/New_York/);
    await w.slack.viewChannel({ user: DIEGO, viewing: SECURITY });
    await w.slack.openDirectMessage({ user: DIEGO });
    expect((await say(w, 'timeline last 2h')).shown).not.toContain('which you’re viewing');
  });

  it('decides the project, unless that one cannot be used there or in the direct message', async () => {
    const clock = createImpatientClock(TUESDAY, [SLOW_AFTER_MS, RECONCILE_EVERY_MS]);
    const two = await startTwoProjects(clock, { slack: { workspace }, environment: { WAFBOT_CHARTS: 'none' } });
    world = two;
    await set(two, 'settings project us');
    await two.slack.openDirectMessage({ user: DIEGO, viewing: SECURITY });
    expect((await say(two, 'timeline last 2h')).shown).toContain('project us ·');
    await two.restart(() => two.writeFile({ us: [`allowed_channels: [${SECURITY}]`] }));
    await two.slack.openDirectMessage({ user: DIEGO, viewing: SECURITY });
    const asked = two.us.requests.length;
    expect((await say(two, 'timeline last 3h')).shown).toContain('project eu ·');
    expect((await say(two, 'timeline last 3h in project us')).shown).toContain('be used in this channel');
    expect(two.us.requests).toHaveLength(asked);
  });

  it('decides nothing for somebody who may not ask there', async () => {
    const w = await open({ WAFBOT_ALLOWED_CHANNELS: 'C0ONCALL01', WAFBOT_ADMINS: MAYA });
    await set(w, 'settings zone Asia/Tokyo');
    await w.slack.openDirectMessage({ user: DIEGO, viewing: SECURITY });
    const { shown } = await say(w, 'timeline last 2h');
    expect(shown).toContain("I'm not allowed to answer in this channel");
    expect(shown).not.toContain('Tokyo');
    expect(w.service.requests).toEqual([]);
    await w.slack.openDirectMessage({ user: MAYA, viewing: SECURITY });
    expect((await say(w, 'timeline last 2h', MAYA)).shown).toContain('Asia/Tokyo');
  });

  it('opens no closed direct message: who may only ask in a channel is refused here', async () => {
    const w = await open({ WAFBOT_ALLOWED_CHANNELS: SECURITY });
    await w.slack.openDirectMessage({ user: DIEGO, viewing: SECURITY });
    expect((await say(w, 'timeline last 2h')).shown).toContain("I'm not allowed to answer in this channel");
    expect(w.service.requests).toEqual([]);
  });

  it('does not let somebody of another organization in', async () => {
    const w = await open();
    await w.slack.openDirectMessage({ user: PARTNER, viewing: SECURITY });
    expect((await say(w, 'check', PARTNER)).shown).toContain('I only answer members of the organization');
    expect(w.service.requests).toEqual([]);
  });
});
