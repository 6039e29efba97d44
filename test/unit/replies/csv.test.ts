import { describe, expect, it } from 'vitest';
import { timelineCsv, toCsv } from '../../../src/replies/csv.ts';

describe('CSV', () => {
  it('quotes what must be quoted, and lets no cell become a formula', () => {
    expect(toCsv([['a', 'b,c', 'd"e', 'f\ng', null, 0, -5]])).toBe('a,"b,c","d""e","f\ng",,0,-5\r\n');
    for (const sign of ['=', '+', '-', '@', '\t', '\r']) expect(toCsv([[`${sign}cmd`]])).toContain(`'${sign}cmd`);
  });

  it('lets no formula begin after what a spreadsheet may take for the end of a cell', () => {
    expect(toCsv([['a;=cmd()']])).toBe('"a;\'=cmd()"\r\n');
    expect(toCsv([['a; "+1']])).toBe('"a;\' ""+1"\r\n');
    for (const separator of [';', '\t', '\r', '\n', '\r\n']) {
      for (const sign of ['=', '+', '-', '@', ' =', '"=', '＝']) {
        expect(toCsv([[`a${separator}${sign}cmd`]])).toMatch(/^"?a[;\t\r\n]+'/);
      }
    }
    expect(toCsv([['SQL injection - blind; 3 of 4']])).toBe('"SQL injection - blind; 3 of 4"\r\n');
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T00:50:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T14:50:00Z'],
    ['America/St_Johns', '2026-11-01T04:20:00Z'],
    ['Asia/Kathmandu', '2026-03-10T12:00:00Z'],
    ['+05:30', '2026-03-10T12:00:00Z'],
    ['UTC', '2026-12-31T23:50:00Z'],
  ])('writes the times of %s with their offset, also around a change of the clocks', (zone, start) => {
    const fromMs = Date.parse(start);
    const ends = Array.from({ length: 30 }, (_, n) => fromMs + (n + 1) * 60_000);
    const points = ends.map((endMs) => ({ endMs, requests: 1, attacks: 0 }));
    const window = { fromMs, toMs: ends.at(-1) ?? 0, settledUntilMs: 0, asOfMs: 0, stale: false };
    const written = timelineCsv({ ...window, intervalMs: 60_000, points }, { zone, project: { label: null } })
      .content.split('\r\n')
      .slice(1, -1);
    const time = (ms: number): string =>
      Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: zone, smallestUnit: 'second' });
    const times = written.map((row) => row.split(',').slice(0, 2));
    expect(times).toEqual(ends.map((endMs) => [time(endMs - 60_000), time(endMs)]));
  });
});
