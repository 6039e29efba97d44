/** Steps of a workflow, as the local Slack runs them for the bot that was installed from manifest.workflows.yml. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_HOSTS } from '../../../playground/service/hosts.ts';
import type { LocalSlack, WorkspaceSpec } from '../../../playground/slack/index.ts';
import { serviceGraceMs } from '../../../src/bot.ts';
import { RECONCILE_EVERY_MS } from '../../../src/scheduler/reconcile-periodically.ts';
import { SLOW_AFTER_MS } from '../../../src/slack/answer-question.ts';
import { eventually, settle } from '../../support/clock.ts';
import { createImpatientClock } from '../../support/impatient-clock.ts';
import { PARTNER, workspaceFrom } from '../../support/manifest-workspace.ts';
import { startTwoProjects } from '../../support/two-projects.ts';
import { startWorld, TUESDAY, textOf, type World } from '../../support/world.ts';

const MAYA = 'U0MAYA0001';
const DIEGO = 'U0DIEGO001';
const CHANNEL = 'C0SECURITY';
const SHOP = DEFAULT_HOSTS[0]?.id ?? '';
const workspace = workspaceFrom('manifest.workflows.yml');

let folder: string;
let world: World | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'wafbot-steps-'));
});
afterEach(async () => {
  await world?.stop();
  world = undefined;
  rmSync(folder, { recursive: true });
});

async function open(environment: Record<string, string> = {}, spec: WorkspaceSpec = workspace): Promise<World> {
  world = await startWorld({
    slack: { workspace: spec },
    environment: { WAFBOT_STORE: `sqlite:${folder}/bot.db`, WAFBOT_CHARTS: 'none', ...environment },
  });
  return world;
}

interface Run {
  readonly step?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly user?: string;
}

async function start({ slack }: Pick<World, 'slack'>, { step = 'waf_check', inputs = {}, user = MAYA }: Run = {}) {
  const result = await slack.runStep({ step, user, inputs: { channel: CHANNEL, ...inputs } });
  return { ...result, id: result.execution?.id ?? '' };
}

const ended = (slack: LocalSlack, id: string) =>
  slack.waitFor(
    () => {
      const execution = slack.execution(id);
      return execution?.status === 'running' ? null : execution;
    },
    { what: 'the end of the step' },
  );

async function run(w: Pick<World, 'slack'>, input: Run = {}) {
  const { acked, id } = await start(w, input);
  expect(acked).toBe(true);
  return ended(w.slack, id);
}

const posted = ({ slack }: Pick<World, 'slack'>) =>
  slack.messages(CHANNEL).filter(({ botId, threadTs }) => botId !== undefined && threadTs === undefined);
const ends = ({ slack }: Pick<World, 'slack'>) =>
  [...slack.calls('functions.completeSuccess'), ...slack.calls('functions.completeError')].filter(
    ({ reply }) => reply?.ok === true,
  );

/** A stop waits for what is under way, then for what it has cut off. */
const STOP_LIMITS_MS = [serviceGraceMs({ stopMs: 8_000 }), 8_000, 1_000];

/** Starts the bot anew without waiting for what hangs. */
async function replace(w: World, meanwhile?: () => unknown): Promise<void> {
  let isOver = false;
  const restarting = w.restart(meanwhile).then(() => {
    isOver = true;
  });
  await eventually(
    () => isOver,
    'the restart',
    async () => {
      for (const limitMs of STOP_LIMITS_MS) w.clock.end(limitMs);
      await settle();
    },
  );
  await restarting;
}

async function addShop({ slack }: World): Promise<void> {
  await slack.command({ text: `hosts add shop ${SHOP}`, channel: 'C0ONCALL01', user: MAYA });
  await slack.nextMessage();
}

describe('WAF check', () => {
  it('posts what the command answers, and hands finding, numbers and link to the workflow', async () => {
    const w = await open();
    const { status, outputs } = await run(w, { inputs: { range: 'last 3h' } });
    const [message] = posted(w);
    expect([status, posted(w)]).toEqual(['completed', [message]]);
    await w.slack.command({ text: 'check last 3h', channel: CHANNEL, user: MAYA });
    const typed = await w.slack.waitFor(() => posted(w)[1], { what: 'the answer to the command' });
    expect(message?.blocks.map(({ text }) => text)).toEqual(typed.blocks.map(({ text }) => text));
    expect(outputs).toMatchObject({
      verdict: expect.stringMatching(/^(calm|elevated|surge|past)$/),
      attacks: expect.any(Number),
      requests: expect.any(Number),
    });
    expect(textOf(typed)).toContain(String(outputs?.finding));
    expect(outputs?.numbers).toMatch(/^all hosts · Tue 10 Mar \d\d:30–\d\d:30 · Europe\/Stockholm \(UTC\+1\)\n/);
    expect(outputs?.link).toContain(`${CHANNEL}/p${message?.ts.replace('.', '')}`);
    expect(w.slack.refusals).toEqual([]);
    expect(ends(w)).toHaveLength(1);
  });

  it('only hands the numbers over if the answer is not to be posted', async () => {
    const w = await open();
    await addShop(w);
    const { outputs } = await run(w, { inputs: { post: false, hosts: 'shop', zone: 'Asia/Tokyo', range: 'last 2h' } });
    expect(outputs?.numbers).toMatch(/^shop · .* · Asia\/Tokyo/);
    expect(outputs).not.toHaveProperty('link');
    expect(posted(w)).toEqual([]);
  });

  it('takes hosts and zone from the settings of the channel', async () => {
    const w = await open();
    await addShop(w);
    await w.slack.command({ text: 'settings hosts shop', channel: CHANNEL, user: MAYA });
    await w.slack.nextMessage();
    await w.slack.command({ text: 'settings zone Asia/Tokyo', channel: CHANNEL, user: MAYA });
    await w.slack.nextMessage();
    const { outputs } = await run(w, { inputs: { range: '', hosts: '', post: false } });
    expect(outputs?.numbers).toMatch(/^shop · .* · Asia\/Tokyo/);
  });

  it('answers by direct message, without a link, where the bot is not in the channel', async () => {
    const w = await open();
    const { status, outputs } = await run(w, { inputs: { channel: 'C0GENERAL1' } });
    expect([status, outputs?.link]).toEqual(['completed', undefined]);
    expect(w.slack.messages('C0GENERAL1')).toEqual([]);
    expect((await w.slack.nextMessage()).channel).toMatch(/^D/);
  });
});

describe('WAF report', () => {
  it('posts the report with its files, and hands finding, numbers and link to the workflow', async () => {
    const w = await open();
    await addShop(w);
    const { status, outputs } = await run(w, { step: 'waf_report', inputs: { range: 'yesterday', hosts: 'shop' } });
    expect([status, outputs?.verdict]).toEqual(['completed', expect.any(String)]);
    const [message] = posted(w);
    expect(textOf(message ?? { text: '', blocks: [] })).toContain(String(outputs?.finding));
    expect(w.slack.files().map(({ name }) => name.replace(/.*\./, ''))).toEqual(
      expect.arrayContaining(['md', 'csv', 'csv']),
    );
    expect(outputs?.link).toContain(String(message?.ts.replace('.', '')));
  });

  it('is not run by Workflow Builder without a range', async () => {
    const w = await open();
    const { error, problems } = await start(w, { step: 'waf_report' });
    expect(error).toBe('invalid_inputs');
    expect(problems).toMatchObject([{ pointer: '/range' }]);
  });
});

describe('a step that may not or cannot be run fails with what to do', () => {
  it.each([
    ['for somebody of another organization', { user: PARTNER }, {}, 'I only answer members of the organization'],
    [
      'where the bot may not answer',
      {},
      { WAFBOT_ALLOWED_CHANNELS: 'C0ONCALL01' },
      'An admin of this bot can allow it',
    ],
    ['with a range that cannot be read', { inputs: { range: 'yesterday 25:00' } }, {}, "There's no such time"],
    ['with an unknown host', { inputs: { hosts: 'nowhere' } }, {}, 'nowhere'],
    ['with words that ask for something else', { inputs: { range: 'sqli last 3h' } }, {}, "isn't a question"],
  ] as const)('%s', async (_why, input, environment, words) => {
    const w = await open(environment);
    const { status, error } = await run(w, input);
    expect([status, error]).toEqual(['failed', expect.stringContaining(words)]);
    expect(posted(w)).toEqual([]);
    expect(ends(w)).toHaveLength(1);
  });

  it('for a channel that the person is not in', async () => {
    const w = await open();
    w.slack.changeChannel(CHANNEL, { members: [MAYA] });
    expect(await run(w, { user: MAYA })).toMatchObject({ status: 'completed' });
    const asked = w.service.requests.length;
    const { error } = await run(w, { user: DIEGO });
    expect(error).toBe(
      'You can only run this step for a channel that you are in. Join the channel, or choose another one in the workflow. If it is private, invite me there.',
    );
    expect(w.service.requests).toHaveLength(asked);
  });

  it('for an admin in a channel that is closed for others, it runs', async () => {
    const w = await open({ WAFBOT_ALLOWED_CHANNELS: 'C0ONCALL01', WAFBOT_ADMINS: MAYA });
    expect(await run(w, { user: MAYA })).toMatchObject({ status: 'completed' });
    expect(await run(w, { user: DIEGO })).toMatchObject({ status: 'failed' });
  });

  it('for somebody whom Slack does not place', async () => {
    const w = await open();
    w.slack.faults.inject(
      'users.info',
      { kind: 'error', error: 'user_not_found' },
      { times: Number.POSITIVE_INFINITY },
    );
    expect(await run(w, { user: DIEGO })).toMatchObject({ status: 'failed' });
    expect(w.service.requests).toEqual([]);
  });

  it('without a person', async () => {
    const { app, ...others } = workspace;
    const { waf_check: check } = app?.functions ?? {};
    if (check === undefined) throw new Error('manifest.workflows.yml has no waf_check');
    const { person: _, ...properties } = check.input_parameters.properties;
    const functions = { waf_check: { ...check, input_parameters: { properties, required: [] } } };
    const w = await open({}, { ...others, app: { ...app, functions } });
    expect((await run(w)).error).toContain('a person who runs the workflow');
  });

  it('about a project that cannot be used in the channel', async () => {
    const clock = createImpatientClock(TUESDAY, [SLOW_AFTER_MS, RECONCILE_EVERY_MS]);
    const two = await startTwoProjects(clock, {
      slack: { workspace },
      environment: { WAFBOT_CHARTS: 'none' },
      file: { us: ['allowed_channels: [C0ONCALL01]'] },
    });
    world = two;
    expect(await run(two, { inputs: { project: 'eu', post: false } })).toMatchObject({ status: 'completed' });
    const { error } = await run(two, { inputs: { project: 'us' } });
    expect(error).toContain("Project us can't be used in this channel.");
    expect(error).toContain('You can ask about it in <#C0ONCALL01>.');
    expect(two.us.requests).toEqual([]);
  });

  it('in a workspace on the free plan, there are no steps', async () => {
    const w = await open({}, { ...workspace, team: { plan: 'free' } });
    expect((await start(w)).error).toBe('paid_plan_required');
  });
});

describe('an execution ends once', () => {
  it('though its event arrives twice, and again because its acknowledgement was lost', async () => {
    const w = await open();
    w.slack.deliveryFaults.duplicateNext();
    w.slack.deliveryFaults.loseAckNext();
    const { id } = await start(w);
    w.slack.deliveryFaults.retryNow();
    expect(await ended(w.slack, id)).toMatchObject({ status: 'completed' });
    await w.slack.waitFor(() => w.slack.deliveries.filter(({ delivery }) => delivery.acked).length === 1, {
      what: 'the acknowledgement of the repetition',
    });
    await w.bot.stop();
    expect([ends(w).length, posted(w).length, w.slack.refusals]).toEqual([1, 1, []]);
  });

  it('though its event arrives once more after it has ended and the bot was restarted', async () => {
    const w = await open();
    w.slack.deliveryFaults.loseAckNext(2);
    const { id, settled } = await start(w);
    await ended(w.slack, id);
    await w.restart();
    w.slack.deliveryFaults.retryNow();
    expect(await settled).toMatchObject({ acked: true });
    await w.bot.stop();
    expect([ends(w).length, posted(w).length, w.slack.refusals]).toEqual([1, 1, []]);
  });

  it.each([
    ['fails', { kind: 'status', status: 503 }],
    ['is limited', { kind: 'rate_limited', retryAfterSeconds: 1 }],
    ['takes effect but is not confirmed', { kind: 'response_lost' }],
  ] as const)('though the call to Slack %s', async (_how, fault) => {
    const w = await open();
    w.slack.faults.inject('functions.completeSuccess', fault, { times: 1 });
    const { id } = await start(w);
    expect(await ended(w.slack, id)).toMatchObject({ status: 'completed' });
    await w.bot.stop();
    expect([ends(w).length, posted(w).length]).toEqual([1, 1]);
    expect(w.slack.calls('functions.completeSuccess').length).toBeGreaterThan(1);
  });

  it('with the token of the bot if Slack no longer accepts that of the step', async () => {
    const w = await open();
    w.slack.faults.inject('functions.completeSuccess', { kind: 'error', error: 'token_revoked' });
    expect(await run(w)).toMatchObject({ status: 'completed' });
    expect(w.slack.calls('functions.completeSuccess')).toHaveLength(2);
  });

  it('as a failure if Slack refuses its outputs', async () => {
    const w = await open();
    w.slack.faults.inject('functions.completeSuccess', { kind: 'error', error: 'parameter_validation_failed' });
    expect(await run(w)).toMatchObject({ status: 'failed', error: expect.stringContaining('in its log') });
  });
});

describe('a step that a process leaves behind', () => {
  it('is ended by the next one, which brings the posted answer up to date', async () => {
    const w = await open();
    const gate = w.slack.faults.hold('functions.completeSuccess');
    const { id } = await start(w);
    await gate.reached;
    const [before] = posted(w);
    await replace(w);
    const { outputs } = await ended(w.slack, id);
    gate.release();
    expect(posted(w)).toEqual([expect.objectContaining({ ts: before?.ts })]);
    expect(outputs?.link).toContain(String(before?.ts.replace('.', '')));
    expect(textOf(posted(w)[0] ?? { text: '', blocks: [] })).toContain('Asked before I restarted');
    expect(ends(w)).toHaveLength(1);
  });

  it('before it had asked, is run by the next one', async () => {
    const w = await open();
    const gate = w.slack.faults.hold('users.conversations');
    const { id } = await start(w);
    await gate.reached;
    await replace(w);
    expect(await ended(w.slack, id)).toMatchObject({ status: 'completed' });
    expect([posted(w).length, ends(w).length]).toEqual([1, 1]);
  });

  it('because a service hangs while the bot stops, fails with what to do', async () => {
    const w = await open();
    w.service.misbehave({ kind: 'drip' }, { on: 'timeline' });
    const { id } = await start(w);
    await eventually(() => w.service.calls('timeline').length > 0, 'the question');
    await replace(w);
    expect(await ended(w.slack, id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('The bot is restarting'),
    });
    expect([posted(w).length, ends(w).length]).toEqual([0, 1]);
  });

  it('for long, fails with what to do', async () => {
    const w = await open();
    const gate = w.slack.faults.hold('functions.completeSuccess');
    const { id } = await start(w);
    await gate.reached;
    await replace(w, () => w.clock.set('2026-03-10T15:30:00Z'));
    expect(await ended(w.slack, id)).toMatchObject({
      status: 'failed',
      error: 'I was away when this step was due. Run the workflow again.',
    });
  });
});
