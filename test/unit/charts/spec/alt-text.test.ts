import { describe, expect, it } from 'vitest';
import { altText, breakdownChart, timelineChart } from '../../../../src/charts/spec/index.ts';
import { breakdowns } from '../../../pictures/breakdowns.ts';
import { categories, HOUR_MS, traffic } from '../../../pictures/data.ts';
import { timelines } from '../../../pictures/timelines.ts';

const day = (rest: Partial<Parameters<typeof traffic>[0]> = {}) =>
  traffic({ from: '2026-11-14T13:00:00Z', intervalMs: HOUR_MS, count: 24, ...rest });
const chart = (rest: Omit<Parameters<typeof timelineChart>[0], 'title' | 'zone' | 'hosts'>) =>
  timelineChart({ hosts: [], title: 'Shop', zone: 'Europe/Berlin', ...rest });

describe('altText', () => {
  it('says totals, the peak with its time and zone, and the trend', () => {
    const timeline = day({
      unsettled: 1,
      change: (point, index) => ({ ...point, requests: 1_000, attacks: index === 15 ? 50 : index }),
    });
    expect(altText(chart({ timeline }))).toBe(
      'Shop. all hosts · Sat 14 Nov 14:00 – Sun 15 Nov 14:00 · Europe/Berlin (UTC+1): 24,000 requests, 311 attacks (1.3 %). ' +
        'Attacks peak at 50 per hour, 05:00–06:00; more at the end than at the start. ' +
        'Incomplete from 13:00 on.',
    );
  });

  it('tells no data, no attacks and missing intervals apart', () => {
    expect(altText(chart({ timeline: day({ change: () => null }) }))).toMatch(/: no data\.$/);
    expect(altText(chart({ timeline: day({ attacksPerHour: 0 }) }))).toMatch(/requests, no attacks\.$/);
    const gaps = day({ change: (point, index) => (index === 7 ? null : point) });
    expect(altText(chart({ timeline: gaps }))).toContain('Some intervals are missing.');
    expect(altText(chart({ timeline: day() }))).not.toContain('missing');
  });

  it('says when what is marked began and ended, the most important first', () => {
    const timeline = day();
    const at = (hour: number) => timeline.fromMs + hour * HOUR_MS;
    const marks = [
      { onsetMs: at(10), endMs: at(11), of: 'attacks' as const },
      { onsetMs: at(1), endMs: at(2), of: 'requests' as const },
      { onsetMs: at(22), endMs: null, of: 'attacks' as const },
    ];
    const said = altText(chart({ timeline, marks }));
    expect(said).toContain('Began 00:00. Ended 01:00. Also marked: 15:00 to 16:00, from 12:00 on.');
  });

  it('says what was before', () => {
    const flat = (attacks: number) => day({ change: (point) => ({ ...point, attacks }) });
    expect(altText(chart({ timeline: flat(3), previous: flat(2), previousName: 'the day before' }))).toContain(
      'The day before: 48 attacks (+50 %).',
    );
    expect(altText(chart({ timeline: flat(3), previous: flat(0) }))).toContain('The period before: no attacks.');
  });

  it('lists the categories with count, share and change', () => {
    const spec = breakdownChart({
      zone: 'UTC',
      hosts: [],
      title: 'Shop',
      distribution: categories({ xss: 20, sqli: 60 }),
      previous: categories({ sqli: 40, lfi: 4 }),
    });
    expect(altText(spec)).toBe(
      'Shop. all hosts · Sat 14 Nov 13:00 – Sun 15 Nov 13:00 · UTC: 80 attacks. The period before: 44 attacks (+82 %). ' +
        'XSS 20 (25 %, new); SQL injection 60 (75 %); Local file inclusion 0 (0 %, was 4).',
    );
  });

  it.each(Object.entries({ ...timelines(), ...breakdowns() }))('%s stays under the limit of Slack', (_, spec) => {
    expect(altText(spec).length).toBeLessThan(2_000);
  });
});
