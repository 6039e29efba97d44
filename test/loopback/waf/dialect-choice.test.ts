/** Which dialect a service is asked in: what the probe's answers decide, what they do not, and that it is made once. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, refuse } from '../../../playground/service/refusals.ts';
import { DAY, failing, HOUR, MINUTE, openStage, question, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const start = () => stage.client('token', { dialect: 'auto' });
const probes = () => stage.service.calls('statistics').length;
/** What a start asks for its first question, the probe and comparisons with totals left out. */
const asks = async (client = start(), hoursAgo = 24) => {
  const before = stage.service.requests.length;
  await client.timeline(question(HOUR, START - hoursAgo * HOUR)).catch(() => undefined);
  const calls = stage.service.requests.slice(before).map(({ call }) => call);
  return calls.includes('request timeline') ? 'overviews' : calls.includes('timeline') ? 'events' : 'neither';
};
const doctorSays = async (client = start()) => (await client.probe()).map(({ says }) => says).join(' ');

const code = (status: number, error_code: string): Answer => ({ status, body: { error_code, error_msg: 'said so' } });
const bare = (status: number, body: unknown = ''): Answer => ({ status, body });

describe('a probe decides', () => {
  it.each<[string, Answer, 'overviews' | 'events' | 'nothing']>([
    ['by a list', bare(200, [{ key: 'ACCESS', num: 5 }]), 'overviews'],
    ['by an empty list', bare(200, []), 'overviews'],
    ['not by an object', bare(200, { requests: [] }), 'nothing'],
    ['not by a page', bare(200, '<html>'), 'nothing'],
    ['by the gateway that knows no such API', refuse('APIG.0101'), 'events'],
    ['by the other gateway', code(404, 'APIGW.0101'), 'events'],
    ['by a bare 404', bare(404), 'events'],
    ['by no such API in four digits', refuse('WAF.4000'), 'events'],
    ['by no such API in eight digits', refuse('WAF.00014009'), 'events'],
    ['by a 400 in four digits', code(400, 'WAF.1001'), 'events'],
    ['by a 400 in eight digits', refuse('WAF.00011001'), 'overviews'],
    ['by a 400 about enterprise projects', refuse('WAF.00012010'), 'overviews'],
    ['not by a 400 without a code', bare(400), 'nothing'],
    ['not by a 400 of the gateway', code(400, 'APIG.0201'), 'nothing'],
    ['not by bad credentials', refuse('APIG.0301'), 'nothing'],
    ['not by an expired token', refuse('APIG.0307'), 'nothing'],
    ['not by WAF.9001', refuse('WAF.9001'), 'nothing'],
    ['not by WAF.9002', refuse('WAF.9002'), 'nothing'],
    ['not by an invalid token in eight digits', refuse('WAF.00012001'), 'nothing'],
    ['not by a foreign project in eight digits', refuse('WAF.00012002'), 'nothing'],
    ['not by a denial in eight digits', refuse('WAF.00012003'), 'nothing'],
    ['not by a missing subscription', refuse('WAF.00012005'), 'nothing'],
    ['not by .00012006', code(400, 'WAF.00012006'), 'nothing'],
    ['not by a bare 401', bare(401), 'nothing'],
    ['not by a bare 403', bare(403), 'nothing'],
    ['not by a throttle', refuse('APIG.0308'), 'nothing'],
    ['not by a throttle with another code', code(429, 'APIG.0101'), 'nothing'],
    ['not by a failure inside', refuse('WAF.5003'), 'nothing'],
    ['not by a failure with the code of no such API', code(500, 'WAF.4000'), 'nothing'],
    ['not by a gateway in trouble', bare(502, 'bad gateway'), 'nothing'],
    ['not by a service that is away', bare(503), 'nothing'],
  ])('%s', async (_, answer, decides) => {
    // What the probe leaves open is left open by a silent service that has both dialects.
    const speaks = decides === 'nothing' ? (['events', 'overviews'] as const) : (['overviews'] as const);
    stage = await openStage({ habits: { speaks }, hosts: [] });
    stage.service.misbehave({ kind: 'answer', answer }, { on: 'statistics' });
    const first = await asks();
    const made = probes();
    // With a new token where the old one is refused, and never more; what follows a decision are comparisons.
    if (decides !== 'overviews') expect(made).toBeLessThanOrEqual(stage.service.tokensIssued());
    stage.service.resetFaults();
    const second = await asks(start(), 48);
    const found = first === 'overviews' ? 'overviews' : probes() > made ? 'nothing' : 'events';
    expect([found, second]).toEqual([decides, decides === 'overviews' ? 'overviews' : 'events']);
  });

  it('not by a connection that breaks', async () => {
    stage = await openStage({ hosts: [] });
    stage.service.misbehave({ kind: 'reset' }, { on: 'statistics' });
    expect([await asks(), probes()]).toEqual(['events', 1]);
    expect(await doctorSays()).toContain('events dialect, assumed for now');
  });
});

describe('a service that answers in both', () => {
  const both = { speaks: ['events', 'overviews'] } as const;

  it('is asked as before where that has the traffic', async () => {
    stage = await openStage({ habits: both });
    expect(await asks()).toBe('events');
    expect(await doctorSays()).toContain('events dialect, detected by an earlier probe');
  });

  it('is asked for overviews where only those have the traffic', async () => {
    stage = await openStage({ habits: both });
    const nothing = ({ requests, attacks }: Record<string, unknown>) => {
      const silent = (points: unknown) => (points as object[]).map((point) => ({ ...point, num: 0 }));
      return { requests: silent(requests), attacks: silent(attacks) };
    };
    stage.service.misbehave({ kind: 'change', change: nothing }, { on: 'timeline' });
    expect(await asks()).toBe('overviews');
  });

  it('is asked as before where neither has any, and while the present interface fails', async () => {
    stage = await openStage({ habits: both, hosts: [] });
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.3004' }, { on: 'timeline', times: 3 });
    expect(await asks()).toBe('events');
    expect(await asks(start(), 30)).toBe('events');
  });
});

describe('what was decided', () => {
  it('is kept: neither a question nor a start probes again, for a week', async () => {
    stage = await openStage({ hosts: [] });
    const client = start();
    await Promise.all([asks(client), asks(client, 30), asks(client, 36)]);
    await asks();
    stage.clock.nowMs += 6 * DAY;
    await asks();
    expect(probes()).toBe(1);
    stage.clock.nowMs += 2 * DAY;
    await asks();
    expect(probes()).toBe(2);
  });

  it('stays while the service fails, however long', async () => {
    stage = await openStage({ habits: { speaks: ['overviews'] }, hosts: [] });
    expect(await asks()).toBe('overviews');
    stage.clock.nowMs += 30 * DAY;
    const failures = [refuse('WAF.3004'), refuse('WAF.9002'), code(429, 'APIG.0308'), refuse('APIG.0301')];
    for (const [at, answer] of failures.entries()) {
      const end = stage.service.misbehave({ kind: 'answer', answer }, { on: 'statistics' });
      expect(await asks(start(), 30 + 6 * at)).toBe('overviews');
      end();
      stage.clock.nowMs += HOUR;
    }
  });

  it('is not decided by a passing failure, and probed again after a while, not at once', async () => {
    stage = await openStage({ habits: { speaks: ['events', 'overviews'] }, hosts: [] });
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.3004' }, { on: 'statistics', times: 1 });
    const client = start();
    expect([await asks(client), await asks(client, 30), probes()]).toEqual(['events', 'events', 1]);
    stage.clock.nowMs += 3 * MINUTE;
    await asks(client, 36);
    expect(probes()).toBe(2);
  });

  it.each(['WAF.9002', 'APIG.0613'] as const)('is found where the probe alone fails with %s', async (code) => {
    stage = await openStage({ habits: { speaks: ['overviews'] } });
    stage.service.misbehave({ kind: 'refuse', code }, { on: 'statistics' });
    expect(await asks()).toBe('overviews');
  });

  it('is given up where the service no longer has it, and the question is answered', async () => {
    stage = await openStage({ hosts: [] });
    const client = start();
    expect(await asks(client)).toBe('events');
    stage.service.setHabits({ speaks: ['overviews'] });
    stage.clock.nowMs += 2 * HOUR;
    expect(await asks(client, 30)).toBe('overviews');
    expect(await asks(start(), 36)).toBe('overviews');
    stage.service.setHabits({ speaks: [] });
    stage.clock.nowMs += 2 * HOUR;
    await asks(client, 42);
    const before = stage.service.requests.length;
    // A service that has neither is not probed again for every question.
    for (const hoursAgo of [48, 54]) await asks(client, hoursAgo);
    expect(stage.service.requests.slice(before).filter(({ call }) => call === 'statistics')).toEqual([]);
  });

  it('is overridden by a setting, which makes no probe', async () => {
    stage = await openStage({ habits: { speaks: ['events', 'overviews'] }, hosts: [] });
    expect(await asks(stage.client('token', { dialect: 'events' }))).toBe('events');
    expect(probes()).toBe(0);
    expect(await asks(stage.client('token', { dialect: 'overviews' }))).toBe('overviews');
    expect(await doctorSays(stage.client('token', { dialect: 'overviews' }))).toContain('set by WAF_DIALECT');
  });
});

it('a wrong dialect by setting is an error that says what to check', async () => {
  stage = await openStage({ hosts: [] });
  const error = await failing(stage.client('token', { dialect: 'overviews' }).timeline(question(HOUR)));
  expect([error.code, error.hint]).toEqual(['upstream_bad_response', expect.stringContaining('WAF_DIALECT')]);
});
