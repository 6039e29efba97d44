/** Every server of the playground: what a site in a browser, or anyone else on this machine, could send to it. */
import { afterEach, describe, expect, it } from 'vitest';
import { startPage } from '../../../playground/page/index.ts';
import { startStatisticsService } from '../../../playground/service/server.ts';
import { type LocalSlack, startLocalSlack } from '../../../playground/slack/index.ts';
import { exchange, HOSTILE_TARGETS, statusOf } from '../../support/raw-http.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function startSlack(): Promise<LocalSlack> {
  const slack = await startLocalSlack();
  stops.push(slack.stop);
  return slack;
}

const portOf = (url: string): number => Number(new URL(url).port);

const SERVERS: Readonly<Record<string, () => Promise<string>>> = {
  'the page': async () => {
    const page = await startPage({ slack: await startSlack() });
    stops.push(page.stop);
    return page.url;
  },
  'the local Slack': async () => (await startSlack()).url,
  'the statistics service': async () => {
    const service = await startStatisticsService();
    stops.push(service.close);
    return service.url;
  },
  'the identity service': async () => {
    const service = await startStatisticsService();
    stops.push(service.close);
    return service.iamUrl;
  },
};

describe.each(Object.keys(SERVERS))('%s', (name) => {
  const start = async (): Promise<number> => portOf((await SERVERS[name]?.()) ?? '');

  it('refuses targets that are no address, and goes on', async () => {
    const port = await start();
    for (const target of HOSTILE_TARGETS) {
      const status = await statusOf(port, target);
      expect([target, Math.floor((status ?? 0) / 100)]).toEqual([target, 4]);
    }
  });

  it.each([
    ['under a foreign name', 'host: evil.example'],
    ['under a name that begins like its own', 'host: 127.0.0.1.evil.example'],
    ['without a name', 'host:'],
    ['by a script of another site', 'host: 127.0.0.1\r\norigin: https://evil.example'],
    ['by a script without a site', 'host: 127.0.0.1\r\norigin: null'],
  ])('refuses what is asked %s', async (_, headers) => {
    const port = await start();
    expect(await statusOf(port, '/', headers)).toBe(403);
    expect(await statusOf(port, '/', `host: localhost:${port}`)).not.toBe(403);
  });
});

describe('a socket to the local Slack', () => {
  async function upgrade(slack: LocalSlack, target: string, headers: string): Promise<string> {
    const port = portOf(slack.url);
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13';
    const asked = `GET ${target} HTTP/1.1\r\n${headers}\r\nconnection: upgrade\r\nupgrade: websocket\r\n${key}\r\n\r\n`;
    return (await exchange(port, asked)).split('\r\n')[0] ?? '';
  }

  it.each(HOSTILE_TARGETS)('is refused for the target %s', async (target) => {
    const slack = await startSlack();
    expect(await upgrade(slack, target, 'host: 127.0.0.1')).toMatch(/^HTTP\/1\.1 40[03] /);
  });

  it.each(['host: evil.example', 'host: 127.0.0.1\r\norigin: https://evil.example'])(
    'is refused to others even with a ticket: %j',
    async (headers) => {
      const slack = await startSlack();
      const authorization = `Bearer ${slack.appToken}`;
      const opened = await fetch(`${slack.apiUrl}/apps.connections.open`, {
        method: 'POST',
        headers: { authorization },
      });
      const body: { url: string } = JSON.parse(await opened.text());
      const { pathname, search } = new URL(body.url);
      expect(await upgrade(slack, `${pathname}${search}`, headers)).toBe('HTTP/1.1 403 Forbidden');
      expect(slack.sockets.connected()).toBe(0);
    },
  );
});

it('the tokens and the signing secret of a local Slack are new at every start', async () => {
  const [one, two] = [await startSlack(), await startSlack()];
  for (const secret of ['botToken', 'appToken', 'signingSecret'] as const) expect(one[secret]).not.toBe(two[secret]);
  const authTest = async (token: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${one.apiUrl}/auth.test`, { method: 'POST', headers })).json();
  };
  expect(await authTest(one.botToken)).toMatchObject({ ok: true });
  expect(await authTest(two.botToken)).toMatchObject({ ok: false, error: 'invalid_auth' });
});
