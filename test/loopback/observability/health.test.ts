/** What a supervisor sees over HTTP, in both modes, from before the start to the end. */
import { afterEach, describe, expect, it } from 'vitest';
import { startLocalSlack } from '../../../playground/slack/index.ts';
import { WORKSPACE } from '../../../playground/workspace.ts';
import { startBot } from '../../../src/bot.ts';
import { systemClock } from '../../../src/clock.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { Secret } from '../../../src/secret.ts';
import { createClients } from '../../../src/slack/transport/web-api.ts';
import { eventually } from '../../support/clock.ts';
import { createImpatientClock } from '../../support/impatient-clock.ts';
import { HOSTILE_TARGETS, statusOf } from '../../support/raw-http.ts';
import { configFor, startWorld, TUESDAY, type World, type WorldOptions } from '../../support/world.ts';

const worlds: World[] = [];
async function world(options: WorldOptions = {}): Promise<World> {
  const started = await startWorld(options);
  worlds.push(started);
  return started;
}
afterEach(async () => {
  for (const started of worlds.splice(0)) await started.stop();
});

async function get(w: World, path: string): Promise<{ status: number; body: string; type: string }> {
  const response = await fetch(`http://127.0.0.1:${w.bot.port}${path}`);
  return { status: response.status, body: await response.text(), type: response.headers.get('content-type') ?? '' };
}
const metric = (body: string, name: string): number =>
  Number(
    body
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );

describe.each(['socket', 'http'] as const)('in %s mode', (mode) => {
  it('says that it lives, that it is ready, and how much it did', async () => {
    const w = await world({ mode });
    expect(await get(w, '/healthz')).toMatchObject({ status: 200, body: '{"alive":true}\n' });
    await eventually(() => w.bot.slack.connected() !== 1, 'both sockets');
    expect(await get(w, '/readyz')).toMatchObject({ status: 200, body: '{"ready":true,"store":"ok","slack":"ok"}\n' });
    for (const text of ['timeline last 2h', 'timeline bananas']) {
      await w.slack.command({ text });
      await w.slack.nextMessage();
    }
    // Some of the questions to the service share a call.
    expect(
      metric((await get(w, '/metrics')).body, 'wafbot_service_calls_total{kind="timeline",outcome="answered"}'),
    ).toBeGreaterThanOrEqual(w.service.calls('timeline').length);
    w.service.misbehave({ kind: 'reset' });
    await w.slack.command({ text: 'attacks 2026-03-01' });
    await w.slack.nextMessage();
    const { status, body, type } = await get(w, '/metrics');
    expect(status).toBe(200);
    expect(type).toMatch(/^text\/plain; version=/);
    // The last answer is counted a moment after it is seen.
    await eventually(
      async () => metric((await get(w, '/metrics')).body, 'wafbot_answer_seconds_count') === 3,
      'three answers',
    );
    const counted = (await get(w, '/metrics')).body;
    expect(metric(counted, 'wafbot_questions_total{verb="timeline",outcome="answered"}')).toBe(1);
    expect(metric(counted, 'wafbot_questions_total{verb="none",outcome="refused"}')).toBe(1);
    expect(metric(counted, 'wafbot_questions_total{verb="attacks",outcome="failed"}')).toBe(1);
    expect(metric(counted, 'wafbot_questions_under_way')).toBe(0);
    expect(metric(counted, 'wafbot_chart_seconds_count')).toBe(1);
    expect(metric(counted, 'wafbot_service_tokens_total{outcome="issued"}')).toBe(1);
    expect(metric(counted, 'wafbot_service_request_seconds_count{outcome="upstream_unavailable"}')).toBeGreaterThan(0);
    expect(metric(counted, 'wafbot_cache_reads_total{from="service"}')).toBeGreaterThan(0);
    expect(
      metric(counted, 'wafbot_service_calls_total{kind="distribution",outcome="upstream_unavailable"}'),
    ).toBeGreaterThan(0);
    expect(metric(counted, 'wafbot_slack_sockets')).toBe(mode === 'socket' ? 2 : 0);
    expect(body).not.toMatch(/xox|xapp|C0SECURITY|U0MAYA/);
    expect((await get(w, '/nothing')).status).toBe(404);
  });

  it('is not ready while the store is away', async () => {
    const w = await world({ mode });
    await w.bot.store.close();
    const ready = await get(w, '/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.parse(ready.body)).toMatchObject({ ready: false, store: 'failed' });
    expect((await get(w, '/healthz')).status).toBe(200);
  });
});

describe('health on this machine alone', () => {
  it('answers to names of this machine, so that no site in a browser can read it', async () => {
    const w = await world({ mode: 'http', environment: { WAFBOT_HEALTH_PORT: '127.0.0.1:0' } });
    for (const host of ['evil.example', `evil.example:${w.bot.port}`, '127.0.0.1.evil.example', ''])
      expect([host, await statusOf(w.bot.port, '/metrics', `host: ${host}`)]).toEqual([host, 403]);
    for (const host of ['localhost', `127.0.0.1:${w.bot.port}`, '[::1]:3001'])
      expect([host, await statusOf(w.bot.port, '/metrics', `host: ${host}`)]).toEqual([host, 200]);
  });
});

describe('Slack\u2019s port in HTTP mode, which is open to the internet', () => {
  it('has neither health nor metrics, and nothing but the path of Slack', async () => {
    const w = await world({ mode: 'http' });
    const port = w.bot.slack.port() ?? 0;
    expect(port).not.toBe(w.bot.port);
    for (const path of ['/healthz', '/readyz', '/metrics', '/', '/slack/events']) {
      expect([path, await statusOf(port, path)]).toEqual([path, 404]);
    }
    expect(await statusOf(w.bot.port, '/metrics')).toBe(200);
  });

  it('refuses targets that are no address, and goes on', async () => {
    const w = await world({ mode: 'http' });
    const port = w.bot.slack.port() ?? 0;
    for (const target of HOSTILE_TARGETS)
      expect(Math.floor(((await statusOf(port, target)) ?? 0) / 100), target).toBe(4);
    await w.slack.command({ text: 'doctor' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Doctor/);
  });
});

describe('Slack away', () => {
  it('in the middle: alive, not ready, and ready again', async () => {
    const w = await world();
    w.slack.sockets.setClosed(true);
    w.slack.sockets.drop();
    await eventually(async () => (await get(w, '/readyz')).status === 503, 'not ready');
    expect(await get(w, '/readyz')).toMatchObject({ body: '{"ready":false,"store":"ok","slack":"failed"}\n' });
    expect((await get(w, '/healthz')).status).toBe(200);
    w.slack.sockets.setClosed(false);
    await eventually(async () => (await get(w, '/readyz')).status === 200, 'ready again');
    await w.slack.command({ text: 'doctor' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Doctor/);
  });

  it('at the start: waits, and then works', async () => {
    const w = await world({
      prepare: (slack) => {
        slack.faults.inject('auth.test', { kind: 'status', status: 503 }, { times: 5 });
        slack.faults.inject('apps.connections.open', { kind: 'cut' }, { times: 6 });
      },
    });
    await w.slack.command({ text: 'doctor' });
    expect((await w.slack.nextMessage()).text).toMatch(/^Doctor/);
    expect(w.logged.join('')).toContain('could not reach Slack, retrying');
  });
});

describe('tokens that Slack refuses', () => {
  it.each([
    ['bot', 'SLACK_BOT_TOKEN'],
    ['app', 'SLACK_APP_TOKEN'],
  ] as const)(
    'the %s token: the start fails with the name of the setting, and nothing is left open',
    async (which, setting) => {
      const slack = await startLocalSlack({ mode: 'socket', workspace: WORKSPACE });
      const good = configFor(slack, { url: 'http://127.0.0.1:9', iamUrl: 'http://127.0.0.1:9' }, 'socket', {});
      const wrong = {
        ...good,
        slack: {
          ...good.slack,
          ...(which === 'bot'
            ? { botToken: new Secret('xoxb-wrong') }
            : { transport: { kind: 'socket' as const, appToken: new Secret('xapp-wrong') } }),
        },
      };
      const started = startBot(wrong, createLogger('silent', []), { clock: createImpatientClock(TUESDAY) });
      await expect(started).rejects.toMatchObject({ code: 'config', hint: expect.stringContaining(setting) });
      const calls = slack.calls().length;
      // On this clock a loop left running would call again at once, so before these round trips are over.
      const roundTrips = 5;
      const log = createLogger('silent', []);
      const { read } = createClients({ token: slack.botToken, apiUrl: slack.apiUrl, clock: systemClock, log });
      for (let trip = 0; trip < roundTrips; trip += 1) await read.auth.test();
      expect(slack.calls()).toHaveLength(calls + roundTrips);
      expect(slack.sockets.connected()).toBe(0);
      await slack.stop();
    },
  );
});
