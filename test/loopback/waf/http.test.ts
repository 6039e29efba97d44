/** HTTP to the services: no error holds a secret, and large headers and proxies work with Node's own `fetch`. */
import { createServer, request as forward, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { EnvHttpProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Call, Fault } from '../../../playground/service/faults.ts';
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
  vi.unstubAllEnvs();
  await stage.close();
});

const past = question(HOUR, START - DAY);
const key = { accessKey: 'AKTEMP0123456789ABCD', secretKey: 'temporary secret', securityToken: 'temporary token' };

/** Everything of an error that a log, a debugger or a careless `console.log` could show. */
const shown = (error: unknown) =>
  inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null, maxArrayLength: null });

describe.each<[Way, Call]>([
  ['token', 'timeline'],
  ['token', 'token'],
  ['aksk', 'timeline'],
])('an error of a call by %s to %s', (way, on) => {
  it.each<[string, Fault]>([
    ['a refusal', { kind: 'refuse', code: 'WAF.9002' }],
    ['refused credentials', { kind: 'answer', answer: { status: 401, body: { error_msg: 'no' } } }],
    ['throttling', { kind: 'refuse', code: 'APIG.0308' }],
    ['an outage', { kind: 'refuse', code: 'WAF.5003' }],
    ['a redirect', { kind: 'answer', answer: { status: 302, headers: { location: 'http://127.0.0.1:2/' }, body: '' } }],
    ['a connection cut before the answer', { kind: 'reset' }],
    ['a connection cut inside the answer', { kind: 'cut' }],
    ['a body that never ends', { kind: 'drip' }],
    ['a body that is too long', { kind: 'flood', bytes: 40_000 }],
  ])('holds no secret after %s', async (_, fault) => {
    stage = await openStage({ keys: [key] });
    stage.service.misbehave(fault, { on });
    const error = await failing(stage.client(way, { tryTimeoutMs: 300, maxBodyBytes: 10_000 }).timeline(past));
    const tokens = stage.service.requests.flatMap(({ headers }) => headers['x-auth-token'] ?? []);
    const secrets = [stage.service.user.password, ...Object.values(key), ...tokens.flat()];
    expect(secrets.filter((secret) => shown(error).includes(secret))).toEqual([]);
    expect(shown(error)).not.toMatch(/http:\/\/|Request \{|Response \{|Signature=/);
  });

  it('holds no secret when nothing listens', async () => {
    stage = await openStage({ keys: [key] });
    const changes = on === 'token' ? { iamUrl: NOBODY } : { baseUrl: NOBODY };
    const error = await failing(stage.client(way, changes).timeline(past));
    const secrets = [stage.service.user.password, ...Object.values(key)];
    expect([error.code, ...secrets.filter((secret) => shown(error).includes(secret))]).toEqual([
      'upstream_unavailable',
    ]);
    expect(shown(error)).not.toContain('http://');
  });
});

/** A proxy that forwards plain HTTP, as a corporate one does. */
async function openProxy(): Promise<{ server: Server; url: string; targets: string[] }> {
  const targets: string[] = [];
  const server = createServer({ maxHeaderSize: 128 * 1024 }, (incoming, outgoing) => {
    targets.push(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = forward(incoming.url ?? '', { method, headers, maxHeaderSize: 128 * 1024 }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
}

describe('a proxy from the environment', () => {
  const unproxied = getGlobalDispatcher();
  afterEach(() => setGlobalDispatcher(unproxied));

  it('is used for both services if Node uses it, with tokens of 40 KiB', async () => {
    stage = await openStage({ tokenLength: 40 * 1024 });
    const proxy = await openProxy();
    vi.stubEnv('http_proxy', proxy.url);
    vi.stubEnv('no_proxy', '');
    // As Node does with NODE_USE_ENV_PROXY=1.
    setGlobalDispatcher(new EnvHttpProxyAgent());
    const answer = await stage.client('token').timeline(past);
    proxy.server.closeAllConnections();
    proxy.server.close();
    expect(answer.points.length).toBeGreaterThan(0);
    expect(proxy.targets.map((target) => target.split('?')[0])).toEqual([
      `${stage.service.iamUrl}/v3/auth/tokens`,
      `${stage.service.url}/v1/${stage.service.projectId}/waf/event/timeline`,
    ]);
  });

  it('is left alone if Node does not use it', async () => {
    stage = await openStage();
    vi.stubEnv('http_proxy', NOBODY);
    expect((await stage.client('token').timeline(past)).points.length).toBeGreaterThan(0);
  });
});

it('a redirect is not followed: it would carry the token elsewhere', async () => {
  stage = await openStage({ keys: [key] });
  const location = `${stage.service.url}/elsewhere`;
  stage.service.misbehave(
    { kind: 'answer', answer: { status: 307, headers: { location }, body: '' } },
    { on: 'timeline' },
  );
  await failing(stage.client('token').timeline(past));
  const targets = stage.service.requests.map(({ target }) => target);
  expect(targets.length).toBeGreaterThan(0);
  expect(targets.filter((target) => target.includes('elsewhere'))).toEqual([]);
});

it('a connection stays open between calls', async () => {
  stage = await openStage();
  const client = stage.client('aksk');
  await client.timeline(past);
  await client.timeline(question(HOUR, START - 2 * DAY));
  expect(new Set(stage.service.calls('timeline').map(({ headers }) => headers.connection))).toEqual(
    new Set(['keep-alive']),
  );
});

it('signs the URL that is sent, whatever the hosts are called', async () => {
  stage = await openStage();
  const hosts = ["!*'()", 'ä/ö', '日本', '😀', 'a=b&c', '%41', '+'];
  const client = stage.client('aksk', { baseUrl: `${stage.service.url}/` });
  // The signature was accepted, or the refusal would be about that.
  expect((await failing(client.timeline({ ...past, hosts }))).code).toBe('not_found');
  const sent = new URL(`http://x${stage.service.calls('timeline')[0]?.target}`).searchParams.getAll('hosts');
  expect(sent.toSorted()).toEqual(hosts.toSorted());
});
