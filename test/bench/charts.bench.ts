/**
 * Milliseconds a chart: ours against plain Chart.js with the canvas's own encoder, and against the bare encoding of an
 * empty picture; then how long the event loop is held, and memory after thousands of charts. All in one run, turn
 * about, so that the ratios mean something on a busy machine.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCanvas } from '@napi-rs/canvas';
import { Chart, type ChartConfiguration } from 'chart.js';
import { createPainter } from '../../src/charts/canvas.ts';
import { registerFonts } from '../../src/charts/fonts.ts';
import { createRenderer } from '../../src/charts/index.ts';
import { createPngEncoder } from '../../src/charts/png.ts';
import { type ChartSpec, chartConfig, timelineChart } from '../../src/charts/spec/index.ts';
import { breakdowns } from '../pictures/breakdowns.ts';
import { MINUTE_MS, traffic } from '../pictures/data.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 15 : 60;
const SOAK = quick ? 300 : 5_000;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

function day(count: number): ChartSpec {
  const intervalMs = Math.max(MINUTE_MS, (24 * 60 * MINUTE_MS) / count);
  return timelineChart({
    title: 'Requests and attacks · shop',
    zone: 'Europe/Berlin',
    timeline: traffic({ from: '2026-11-08T12:00:00Z', intervalMs, count, unsettled: 1 }),
  });
}

const breakdown = breakdowns('light')['all, compared'];
if (breakdown === undefined) throw new Error('the breakdown is missing');
const charts: Readonly<Record<string, ChartSpec>> = {
  '24 points': day(24),
  '288 points': day(288),
  '1,440 points': day(1_440),
  '10,000 points': day(10_000),
  breakdown,
};

/** What one writes first: every point given to Chart.js, the picture from the canvas. */
function plain(spec: ChartSpec): Uint8Array {
  const { config, width, height, pixelRatio } = chartConfig(spec);
  const canvas = createCanvas(width, height);
  const settings: ChartConfiguration = JSON.parse(JSON.stringify(config));
  if (spec.kind === 'timeline') {
    const { points, fromMs } = spec.timeline;
    for (const [index, series] of (['attacks', 'requests'] as const).entries()) {
      const dataset = settings.data.datasets[index];
      if (dataset) dataset.data = points.map((point) => ({ x: (point.endMs - fromMs) / 1000, y: point[series] ?? 0 }));
    }
  }
  settings.options = { ...settings.options, devicePixelRatio: pixelRatio };
  const chart = new Chart(canvas, settings);
  const png = canvas.toBuffer('image/png');
  chart.destroy();
  return png;
}

const paint = createPainter();
const encode = createPngEncoder();

/** The same steps as the thread takes, in this one. */
function inProcess(spec: ChartSpec): Uint8Array {
  const { config, ...order } = chartConfig(spec);
  return paint({ ...order, config: JSON.stringify(config) });
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const both = (times: readonly number[]) =>
  `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)}`;

async function timed(times: number[], work: () => unknown): Promise<void> {
  const start = performance.now();
  await work();
  times.push(performance.now() - start);
}

/** How long the event loop was held, at the most and usually, while the work went on. */
async function held(work: () => Promise<void>): Promise<{ max: number; p99: number }> {
  const monitor = monitorEventLoopDelay({ resolution: 1 });
  monitor.enable();
  await work();
  monitor.disable();
  return { max: monitor.max / 1e6, p99: monitor.percentile(99) / 1e6 };
}

const missing = registerFonts();
if (missing !== null) throw new Error(`no font: ${missing}`);
const renderer = await createRenderer({ kind: 'embedded' }, { log: quiet });
const rows: Record<string, Record<string, string>> = {};
for (const [name, spec] of Object.entries(charts)) {
  const times = { embedded: [] as number[], inProcess: [] as number[], plain: [] as number[], empty: [] as number[] };
  const { width, height, pixelRatio } = chartConfig(spec);
  const [w, h] = [width * pixelRatio, height * pixelRatio];
  const blank = Buffer.alloc(w * h * 4, 255);
  for (let round = 0; round < ROUNDS + 5; round += 1) {
    const into = round < 5 ? { embedded: [], inProcess: [], plain: [], empty: [] } : times;
    await timed(into.embedded, () => renderer.draw(spec));
    await timed(into.inProcess, () => inProcess(spec));
    await timed(into.plain, () => plain(spec));
    await timed(into.empty, () => encode(blank, w, h));
  }
  rows[name] = {
    'embedded p50/p99 ms': both(times.embedded),
    'in process': both(times.inProcess),
    'plain way': both(times.plain),
    'empty encode': both(times.empty),
    'plain / embedded': `${(percentile(times.plain, 0.5) / percentile(times.embedded, 0.5)).toFixed(1)}×`,
  };
}
console.table(rows);

const specs = Object.values(charts);
const hundred = async (draw: (spec: ChartSpec) => unknown) => {
  for (let index = 0; index < 100; index += 1) {
    const spec = specs[index % specs.length];
    if (spec !== undefined) await draw(spec);
    await new Promise((resolve) => setImmediate(resolve));
  }
};
const idle = await held(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
const thread = await held(() => hundred((spec) => renderer.draw(spec)));
const local = await held(() => hundred(inProcess));
console.table({
  'longest gap, ms': {
    idle: idle.max.toFixed(1),
    'embedded (thread)': thread.max.toFixed(1),
    'in process': local.max.toFixed(1),
  },
  'p99, ms': {
    idle: idle.p99.toFixed(1),
    'embedded (thread)': thread.p99.toFixed(1),
    'in process': local.p99.toFixed(1),
  },
});

const burst = performance.now();
await Promise.all(Array.from({ length: 30 }, () => renderer.draw(specs[1] ?? breakdown)));
const threadRate = 30_000 / (performance.now() - burst);
const loop = performance.now();
for (let index = 0; index < 30; index += 1) inProcess(specs[1] ?? breakdown);
console.log(
  `throughput at 288 points: thread ${threadRate.toFixed(0)}/s, in process ${(30_000 / (performance.now() - loop)).toFixed(0)}/s`,
);

const memory: string[] = [];
for (let drawn = 0; drawn <= SOAK; drawn += 1) {
  const spec = specs[drawn % specs.length];
  if (spec !== undefined) await renderer.draw(spec);
  if (drawn % (SOAK / 5) === 0) {
    globalThis.gc?.();
    memory.push(`${drawn}: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  }
}
console.log(`resident memory after n charts: ${memory.join(', ')}`);
await renderer.close();
