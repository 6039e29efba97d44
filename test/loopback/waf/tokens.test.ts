/** Tokens: as few as possible, kept, renewed, replaced; and passwords that are never tried twice. */
import { Keyv } from 'keyv';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/clock.ts';
import {
  DAY,
  DEFAULT_USER,
  failing,
  HOUR,
  MINUTE,
  openStage,
  question,
  START,
  type Stage,
} from '../../support/waf-stage.ts';

let stage: Stage;
afterEach(() => stage.close());

const past = question(HOUR, START - DAY);
const tokenCalls = () => stage.service.calls('token').length;
const other = (n: number) => question(HOUR, START - DAY - n * HOUR);

describe('as few as possible', () => {
  it('is asked for as specified: once, scoped to the project, without the catalogue', async () => {
    stage = await openStage();
    await stage.client('token').timeline(past);
    const [asked] = stage.service.calls('token');
    expect([asked?.method, asked?.target]).toEqual(['POST', '/v3/auth/tokens?nocatalog=true']);
    expect(asked?.headers['content-type']).toBe('application/json;charset=utf8');
    expect(JSON.parse(asked?.body ?? '')).toEqual({
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'wafbot', password: DEFAULT_USER.password, domain: { name: 'OTC-EU-DE-1' } } },
        },
        scope: { project: { id: stage.service.projectId } },
      },
    });
  });

  it('1,000 simultaneous identical questions of each kind: one token request and one query each', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const asked = Array.from({ length: 1000 }, () => [client.timeline(past), client.distribution(past)]).flat();
    const answers = await Promise.all(asked);
    expect(answers).toHaveLength(2000);
    expect([tokenCalls(), stage.service.calls('timeline').length, stage.service.calls('distribution').length]).toEqual([
      1, 1, 1,
    ]);
  });

  it('a restart within the life of the token asks for none', async () => {
    stage = await openStage();
    const first = stage.client('token');
    await first.timeline(past);
    await first.close();
    stage.clock.nowMs += 12 * HOUR;
    await stage.client('token').timeline(other(1));
    expect(tokenCalls()).toBe(1);
    expect(stage.service.calls('timeline').map((call) => call.status)).toEqual([200, 200]);
  });

  it('two clients with different credentials do not share, though they share the store', async () => {
    const second = { username: 'second', password: 'another password', domainName: 'd' };
    stage = await openStage({ users: [DEFAULT_USER, second] });
    await stage.client('token').timeline(past);
    await stage.client('token', { auth: { kind: 'token', ...second } }).timeline(other(1));
    expect(tokenCalls()).toBe(2);
  });

  it('is stored encrypted, and one that cannot be read is as good as absent', async () => {
    stage = await openStage();
    const first = stage.client('token');
    await first.timeline(past);
    await first.close();
    const token = String(stage.service.calls('timeline')[0]?.headers['x-auth-token']);
    const entries = [...((stage.tokens.store as Map<string, string>) ?? new Map())];
    expect(entries.length).toBeGreaterThan(0);
    for (const [key, value] of entries) {
      for (const secret of [token, token.slice(0, 40), DEFAULT_USER.password]) {
        expect(`${key} ${JSON.stringify(value)}`).not.toContain(secret);
      }
      const name = key.replace('tokens:', '');
      if (name.startsWith('token:')) await stage.tokens.set(name, 'v1.AAAA');
    }
    await stage.client('token').timeline(other(1));
    expect(tokenCalls()).toBe(2);
  });

  it('a store that fails costs a token request, never the answer', async () => {
    stage = await openStage();
    const dead = new Keyv({
      throwOnErrors: true,
      store: {
        get: () => Promise.reject(new Error('down')),
        set: () => Promise.reject(new Error('down')),
        delete: () => Promise.reject(new Error('down')),
        clear: () => Promise.reject(new Error('down')),
      },
    });
    dead.on('error', () => {});
    const client = stage.client('token', { tokens: dead, answers: dead });
    expect((await client.timeline(past)).points.length).toBeGreaterThan(0);
    await client.timeline(past);
    expect(tokenCalls()).toBe(1);
    expect(stage.said.join()).toContain('cache store failed');
  });

  it('a token of 40 KiB goes through both ways', async () => {
    stage = await openStage({ tokenLength: 40 * 1024 });
    await stage.client('token').timeline(past);
    expect(String(stage.service.calls('timeline')[0]?.headers['x-auth-token'])).toHaveLength(40 * 1024);
  });
});

describe('renewed and replaced', () => {
  it('is renewed before its own end, with a margin', async () => {
    stage = await openStage({ tokenLifeMs: 2 * HOUR });
    const client = stage.client('token');
    await client.timeline(past);
    stage.clock.nowMs += 2 * HOUR - 11 * MINUTE;
    await client.timeline(other(1));
    expect(tokenCalls()).toBe(1);
    stage.clock.nowMs += 2 * MINUTE;
    await client.timeline(other(2));
    expect(tokenCalls()).toBe(2);
    expect(stage.service.calls('timeline').every((call) => call.status === 200)).toBe(true);
  });

  it('goes by how long it lasts, not by what our clock says', async () => {
    stage = await openStage({ tokenLifeMs: 2 * HOUR });
    // Ours is three hours ahead: by our clock the token has ended before it was issued.
    const client = stage.client('token', { now: () => stage.clock.nowMs + 3 * HOUR });
    await client.timeline(past);
    await client.timeline(other(1));
    expect(tokenCalls()).toBe(1);
  });

  it('while it can still be used, a renewal that fails costs nothing', async () => {
    stage = await openStage();
    const client = stage.client('token');
    await client.timeline(past);
    stage.clock.nowMs += DAY - 5 * MINUTE;
    stage.service.misbehave({ kind: 'refuse', code: 'IAM.down' }, { on: 'token' });
    await client.timeline(other(1));
    const asked = tokenCalls();
    await client.timeline(other(2));
    expect(tokenCalls()).toBe(asked);
    expect(stage.service.calls('timeline').every((call) => call.status === 200)).toBe(true);
  });

  it('16 simultaneous rejections: one new token, and every question answered', async () => {
    stage = await openStage();
    const client = stage.client('token');
    await client.timeline(past);
    stage.service.revokeTokens();
    const held = stage.service.hold({ on: 'timeline', times: 16 });
    const asking = Promise.all(
      Array.from({ length: 16 }, (_, i) => client.timeline({ ...other(i + 1), asker: `U${i}` })),
    );
    await eventually(() => stage.service.calls('timeline').length >= 17, 'sixteen questions');
    held.release();
    await asking;
    expect(tokenCalls()).toBe(2);
    expect(
      stage.service
        .calls('timeline')
        .map((call) => call.status)
        .sort(),
    ).toEqual([...Array(17).fill(200), ...Array(16).fill(401)]);
  });

  it.each([
    ['APIG.0301', undefined],
    ['APIGW.0301', undefined],
    ['APIG.0307', undefined],
    ['APIGW.0307', undefined],
    ['WAF.9001', undefined],
    ['WAF.00012001', undefined],
  ] as const)('a token refused with %s is replaced once', async (code, status) => {
    stage = await openStage();
    const client = stage.client('token');
    await client.timeline(past);
    stage.service.revokeTokens();
    stage.service.refuseTokensWith(code, status);
    await client.timeline(other(1));
    expect(tokenCalls()).toBe(2);
  });

  it('a bare 403 is blamed on an old token, not on a new one', async () => {
    stage = await openStage();
    const client = stage.client('token');
    const forbidden = { kind: 'answer', answer: { status: 403, body: { error_msg: 'Forbidden' } } } as const;
    stage.service.misbehave(forbidden, { on: 'timeline', times: 1 });
    expect((await failing(client.timeline(past))).code).toBe('upstream_auth');
    expect(tokenCalls()).toBe(1);
    stage.clock.nowMs += HOUR;
    stage.service.misbehave(forbidden, { on: 'timeline', times: 1 });
    await client.timeline(past);
    expect(tokenCalls()).toBe(2);
  });

  it('a 403 soon after the token was accepted renews it, once', async () => {
    stage = await openStage();
    const client = stage.client('token');
    await client.timeline(past);
    stage.clock.nowMs += 2 * MINUTE;
    const forbidden = { kind: 'answer', answer: { status: 403, body: { error_msg: 'Forbidden' } } } as const;
    stage.service.misbehave(forbidden, { on: 'timeline', times: 1 });
    await client.timeline(other(1));
    expect(tokenCalls()).toBe(2);
  });

  it('a query that stays forbidden costs one new token, not one per question', async () => {
    stage = await openStage();
    const client = stage.client('token');
    await client.timeline(past);
    const forbidden = { kind: 'answer', answer: { status: 403, body: { error_msg: 'Forbidden' } } } as const;
    stage.service.misbehave(forbidden, { on: 'distribution' });
    for (let i = 0; i < 5; i++) {
      stage.clock.nowMs += 5 * MINUTE;
      expect((await failing(client.distribution(other(i)))).code).toBe('upstream_auth');
      await client.timeline(other(i));
    }
    expect(tokenCalls()).toBe(2);
  });

  it('when new tokens are rejected too, it stops: one new token a minute at most', async () => {
    stage = await openStage();
    const client = stage.client('token');
    stage.service.misbehave({ kind: 'refuse', code: 'APIG.0301' }, { on: 'timeline' });
    for (let i = 0; i < 5; i++) expect((await failing(client.timeline(other(i)))).code).toBe('upstream_auth');
    expect(tokenCalls()).toBe(2);
    stage.clock.nowMs += MINUTE;
    await failing(client.timeline(past));
    expect(tokenCalls()).toBe(3);
  });

  it('a replica takes the token that another has put in its place', async () => {
    stage = await openStage();
    const [one, two] = [stage.client('token'), stage.client('token')];
    await one.timeline(past);
    // The write is in the background; a second question sees it done.
    await one.timeline(other(1));
    await two.timeline(other(2));
    expect(tokenCalls()).toBe(1);
    stage.service.revokeTokens();
    await one.timeline(other(3));
    await one.timeline(other(4));
    await two.timeline(other(5));
    expect(tokenCalls()).toBe(2);
  });
});

describe('refused', () => {
  const wrong = { auth: { kind: 'token', ...DEFAULT_USER, password: 'not the password' } } as const;

  it('a wrong password is tried once, also by others and after restarts; nothing gets locked', async () => {
    stage = await openStage();
    for (let restart = 0; restart < 4; restart++) {
      const client = stage.client('token', wrong);
      const errors = await Promise.all([0, 1, 2].map((i) => failing(client.timeline(other(i)))));
      expect(errors.map((error) => error.code)).toEqual(Array(3).fill('upstream_auth'));
      expect(errors[0]?.message).toContain('user name or password');
      expect(errors[0]?.hint).toMatch(/WAF_PASSWORD.*next attempt is in \d+ min/);
      await client.close();
    }
    expect(tokenCalls()).toBe(1);
    expect(stage.service.isUserLocked(DEFAULT_USER)).toBe(false);
    // A day of holding back: never three within a quarter of an hour.
    for (let quarter = 0; quarter < 24; quarter++) {
      stage.clock.nowMs += 5 * MINUTE;
      await failing(stage.client('token', wrong).timeline(past));
    }
    expect(stage.service.isUserLocked(DEFAULT_USER)).toBe(false);
    expect(tokenCalls()).toBeLessThanOrEqual(7);
  });

  it('the refusal is on record before anyone hears of it, however slow the store', async () => {
    stage = await openStage();
    const records = new Map<string, unknown>();
    const store = {
      get: async (key: string) => records.get(key),
      async set(key: string, value: unknown) {
        for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
        records.set(key, value);
      },
      delete: async (key: string) => records.delete(key),
      clear: async () => records.clear(),
    };
    await failing(stage.client('token', { ...wrong, tokens: new Keyv({ store }) }).timeline(past));
    expect([...records.keys()].filter((key) => key.includes('hold:'))).toHaveLength(1);
  });

  it('the right password is not held by the wrong one', async () => {
    stage = await openStage();
    await failing(stage.client('token', wrong).timeline(past));
    await stage.client('token').timeline(past);
    expect(tokenCalls()).toBe(2);
  });

  it('after the time it said, it tries again', async () => {
    stage = await openStage();
    const client = stage.client('token');
    stage.service.misbehave({ kind: 'refuse', code: 'IAM.password' }, { on: 'token', times: 1 });
    const error = await failing(client.timeline(past));
    expect(error.hint).toContain('20 min');
    stage.clock.nowMs += 19 * MINUTE;
    expect((await failing(client.timeline(past))).hint).toContain('1 min');
    stage.clock.nowMs += MINUTE;
    await client.timeline(past);
    expect(tokenCalls()).toBe(2);
  });

  it.each([
    ['IAM.password', 'user name or password'],
    ['IAM.0002', 'user name or password'],
    ['IAM.0061', 'locked'],
    ['IAM.0081', 'console access only'],
  ] as const)('%s is told by its cause and not tried again', async (code, words) => {
    stage = await openStage();
    const client = stage.client('token');
    stage.service.misbehave({ kind: 'refuse', code }, { on: 'token' });
    const errors = [await failing(client.timeline(past)), await failing(client.timeline(other(1)))];
    for (const error of errors)
      expect([error.code, error.message]).toEqual(['upstream_auth', expect.stringContaining(words)]);
    expect(tokenCalls()).toBe(1);
    expect(stage.waits).toEqual([]);
  });

  it('a wrong project is told, not retried', async () => {
    stage = await openStage();
    const error = await failing(stage.client('token', { projectId: 'nowhere' }).timeline(past));
    expect([error.code, error.hint, tokenCalls()]).toEqual([
      'upstream_bad_response',
      expect.stringContaining('WAF_PROJECT_ID'),
      1,
    ]);
  });

  it('throttling is waited for as told', async () => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'refuse', code: 'IAM.0012' }, { on: 'token', times: 1 });
    await stage.client('token').timeline(past);
    expect(stage.waits).toHaveLength(1);
    expect(stage.waits[0]).toBeGreaterThanOrEqual(2000);
  });

  it.each<[string, Record<string, string>, object]>([
    ['no token', { 'x-subject-token': '' }, { token: { expires_at: '2030-01-01T00:00:00.000000Z' } }],
    ['an expired one', { 'x-subject-token': 'abcd' }, { token: { expires_at: '2020-01-01T00:00:00.000000Z' } }],
  ])('an answer with %s is not trusted', async (_, headers, body) => {
    stage = await openStage();
    stage.service.misbehave({ kind: 'answer', answer: { status: 201, headers, body } }, { on: 'token' });
    expect((await failing(stage.client('token').timeline(past))).code).toBe('upstream_bad_response');
  });
});
