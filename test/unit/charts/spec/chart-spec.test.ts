import { describe, expect, it } from 'vitest';
import { breakdownChart, chartConfig, type JsonObject, timelineChart } from '../../../../src/charts/spec/index.ts';
import { breakdowns } from '../../../pictures/breakdowns.ts';
import { categories, HOUR_MS, traffic } from '../../../pictures/data.ts';
import { timelines } from '../../../pictures/timelines.ts';

interface DrawnConfig {
  data: {
    datasets: { label: string; data: ({ x: number; y: number | null } | number | null)[]; [key: string]: unknown }[];
  };
  options: {
    scales: Record<string, { labels: (string | string[])[]; grid: { color: string[] }; max: number }>;
    plugins: Record<string, { text: string[] }>;
  };
}

/** Through JSON, as every renderer gets it. */
function read(config: JsonObject): DrawnConfig {
  return JSON.parse(JSON.stringify(config));
}

const day = (rest: Partial<Parameters<typeof traffic>[0]> = {}) =>
  traffic({ from: '2026-11-14T13:00:00Z', intervalMs: HOUR_MS, count: 24, ...rest });
const chart = (rest: Omit<Parameters<typeof timelineChart>[0], 'title' | 'zone' | 'hosts'> & { zone?: string }) =>
  read(chartConfig(timelineChart({ hosts: [], title: 'Shop', zone: 'Europe/Berlin', ...rest })).config);
const words = (drawn: DrawnConfig, axis: string) =>
  (drawn.options.scales[axis]?.labels ?? [])
    .flat()
    .map((label) => label.trim())
    .filter((label) => label !== '');
const dataset = (drawn: DrawnConfig, start: string) => drawn.data.datasets.find(({ label }) => label.startsWith(start));

describe('chartConfig', () => {
  it.each(Object.entries({ ...timelines('light'), ...breakdowns('dark') }))(
    '%s is pure JSON, small enough for any server',
    (_, spec) => {
      const { config, width, pixelRatio } = chartConfig(spec);
      expect(JSON.parse(JSON.stringify(config))).toEqual(config);
      expect(JSON.stringify(config).length).toBeLessThan(60_000);
      expect([width, pixelRatio]).toEqual([600, 2]);
    },
  );

  it('says times in the zone of the reader', () => {
    expect(words(chart({ timeline: day() }), 'time')).toContain('16:00');
    expect(words(chart({ timeline: day(), zone: 'Asia/Kathmandu' }), 'time')).toContain('20:00');
    const berlin = chart({
      timeline: day({ change: (point, index) => ({ ...point, attacks: index === 15 ? 900 : 1 }) }),
    });
    expect(words(berlin, 'marks')).toEqual(['peak 900 attacks · 05:00–06:00']);
  });

  it('has the axis of requests on the left and that of attacks on the right, each with its own scale', () => {
    const drawn = chart({ timeline: day() });
    expect(drawn.options.scales.left?.labels[0]).toBe('100 k');
    expect(drawn.options.scales.right?.labels[0]).toBe('400');
    expect(drawn.options.scales.requests?.max).toBe(100_000);
    expect(drawn.options.scales.attacks?.max).toBe(400);
  });

  it('dashes what is still filling, from the last finished point on', () => {
    const drawn = chart({ timeline: day({ unsettled: 2 }) });
    expect(dataset(drawn, 'Attacks')?.data).toHaveLength(22);
    const dashed = drawn.data.datasets.filter(({ borderDash }) => Array.isArray(borderDash));
    expect(dashed).toHaveLength(2);
    for (const { data } of dashed) expect(data).toHaveLength(3);
    expect(words(drawn, 'time')).toContain('unfinished');
    expect(words(chart({ timeline: day() }), 'time')).not.toContain('unfinished');
  });

  it('leaves a gap a gap', () => {
    const timeline = day({ change: (point, index) => (index > 4 && index < 9 ? null : point) });
    const points = dataset(chart({ timeline }), 'Requests')?.data ?? [];
    const xs = points.flatMap((point) =>
      point !== null && typeof point === 'object' && point.y !== null ? [point.x / 3_600] : [],
    );
    expect(xs).not.toContain(5);
    expect(xs).not.toContain(8);
    expect(points).toContainEqual({ x: 5 * 3_600, y: null });
  });

  it('shifts the period before so that both begin together', () => {
    const previous = traffic({ from: '2026-11-07T13:00:00Z', intervalMs: HOUR_MS, count: 24, seed: 3 });
    const before = dataset(chart({ timeline: day(), previous }), 'attacks before');
    expect(before?.data[0]).toEqual({ x: 0, y: previous.points[0]?.attacks });
    expect(before?.data).toHaveLength(24);
  });

  it('draws the baseline as one closed shape and the onset as an upright line at its place', () => {
    const timeline = day();
    const points = timeline.points.map(({ endMs }) => ({ endMs, low: -5, high: 300 }));
    const drawn = chart({ timeline, baseline: { points }, onsetMs: timeline.fromMs + 9 * HOUR_MS + 600_000 });
    const band = dataset(drawn, 'usual');
    expect(band?.data).toHaveLength(48);
    expect(band?.data.every((point) => point !== null && typeof point === 'object' && (point.y ?? -1) >= 0)).toBe(true);
    const { time } = drawn.options.scales;
    const line = time?.grid.color.indexOf('#1d1c1d') ?? -1;
    expect(line / (time?.max ?? 1)).toBeCloseTo((9 + 1 / 6) / 23, 2);
    expect(words(drawn, 'marks')).toContain('onset 23:10');
  });

  it('says that there is no data, and that there are no attacks, in different words', () => {
    expect(JSON.stringify(chart({ timeline: day({ change: () => null }) }))).toContain('No data for this window');
    expect(words(chart({ timeline: day({ attacksPerHour: 0 }) }), 'marks')).toEqual(['no attacks']);
    const none = chart({ timeline: day({ change: (point) => ({ ...point, attacks: null }) }) });
    expect(words(none, 'marks')).toEqual(['no numbers for attacks']);
  });

  it('names the window and the zone, and both offsets where clocks change', () => {
    const subtitle = (zone: string, timeline = day()) => chart({ timeline, zone }).options.plugins.subtitle?.text;
    expect(subtitle('UTC')).toEqual(['all hosts · Sat 14 Nov 13:00 – Sun 15 Nov 13:00 · UTC']);
    expect(subtitle('Europe/Berlin', traffic({ from: '2026-10-24T22:00:00Z', intervalMs: HOUR_MS, count: 5 }))).toEqual(
      [expect.stringContaining('all hosts · Sun 25 Oct 00:00 – 04:00 · Europe/Berlin (UTC+2, then')],
    );
  });

  it('sorts a breakdown, with count and share, and marks the period before', () => {
    const spec = breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Shop',
      distribution: categories({ xss: 20, sqli: 1_500, geoip: 480 }),
      previous: categories({ sqli: 90, lfi: 4 }),
    });
    const drawn = read(chartConfig(spec).config);
    expect(words(drawn, 'y')).toEqual(['SQL injection', 'geoip', 'XSS', 'Local file inclusion']);
    expect(words(drawn, 'counts')).toEqual(['1.5 k', '480', '20', '0']);
    expect(words(drawn, 'shares')).toEqual(['75 %', '24 %', '1 %', '0 %']);
    expect(drawn.data.datasets.map(({ data }) => data)).toEqual([
      [1_500, 480, 20, null],
      [90, null, null, 4],
    ]);
    expect(drawn.options.plugins.subtitle?.text).toContain('2 k events, ×21 · tick: the period before');
  });
});
