import { createCanvas, GlobalFonts } from '@napi-rs/canvas';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPainter } from '../../../../src/charts/render/canvas.ts';
import { registerFonts } from '../../../../src/charts/render/fonts.ts';
import { createPngEncoder, pngSize } from '../../../../src/charts/render/png.ts';
import { breakdownChart, type ChartSpec, chartConfig, timelineChart } from '../../../../src/charts/spec/index.ts';
import { textWidth } from '../../../../src/charts/spec/layout.ts';
import { breakdowns } from '../../../pictures/breakdowns.ts';
import { categories, HOUR_MS, MINUTE_MS, traffic } from '../../../pictures/data.ts';
import { decode } from '../../../pictures/pixels.ts';
import { timelines } from '../../../pictures/timelines.ts';

const ATTACKS = '#d5480b';
/** Below the marks, whose words have a colour near it, and above the strip of requests. */
const [PLOT_TOP, PLOT_BOTTOM] = [234, 520];
const paint = createPainter();

function draw(spec: ChartSpec, painter = paint): Uint8Array {
  const { config, ...order } = chartConfig(spec);
  return painter({ ...order, config: JSON.stringify(config) });
}

/** Left and right edge of the plot, from the longest line of its grid. */
async function plotEdges(png: Uint8Array): Promise<{ left: number; right: number }> {
  const pixels = await decode(png);
  const rows = new Map<number, number[]>();
  for (const { x, y } of pixels.find('#e4e6ea', 3)) rows.set(y, [...(rows.get(y) ?? []), x]);
  const base = [...rows.values()].sort((a, b) => b.length - a.length)[0] ?? [];
  // Of a letter in the same row a pixel may have that colour too, but not many side by side.
  const line = base.filter((x) => base.includes(x + 8) || base.includes(x - 8));
  return { left: Math.min(...line), right: Math.max(...line) };
}

async function attackLine(png: Uint8Array): Promise<{ x: number; y: number }[]> {
  return (await decode(png)).find(ATTACKS).filter(({ y }) => y > PLOT_TOP && y < PLOT_BOTTOM);
}

beforeAll(() => {
  expect(registerFonts()).toBeNull();
});

describe('createPngEncoder', () => {
  it('gives back every pixel where there are few colours, also after a larger picture in the same memory', async () => {
    const encode = createPngEncoder();
    encode(new Uint8ClampedArray(40 * 30 * 4).fill(9), 40, 30);
    const canvas = createCanvas(17, 5);
    const context = canvas.getContext('2d');
    context.fillStyle = '#204060';
    context.fillRect(0, 0, 17, 5);
    context.fillStyle = '#f0a010';
    context.fillRect(3, 1, 4, 2);
    const rgba = context.getImageData(0, 0, 17, 5).data;
    const png = encode(rgba, 17, 5);
    expect(pngSize(png)).toEqual({ width: 17, height: 5 });
    expect((await decode(png)).rgba).toEqual(rgba);
    expect((await decode(canvas.toBuffer('image/png'))).rgba).toEqual(rgba);
  });

  it('keeps what covers an area as it is, and draws a rare shade as a close one', async () => {
    const canvas = createCanvas(640, 400);
    const context = canvas.getContext('2d');
    for (const [at, colour] of ['#ffffff', '#d5480b', '#3f71a8', '#d6ebe3'].entries()) {
      context.fillStyle = colour;
      context.fillRect(at * 160, 0, 160, 400);
      // Every shade between this colour and black, one pixel each.
      for (let shade = 0; shade < 256; shade += 1) {
        context.fillStyle = `rgb(0 0 0 / ${shade / 255})`;
        context.fillRect(at * 160 + 20, shade, 1, 1);
      }
    }
    const before = context.getImageData(0, 0, 640, 400).data;
    const after = (await decode(createPngEncoder()(before, 640, 400))).rgba;
    let furthest = 0;
    let changed = 0;
    before.forEach((value, at) => {
      const off = Math.abs(value - (after[at] ?? 0));
      if (off > 0) changed += 1;
      furthest = Math.max(furthest, off);
    });
    expect(furthest).toBeLessThanOrEqual(6);
    expect(changed).toBeGreaterThan(0);
    expect(changed).toBeLessThan(4 * 256 * 3);
  });

  it('also takes a picture with more shades than there are numbers for', async () => {
    const rgba = new Uint8ClampedArray(512 * 128 * 4);
    for (let at = 0; at < 512 * 128; at += 1) rgba.set([at & 255, at >> 8, (at * 7) & 255, 255], at * 4);
    const after = (await decode(createPngEncoder()(rgba, 512, 128))).rgba;
    const off = rgba.reduce((sum, value, at) => sum + Math.abs(value - (after[at] ?? 0)), 0) / rgba.length;
    expect(off).toBeLessThan(32);
  });

  it('knows a PNG from something else', () => {
    expect(pngSize(new TextEncoder().encode('<html>a page that is longer than a PNG header</html>'))).toBeNull();
    expect(pngSize(new Uint8Array(3))).toBeNull();
  });
});

describe('a timeline in pixels', () => {
  it.each([2, 9, 20])('has its peak where the data has it: hour %d', async (hour) => {
    const timeline = traffic({
      from: '2026-11-14T13:00:00Z',
      intervalMs: HOUR_MS,
      count: 24,
      change: (point, index) => ({ ...point, attacks: index === hour ? 500 : 100 }),
    });
    const png = draw(timelineChart({ hosts: [], timeline, zone: 'UTC', title: 'Shop' }));
    const { left, right } = await plotEdges(png);
    const line = await attackLine(png);
    const top = Math.min(...line.map(({ y }) => y));
    const xs = line.filter(({ y }) => y < top + 4).map(({ x }) => x);
    const centre = xs.reduce((sum, x) => sum + x, 0) / xs.length;
    expect((centre - left) / (right - left)).toBeCloseTo(hour / 24, 1.9);
  });

  it('shows nothing where there are no numbers', async () => {
    const timeline = traffic({
      from: '2026-11-14T13:00:00Z',
      intervalMs: HOUR_MS,
      count: 24,
      change: (point, index) => (index >= 8 && index <= 12 ? null : { ...point, attacks: 150 }),
    });
    const png = draw(timelineChart({ hosts: [], timeline, zone: 'UTC', title: 'Shop' }));
    const { left, right } = await plotEdges(png);
    const at = (hour: number) => left + ((right - left) * hour) / 24;
    const xs = (await attackLine(png)).map(({ x }) => x);
    expect(xs.some((x) => x > at(1) && x < at(7))).toBe(true);
    expect(xs.some((x) => x > at(7) + 10 && x < at(13) - 10)).toBe(false);
    expect(xs.some((x) => x > at(13) && x < at(22))).toBe(true);
  });

  it('keeps a peak of one minute among 10,000', async () => {
    const peak = (index: number) =>
      traffic({
        from: '2026-11-08T12:00:00Z',
        intervalMs: MINUTE_MS,
        count: 10_000,
        change: (point, at) => ({ ...point, attacks: at === index ? 500 : 100 }),
      });
    const png = draw(timelineChart({ hosts: [], timeline: peak(6_789), zone: 'UTC', title: 'Shop' }));
    const { left, right } = await plotEdges(png);
    // The flat rest lies in the lowest fifth.
    const line = (await attackLine(png)).filter(({ y }) => y < 400);
    const centre = line.reduce((sum, { x }) => sum + x, 0) / line.length;
    expect((centre - left) / (right - left)).toBeCloseTo(0.6789, 1.9);
  });

  it('does not fall where numbers are late: the line ends high, and strokes stand there instead', async () => {
    const timeline = traffic({
      from: '2026-11-14T13:00:00Z',
      intervalMs: MINUTE_MS,
      count: 60,
      unsettled: 6,
      change: (point, index) => ({ ...point, attacks: index < 54 ? 90 : 0, requests: index < 54 ? 900 : 0 }),
    });
    const png = draw(timelineChart({ hosts: [], timeline, zone: 'UTC', title: 'Shop' }));
    const { left, right } = await plotEdges(png);
    const line = await attackLine(png);
    const [top, bottom] = [Math.min(...line.map(({ y }) => y)), Math.max(...line.map(({ y }) => y))];
    // The ring of the peak is the thickest of it.
    expect(bottom - top).toBeLessThan(30);
    expect(Math.max(...line.map(({ x }) => x))).toBeLessThan(left + ((right - left) * 54) / 60);
    const strokes = (await decode(png)).find('#868c95', 30).filter(({ x, y }) => x > right - 80 && y > PLOT_TOP);
    expect(strokes.length).toBeGreaterThan(300);
  });

  it('keeps the height of the rest under one enormous peak', async () => {
    const timeline = traffic({
      from: '2026-11-14T13:00:00Z',
      intervalMs: HOUR_MS,
      count: 24,
      change: (point, index) => ({ ...point, attacks: index === 20 ? 1_000_000 : index % 2 === 0 ? 100 : 200 }),
    });
    const line = await attackLine(draw(timelineChart({ hosts: [], timeline, zone: 'UTC', title: 'Shop' })));
    const rest = line.filter(({ x }) => x > 200 && x < 900).map(({ y }) => y);
    expect(Math.max(...rest) - Math.min(...rest)).toBeGreaterThan(60);
  });
});

describe('a breakdown in pixels', () => {
  it('has bars as long as their counts', async () => {
    const spec = breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Shop',
      distribution: categories({ cc: 400, sqli: 200, xss: 100 }),
    });
    const rows = new Map<number, number>();
    for (const { y } of (await decode(draw(spec))).find(ATTACKS, 3)) rows.set(y, (rows.get(y) ?? 0) + 1);
    const lengths = [...new Set([...rows.values()].filter((length) => length > 20))].sort((a, b) => b - a);
    const [longest = 0] = lengths;
    expect(lengths.map((length) => Math.round((length / longest) * 100))).toEqual([100, 50, 25]);
  });
});

describe('every chart of the gallery', () => {
  const all: Record<string, ChartSpec> = { ...timelines(), ...breakdowns() };

  it('gives the same bytes again, on a canvas that has drawn others and on a new one', () => {
    const some = Object.values(all).filter((_, index) => index % 4 === 0);
    const first = some.map((spec) => Buffer.from(draw(spec)));
    const again = some.toReversed().map((spec) => Buffer.from(draw(spec)));
    const fresh = some[0] === undefined ? undefined : Buffer.from(draw(some[0], createPainter()));
    expect(again.toReversed().map((png, index) => png.equals(first[index] ?? Buffer.alloc(0)))).not.toContain(false);
    expect(fresh?.equals(first[0] ?? Buffer.alloc(0))).toBe(true);
  });

  it('is a small file: at most 60 KB for a day by the hour', () => {
    const day = all['day by the hour'];
    expect(day === undefined ? null : draw(day).length).toBeLessThan(60_000);
  });

  it.each(Object.entries(all))('%s is opaque and keeps a margin free of ink', async (_, spec) => {
    const { width, height, rgba } = await decode(draw(spec));
    const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
    const [card = 0] = pixels;
    const ink = (x: number) =>
      Array.from({ length: height }, (_, y) => pixels[y * width + x]).some((one) => one !== card);
    expect([0, 4, 8, width - 9, width - 5, width - 1].filter(ink)).toEqual([]);
    let opaque = true;
    for (const pixel of pixels) opaque &&= pixel >>> 24 === 255;
    expect(opaque).toBe(true);
  });
});

describe('fonts', () => {
  it('are ours: letters are as wide as those the descriptions were made with', () => {
    const context = createCanvas(10, 10).getContext('2d');
    context.font = '600 100px Wafbot Inter';
    for (const text of ['Requests and attacks', '1.2 M', '00:00']) {
      // Kerning makes up the rest.
      expect(Math.abs(context.measureText(text).width / textWidth(text, 100) - 1)).toBeLessThan(0.03);
    }
    expect(GlobalFonts.has('Wafbot Inter Cyrillic')).toBe(true);
  });

  it('say which one is missing', () => {
    expect(registerFonts((subset) => `/nowhere/${subset}.woff2`)).toBe('Wafbot Inter');
    expect(registerFonts(() => import.meta.filename)).toBe('Wafbot Inter');
    expect(
      registerFonts(() => {
        throw new Error('no such package');
      }),
    ).toBe('Wafbot Inter');
  });

  it('draw words of other alphabets, not boxes', async () => {
    const title = (text: string) =>
      breakdownChart({ zone: 'UTC', hosts: [], title: text, distribution: categories({}) });
    const [one, other] = [draw(title('магазин')), draw(title('газинма'))];
    // Boxes for missing letters would make both the same.
    expect(Buffer.from(one).equals(Buffer.from(other))).toBe(false);
  });
});

describe('work', () => {
  it('for 10,000 points is about that for 1,440, counted in points and bytes given to Chart.js', () => {
    const work = (count: number) => {
      const timeline = traffic({ from: '2026-11-08T12:00:00Z', intervalMs: MINUTE_MS, count });
      const { config } = chartConfig(timelineChart({ hosts: [], title: 'Shop', zone: 'UTC', timeline }));
      const json = JSON.stringify(config);
      return { points: json.split('"x":').length, bytes: json.length };
    };
    const [few, many] = [work(1_440), work(10_000)];
    expect(few.points).toBeGreaterThan(300);
    expect(many.points / few.points).toBeLessThan(1.2);
    expect(many.bytes / few.bytes).toBeLessThan(1.2);
  });
});
