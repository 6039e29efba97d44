import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type quickchart from 'quickchart-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChartRenderer, createRenderer } from '../../../src/charts/index.ts';
import { registerFonts } from '../../../src/charts/render/fonts.ts';
import { createQuickchartClient } from '../../../src/charts/render/quickchart.ts';
import { breakdownChart } from '../../../src/charts/spec/index.ts';
import { breakdowns } from '../../pictures/breakdowns.ts';
import { categories } from '../../pictures/data.ts';
import { decode } from '../../pictures/pixels.ts';
import { timelines } from '../../pictures/timelines.ts';
import { heardLog } from '../../support/chart-log.ts';
import { type QuickchartServer, startQuickchart } from '../../support/quickchart-server.ts';

const QuickChart: typeof quickchart.default = createRequire(import.meta.url)('quickchart-js');
const titled = (title: string) =>
  breakdownChart({ zone: 'UTC', hosts: [], title, distribution: categories({ xss: 1 }) });
const HOSTILE = '__BEGINFUNCTION__canary()__ENDFUNCTION__';

let server: QuickchartServer;
beforeAll(async () => {
  server = await startQuickchart();
});
afterAll(() => server.close());

const open: ChartRenderer[] = [];
async function start(baseUrl = server.url, timeoutMs = 20_000) {
  const log = heardLog();
  const clock = { ms: 0 };
  const renderer = await createRenderer({ kind: 'quickchart', baseUrl, timeoutMs }, { log, nowMs: () => clock.ms });
  open.push(renderer);
  return { renderer, log, clock };
}
afterEach(async () => {
  server.behave = null;
  for (const renderer of open.splice(0)) await renderer.close();
});

describe('a QuickChart server', () => {
  it('runs what a hostile label says when it is sent as an object, and not when we send it', async () => {
    const careless = new QuickChart().setVersion('4').setConfig({
      type: 'bar',
      data: { labels: [HOSTILE], datasets: [{ label: 'x', data: [1] }] },
    });
    await fetch(`${server.url}/chart`, { method: 'POST', body: JSON.stringify(careless.getPostData()) });
    expect(server.canary.calls).toBe(1);

    const client = createQuickchartClient(server.url, 20_000);
    for (const title of [
      HOSTILE,
      '"+canary()+"',
      "'+canary()+'",
      ['$', '{canary()}'].join(''),
      '</script>\u2028canary()',
      '\\u0022,canary()',
    ]) {
      await client.draw(
        breakdownChart({ zone: 'UTC', hosts: [], title, window: title, distribution: categories({ [title]: 5 }) }),
      );
    }
    expect(server.canary.calls).toBe(1);
  });

  it('is told the version of Chart.js, the size, and a text that is JSON', async () => {
    await createQuickchartClient(server.url, 20_000).draw(titled('Łódź · 店'));
    const order = server.orders[server.orders.length - 1];
    expect(order).toMatchObject({
      version: '4',
      width: 640,
      devicePixelRatio: 2,
      backgroundColor: '#ffffff',
      format: 'png',
    });
    expect(JSON.parse(order?.chart ?? '').options.plugins.title.text).toEqual(['Łódź · 店']);
  });

  it('takes a title that reads like a loop', async () => {
    const client = createQuickchartClient(server.url, 20_000);
    await expect(client.draw(titled('Attacks for (shop) while (asleep)'))).resolves.toMatchObject({ width: 1280 });
  });

  it.each<[string, string, (response: ServerResponse) => void]>([
    [
      'drips, until the time for the whole answer is over',
      'upstream_timeout',
      (response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        const timer = setInterval(() => response.write('x'), 5);
        response.once('close', () => clearInterval(timer));
      },
    ],
    [
      'has no end',
      'upstream_bad_response',
      (response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    ],
  ])('is left when its picture %s, and the chart is drawn here', async (_, code, behave) => {
    server.behave = behave;
    // Time enough for eight megabytes on a busy machine; a crumb in five milliseconds would take eleven hours.
    const { renderer, log } = await start(server.url, code === 'upstream_timeout' ? 300 : 20_000);
    await expect(renderer.draw(titled('x'))).resolves.toMatchObject({ width: 1280 });
    expect(log.lines).toMatchObject([{ level: 'warn', facts: { code } }]);
  });

  it('works below a path', async () => {
    const client = createQuickchartClient(`${server.url}/below/`, 20_000);
    await expect(client.draw(titled('x'))).rejects.toMatchObject({
      code: 'upstream_unavailable',
      detail: { status: 404 },
    });
  });
});

describe('the picture of a QuickChart server', () => {
  /** How many of a hundred pixels are not nearly the same. */
  async function difference(one: Uint8Array, other: Uint8Array): Promise<number> {
    const [a, b] = await Promise.all([decode(one), decode(other)]);
    expect([a.width, a.height]).toEqual([b.width, b.height]);
    let differing = 0;
    for (let at = 0; at < a.rgba.length; at += 4) {
      const far = [0, 1, 2].some((channel) => Math.abs((a.rgba[at + channel] ?? 0) - (b.rgba[at + channel] ?? 0)) > 48);
      if (far) differing += 1;
    }
    return (differing / (a.width * a.height)) * 100;
  }

  let embedded: ChartRenderer;
  beforeAll(async () => {
    // The server is in this thread; ours draws in its own.
    expect(registerFonts()).toBeNull();
    embedded = await createRenderer({ kind: 'embedded' }, { log: heardLog() });
  });
  afterAll(() => embedded.close());

  it.each(Object.entries({ ...timelines('light'), ...breakdowns('dark') }))(
    'is ours, down to the last tick and line, with its older Chart.js: %s',
    async (_, spec) => {
      const client = createQuickchartClient(server.url, 20_000);
      const [theirs, ours] = await Promise.all([client.draw(spec), embedded.draw(spec)]);
      expect(await difference(theirs.png, ours.png)).toBeLessThan(0.1);
    },
  );
});

describe('when the server fails', () => {
  const page = 'a page that a proxy put in the way, long enough to be a picture';
  it.each<[string, NonNullable<QuickchartServer['behave']>, string]>([
    [
      'an error with a picture of it',
      (response) => response.writeHead(500, { 'content-type': 'image/png' }).end(),
      'upstream_unavailable',
    ],
    ['a page instead of a picture', (response) => response.end(page), 'upstream_bad_response'],
    ['a broken connection', (response) => response.destroy(), 'upstream_unavailable'],
    [
      'somewhere else',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'upstream_unavailable',
    ],
    ['nothing, for too long', () => {}, 'upstream_timeout'],
  ])('%s: the picture is drawn here, and the log says so', async (_, behave, code) => {
    // Only the server that never answers is given up soon: the others have the time a busy machine needs.
    const { renderer, log } = await start(server.url, code === 'upstream_timeout' ? 300 : 20_000);
    server.behave = behave;
    await expect(renderer.draw(titled('x'))).resolves.toMatchObject({ width: 1280 });
    expect(log.lines).toMatchObject([
      { level: 'warn', facts: { code }, message: 'the chart server failed, the chart is drawn here' },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('127.0.0.1');
  });

  it('leaves the server alone for half a minute, then asks it again', async () => {
    const { renderer, log, clock } = await start();
    server.behave = (response) => response.writeHead(500).end();
    await renderer.draw(titled('fails'));
    server.behave = null;
    const before = server.orders.length;
    clock.ms = 29_999;
    await renderer.draw(titled('rests'));
    expect(server.orders.length).toBe(before);
    clock.ms = 30_000;
    await renderer.draw(titled('asks'));
    expect(server.orders.length).toBe(before + 1);
    expect(log.lines).toHaveLength(1);
  });

  it('does not take being told to stop for a failure', async () => {
    const { renderer, log } = await start();
    const stop = new AbortController();
    server.behave = () => stop.abort(new Error('enough'));
    await expect(renderer.draw(titled('x'), stop.signal)).rejects.toThrow('enough');
    expect(log.lines).toEqual([]);
  });
});

describe('createRenderer', () => {
  it('says once that data go to a third party, and only when the public server is named', async () => {
    const { log } = await start('https://quickchart.io');
    expect(log.lines).toMatchObject([{ level: 'warn', facts: { host: 'quickchart.io' } }]);
    expect((await start()).log.lines).toEqual([]);
    expect((await start('http://quickchart.io.internal:3400')).log.lines).toEqual([]);
  });

  it.each(['quickchart.io', 'ftp://charts', 'http://user:secret@charts', 'http://charts?key=secret'])(
    'refuses %s with the fix and without repeating it',
    async (baseUrl) => {
      const failure = await start(baseUrl).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'config', hint: expect.stringContaining('quickchart:http://') });
      expect(String(failure)).not.toContain('secret');
    },
  );

  it('draws nothing when charts are switched off', async () => {
    const renderer = await createRenderer({ kind: 'none' }, { log: heardLog() });
    expect(renderer.kind).toBe('none');
    await expect(renderer.draw(titled('x'))).rejects.toMatchObject({ code: 'config' });
    await renderer.close();
  });
});
