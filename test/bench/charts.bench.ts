/**
 * Milliseconds a chart: ours against plain Chart.js with the canvas's own encoder, and against the bare encoding of an
 * empty picture; then how long the event loop is held, and memory after thousands of charts. All in one run, turn
 * about, so that the ratios mean something on a busy machine.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createCanvas } from '@napi-rs/canvas';
import { Chart, type ChartConfiguration, registerables } from 'chart.js';
import { createPainter } from '../../src/charts/render/canvas.ts';
import { createEmbedded } from '../../src/charts/render/embedded.ts';
import { registerFonts } from '../../src/charts/render/fonts.ts';
import { createPngEncoder } from '../../src/charts/render/png.ts';
import { type ChartSpec, chartConfig } from '../../src/charts/spec/index.ts';
import type { CategoryCount, TimelinePoint } from '../../src/statistics/timeline.ts';
import { isQuick } from './figures.ts';
import { breakdown, timelineOf } from './sample-charts.ts';

Chart.register(...registerables);
const ROUNDS = isQuick ? 7 : 60;
const WARM_UP = isQuick ? 5 : 40;
const SOAK = isQuick ? 60 : 5_000;
/** While they are drawn, the event loop is looked at. */
const WATCHED = isQuick ? 25 : 100;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const charts: Readonly<Record<string, ChartSpec>> = {
  '24 points': timelineOf(24),
  ...(isQuick ? {} : { '288 points': timelineOf(288), '10,000 points': timelineOf(10_000) }),
  '1,440 points': timelineOf(1_440),
  breakdown,
};

/** What one writes first: every point with its label given to Chart.js as it is, the picture from the canvas. */
function plain(spec: ChartSpec): Uint8Array {
  const { width, height, pixelRatio } = chartConfig(spec);
  const canvas = createCanvas(width, height);
  const config = spec.kind === 'timeline' ? plainTimeline(spec.timeline.points) : plainBars(spec.distribution.counts);
  const font = { family: 'Wafbot Inter', size: 16 };
  const plugins = { title: { display: true, text: spec.title, font } };
  const common = { animation: false, responsive: false, font, devicePixelRatio: pixelRatio, plugins } as const;
  const chart = new Chart(canvas, { ...config, options: { ...config.options, ...common } });
  const png = canvas.toBuffer('image/png');
  chart.destroy();
  return png;
}

function plainTimeline(points: readonly TimelinePoint[]): ChartConfiguration {
  const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/Berlin' });
  const requests = points.map((point) => point.requests);
  const attacks = points.map((point) => point.attacks);
  return {
    type: 'line',
    data: {
      labels: points.map((point) => clock.format(point.endMs)),
      datasets: [
        { label: 'Attacks', data: attacks, yAxisID: 'attacks', borderColor: '#d55e00', borderWidth: 3, pointRadius: 0 },
        {
          label: 'Requests',
          data: requests,
          yAxisID: 'requests',
          backgroundColor: '#cfdff0',
          fill: true,
          pointRadius: 0,
        },
      ],
    },
    options: { scales: { requests: { position: 'left' }, attacks: { position: 'right' } } },
  };
}

function plainBars(counts: readonly CategoryCount[]): ChartConfiguration {
  const labels = counts.map((row) => row.category);
  return {
    type: 'bar',
    data: { labels, datasets: [{ label: 'Events', data: counts.map((row) => row.count), backgroundColor: '#d55e00' }] },
    options: { indexAxis: 'y' },
  };
}

const paint = createPainter();
const encode = createPngEncoder();

/** The same steps as the thread takes, in this one. */
function inProcess(spec: ChartSpec): Uint8Array {
  return paint(orderOf(spec));
}

function orderOf(spec: ChartSpec) {
  const { config, ...card } = chartConfig(spec);
  return { ...card, config: JSON.stringify(config) };
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const both = (times: readonly number[]) =>
  `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)}`;

interface Times {
  readonly wall: number[];
  /** Of all threads: does not count the time others had the core. */
  readonly cpu: number[];
}

const nothing = (): Times => ({ wall: [], cpu: [] });

async function timed(times: Times, work: () => unknown): Promise<void> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  times.wall.push(performance.now() - start);
  const { user, system } = process.cpuUsage(cpu);
  times.cpu.push((user + system) / 1_000);
  // Buffers of the canvas are given back between turns of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
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
const threads = await createEmbedded({ log: quiet });
/** Drawn each time: nothing is kept here. */
const inThread = (spec: ChartSpec) => threads.draw(orderOf(spec));
const rows: Record<string, Record<string, string>> = {};
for (const [name, spec] of Object.entries(charts)) {
  const times = { embedded: nothing(), plain: nothing(), empty: nothing() };
  const { width, height, pixelRatio } = chartConfig(spec);
  const [w, h] = [width * pixelRatio, height * pixelRatio];
  const blank = new Uint8ClampedArray(w * h * 4).fill(255);
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const into = round < WARM_UP ? { embedded: nothing(), plain: nothing(), empty: nothing() } : times;
    await timed(into.embedded, () => inThread(spec));
    await timed(into.plain, () => plain(spec));
    await timed(into.empty, () => encode(blank, w, h));
  }
  const ratio = (kind: keyof Times) =>
    `${(percentile(times.plain[kind], 0.5) / percentile(times.embedded[kind], 0.5)).toFixed(1)}×`;
  rows[name] = {
    'embedded p50/p99': both(times.embedded.wall),
    'plain p50/p99': both(times.plain.wall),
    'empty encode p50/p99': both(times.empty.wall),
    'plain : embedded': ratio('wall'),
    'embedded CPU': percentile(times.embedded.cpu, 0.5).toFixed(1),
    'plain CPU': percentile(times.plain.cpu, 0.5).toFixed(1),
    'CPU plain : embedded': ratio('cpu'),
  };
}
console.log('milliseconds a chart');
console.table(rows);

const specs = Object.values(charts);
/** Draws a hundred, and notes how long each call alone holds this thread before it gives it back. */
const hundred = async (draw: (spec: ChartSpec) => unknown, calls: number[]) => {
  for (let index = 0; index < WATCHED; index += 1) {
    const start = performance.now();
    const drawn = draw(specs[index % specs.length] ?? breakdown);
    calls.push(performance.now() - start);
    await drawn;
    await new Promise((resolve) => setImmediate(resolve));
  }
};
const calls = { thread: [] as number[], local: [] as number[] };
// What the machine itself does to a loop that has nothing to do: gaps below this say nothing about us.
const idle = await held(() => new Promise((resolve) => setTimeout(resolve, isQuick ? 1_000 : 3_000)));
const thread = await held(() => hundred((spec) => inThread(spec), calls.thread));
const local = await held(() => hundred(inProcess, calls.local));
console.log(`the event loop while drawing ${WATCHED} charts, milliseconds`);
const gaps = ({ max, p99 }: { max: number; p99: number }) => ({
  'longest gap': max.toFixed(1),
  'gap p99': p99.toFixed(1),
});
console.table({
  idle: gaps(idle),
  'embedded (thread)': { ...gaps(thread), 'one call p50/p99': both(calls.thread) },
  'in process': { ...gaps(local), 'one call p50/p99': both(calls.local) },
});

const burst = performance.now();
await Promise.all(Array.from({ length: 30 }, () => inThread(timelineOf(288))));
const threadRate = 30_000 / (performance.now() - burst);
const loop = performance.now();
for (let index = 0; index < 30; index += 1) inProcess(timelineOf(288));
console.log(
  `throughput at 288 points: thread ${threadRate.toFixed(0)}/s, in process ${(30_000 / (performance.now() - loop)).toFixed(0)}/s`,
);

const memory: string[] = [];
for (let drawn = 0; drawn <= SOAK; drawn += 1) {
  const spec = specs[drawn % specs.length];
  if (spec !== undefined) await inThread(spec);
  if (drawn % (SOAK / 5) === 0) {
    globalThis.gc?.();
    memory.push(`${drawn}: ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
  }
}
console.log(`resident memory after n charts: ${memory.join(', ')}`);
await threads.close();
