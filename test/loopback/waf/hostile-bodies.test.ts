/** Answers that are too long, packed to burst, or never end: each is a plain sentence soon, and none fills the memory. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Call, Fault } from '../../../playground/service/faults.ts';
import { eventually } from '../../support/clock.ts';
import { DAY, failing, HOUR, openStage, question, START, type Stage } from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const past = question(HOUR, START - DAY);
const MEGABYTE = 1024 * 1024;

describe.each<Call>(['timeline', 'token'])('the body of a %s', (call) => {
  const service = call === 'token' ? 'identity' : 'statistics';

  it.each<[string, Fault]>([
    ['longer than an answer can be', { kind: 'flood', bytes: 40_000 }],
    ['packed, and longer than an answer can be', { kind: 'flood', bytes: 40_000, gzip: true }],
  ])('%s is not read to its end and not asked for again', async (_, fault) => {
    stage = await openStage();
    stage.service.misbehave(fault, { on: call });
    const error = await failing(stage.client('token', { maxBodyBytes: 10_000 }).timeline(past));
    expect([error.code, error.message]).toEqual([
      'upstream_bad_response',
      `The ${service} service sent an answer that is too large.`,
    ]);
    expect(error.hint).toContain('shorter window');
    expect(stage.service.calls(call)).toHaveLength(1);
  });

  it('that drips ends at the time allowed for the whole of it', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'drip' }, { on: call });
    const client = stage.client('token', { tryTimeoutMs: 300, maxTries: 1 });
    const error = await failing(client.timeline(past));
    expect([error.code, error.message]).toEqual(['upstream_timeout', `The ${service} service did not answer in time.`]);
  });

  it('that drips does not keep the client open', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'drip' }, { on: call });
    const client = stage.client('token', { tryTimeoutMs: 600_000, totalTimeoutMs: 600_000 });
    const asking = failing(client.timeline(past));
    await eventually(() => stage.service.calls(call).length > 0, 'the question');
    await client.close();
    expect((await asking).message).toBe('The bot is restarting.');
  });
});

describe('by default', () => {
  it.each<[string, Fault]>([
    ['100 MB', { kind: 'flood', bytes: 100 * MEGABYTE }],
    ['a gigabyte in a megabyte of gzip', { kind: 'flood', bytes: 1024 * MEGABYTE, gzip: true }],
  ])('%s cost neither memory nor time', async (_, fault) => {
    stage = await openStage();
    stage.service.misbehave(fault, { on: 'timeline' });
    const client = stage.client('aksk');
    const before = process.memoryUsage().rss;
    expect((await failing(client.timeline(past))).code).toBe('upstream_bad_response');
    // Both ends are in this process; read whole it would be several hundred.
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MEGABYTE);
  });

  it('a refusal with a long body is still told by its status', async () => {
    stage = await openStage();
    const answer = { status: 404, body: 'x'.repeat(6 * MEGABYTE) };
    stage.service.misbehave({ kind: 'answer', answer }, { on: 'timeline' });
    const error = await failing(stage.client('aksk').timeline(past));
    expect(error.message).toBe("The statistics service doesn't have this query.");
  });

  it('more points than minutes in a month, and more categories than there are, are no answer', async () => {
    stage = await openStage();
    const points = Array.from({ length: 60_000 }, (_, i) => ({ time: START - DAY - i, num: 1 }));
    stage.service.misbehave({ kind: 'change', change: () => ({ requests: points, attacks: [] }) }, { on: 'timeline' });
    const client = stage.client('aksk');
    const error = await failing(client.timeline(past));
    expect([error.code, error.detail.why]).toEqual(['upstream_bad_response', 'timeline: more than 50000 points']);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`kind-${i}`, 1]));
    for (const body of [many, { [`k${'x'.repeat(200)}`]: 1 }]) {
      stage.service.misbehave({ kind: 'change', change: () => body }, { on: 'distribution', times: 1 });
      expect((await failing(client.distribution(past))).code).toBe('upstream_bad_response');
    }
  });
});
