/** What every renderer promises, whoever draws. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChartRenderer, createRenderer, type RendererOptions } from '../../../src/charts/index.ts';
import { type ChartSpec, chartConfig } from '../../../src/charts/spec/index.ts';
import { breakdowns } from '../../pictures/breakdowns.ts';
import { decode } from '../../pictures/pixels.ts';
import { timelines } from '../../pictures/timelines.ts';
import { heardLog } from '../../support/chart-log.ts';
import { type QuickchartServer, startQuickchart } from '../../support/quickchart-server.ts';

const all: Record<string, ChartSpec> = { ...timelines(), ...breakdowns() };
const names = [
  'a check that found something',
  'everything at once',
  '10,000 points',
  'no data',
  'one point',
  'all, compared',
  'no events',
];

function chart(name: string): ChartSpec {
  const found = all[name];
  if (found === undefined) throw new Error(`no chart ${name}`);
  return found;
}

let server: QuickchartServer;
beforeAll(async () => {
  server = await startQuickchart();
});
afterAll(() => server.close());

const renderers: Record<string, () => RendererOptions> = {
  embedded: () => ({ kind: 'embedded' }),
  quickchart: () => ({ kind: 'quickchart', baseUrl: server.url, timeoutMs: 30_000 }),
};

describe.each(Object.entries(renderers))('%s', (kind, options) => {
  const log = heardLog();
  let renderer: ChartRenderer;
  beforeAll(async () => {
    renderer = await createRenderer(options(), { log });
  });
  afterAll(() => renderer.close());

  it('says what it is', () => {
    expect(renderer.kind).toBe(kind);
  });

  it.each(names)('draws %s in its size, opaque, on its card', async (name) => {
    const { width, height, pixelRatio, background } = chartConfig(chart(name));
    const picture = await renderer.draw(chart(name));
    expect(picture).toMatchObject({ width: width * pixelRatio, height: height * pixelRatio });
    const pixels = await decode(picture.png);
    expect([pixels.width, pixels.height]).toEqual([picture.width, picture.height]);
    const hex = [...pixels.rgba.slice(0, 4)].map((value) => value.toString(16).padStart(2, '0')).join('');
    expect(`#${hex}`).toBe(`${background}ff`);
  });

  it('draws the attacks of a timeline in their colour, and the bars of a breakdown', async () => {
    const line = await decode((await renderer.draw(chart('a check that found something'))).png);
    expect(line.find('#d5480b').length).toBeGreaterThan(2_000);
    const bars = await decode((await renderer.draw(chart('all, compared'))).png);
    // Only those that changed are solid.
    expect(bars.find('#d5480b').length).toBeGreaterThan(5_000);
  });

  it('draws a picture once: whoever asks again gets the same', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => renderer.draw(chart('gaps and lone points'))));
    expect(other?.png).toBe(one?.png);
    await renderer.draw(chart('one category'));
    expect((await renderer.draw(chart('gaps and lone points'))).png).toBe(one?.png);
  });

  it('draws many at once, each its own', async () => {
    const pictures = await Promise.all(names.map((name) => renderer.draw(chart(name))));
    expect(pictures.map(({ height }) => height)).toEqual(names.map((name) => chartConfig(chart(name)).height * 2));
  });

  it('had nothing to complain about', () => {
    expect(log.lines).toEqual([]);
  });
});

describe('both', () => {
  it('put the peak in the same place', async () => {
    const find = async (options: RendererOptions) => {
      const renderer = await createRenderer(options, { log: heardLog() });
      const pixels = await decode((await renderer.draw(chart('one enormous peak'))).png);
      await renderer.close();
      const line = pixels.find('#d5480b').filter(({ y }) => y > 180);
      return line.reduce((sum, { x }) => Math.max(sum, x), 0);
    };
    const embedded = await find({ kind: 'embedded' });
    const quickchart = await find({ kind: 'quickchart', baseUrl: server.url, timeoutMs: 30_000 });
    // The server has other letters, so that the plot may be a little wider or narrower.
    expect(Math.abs(embedded - quickchart)).toBeLessThan(30);
  });
});
