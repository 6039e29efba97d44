import type { ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type quickchart from 'quickchart-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChartRenderer, createRenderer, probeChartServer } from '../../../src/charts/index.ts';
import { registerFonts } from '../../../src/charts/render/fonts.ts';
import { pngSize } from '../../../src/charts/render/png.ts';
import { createQuickchartClient } from '../../../src/charts/render/quickchart.ts';
import { breakdownChart, type ChartSpec, chartConfig } from '../../../src/charts/spec/index.ts';
import { breakdowns } from '../../pictures/breakdowns.ts';
import { categories } from '../../pictures/data.ts';
import { decode } from '../../pictures/pixels.ts';
import { timelines } from '../../pictures/timelines.ts';
import { heardLog } from '../../support/chart-log.ts';
import { casesOf } from '../../support/counts.ts';
import { type QuickchartServer, startQuickchart } from '../../support/quickchart-server.ts';

const QuickChart: typeof quickchart.default = createRequire(import.meta.url)('quickchart-js');
const titled = (title: string) =>
  breakdownChart({ zone: 'UTC', hosts: [], title, distribution: categories({ xss: 1 }) });
function orderOf(spec: ChartSpec) {
  const { config, ...card } = chartConfig(spec);
  return { ...card, config: JSON.stringify(config) };
}

const HOSTILE = '__BEGINFUNCTION__canary()__ENDFUNCTION__';

let server: QuickchartServer;
beforeAll(async () => {
  server = await startQuickchart();
});
afterAll(() => server.close());

const open: ChartRenderer[] = [];
async function start(baseUrl = server.url, timeoutMs = 20_000, giveUp = new AbortController().signal) {
  const log = heardLog();
  const clock = { ms: 0 };
  const renderer = await createRenderer(
    { kind: 'quickchart', baseUrl, timeoutMs },
    { log, nowMs: () => clock.ms, giveUp },
  );
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
        orderOf(
          breakdownChart({ zone: 'UTC', hosts: [], title, window: title, distribution: categories({ [title]: 5 }) }),
        ),
      );
    }
    expect(server.canary.calls).toBe(1);
  });

  it('is told the version of Chart.js, the size, and a text that is JSON', async () => {
    await createQuickchartClient(server.url, 20_000).draw(orderOf(titled('Łódź · 店')));
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
    const png = await client.draw(orderOf(titled('Attacks for (shop) while (asleep)')));
    expect(pngSize(png)).toMatchObject({ width: 1280 });
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
    await expect(client.draw(orderOf(titled('x')))).rejects.toMatchObject({
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

  const charts = Object.entries({ ...timelines(), ...breakdowns() }).map((chart, at) => [...chart, at] as const);
  it.each(casesOf(charts, ([, , at]) => at % 4 === 0))(
    'is ours, down to the last tick and line, with its older Chart.js: %s',
    async (_, spec) => {
      const client = createQuickchartClient(server.url, 20_000);
      const [theirs, ours] = await Promise.all([client.draw(orderOf(spec)), embedded.draw(spec)]);
      expect(await difference(theirs, ours.png)).toBeLessThan(0.03);
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
      { level: 'warn', facts: { code }, message: 'chart server failed, drawing the chart here' },
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

  it('is drawn here, without a complaint, when nobody may wait for a server any more', async () => {
    const stop = new AbortController();
    const { renderer, log } = await start(server.url, 20_000, stop.signal);
    server.behave = () => stop.abort();
    await expect(renderer.draw(titled('x'))).resolves.toMatchObject({ width: 1280 });
    expect(log.lines).toEqual([]);
  });
});

describe('pictures that are asked for again', () => {
  it('are drawn once: eight for 1,000 digests of which eight differ', async () => {
    const { renderer } = await start();
    const before = server.orders.length;
    const digests = Array.from({ length: 1_000 }, (_, n) => titled(`digest ${n % 8}`));
    // The first hundred at the same time, the others later.
    await Promise.all(digests.slice(0, 100).map((spec) => renderer.draw(spec)));
    for (const spec of digests.slice(100)) await renderer.draw(spec);
    expect(server.orders.length - before).toBe(8);
  });

  it('are kept for ten minutes after they were last asked for', async () => {
    const { renderer, clock } = await start();
    const before = server.orders.length;
    for (const [ms, drawn] of [
      [0, 1],
      [9 * 60_000, 1],
      [18 * 60_000, 1],
      [29 * 60_000, 2],
    ] as const) {
      clock.ms = ms;
      await renderer.draw(titled('again'));
      expect(server.orders.length - before).toBe(drawn);
    }
  });

  it('are kept up to eight megabytes, those that were asked for last', async () => {
    const { renderer } = await start();
    const { height } = await renderer.draw(titled('small'));
    const large = Buffer.alloc(3_000_000);
    large.set([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82]);
    large.writeUInt32BE(1280, 16);
    large.writeUInt32BE(height, 20);
    let asked = 0;
    server.behave = (response) => {
      asked += 1;
      response.end(large);
    };
    const ask = async (title: string) => {
      await renderer.draw(titled(title));
      return asked;
    };
    expect([await ask('a'), await ask('b'), await ask('a'), await ask('c')]).toEqual([1, 2, 2, 3]);
    expect([await ask('a'), await ask('c'), await ask('b')]).toEqual([3, 3, 4]);
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

describe('what the doctor is told', () => {
  const probe = (baseUrl = server.url) => probeChartServer({ kind: 'quickchart', baseUrl, timeoutMs: 20_000 });

  it('that the server draws, by a small chart', async () => {
    expect(await probe()).toEqual([{ what: 'Chart server', ok: true, says: 'It draws charts.' }]);
    expect(server.orders.at(-1)).toMatchObject({ width: 60, height: 40 });
  });

  it('that it fails or is away, what that means, and what to check', async () => {
    server.behave = (response) => response.writeHead(500).end();
    const [failed] = await probe();
    expect(failed).toMatchObject({ ok: false, fix: expect.stringContaining('WAFBOT_CHARTS') });
    expect(failed?.says).toBe('The chart server rejected the chart. Charts are drawn by the bot itself.');
    const [away] = await probe('http://127.0.0.1:2');
    expect(away?.says).toContain('Can’t reach the chart server.');
    expect(JSON.stringify(away)).not.toContain('127.0.0.1');
  });

  it('nothing where no server is configured', async () => {
    expect([await probeChartServer({ kind: 'embedded' }), await probeChartServer({ kind: 'none' })]).toEqual([[], []]);
  });
});
