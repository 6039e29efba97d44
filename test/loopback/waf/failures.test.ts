/** Every failure of the two services: what the person is told, what is tried again, and what is not. */
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fault } from '../../../playground/service/faults.ts';
import type { RefusalCode } from '../../../playground/service/refusals.ts';
import { createManualClock, eventually } from '../../support/clock.ts';
import {
  DAY,
  failing,
  HOUR,
  NOBODY,
  openStage,
  question,
  START,
  type Stage,
  type Way,
} from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(async () => {
  await stage.close();
});

const past = question(HOUR, START - DAY);
const other = (n: number) => question(HOUR, START - DAY - n * HOUR);
const asked = () => stage.service.calls('timeline').length;

describe.each<Way>(['token', 'aksk'])('refusals of the statistics service, by %s', (way) => {
  it.each<[RefusalCode, string, number]>([
    ['APIG.0101', 'upstream_bad_response', 1],
    ['APIG.0613', 'upstream_unavailable', 3],
    ['WAF.1025', 'limit', 1],
    ['WAF.1003', 'not_found', 1],
    ['WAF.3004', 'upstream_unavailable', 3],
    ['WAF.5003', 'upstream_unavailable', 3],
    ['WAF.9002', 'upstream_auth', 1],
    ['WAF.00012002', 'upstream_auth', 1],
    ['WAF.00012003', 'upstream_auth', 1],
  ])('%s is %s after %i tries', async (code, expected, tries) => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code }, { on: 'timeline' });
    const error = await failing(stage.client(way).timeline(past));
    expect([error.code, asked()]).toEqual([expected, tries]);
    expect(error.message).toMatch(/^[A-Z][^:]*\.$/);
    expect(error.detail).toMatchObject({ serviceCode: code, requestId: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(stage.service.calls('token').length).toBe(way === 'token' ? 1 : 0);
  });

  it.each([
    [400, 1],
    [403, 1],
    [404, 1],
    [405, 1],
    [414, 1],
    [500, 3],
    [502, 3],
    [503, 3],
    [504, 3],
    [302, 1],
    [204, 1],
  ])('a bare status %i with a page of HTML is tried %i times', async (status, tries) => {
    stage = await openStage();
    const answer = { status, headers: { 'content-type': 'text/html' }, body: status === 204 ? '' : '<html>no</html>' };
    stage.service.misbehave({ kind: 'answer', answer }, { on: 'timeline' });
    const error = await failing(stage.client(way).timeline(past));
    expect(error.code).toMatch(/^(upstream_|limit)/);
    expect(asked()).toBe(tries);
  });

  it('an outage that passes is not noticed', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'timeline', times: 1 });
    stage.service.misbehave({ kind: 'reset' }, { on: 'timeline', times: 1 });
    const answer = await stage.client(way).timeline(past);
    expect([answer.points.length > 0, asked()]).toEqual([true, 3]);
    expect(stage.waits).toEqual([188, 375]);
  });
});

it('waits between tries by the clock that its time limits follow', async () => {
  stage = await openStage();
  const clock = createManualClock(Temporal.Instant.fromEpochMilliseconds(START));
  stage.service.misbehave({ kind: 'refuse', code: 'WAF.5003' }, { on: 'timeline', times: 1 });
  const client = stage.client('aksk', { clock, sleep: undefined });
  const answer = client.timeline(past);
  await eventually(() => clock.pending() > 0);
  expect(asked()).toBe(1);
  await clock.advance(HOUR);
  expect([(await answer).points.length > 0, asked()]).toEqual([true, 2]);
});

describe('no answer', () => {
  it.each<[string, Fault, string, number]>([
    ['a connection cut before the answer', { kind: 'reset' }, 'upstream_unavailable', 3],
    ['a connection cut inside the answer', { kind: 'cut' }, 'upstream_unavailable', 3],
    ['JSON that ends in the middle', { kind: 'truncate' }, 'upstream_bad_response', 1],
  ])('%s', async (_, fault, code, tries) => {
    stage = await openStage();
    stage.service.misbehave(fault, { on: 'timeline' });
    expect((await failing(stage.client('token').timeline(past))).code).toBe(code);
    expect(asked()).toBe(tries);
  });

  it('silence ends at the time allowed, for one try and for all', async () => {
    stage = await openStage();
    const held = stage.service.hold({ on: 'timeline' });
    // Long enough for a busy machine to bring each try to the service.
    const client = stage.client('token', { tryTimeoutMs: 400, maxTries: 2 });
    const error = await failing(client.timeline(past));
    expect([error.code, error.detail.timeoutMs, asked()]).toEqual(['upstream_timeout', 400, 2]);
    held.release();
    stage.clock.nowMs += DAY;
    const held2 = stage.service.hold({ on: 'timeline' });
    const hurried = stage.client('token', { tryTimeoutMs: 400, totalTimeoutMs: 140 });
    await failing(hurried.timeline(other(1)));
    // The wait before a second try would not fit any more; on a busy machine, not even the first one arrives.
    expect(asked()).toBeLessThanOrEqual(3);
    held2.release();
  });

  it('nobody there', async () => {
    stage = await openStage();
    const error = await failing(stage.client('aksk', { baseUrl: NOBODY }).timeline(past));
    expect([error.code, error.detail.reason, error.hint]).toEqual([
      'upstream_unavailable',
      'ECONNREFUSED',
      expect.stringContaining('WAF_BASE_URL'),
    ]);
  });

  it('no identity service: told as such, and the statistics service is not asked', async () => {
    stage = await openStage();
    const error = await failing(stage.client('token', { iamUrl: NOBODY }).timeline(past));
    expect([error.message, error.hint]).toEqual([
      expect.stringContaining('identity service'),
      expect.stringContaining('WAF_IAM_URL'),
    ]);
    expect(stage.service.requests).toHaveLength(0);
  });
});

describe('throttled', () => {
  it('waits as long as it is told, and then has its answer', async () => {
    stage = await openStage();
    const changes = { retryAfter: '3' };
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0308', changes }, { on: 'timeline', times: 1 });
    await stage.client('token').timeline(past);
    expect(stage.waits).toEqual([3150]);
  });

  it('reads the window in the message where nothing else says it, and a date where that is given', async () => {
    stage = await openStage();
    const message = 'policy ip over ratelimit,limit:5,time:5 second';
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0308', changes: { message } }, { on: 'timeline', times: 1 });
    const client = stage.client('token');
    await client.timeline(past);
    expect(stage.waits).toEqual([5250]);
    const retryAfter = new Date(stage.clock.nowMs + 4000).toUTCString();
    stage.service.misbehave(
      { kind: 'refuse', code: 'APIG.0308', changes: { retryAfter } },
      { on: 'timeline', times: 1 },
    );
    await client.timeline(other(1));
    expect(stage.waits[1]).toBeGreaterThan(3000);
  });

  it('a wait that is too long is told, and nobody else asks before it is over', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0308' }, { on: 'timeline', times: 1 });
    const client = stage.client('token');
    const error = await failing(client.timeline(past));
    expect([error.code, error.hint]).toEqual(['upstream_rate_limited', 'Ask again in 60 s.']);
    expect((await failing(client.timeline(other(1)))).code).toBe('upstream_rate_limited');
    expect(asked()).toBe(1);
    stage.clock.nowMs += 60_000;
    await client.timeline(past);
  });

  it.each(['WAF.3004', 'WAF.5003', 'WAF.9001'])(
    'the status counts also beside the code %s of the service',
    async (code) => {
      stage = await openStage();
      const answer = { status: 429, headers: { 'retry-after': '40' }, body: { error_code: code, error_msg: 'busy' } };
      stage.service.misbehave({ kind: 'answer', answer }, { on: 'timeline' });
      const client = stage.client('token');
      for (let n = 0; n < 5; n++) {
        const error = await failing(client.timeline(other(n)));
        expect([error.code, error.hint]).toEqual(['upstream_rate_limited', 'Ask again in 40 s.']);
      }
      expect(asked()).toBe(1);
    },
  );

  it('whoever asks during the wait is told what is left of it', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0308' }, { on: 'timeline', times: 1 });
    const client = stage.client('token');
    await failing(client.timeline(past));
    stage.clock.nowMs += 25_000;
    const error = await failing(client.timeline(past));
    expect(error.message).toBe('The statistics service asked me to pause: no requests for 35 s more.');
    expect(error.hint).toBe('Ask again in 35 s.');
    expect(client.heldBack()).toEqual({ why: 'throttled', untilMs: stage.clock.nowMs + 35_000 });
    stage.clock.nowMs += 35_000;
    expect(client.heldBack()).toBeNull();
  });

  it.each([
    ['a header', { retryAfter: '99999999999' }],
    ['a date', { retryAfter: 'Fri, 31 Dec 9999 23:59:59 GMT' }],
    ['a message', { message: 'policy ip over ratelimit,limit:5,time:99999 day' }],
    ['digits without end', { retryAfter: '9'.repeat(400) }],
  ])('no wait is longer than five minutes, whatever %s says, and the doctor says until when', async (_, changes) => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0308', changes }, { on: 'timeline', times: 1 });
    const client = stage.client('token');
    expect((await failing(client.timeline(past))).hint).toBe('Ask again in 5 min.');
    const finding = (await client.probe()).find(({ what }) => what === 'statistics service');
    expect(finding).toMatchObject({ ok: false, says: expect.stringContaining('until 12:39:30 UTC') });
    stage.clock.nowMs += 5 * 60_000;
    expect((await client.timeline(past)).points.length).toBeGreaterThan(0);
    expect((await client.probe()).every(({ ok }) => ok)).toBe(true);
  });

  it('without any hint it backs off a little, three times at most', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'answer', answer: { status: 429, body: {} } }, { on: 'timeline' });
    expect((await failing(stage.client('token').timeline(past))).code).toBe('upstream_rate_limited');
    expect(stage.waits).toEqual([750, 1500]);
  });
});

describe('down for longer', () => {
  it('the circuit opens: no more calls, no waiting; and closes when the service is back', async () => {
    stage = await openStage();
    const client = stage.client('aksk');
    await client.timeline(past);
    expect(client.heldBack()).toBeNull();
    stage.service.misbehave({ kind: 'reset' }, { on: 'timeline' });
    for (let i = 1; i <= 5; i++) {
      await failing(client.timeline(other(i)));
      stage.clock.nowMs += 5_000;
    }
    const soFar = asked();
    const waited = stage.waits.length;
    for (let i = 6; i < 50; i++) {
      const error = await failing(client.timeline(other(i)));
      expect([error.code, error.detail.circuit]).toEqual(['upstream_unavailable', 'open']);
      expect(error.message).toMatch(/hasn't answered for 2\d s\.$/);
      expect(error.hint).toBe('I hold back for 5 s more. Then ask again.');
    }
    expect(client.heldBack()).toEqual({ why: 'down', untilMs: stage.clock.nowMs + 5_000 });
    expect([asked(), stage.waits.length]).toEqual([soFar, waited]);
    // After a while one is let through; while it is on its way, the others do not wait for it.
    stage.clock.nowMs += 5_000;
    expect(client.heldBack()).toBeNull();
    // Also if somebody has set the machine's clock back.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    stage.service.resetFaults();
    const held = stage.service.hold({ on: 'timeline', times: 1 });
    const scout = client.timeline(other(60));
    await eventually(() => asked() > soFar, 'the scout');
    expect((await failing(client.timeline(other(61)))).detail.circuit).toBe('open');
    held.release();
    await scout;
    await client.timeline(other(62));
    expect(asked()).toBe(soFar + 2);
  });

  it('one question that fails, in however many calls at once, does not close the door for the next', async () => {
    stage = await openStage();
    const client = stage.client('aksk');
    await client.timeline(past);
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.3004' });
    await Promise.all(Array.from({ length: 12 }, (_, i) => failing(client.timeline(other(i + 1)))));
    stage.service.resetFaults();
    expect((await client.timeline(other(1))).points.length).toBeGreaterThan(0);
  });

  it('refusals do not open it: the service is well, the question is not', async () => {
    stage = await openStage();
    const client = stage.client('token');
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.1003' }, { on: 'timeline' });
    for (let i = 0; i < 12; i++) await failing(client.timeline(other(i)));
    stage.service.resetFaults();
    await client.timeline(past);
  });
});

describe('keys', () => {
  it('a wrong secret key is tried once, by however many at once, and held back over restarts', async () => {
    stage = await openStage();
    const auth = { kind: 'aksk', ...stage.service.key, secretKey: 'not the secret key' } as const;
    for (let restart = 0; restart < 3; restart++) {
      const client = stage.client('aksk', { auth });
      const errors = await Promise.all(Array.from({ length: 8 }, (_, i) => failing(client.timeline(other(i)))));
      for (const error of errors) {
        expect([error.code, error.hint]).toEqual(['upstream_auth', expect.stringMatching(/WAF_SECRET_KEY.*5 min/)]);
      }
      await client.close();
    }
    expect(asked()).toBe(1);
    expect(stage.service.isKeyLocked(stage.service.key.accessKey)).toBe(false);
  });

  it('a clock that is off is named as the cause', async () => {
    stage = await openStage();
    const client = stage.client('aksk', { now: () => stage.clock.nowMs - 20 * 60_000 });
    const error = await failing(client.timeline(past));
    expect(error.message).toContain('20 min behind');
  });

  it('temporary keys are sent and signed with their token', async () => {
    const key = { accessKey: 'AKTEMP0123456789ABCD', secretKey: 'temporary secret', securityToken: 'temporary token' };
    stage = await openStage({ keys: [key] });
    await stage.client('aksk').timeline(past);
    const headers = stage.service.calls('timeline')[0]?.headers;
    expect(headers?.['x-security-token']).toBe('temporary token');
    expect(headers?.authorization).toContain('SignedHeaders=host;x-project-id;x-sdk-date;x-security-token');
  });
});

describe('given up', () => {
  it('one who leaves leaves alone; when all have left, the call is given up', async () => {
    stage = await openStage();
    const held = stage.service.hold({ on: 'timeline' });
    const client = stage.client('token');
    const [one, two] = [new AbortController(), new AbortController()];
    const first = client.timeline({ ...past, signal: one.signal });
    const second = client.timeline({ ...past, signal: two.signal });
    await eventually(() => asked() > 0, 'the question');
    one.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    held.release();
    expect((await second).points.length).toBeGreaterThan(0);
    expect(asked()).toBe(1);
    const third = client.timeline({ ...other(1), signal: AbortSignal.abort(new Error('never began')) });
    await expect(third).rejects.toThrow('never began');
    expect(asked()).toBe(1);
  });

  it('closing ends what is in flight with a plain word', async () => {
    stage = await openStage();
    const held = stage.service.hold({ on: 'timeline' });
    const client = stage.client('token');
    const asking = failing(client.timeline(past));
    await eventually(() => asked() > 0, 'the question');
    await client.close();
    expect((await asking).message).toBe('The bot is restarting.');
    held.release();
  });
});
