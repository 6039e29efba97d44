import { describe, expect, it } from 'vitest';
import { breakdownChart, chartTable, nativeChart, timelineChart } from '../../../../src/charts/spec/index.ts';
import { formatCount } from '../../../../src/statistics/format.ts';
import { breakdowns } from '../../../pictures/breakdowns.ts';
import { categories, HOUR_MS, MINUTE_MS, traffic } from '../../../pictures/data.ts';
import { timelines } from '../../../pictures/timelines.ts';
import { fc } from '../../../support/property.ts';

const day = (rest: Partial<Parameters<typeof traffic>[0]> = {}) =>
  traffic({ from: '2026-11-14T13:00:00Z', intervalMs: HOUR_MS, count: 24, ...rest });
const chart = (rest: Omit<Parameters<typeof timelineChart>[0], 'title' | 'zone' | 'hosts'>) =>
  timelineChart({ hosts: [], title: 'Shop', zone: 'Europe/Berlin', ...rest });

function expectWithinLimits(spec: Parameters<typeof nativeChart>[0]): void {
  const native = nativeChart(spec);
  if (native === null) return;
  const { series, axis_config } = native.chart;
  expect(native.title.length).toBeLessThanOrEqual(50);
  expect(series.length).toBeGreaterThanOrEqual(1);
  expect(series.length).toBeLessThanOrEqual(6);
  expect(new Set(series.map(({ name }) => name)).size).toBe(series.length);
  expect(axis_config.categories.length).toBeGreaterThanOrEqual(1);
  expect(axis_config.categories.length).toBeLessThanOrEqual(20);
  expect(new Set(axis_config.categories).size).toBe(axis_config.categories.length);
  for (const label of axis_config.categories) expect(label.length).toBeLessThanOrEqual(20);
  for (const { data } of series) {
    expect(data.map(({ label }) => label)).toEqual(axis_config.categories);
    for (const { value } of data) expect(Number.isFinite(value)).toBe(true);
  }
}

describe('nativeChart', () => {
  it.each(Object.entries({ ...timelines(), ...breakdowns() }))('%s is within the limits of Slack', (_, spec) => {
    expectWithinLimits(spec);
  });

  it('is within the limits for any number and length of intervals, and loses no attack', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 900 }),
        fc.constantFrom(1, 3, 5, 7, 60, 90, 1_440),
        fc.constantFrom('Europe/Berlin', 'UTC', 'America/St_Johns'),
        fc.nat(2_000_000),
        (count, minutes, zone, shiftMinutes) => {
          const from = new Date(Date.UTC(2023, 5, 1) + shiftMinutes * MINUTE_MS).toISOString();
          const timeline = traffic({ from, intervalMs: minutes * MINUTE_MS, count, attacksPerHour: 900 });
          const spec = timelineChart({ hosts: [], title: 'x'.repeat(80), zone, timeline, previous: timeline });
          expectWithinLimits(spec);
          const drawn = nativeChart(spec)?.chart.series[0]?.data.reduce((sum, { value }) => sum + value, 0);
          expect(drawn).toBe(timeline.points.reduce((sum, point) => sum + (point.attacks ?? 0), 0));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('sums into round columns and leaves out a column without numbers', () => {
    const timeline = day({
      unsettled: 1,
      change: (point, index) => (index === 4 || index === 5 ? null : { ...point, attacks: 1 }),
    });
    const native = nativeChart(chart({ timeline }));
    expect(native?.chart.axis_config).toEqual({
      categories: [
        '14:00',
        '16:00',
        '20:00',
        '22:00',
        '00:00',
        '02:00',
        '04:00',
        '06:00',
        '08:00',
        '10:00',
        '12:00 (so far)',
      ],
      x_label: 'UTC+1',
      y_label: 'Attacks per 2 h',
    });
    // Of the last column only what is finished counts.
    expect(native?.chart.series[0]?.data.map(({ value }) => value)).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]);
  });

  it('has no stump at the end of what has hardly begun', () => {
    const timeline = traffic({ from: '2026-11-14T13:00:00Z', intervalMs: 15 * MINUTE_MS, count: 96, unsettled: 6 });
    const labels = nativeChart(chart({ timeline }))?.chart.axis_config.categories;
    expect(labels?.at(-1)).toBe('10:00');
  });

  it('has attacks in the first colour always, then what they are held against; requests only where there are none', () => {
    const names = (spec: Parameters<typeof nativeChart>[0]) => nativeChart(spec)?.chart.series.map(({ name }) => name);
    const timeline = day();
    const baseline = { points: timeline.points.map(({ endMs }) => ({ endMs, low: 1, high: 300.4 })) };
    expect(names(chart({ timeline }))).toEqual(['Attacks']);
    expect(names(chart({ timeline, baseline, previous: timeline, previousName: 'the day before' }))).toEqual([
      'Attacks',
      'Usual, at most',
      'The day before',
    ]);
    expect(names(chart({ timeline: day({ attacksPerHour: 0 }) }))).toEqual(['Attacks', 'Requests']);
    const unknown = day({ change: (point) => ({ ...point, attacks: null }) });
    expect(names(chart({ timeline: unknown }))).toEqual(['Requests']);
    const distribution = categories({ xss: 4 });
    const breakdown = breakdownChart({ zone: 'UTC', hosts: [], title: 'x', distribution, previous: distribution });
    expect(names(breakdown)).toEqual(['Attacks', 'The period before']);
  });

  it('is a table too, for where no chart goes', () => {
    const timeline = traffic({ from: '2026-11-15T12:00:00Z', intervalMs: HOUR_MS, count: 2, attacksPerHour: 3_600 });
    const [first = 0, second = 0] = timeline.points.map(({ attacks }) => attacks ?? 0);
    const table = chartTable(chart({ timeline, previous: timeline, previousName: 'the day before' }));
    expect(table?.columns.map(({ name }) => name)).toEqual(['From (UTC+1)', 'Attacks', 'The day before']);
    expect(table?.rows).toEqual([
      ['13:00', formatCount(first), formatCount(first)],
      ['14:00', formatCount(second), formatCount(second)],
    ]);
    expect(chartTable(chart({ timeline: day({ change: () => null }) }))).toBeNull();
  });

  it('carries the title of the picture', () => {
    const title = 'Surge since 14:57 · 4.4× usual';
    const spec = timelineChart({ title, hosts: [], zone: 'UTC', timeline: day() });
    expect(nativeChart(spec)?.title).toBe(title);
  });

  it('tells the hour that comes twice apart', () => {
    const timeline = traffic({ from: '2026-10-24T23:00:00Z', intervalMs: HOUR_MS, count: 4 });
    expect(nativeChart(chart({ timeline }))?.chart.axis_config.categories).toEqual([
      '01:00',
      '02:00 UTC+2',
      '02:00 UTC+1',
      '03:00',
    ]);
  });

  it('shows five categories and the rest, whose sum is kept, for now and before', () => {
    const spec = breakdowns()['all, compared'];
    if (spec === undefined) throw new Error('no such chart');
    const native = nativeChart(spec);
    expect(native?.chart.axis_config.categories).toEqual([
      'Precise Protection',
      'SQL injection',
      'Other attacks',
      'CC attacks',
      'Malicious crawlers',
      '9 others',
    ]);
    const sums = native?.chart.series.map(({ data }) => data.reduce((sum, { value }) => sum + value, 0));
    const total = (counts: readonly { count: number }[] = []) => counts.reduce((sum, { count }) => sum + count, 0);
    expect(sums).toEqual([total(spec.distribution.counts), total(spec.previous?.counts)]);
  });

  it('is null when there is nothing to draw', () => {
    expect(nativeChart(chart({ timeline: day({ change: () => null }) }))).toBeNull();
    expect(
      nativeChart(breakdownChart({ zone: 'UTC', hosts: [], title: 'Shop', distribution: categories({}) })),
    ).toBeNull();
  });

  it('keeps labels apart that are equal once cut', () => {
    const spec = breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Shop',
      distribution: categories({
        [`${'a'.repeat(25)}1`]: 3,
        [`${'a'.repeat(25)}2`]: 2,
        other: 9,
        xss: 1,
        sqli: 1,
        cc: 1,
        lfi: 1,
      }),
    });
    expectWithinLimits(spec);
    expect(nativeChart(spec)?.chart.axis_config.categories).toContainEqual(expect.stringMatching(/^a+… 2$/));
  });
});
