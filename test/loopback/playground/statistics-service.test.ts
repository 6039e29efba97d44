import { AKSKSigner } from '@huaweicloud/huaweicloud-sdk-core/auth/AKSKSigner.js';
import { BasicCredentials } from '@huaweicloud/huaweicloud-sdk-core/auth/BasicCredentials.js';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type StatisticsService,
  type StatisticsServiceOptions,
  startStatisticsService,
} from '../../../playground/service/server.ts';
import { eventually } from '../../support/clock.ts';

const START = Temporal.Instant.from('2026-03-11T12:34:30Z').epochMilliseconds;
let nowMs = START;
let service: StatisticsService | undefined;

async function start(options: StatisticsServiceOptions = {}): Promise<StatisticsService> {
  nowMs = START;
  service = await startStatisticsService({ now: () => nowMs, ...options });
  return service;
}
afterEach(async () => {
  await service?.close();
  service = undefined;
});

function tokenBody(running: StatisticsService, password = running.user.password, scope: unknown = undefined) {
  const { username, domainName } = running.user;
  const user = { name: username, password, domain: { name: domainName } };
  return JSON.stringify({
    auth: {
      identity: { methods: ['password'], password: { user } },
      scope: scope ?? { project: { id: running.projectId } },
    },
  });
}
const askToken = (running: StatisticsService, password?: string, scope?: unknown) =>
  fetch(`${running.iamUrl}/v3/auth/tokens?nocatalog=true`, {
    method: 'POST',
    body: tokenBody(running, password, scope),
  });
const timelineUrl = (running: StatisticsService, search = `from=${START - 3_600_000}&to=${START}`) =>
  `${running.url}/v1/${running.projectId}/waf/event/timeline?${search}`;
async function codeOf(response: Response): Promise<string> {
  const body = (await response.json()) as { error_code?: string; error?: { code: number } };
  return `${response.status} ${body.error_code ?? body.error?.code}`;
}

function sign(running: StatisticsService, secretKey = running.key.secretKey, atMs = nowMs): Record<string, string> {
  const stamp = `${new Date(atMs).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const credential = new BasicCredentials().withAk(running.key.accessKey).withSk(secretKey);
  const request = {
    endpoint: timelineUrl(running).split('?')[0],
    method: 'GET',
    queryParams: { from: `${START - 3_600_000}`, to: `${START}` },
    headers: { 'X-Sdk-Date': stamp },
  };
  return { ...AKSKSigner.sign(request as never, credential) } as Record<string, string>;
}

describe('tokens', () => {
  it('gives a token in the header and its expiry in the body, and the token opens the queries', async () => {
    const running = await start();
    const response = await askToken(running);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ token: { expires_at: '2026-03-12T12:34:30.000000Z' } });
    const headers = { 'x-auth-token': response.headers.get('x-subject-token') ?? '' };
    const answer = await fetch(timelineUrl(running), { headers });
    expect(answer.status).toBe(200);
    const body = (await answer.json()) as { requests: unknown[]; attacks: unknown[] };
    expect([body.requests.length, body.attacks.length]).toEqual([61, 61]);
    nowMs += 24 * 3_600_000;
    expect(await codeOf(await fetch(timelineUrl(running), { headers }))).toBe('401 APIG.0307');
  });

  it('a revoked token is refused as told', async () => {
    const running = await start();
    const headers = { 'x-auth-token': (await askToken(running)).headers.get('x-subject-token') ?? '' };
    running.revokeTokens();
    running.refuseTokensWith('WAF.00012001');
    expect(await codeOf(await fetch(timelineUrl(running), { headers }))).toBe('400 WAF.00012001');
    running.refuseTokensWith('APIG.0301', 403);
    expect(await codeOf(await fetch(timelineUrl(running), { headers }))).toBe('403 APIG.0301');
  });

  it('locks the account after three wrong passwords within a quarter of an hour, for the right one too', async () => {
    const running = await start();
    const codes = [];
    for (let i = 0; i < 3; i++) codes.push(await codeOf(await askToken(running, 'wrong')));
    codes.push(await codeOf(await askToken(running)));
    expect(codes).toEqual(['401 401', '401 401', '401 401', '401 IAM.0061']);
    expect(running.isUserLocked(running.user)).toBe(true);
    nowMs += 15 * 60_000;
    expect((await askToken(running)).status).toBe(201);
  });

  it('refuses a console-only user, a missing scope, another project and nonsense', async () => {
    const user = { username: 'u', password: 'p', domainName: 'd', consoleOnly: true };
    const consoleOnly = await start({ users: [user] });
    expect(await codeOf(await askToken(consoleOnly))).toBe('403 IAM.0081');
    await consoleOnly.close();
    const running = await start();
    expect(await codeOf(await askToken(running, undefined, {}))).toBe('400 400');
    expect(await codeOf(await askToken(running, undefined, { project: { id: 'other' } }))).toBe('404 404');
    const nonsense = await fetch(`${running.iamUrl}/v3/auth/tokens`, { method: 'POST', body: '{' });
    expect(nonsense.status).toBe(400);
  });
});

describe('signatures', () => {
  it("accepts the vendor's own signer", async () => {
    const running = await start();
    const { host: _, ...headers } = sign(running);
    expect((await fetch(timelineUrl(running), { headers })).status).toBe(200);
    expect(await codeOf(await fetch(timelineUrl(running, 'from=1&to=2'), { headers }))).toBe('401 APIG.0301');
  });

  it('refuses a clock more than fifteen minutes off', async () => {
    const running = await start();
    const status = async (offMs: number) =>
      (await fetch(timelineUrl(running), { headers: sign(running, undefined, START + offMs) })).status;
    expect([await status(15 * 60_000), await status(-16 * 60_000), await status(16 * 60_000)]).toEqual([200, 401, 401]);
  });

  it('locks a key for five minutes after five bad signatures in a row', async () => {
    const running = await start();
    for (let i = 0; i < 5; i++) await fetch(timelineUrl(running), { headers: sign(running, 'wrong') });
    expect((await fetch(timelineUrl(running), { headers: sign(running) })).status).toBe(401);
    expect(running.isKeyLocked(running.key.accessKey)).toBe(true);
    nowMs += 5 * 60_000;
    expect((await fetch(timelineUrl(running), { headers: sign(running) })).status).toBe(200);
  });
});

describe('queries', () => {
  it.each([
    ['from=1', '400 WAF.1025'],
    ['from=2&to=2', '400 WAF.1025'],
    ['from=1&to=x', '400 WAF.1025'],
    [`from=0&to=${31 * 86_400_000}`, '400 WAF.1025'],
    ['from=1&to=2&timezone=+08:00', '400 WAF.1025'],
    ['from=1&to=2&hosts=a/b', '400 WAF.1003'],
    [`from=1&to=2${'&hosts=3f1c9a7e52b84d06a1e0c47d95b2f8a1'.repeat(1000)}`, '414 APIG.0201'],
  ])('refuses %.40s', async (search, expected) => {
    const running = await start();
    const headers = { 'x-auth-token': (await askToken(running)).headers.get('x-subject-token') ?? '' };
    expect(await codeOf(await fetch(timelineUrl(running, search), { headers }))).toBe(expected);
  });

  it('knows no other path, and asks who is there first', async () => {
    const running = await start();
    expect(await codeOf(await fetch(`${running.url}/v1/x/waf/instance`))).toBe('404 APIG.0101');
    expect(await codeOf(await fetch(timelineUrl(running)))).toBe('401 APIG.0301');
    const headers = { 'x-auth-token': (await askToken(running)).headers.get('x-subject-token') ?? '' };
    const other = timelineUrl(running).replace(running.projectId, 'other');
    expect(await codeOf(await fetch(other, { headers }))).toBe('400 WAF.00012002');
  });
});

describe('misbehaviour', () => {
  it('does what it is told, as often as told, and records what it was asked', async () => {
    const running = await start();
    running.misbehave({ kind: 'refuse', code: 'APIG.0308', changes: { retryAfter: '7' } }, { on: 'token', times: 1 });
    const throttled = await askToken(running);
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await askToken(running)).status).toBe(201);
    expect(running.calls('token').map((request) => request.status)).toEqual([429, 201]);
    running.misbehave({ kind: 'reset' });
    await expect(askToken(running)).rejects.toThrow();
    running.resetFaults();
    running.misbehave({ kind: 'cut' });
    await expect(askToken(running).then((response) => response.text())).rejects.toThrow();
    running.resetFaults();
    running.misbehave({ kind: 'truncate' }, { on: 'token' });
    await expect(askToken(running).then((response) => response.json())).rejects.toThrow(SyntaxError);
  });

  it('can be held and let go', async () => {
    const running = await start();
    const held = running.hold({ on: 'token' });
    let answered = false;
    const asking = askToken(running).then((response) => {
      answered = true;
      return response.status;
    });
    await eventually(() => running.requests.length > 0, 'the request');
    expect(answered).toBe(false);
    held.release();
    expect(await asking).toBe(201);
  });

  it('speaks in seconds, in disorder, with fields changed and headers gone', async () => {
    const running = await start();
    const headers = { 'x-auth-token': (await askToken(running)).headers.get('x-subject-token') ?? '' };
    const ask = async () => (await (await fetch(timelineUrl(running), { headers })).json()) as Record<string, never[]>;
    running.misbehave({ kind: 'seconds' }, { times: 1 });
    expect((await ask()).requests?.[0]).toHaveProperty('time', Math.floor(START / 60_000) * 60 - 3600 + 60);
    running.misbehave({ kind: 'disorder' }, { times: 1 });
    expect((await ask()).attacks).toHaveLength(122);
    running.misbehave({ kind: 'change', change: () => ({ odd: true }) }, { times: 1 });
    expect(await ask()).toEqual({ odd: true });
    running.misbehave({ kind: 'headers', headers: { date: '' } }, { times: 1 });
    expect((await fetch(timelineUrl(running), { headers })).headers.has('date')).toBe(false);
  });
});
