/** What the doctor is told about the service, and that nothing secret ever comes out of the client. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { WafClient } from '../../../src/waf/index.ts';
import { createManualClock, eventually } from '../../support/clock.ts';
import {
  DAY,
  DEFAULT_KEY,
  DEFAULT_USER,
  failing,
  HOUR,
  MINUTE,
  NOBODY,
  openStage,
  question,
  START,
  type Stage,
  type Way,
} from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const states = (findings: readonly { what: string; ok: boolean }[]) => findings.map(({ what, ok }) => `${what} ${ok}`);

describe('the probe', () => {
  it('all is well', async () => {
    stage = await openStage();
    const findings = await stage.client('token').probe();
    const basic = ['timeline true', 'history true', 'categories true', 'sources true'];
    const queries = [...basic, 'blocked share true', 'server responses true', 'single events true', 'host names true'];
    expect(states(findings)).toEqual([
      'identity service true',
      'token true',
      'statistics service true',
      ...queries,
      'clock true',
    ]);
    expect(states(await stage.client('aksk').probe())).toEqual([
      'access key true',
      'statistics service true',
      ...queries,
      'clock true',
    ]);
  });

  it('names a wrong password with its fix, once, and does not try it again', async () => {
    stage = await openStage();
    const client = stage.client('token', { auth: { kind: 'token', ...DEFAULT_USER, password: 'not the password' } });
    for (let i = 0; i < 3; i++) {
      const findings = await client.probe();
      expect(states(findings)).toEqual(['identity service true', 'token false', 'clock true']);
      expect(findings[1]?.fix).toContain('WAF_PASSWORD');
    }
    expect(stage.service.calls('token')).toHaveLength(1);
  });

  it('names the service that cannot be reached', async () => {
    stage = await openStage();
    const noIdentity = await stage.client('token', { iamUrl: NOBODY }).probe();
    expect(states(noIdentity)).toEqual(['identity service false', 'token false', 'clock true']);
    const noService = await stage.client('token', { baseUrl: NOBODY }).probe();
    expect(states(noService)).toEqual(['identity service true', 'statistics service false', 'clock true']);
  });

  it('names a clock that is off, and missing permissions', async () => {
    stage = await openStage();
    const late = await stage.client('token', { now: () => stage.clock.nowMs + 10 * MINUTE }).probe();
    expect(late.at(-1)).toMatchObject({ ok: false, says: expect.stringContaining('10 min ahead') });
    const farOff = await stage.client('aksk', { now: () => stage.clock.nowMs - HOUR }).probe();
    expect(farOff.at(-1)).toMatchObject({ ok: false, says: expect.stringContaining('60 min behind') });
    // The refused key is left alone for a while, but the clock is no better for that.
    const again = await stage.client('aksk', { now: () => stage.clock.nowMs - HOUR }).probe();
    expect(again.at(-1)).toMatchObject({ ok: false, says: expect.stringContaining('60 min behind') });
    stage.service.misbehave({ kind: 'refuse', code: 'WAF.9002' }, { on: ['timeline', 'distribution', 'sources'] });
    const refused = await stage.client('token').probe();
    expect(states(refused)).toEqual(['identity service true', 'token false', 'clock true']);
    expect(refused[1]?.fix).toContain('waf:event:get');
  });
});

describe('a service that hangs', () => {
  /** How long the doctor waits by a clock of the test, and what it finds. */
  async function examine(way: Way) {
    const clock = createManualClock();
    const began = clock.now();
    let findings: Awaited<ReturnType<WafClient['probe']>> | undefined;
    stage
      .client(way, { clock })
      .probe()
      .then((found) => {
        findings = found;
      });
    await eventually(
      () => findings !== undefined,
      'the findings',
      async () => {
        await delay(2);
        await clock.advance(50);
      },
    );
    expect(clock.pending()).toBe(0);
    return { findings: findings ?? [], seconds: began.until(clock.now()).total('seconds') };
  }

  it('is named, in bounded time', async () => {
    stage = await openStage();
    stage.service.hold({ on: ['timeline', 'distribution', 'sources', 'cloud hosts', 'dedicated hosts'] });
    const { findings, seconds } = await examine('token');
    expect(states(findings)).toEqual(['identity service true', 'statistics service false', 'clock true']);
    expect(findings[1]?.says).toContain('did not answer in time');
    expect(seconds).toBeLessThanOrEqual(21);
  });

  it('is named where no token comes', async () => {
    stage = await openStage();
    stage.service.hold({ on: 'token' });
    const { findings, seconds } = await examine('token');
    expect(states(findings)).toEqual(['identity service true', 'token false', 'clock true']);
    expect(seconds).toBeLessThanOrEqual(21);
  });

  it('in one query is one line that fails, and the others say what they know', async () => {
    stage = await openStage();
    stage.service.hold({ on: ['distribution', 'cloud hosts', 'dedicated hosts'] });
    const { findings, seconds } = await examine('aksk');
    const failed = findings.filter(({ ok }) => !ok);
    expect(failed.map(({ what }) => what)).toEqual(['categories', 'host names']);
    expect(findings.find(({ what }) => what === 'timeline')?.says).toMatch(/^[\d,]+ requests and [\d,]+ attacks from /);
    expect(seconds).toBeLessThanOrEqual(21);
  });
});

describe('secrets', () => {
  // Every stage of these suites is searched when it closes; here the services do their worst to make one slip out.
  it.each<Way>(['token', 'aksk'])('an error that echoes all of them in every form is scrubbed, by %s', async (way) => {
    stage = await openStage();
    const client = stage.client(way);
    await client.timeline(question(HOUR, START - DAY));
    const sent = stage.service.calls('timeline')[0]?.headers;
    const issued = String(sent?.['x-auth-token'] ?? 'none at all');
    const secrets = way === 'token' ? [DEFAULT_USER.password, issued] : [DEFAULT_KEY.secretKey, DEFAULT_KEY.accessKey];
    const forms = secrets.flatMap((text) => [text, encodeURIComponent(text), Buffer.from(text).toString('base64')]);
    const message = `${forms.join(' ')} denied at http://10.0.0.1/x?token=${issued} AK:${DEFAULT_KEY.accessKey}`;
    for (const status of [400, 401, 403, 404, 429, 500, 503]) {
      const answer = {
        status,
        headers: { 'x-request-id': forms[1] ?? '' },
        body: { error_code: forms[0], error_msg: message },
      };
      stage.service.misbehave({ kind: 'answer', answer }, { on: ['timeline', 'distribution'] });
      await failing(client.timeline(question(HOUR, START - 2 * DAY - status * HOUR)));
      await client.probe();
      stage.service.resetFaults();
      stage.service.misbehave({ kind: 'answer', answer }, { on: 'token' });
      stage.service.revokeTokens();
      stage.clock.nowMs += HOUR;
      if (way === 'token') await failing(client.timeline(question(HOUR, START - 2 * DAY - status * HOUR)));
      stage.service.resetFaults();
      stage.clock.nowMs += HOUR;
    }
    const everything = stage.said.join('\n');
    expect(forms.filter((form) => everything.includes(form))).toEqual([]);
    expect(everything).toContain('[redacted]');
  });
});
