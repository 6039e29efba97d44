import { describe, expect, it } from 'vitest';
import {
  breakdownChart,
  type ChartSpec,
  chartConfig,
  type JsonObject,
  timelineChart,
} from '../../../../src/charts/spec/index.ts';
import { breakdowns } from '../../../pictures/breakdowns.ts';
import { categories, HOUR_MS, MINUTE_MS, traffic } from '../../../pictures/data.ts';
import { timelines } from '../../../pictures/timelines.ts';

interface Place {
  x: number;
  y: number | null;
}

interface DrawnConfig {
  data: { datasets: { yAxisID: string; borderColor?: string; data: Place[]; [key: string]: unknown }[] };
  options: {
    scales: Record<
      string,
      { type: string; labels?: (string | string[])[]; ticks: { font?: { size: number } }; max: number }
    >;
    plugins: Record<string, { text: string[]; font: { size: number } }>;
  };
}

/** Through JSON, as every renderer gets it. */
function read(config: JsonObject): DrawnConfig {
  return JSON.parse(JSON.stringify(config));
}

const ATTACKS = '#d5480b';
const HATCH = '#868c95';
const MARK = '#1d1c1d';

const day = (rest: Partial<Parameters<typeof traffic>[0]> = {}) =>
  traffic({ from: '2026-11-14T13:00:00Z', intervalMs: HOUR_MS, count: 24, ...rest });
type Input = Omit<Parameters<typeof timelineChart>[0], 'title' | 'zone' | 'hosts'>;
const chart = ({
  zone = 'Europe/Berlin',
  hosts = [],
  ...rest
}: Input & { zone?: string; hosts?: { name: string }[] }) =>
  read(chartConfig(timelineChart({ hosts, title: 'Shop', zone, ...rest })).config);
const words = (drawn: DrawnConfig, axis: string) =>
  (drawn.options.scales[axis]?.labels ?? []).flat().filter((label) => label !== '');
const line = (drawn: DrawnConfig, colour: string, scale = 'attacks') =>
  drawn.data.datasets.find(({ borderColor, yAxisID }) => borderColor === colour && yAxisID === scale)?.data ?? [];
/** In hours from the left end, what has a number. */
const hours = (places: readonly Place[]) => places.flatMap(({ x, y }) => (y === null ? [] : [x / 3_600]));

const every: [string, ChartSpec][] = Object.entries({ ...timelines(), ...breakdowns() });

describe('chartConfig', () => {
  it.each(every)('%s is pure JSON, small enough for any server, with letters of at least 15 px in 640', (_, spec) => {
    const { config, width, height, pixelRatio } = chartConfig(spec);
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    expect(JSON.stringify(config).length).toBeLessThan(60_000);
    expect([width, pixelRatio]).toEqual([640, 2]);
    expect(height).toBeLessThan(560);
    const sizes = JSON.stringify(config).matchAll(/"size":(\d+)/g);
    for (const [, size] of sizes) expect(Number(size)).toBeGreaterThanOrEqual(15);
  });

  it.each(every)('%s has no axis named like a kind of axis, whose defaults it would get on a server', (_, spec) => {
    const { scales } = read(chartConfig(spec).config).options;
    const kinds = ['category', 'linear', 'logarithmic', 'radialLinear', 'time', 'timeseries'];
    expect(Object.keys(scales).filter((id) => kinds.includes(id))).toEqual([]);
    expect(Object.values(scales).filter(({ type }) => type !== 'category' && type !== 'linear')).toEqual([]);
  });

  it('says times in the zone of the reader', () => {
    expect(words(chart({ timeline: day() }), 'clock')).toContain('16:00');
    expect(words(chart({ timeline: day(), zone: 'Asia/Kathmandu' }), 'clock')).toContain('20:00');
    const change: Parameters<typeof traffic>[0]['change'] = (point, index) => ({
      ...point,
      attacks: index === 15 ? 90 : 30,
    });
    expect(words(chart({ timeline: day({ change }) }), 'marks')).toEqual(['peak 90 at 05:00']);
  });

  it('names the hosts, the window and the zone with its distance from UTC, and both where clocks change', () => {
    const below = (zone: string, timeline = day(), hosts: { name: string }[] = []) =>
      chart({ timeline, zone, hosts }).options.plugins.subtitle?.text.join(' | ');
    expect(below('UTC')).toBe('all hosts · Sat 14 Nov 13:00 – Sun 15 Nov 13:00 · UTC');
    expect(below('Asia/Kathmandu')).toBe('all hosts · Sat 14 Nov 18:45 – Sun 15 Nov 18:45 · Asia/Kathmandu (UTC+5:45)');
    const night = traffic({ from: '2026-10-24T22:00:00Z', intervalMs: HOUR_MS, count: 5 });
    expect(below('Europe/Berlin', night)).toBe(
      'all hosts · Sun 25 Oct 00:00–04:00 · Europe/Berlin (UTC+2, then UTC+1)',
    );
    const hosts = ['shop', 'api', 'cdn', 'blog', 'docs'].map((name) => ({ name }));
    expect(below('UTC', night, hosts)).toContain('shop, api, cdn and 2 more · ');
  });

  it('breaks a long title in two, and cuts what is longer', () => {
    const title = (text: string) =>
      read(chartConfig(timelineChart({ hosts: [], zone: 'UTC', timeline: day(), title: text })).config).options.plugins
        .title?.text;
    expect(title('Surge since 14:57')).toEqual(['Surge since 14:57']);
    // Between two facts, or else so that no word stands alone.
    expect(title('Surge since 14:57 with 1,789 attacks, led by SQL injection · 4.4× usual · still going on')).toEqual([
      'Surge since 14:57 with 1,789 attacks, led by SQL injection',
      '4.4× usual · still going on',
    ]);
    expect(title('Too early to say whether attacks have changed since they began to be logged')).toEqual([
      'Too early to say whether attacks have',
      'changed since they began to be logged',
    ]);
    expect(title('word '.repeat(80))?.at(-1)).toMatch(/…$/);
  });
});

describe('the two panels', () => {
  it('have their own scales and say their units', () => {
    const drawn = chart({ timeline: day() });
    expect(words(drawn, 'attacksHead')).toEqual(['Attacks per hour']);
    expect(words(drawn, 'requestsHead')).toEqual(['Requests per hour']);
    expect(words(drawn, 'counts')).toEqual(['400', '300', '200', '100', '0', '100 k', '0']);
    expect(drawn.options.scales.attacks?.max).toBe(400);
    expect(drawn.options.scales.requests?.max).toBe(100_000);
    const minutes = traffic({ from: '2026-11-14T13:00:00Z', intervalMs: 5 * MINUTE_MS, count: 24 });
    expect(words(chart({ timeline: minutes }), 'attacksHead')).toEqual(['Attacks per 5 minutes']);
  });

  it('have no line where numbers still come in, only hatching', () => {
    const late = (index: number) => index > 21;
    const timeline = day({ unsettled: 2, change: (point, index) => (late(index) ? { ...point, attacks: 0 } : point) });
    const drawn = chart({ timeline });
    expect(Math.max(...hours(line(drawn, ATTACKS)))).toBe(21);
    expect(Math.min(...line(drawn, ATTACKS).map(({ y }) => y ?? 1))).toBeGreaterThan(0);
    const strokes = hours(line(drawn, HATCH, 'card'));
    expect(Math.min(...strokes)).toBeCloseTo(22, 1);
    expect(Math.max(...strokes)).toBeCloseTo(24, 1);
    expect(words(drawn, 'notes')).toEqual(['still filling in']);
    expect(line(chart({ timeline: day() }), HATCH, 'card')).toEqual([]);
  });

  it('do not call an interval late that the window cut off long ago: they end before it', () => {
    const whole = day({ unsettled: 1 });
    const drawn = chart({ timeline: { ...whole, toMs: whole.toMs - 600_000, asOfMs: whole.toMs + 6 * HOUR_MS } });
    expect(words(drawn, 'notes')).toEqual([]);
    expect(Math.max(...hours(line(drawn, ATTACKS)))).toBe(22);
    expect(drawn.options.scales.x?.max).toBe(23 * 3_600);
  });

  it('show whole intervals only, where the edges of the window cut them', () => {
    const points = traffic({ from: '2026-11-14T12:00:00Z', intervalMs: HOUR_MS, count: 26 });
    const cut = { ...points, fromMs: points.fromMs + 600_000, toMs: points.toMs - 600_000, asOfMs: points.toMs * 2 };
    const drawn = chart({ timeline: cut });
    expect(hours(line(drawn, ATTACKS))).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
  });

  it('leave a gap a gap', () => {
    const timeline = day({ change: (point, index) => (index > 4 && index < 9 ? null : point) });
    const places = line(chart({ timeline }), ATTACKS);
    expect(hours(places)).not.toContain(5);
    expect(hours(places)).not.toContain(8);
    expect(places).toContainEqual({ x: 5 * 3_600, y: null });
  });

  it('draw few counts as steps as long as their intervals', () => {
    const timeline = traffic({ from: '2026-11-14T13:00:00Z', intervalMs: MINUTE_MS, count: 5, attacksPerHour: 600 });
    const places = line(chart({ timeline }), ATTACKS);
    expect(places.map(({ x }) => x / 60)).toEqual([0, 1, 1, 2, 2, 3, 3, 4, 4, 5]);
  });

  it('draw the earlier window from where this one begins, up to what is finished, by its name', () => {
    const previous = traffic({ from: '2026-11-07T13:00:00Z', intervalMs: HOUR_MS, count: 24, seed: 3 });
    const drawn = chart({ timeline: day({ unsettled: 2 }), previous, previousName: 'a week before' });
    const before = line(drawn, '#7a5a8c');
    expect(before[0]).toEqual({ x: 0, y: previous.points[0]?.attacks });
    expect(before).toHaveLength(22);
    expect(words(drawn, 'attacksHead')).toEqual(['Attacks per hour', 'a week before']);
  });

  it('draw the usual range as one closed shape and the onset as an upright line at its place', () => {
    const timeline = day();
    const points = timeline.points.map(({ endMs }) => ({ endMs, low: -5, high: 300 }));
    const drawn = chart({ timeline, baseline: { points }, onsetMs: timeline.fromMs + 9 * HOUR_MS + 600_000 });
    const band = line(drawn, '#438c75');
    expect(band[0]).toEqual(band.at(-1));
    expect([Math.min(...band.map(({ y }) => y ?? -1)), Math.max(...band.map(({ y }) => y ?? -1))]).toEqual([0, 300]);
    expect([...new Set(hours(line(drawn, MARK, 'card')))]).toEqual([9 + 1 / 6]);
    expect(words(drawn, 'marks')).toEqual(['began 23:10']);
  });

  it('write two marks that would touch beside each other, or as one where there is no room', () => {
    const timeline = day();
    const at = (hour: number) => timeline.fromMs + hour * HOUR_MS;
    const apart = chart({ timeline, onsetMs: at(3), endMs: at(14) });
    expect(words(apart, 'marks')).toEqual(['began 17:00', 'ended 04:00']);
    const near = chart({ timeline, onsetMs: at(3), endMs: at(5) });
    expect(words(near, 'marks')).toEqual(['began 17:00, ended 19:00']);
    const inside = chart({ timeline, onsetMs: at(10), endMs: at(12) });
    expect(words(inside, 'marks')).toEqual(['began 00:00', 'ended 02:00']);
    expect([...new Set(hours(line(near, MARK, 'card')))]).toEqual([3, 5]);
  });

  it('mark every episode in its own panel: the first of each with lines and words, all with a shade', () => {
    const timeline = day();
    const at = (hour: number) => timeline.fromMs + hour * HOUR_MS;
    const mark = (from: number, to: number | null, of: 'attacks' | 'requests') => ({
      onsetMs: at(from),
      endMs: to === null ? null : at(to),
      of,
    });
    const marks = [mark(10, 14, 'attacks'), mark(1, 2, 'requests'), mark(-3, 4, 'attacks'), mark(22, null, 'attacks')];
    const drawn = chart({ timeline, marks });
    expect(words(drawn, 'marks')).toEqual(['began 00:00', 'ended 04:00']);
    // The name of the strip is left of it, so the words move right.
    expect(words(drawn, 'stripMarks')).toEqual(['began 15:00, ended 16:00']);
    const shades = drawn.data.datasets.filter(({ backgroundColor }) => backgroundColor === '#f6ead2');
    expect(shades.map(({ data }) => [...new Set(hours(data))])).toEqual([
      [10, 14],
      [1, 2],
      [0, 4],
      [22, 24],
    ]);
    const heights = shades.map(({ data }) => [...new Set(data.map(({ y }) => y))]);
    expect(heights[0]).toEqual(heights[2]);
    expect(heights[1]).not.toEqual(heights[0]);
    // No line crosses the words between the panels.
    const uprights = drawn.data.datasets.filter(({ borderColor, fill }) => borderColor === MARK && fill === undefined);
    const [attacks = [], requests = []] = uprights.map(({ data }) => data.flatMap(({ y }) => (y === null ? [] : [y])));
    expect(Math.max(...attacks)).toBe(heights[0]?.[1]);
    expect(Math.min(...requests)).toBe((heights[1]?.[0] ?? 0) - 1);
  });

  it('draw one line for an episode too short for two, and give its shade a width', () => {
    const timeline = traffic({ from: '2026-11-08T13:00:00Z', intervalMs: HOUR_MS, count: 168 });
    const onsetMs = timeline.fromMs + 50 * HOUR_MS;
    const drawn = chart({ timeline, marks: [{ onsetMs, endMs: onsetMs + 600_000, of: 'attacks' }] });
    expect([...new Set(hours(line(drawn, MARK, 'card')))]).toEqual([50]);
    expect(words(drawn, 'marks')).toEqual(['began Tue 10 Nov, 16:00, ended 16:10']);
    const [left = 0, right = 0] = hours(line(drawn, '#f6ead2', 'card'));
    expect(right - left).toBeGreaterThan(1);
    expect((left + right) / 2).toBeCloseTo(50 + 1 / 12, 1);
  });

  it('tell no data, no attacks and no numbers for attacks apart', () => {
    expect(JSON.stringify(chart({ timeline: day({ change: () => null }) }))).toContain('No data for this window');
    expect(words(chart({ timeline: day({ attacksPerHour: 0 }) }), 'marks')).toEqual(['no attacks']);
    const none = chart({ timeline: day({ change: (point) => ({ ...point, attacks: null }) }) });
    expect(words(none, 'marks')).toEqual(['no data for attacks']);
  });
});

describe('one enormous peak', () => {
  const timeline = day({ change: (point, index) => ({ ...point, attacks: index === 12 ? 90_000 : 100 + index }) });

  it('leaves the others their height, and its value stands at the cut', () => {
    const drawn = chart({ timeline });
    expect(drawn.options.scales.attacks?.max).toBe(200);
    expect(words(drawn, 'marks')).toEqual(['peak 90 k at 02:00']);
    const triangle = drawn.data.datasets.find(({ pointStyle }) => pointStyle === 'triangle');
    expect(triangle?.data).toEqual([{ x: 12 * 3_600, y: expect.any(Number) }]);
  });

  it('stands beside the cut where marks have the row above', () => {
    const drawn = chart({ timeline, onsetMs: timeline.fromMs + 12 * HOUR_MS });
    expect(words(drawn, 'marks')).toEqual(['began 02:00']);
    expect(words(drawn, 'cut')).toEqual(['90 k at 02:00']);
  });

  it('leaves through the upper edge and comes back: no line is drawn above it or along it', () => {
    const places = line(chart({ timeline }), ATTACKS);
    expect(Math.max(...places.map(({ y }) => y ?? 0))).toBe(200);
    const out = places.findIndex(({ y }) => y === 200);
    expect(places.slice(out, out + 3).map(({ y }) => y)).toEqual([200, null, 200]);
  });

  it('of requests is cut too, and said', () => {
    const drawn = chart({
      timeline: day({ change: (point, index) => (index === 3 ? { ...point, requests: 9_000_000 } : point) }),
    });
    expect(drawn.options.scales.requests?.max).toBeLessThan(200_000);
    expect(words(drawn, 'requestsCut')).toEqual(['peak 9 M at 17:00']);
  });

  it('does not cut a wave that lasts', () => {
    const wave = day({ change: (point, index) => ({ ...point, attacks: index > 12 ? 4_000 : 100 }) });
    expect(chart({ timeline: wave }).options.scales.attacks?.max).toBeGreaterThanOrEqual(4_000);
  });
});

describe('a breakdown', () => {
  const drawnOf = (input: Omit<Parameters<typeof breakdownChart>[0], 'zone' | 'hosts' | 'title'>) =>
    read(chartConfig(breakdownChart({ zone: 'UTC', hosts: [], title: 'Shop', ...input })).config);

  it('has what stands out first, with counts, and the earlier number where it differs much', () => {
    const drawn = drawnOf({
      distribution: categories({ xss: 120, sqli: 1_500, custom_geoip: 480, lfi: 3 }),
      previous: categories({ sqli: 90, xss: 110, lfi: 1 }),
      previousName: 'the day before',
    });
    expect(words(drawn, 'y')).toEqual(['Geolocation', 'SQL injection', 'XSS', 'Local file inclusion']);
    expect(words(drawn, 'counts')).toEqual(['480', '1.5 k', '120', '3']);
    expect(drawn.options.scales.asides?.labels).toEqual(['new', 'was 90', '', '']);
    expect(drawn.data.datasets[0]?.backgroundColor).toEqual([ATTACKS, ATTACKS, '#e4e6ea', '#e4e6ea']);
    expect(drawn.data.datasets.map(({ data }) => data)).toEqual([
      [480, 1_500, 120, 3],
      [null, 90, 110, 1],
      // The edge of each tick, without which it could not be told from a bar.
      [null, 90, 110, 1],
    ]);
    expect(drawn.data.datasets.map(({ order, pointBorderColor }) => [order, pointBorderColor])).toEqual([
      [2, undefined],
      [0, '#7a5a8c'],
      [1, '#ffffff'],
    ]);
    expect(drawn.options.plugins.subtitle?.text.join(' · ')).toContain(
      '2,103 attacks · solid: changed more than usual · tick: the day before, 201 (×10)',
    );
  });

  it('begins with what leads the title, though others are larger and it moved little in all of the window', () => {
    const drawn = drawnOf({
      distribution: categories({ robot: 5_100, illegal: 3_000, sqli: 1_500, lfi: 656 }),
      previous: categories({ robot: 5_200, illegal: 3_400, sqli: 1_450, lfi: 412 }),
      leading: 'sqli',
    });
    expect(words(drawn, 'y')).toEqual([
      'SQL injection',
      'Local file inclusion',
      'Malicious crawlers',
      'Invalid requests',
    ]);
    expect(drawn.options.scales.asides?.labels).toEqual(['was 1.5 k', 'was 412', '', '']);
  });

  it('is all of one colour where nothing moved', () => {
    const same = categories({ robot: 5_100, illegal: 3_000 });
    expect(drawnOf({ distribution: same, previous: same }).data.datasets[0]?.backgroundColor).toBe(ATTACKS);
  });

  it('shows what stands out, the eight largest, and the others as one row', () => {
    const now = { cc: 900, sqli: 800, xss: 700, robot: 600, vuln: 500, custom: 400, lfi: 300, illegal: 200 };
    const drawn = drawnOf({
      distribution: categories({ ...now, webshell: 60, rfi: 6, cmdi: 5, antitamper: 4 }),
      previous: categories({ ...now, webshell: 2, rfi: 2, cmdi: 4, antitamper: 3 }),
    });
    expect(words(drawn, 'y')[0]).toBe('Webshell');
    expect(words(drawn, 'y').slice(8)).toEqual(['Invalid requests', '3 others']);
    expect(words(drawn, 'counts').slice(8)).toEqual(['200', '15']);
    expect(words(drawn, 'asides')).toEqual(['was 2']);
  });

  it('has shares where there is nothing to compare with', () => {
    const drawn = drawnOf({ distribution: categories({ xss: 25, sqli: 75 }) });
    expect(words(drawn, 'asides')).toEqual(['75 %', '25 %']);
  });
});
