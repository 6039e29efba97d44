import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../../support/ground-truth.ts';
import { NOW_MINUTE, SHOP } from '../commands/verdict-stage.ts';
import { type AgentStage, call, ERAS, openAgentStage, TOKEN } from './agent-stage.ts';

/** An hour of last night, five times what the shop has. */
const NIGHT = { kind: 'step', fromMinute: NOW_MINUTE - 600, minutes: 60, perMinute: 20, hosts: [SHOP] } as const;

let stage: AgentStage;
beforeAll(async () => {
  stage = await openAgentStage(53, [NIGHT]);
});
afterAll(() => stage?.close());

describe.each(ERAS)('a client %s', (_name, era) => {
  it('finds every tool with a title, its schemas and the hint that it only reads', async () => {
    const client = await stage.connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['waf_check', 'waf_ask', 'waf_incident', 'waf_who', 'waf_hosts']);
    for (const { title, description, annotations, inputSchema, outputSchema } of tools) {
      expect([title, description].every((words) => (words ?? '').length > 5)).toBe(true);
      expect(annotations).toEqual({ readOnlyHint: true });
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object', required: ['finding', 'details', 'next'] });
    }
    await client.close();
  });

  it('gets what Slack gets, finding first, from every tool', async () => {
    const client = await stage.connect(era);
    const inSlack = await stage.open.ask('check last night on shop');
    const check = await call(client, 'waf_check', { range: 'last night', hosts: ['shop'] });
    expect(check.text.split('\n').slice(0, 3)).toEqual([
      inSlack.title,
      'shop · Tue 10 Mar 18:00 – Wed 11 Mar 08:00 · UTC',
      text([inSlack.headline ?? []]),
    ]);
    expect(check.structured).toMatchObject({ finding: inSlack.title, level: inSlack.level });
    const why = await call(client, 'waf_check', { range: 'last night', hosts: ['shop'], why: true });
    expect(why.text).toMatch(/^Why: .*\n(.*\n)?Expected: about/);
    const timeline = await call(client, 'waf_ask', { sentence: 'timeline yesterday on shop' });
    expect(timeline.text).toMatch(/\nstart,requests,attacks\n2026-03-10T00:00,\d+,\d+\n00:30,/);
    const who = await call(client, 'waf_who', { range: 'yesterday' });
    expect(who.text).toContain((await stage.open.ask('who yesterday')).title);
    expect(who.text).toMatch(/\nKind,What,Attacks,Before\nAddress,203\.0\.113\.x,\d+,\d+\n/);
    const incident = await call(client, 'waf_incident', { range: 'last night', hosts: ['shop'] });
    expect(incident.text).toMatch(/## Timeline\n\nAll times are UTC\.\n\n- \*\*2026-03-11 02:\d\d\*\* Began\./);
    expect(incident.text).not.toMatch(/csv|in the thread|beside this/i);
    const hosts = await call(client, 'waf_hosts');
    expect(hosts.text).toContain('\nName\nshop');
    expect([check, why, timeline, who, incident, hosts].filter(({ failed }) => failed)).toEqual([]);
    await client.close();
  });

  it('reads the categories, the rule and what can be asked', async () => {
    const client = await stage.connect(era);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['waf://categories', 'waf://verdict', 'waf://questions']);
    const texts = await Promise.all(
      resources.map(async ({ uri }) => {
        const [content] = (await client.readResource({ uri })).contents;
        return content !== undefined && 'text' in content ? content.text : '';
      }),
    );
    expect(texts[0]).toContain('SQL injection: sqli, sql');
    expect(texts[1]).toMatch(/surge/i);
    expect(texts[2]).toContain('timeline last 24h');
    expect(texts[2]).not.toMatch(/^(digest|watch|hosts)/m);
    await client.close();
  });

  it('is refused in words that say what to ask instead, without a structure', async () => {
    const client = await stage.connect(era);
    const refused = async (name: string, args: Record<string, unknown>): Promise<string> => {
      const { failed, structured, text: words } = await call(client, name, args);
      expect([failed, structured]).toEqual([true, undefined]);
      return words;
    };
    expect(await refused('waf_ask', { sentence: 'timelin lst 24h' })).toMatch(/Ask instead: timeline last 24h$/);
    expect(await refused('waf_check', { hosts: ['shpo'] })).toMatch(/Ask instead: check on shop$/);
    expect(await refused('waf_check', { range: 'on the day of the moon' })).toContain('on the day of the moon');
    expect(await refused('waf_check', { rnge: 'last 1h' })).toContain('Unrecognized key: "rnge"');
    expect(await refused('waf_incident', {})).toContain('range');
    expect(await refused('waf_ask', { sentence: 'x'.repeat(501) })).toContain('500');
    await expect(client.callTool({ name: 'waf_delete', arguments: {} })).rejects.toThrow('waf_delete');
    await client.close();
  });

  it.each([
    'hosts add evil 3ac26c59e15a4a11bb680a103a29ddb6',
    'hosts remove shop',
    'digest daily at 09:00',
    'watch',
    'ack',
    'settings zone UTC',
    'handover',
    'join',
    'doctor',
  ])('changes nothing with “%s”', async (sentence) => {
    const client = await stage.connect(era);
    const { failed, text: words } = await call(client, 'waf_ask', { sentence });
    expect(failed).toBe(true);
    expect(words).toMatch(/^“\w+” can't be asked here/);
    const { text: hosts } = await call(client, 'waf_hosts');
    expect(hosts).toMatch(/\nName\nshop$/);
    await client.close();
  });
});

describe('rows', () => {
  it('are as many as requested, and add up to the total of the answer', async () => {
    const client = await stage.connect('legacy');
    for (const [rows, intervals] of [
      [undefined, 48],
      [10, 8],
      [170, 144],
    ] as const) {
      const { text: words } = await call(client, 'waf_ask', {
        sentence: 'timeline yesterday on shop',
        ...(rows !== undefined && { rows }),
      });
      const counts = [...words.matchAll(/^(?:2026-03-\d\dT)?\d\d:\d\d,\d+,(\d+)$/gm)].map(([, count]) => Number(count));
      expect(counts).toHaveLength(intervals);
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(words).toContain(`${total.toLocaleString('en')} attacks`);
    }
    await client.close();
  });

  it('name the offset of each time where clocks change', async () => {
    const client = await stage.connect('legacy');
    const sentence = 'timeline 2025-10-26 in Europe/Berlin';
    const { text: words } = await call(client, 'waf_ask', { sentence, rows: 30 });
    expect(words).toContain('\n2025-10-26T00:00+02:00,');
    expect(words).toContain('\n02:00+02:00,');
    expect(words).toContain('\n02:00+01:00,');
    await client.close();
  });
});

it('adds the picture only on request', async () => {
  const client = await stage.connect('legacy');
  const { kinds } = await call(client, 'waf_check', { range: 'last 3h' });
  const { kinds: withPicture } = await call(client, 'waf_check', { range: 'last 3h', picture: true });
  expect([kinds, withPicture]).toEqual([['text'], ['text', 'image']]);
  await client.close();
});

describe('a request', () => {
  const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const HEADERS = {
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const statusOf = async (headers: Record<string, string>, body = LIST, path = '/mcp'): Promise<number> => {
    const url = stage.url.replace('/mcp', path);
    return (await fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body })).status;
  };

  it.each([
    ['with the token', {}, 200],
    ['with another token', { authorization: `Bearer ${TOKEN}x` }, 401],
    ['with no token', { authorization: '' }, 401],
    ['with the token as a password', { authorization: `Basic ${TOKEN}` }, 401],
    ['from a website of this machine', { origin: 'http://127.0.0.1:1234' }, 200],
    ['from a foreign website', { origin: 'https://evil.example' }, 403],
    ['from nowhere', { origin: 'null' }, 403],
    ['of another type', { 'content-type': 'text/plain' }, 415],
  ])('%s is answered with its status', async (_what, headers, status) => {
    expect(await statusOf(headers)).toBe(status);
  });

  it('for a foreign host is refused, whatever its token', async () => {
    const { exchange } = await import('../../support/raw-http.ts');
    const head = `POST /mcp HTTP/1.1\r\nhost: evil.example\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\n`;
    const answer = await exchange(stage.server.port, `${head}content-length: ${LIST.length}\r\n\r\n${LIST}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('is refused where there is nothing, and if it is too large', async () => {
    expect(await statusOf({}, LIST, '/')).toBe(404);
    expect(await statusOf({}, LIST, '/metrics')).toBe(404);
    expect(await statusOf({}, `"${'x'.repeat(300_000)}"`)).toBe(413);
    expect(await statusOf({ authorization: '' }, `"${'x'.repeat(300_000)}"`)).toBe(401);
  });
});
