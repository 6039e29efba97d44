/** Series of others are read as they are written, and become what the service would have answered. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type PublicSeries, readPublicSeries, streamOf } from '../../evaluation/public-series.ts';
import { streamOutcome } from '../../evaluation/stream-outcomes.ts';

const SAMPLES = path.join(import.meta.dirname, '../../evaluation/samples');
const folder = mkdtempSync(path.join(tmpdir(), 'wafbot-series-'));
afterAll(() => rmSync(folder, { recursive: true }));

function only(series: readonly PublicSeries[]): PublicSeries {
  const [first, ...rest] = series;
  if (first === undefined || rest.length > 0) throw new Error(`${series.length} series`);
  return first;
}

describe('a folder of the Numenta benchmark', () => {
  const series = only(readPublicSeries(path.join(SAMPLES, 'nab')));

  it('is read with its windows', () => {
    expect(series).toMatchObject({ group: 'realTweets', name: 'Twitter_volume_CRM' });
    expect(series.times).toHaveLength(1467);
    expect(series.labelled).toEqual([[Date.parse('2015-03-08T21:02:53Z'), Date.parse('2015-03-10T17:12:53Z')]]);
    const [first = 0] = series.labelled[0] ?? [];
    expect(first - (series.times[0] ?? 0)).toBe(3 * 86_400_000);
  });

  it('becomes a watched stretch with counts around fifty, a rise to find, and a place for every point', async () => {
    const stream = streamOf(series);
    if (stream === null) throw new Error('left out');
    const counts = stream.numbers.attacks.filter((count) => count !== null);
    expect(counts).toHaveLength(1467);
    const tweeted = counts.filter((count) => count > 0).sort((a, b) => a - b);
    expect(tweeted[Math.floor(tweeted.length / 2)]).toBe(50);
    expect(stream.numbers.requests[0]).toBe((stream.numbers.attacks[0] ?? 0) + 1000);
    expect(stream.events).toMatchObject([{ detectable: true }]);
    expect(stream.fromMs - stream.numbers.startMs).toBeGreaterThanOrEqual(2 * 86_400_000);
    const { watched, methods, weeks } = await streamOutcome(stream);
    expect(methods).toHaveLength(9);
    expect([...watched, ...methods].every(({ delays }) => delays.length === 1)).toBe(true);
    expect(weeks).toBeCloseTo(3.1 / 7, 1);
  });

  it('has requests in proportion where that is asked for', () => {
    const { numbers } = streamOf(series, 'proportional') ?? { numbers: null };
    expect(numbers?.requests[0]).toBe(21 * (numbers?.attacks[0] ?? Number.NaN));
  });
});

describe('CSV files with labels', () => {
  it('are read with their labels joined to stretches', () => {
    const series = only(readPublicSeries(path.join(SAMPLES, 'cloud-monitoring')));
    expect(series).toMatchObject({ group: 'data-ingress-rate', name: 'ingress-05' });
    expect(series.times).toHaveLength(300);
    expect(series.labelled[0]?.[0]).toBe(series.times[150]);
    expect(streamOf(series)).toBeNull();
  });

  it('may leave points out, come in any order and quote their cells', () => {
    const rows = ['"Time","Value","Label"', '"2026-01-01 00:10:00","3","1"', '2026-01-01T00:00:00Z,1,0'];
    writeFileSync(path.join(folder, 'odd.csv'), `${rows.join('\r\n')}\r\n2026-01-01T01:05:00+01:00,NaN,0\r\n`);
    const series = only(readPublicSeries(folder));
    expect(series.times).toEqual([Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1, 0, 10)]);
    expect(series.values).toEqual([1, 3]);
    expect(series.labelled).toEqual([[Date.UTC(2026, 0, 1, 0, 10), Date.UTC(2026, 0, 1, 0, 10)]]);
  });

  it.each([
    ['no columns', 'a,b\n1,2\n', /columns time and value/],
    ['a time that is none', 'time,value\nsoon,2\n', /a time that is none: soon/],
  ])('with %s are refused in words', (_, text, words) => {
    writeFileSync(path.join(folder, 'odd.csv'), text);
    expect(() => readPublicSeries(folder)).toThrow(words);
  });
});

it('a folder without any is refused', () => {
  rmSync(path.join(folder, 'odd.csv'), { force: true });
  expect(() => readPublicSeries(folder)).toThrow(/no CSV files/);
});
