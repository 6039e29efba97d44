import { describe, expect, it } from 'vitest';
import { timeTicks } from '../../../../src/charts/spec/timeline-chart.ts';
import { intervalInWords, offsetName, windowInWords, zoned } from '../../../../src/time/index.ts';
import { fc } from '../../../support/property.ts';

const ticks = (from: string, to: string, zone: string) =>
  timeTicks(Date.parse(from), Date.parse(to), zone, 6).map(({ lines }) =>
    lines.filter((line) => line !== '').join('|'),
  );

describe('timeTicks', () => {
  it.each([
    [
      'a day by the clock of the reader, with the change of date',
      '2026-11-14T13:00:00Z',
      '2026-11-15T12:00:00Z',
      'Europe/Berlin',
      ['16:00|Sat 14 Nov', '20:00', '00:00|Sun 15 Nov', '04:00', '08:00', '12:00'],
    ],
    [
      'the same day elsewhere, in a zone half an hour off',
      '2026-11-14T13:00:00Z',
      '2026-11-15T12:00:00Z',
      'Asia/Kolkata',
      ['20:00', '00:00|Sun 15 Nov', '04:00', '08:00', '12:00', '16:00'],
    ],
    [
      'a quarter of an hour, of one day: the date stands in the line above the chart',
      '2026-11-14T13:00:00Z',
      '2026-11-14T13:14:00Z',
      'UTC',
      ['13:00', '13:05', '13:10'],
    ],
    [
      'the night clocks go back: the hour twice, then told apart',
      '2026-10-24T22:00:00Z',
      '2026-10-25T02:30:00Z',
      'Europe/Berlin',
      ['00:00', '01:00', '02:00', '02:00|UTC+1', '03:00'],
    ],
    [
      'the night clocks go forward: an hour that never was',
      '2026-03-28T23:00:00Z',
      '2026-03-29T03:30:00Z',
      'Europe/Berlin',
      ['00:00', '01:00', '03:00|UTC+2', '04:00', '05:00'],
    ],
    [
      'a day of 25 hours keeps to the clock on the wall',
      '2026-10-24T22:00:00Z',
      '2026-10-25T23:00:00Z',
      'Europe/Berlin',
      ['00:00', '06:00|UTC+1', '12:00', '18:00', '00:00'],
    ],
    [
      'a week',
      '2026-11-08T23:00:00Z',
      '2026-11-15T22:00:00Z',
      'Europe/Berlin',
      ['9 Nov|Mon', '11 Nov|Wed', '13 Nov|Fri', '15 Nov|Sun'],
    ],
    [
      'a month, from Monday to Monday',
      '2026-10-16T00:00:00Z',
      '2026-11-14T00:00:00Z',
      'UTC',
      ['19 Oct', '26 Oct', '2 Nov', '9 Nov'],
    ],
    ['a year', '2025-11-15T00:00:00Z', '2026-11-14T00:00:00Z', 'UTC', ['Jan|2026', 'Mar', 'May', 'Jul', 'Sep', 'Nov']],
    [
      'the turn of a year',
      '2026-12-20T00:00:00Z',
      '2027-01-15T00:00:00Z',
      'UTC',
      ['21 Dec', '28 Dec', '4 Jan|2027', '11 Jan'],
    ],
  ])('%s', (_, from, to, zone, expected) => {
    expect(ticks(from, to, zone)).toEqual(expected);
  });

  it('stays inside the window, in order, at most as many as asked for, and at round times of the zone', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) }),
        fc.integer({ min: 60_000, max: 3 * 365 * 86_400_000 }),
        fc.constantFrom(...zones),
        (fromMs, spanMs, zone) => {
          const found = timeTicks(fromMs, fromMs + spanMs, zone, 6);
          expect(found.length).toBeLessThanOrEqual(7);
          found.forEach((tick, index) => {
            expect(tick.atMs).toBeGreaterThanOrEqual(fromMs);
            expect(tick.atMs).toBeLessThanOrEqual(fromMs + spanMs);
            expect(tick.atMs).toBeGreaterThan(found[index - 1]?.atMs ?? 0);
            const local = Temporal.Instant.fromEpochMilliseconds(tick.atMs).toZonedDateTimeISO(zone);
            expect(local.second).toBe(0);
            if (tick.lines[0].includes(':')) {
              expect(tick.lines[0]).toBe(local.toPlainTime().toString().slice(0, 5));
            }
          });
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('time in words', () => {
  const at = (text: string) => Date.parse(text);
  it.each([
    ['2026-11-14T13:00:00Z', '2026-11-15T13:00:00Z', 'Europe/Berlin', 'Sat 14 Nov 14:00 – Sun 15 Nov 14:00'],
    ['2026-11-15T01:00:00Z', '2026-11-15T07:00:00Z', 'Europe/Berlin', 'Sun 15 Nov 02:00–08:00'],
    ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'Europe/Berlin', 'Sun 25 Oct'],
    ['2026-11-08T23:00:00Z', '2026-11-15T23:00:00Z', 'Europe/Berlin', 'Mon 9 Nov – Sun 15 Nov'],
    ['2025-11-15T00:00:00Z', '2026-11-15T00:00:00Z', 'UTC', '15 Nov 2025 – 14 Nov 2026'],
  ])('%s to %s in %s', (from, to, zone, words) => {
    expect(windowInWords(at(from), at(to), zone)).toBe(words);
  });

  it('say their year when it is not that of the reader', () => {
    const [from, to] = [at('2025-06-10T14:00:00Z'), at('2025-06-10T16:00:00Z')];
    expect(windowInWords(from, to, 'UTC', at('2025-11-15T00:00:00Z'))).toBe('Tue 10 Jun 14:00–16:00');
    expect(windowInWords(from, to, 'UTC', at('2026-02-01T00:00:00Z'))).toBe('10 Jun 2025 14:00–16:00');
    expect(
      windowInWords(at('2025-12-31T00:00:00Z'), at('2026-01-01T00:00:00Z'), 'UTC', at('2026-01-01T00:10:00Z')),
    ).toBe('31 Dec 2025');
  });

  it('says an interval and an offset', () => {
    expect(intervalInWords(at('2026-11-15T04:30:00Z'), at('2026-11-15T04:35:00Z'), 'Asia/Kolkata', true)).toBe(
      'Sun 15 Nov, 10:00–10:05',
    );
    expect(intervalInWords(at('2026-11-15T00:00:00Z'), at('2026-11-16T00:00:00Z'), 'UTC', false)).toBe('Sun 15 Nov');
    expect(offsetName(zoned(at('2026-07-01T00:00:00Z'), 'America/St_Johns'))).toBe('UTC−2:30');
    expect(offsetName(zoned(at('2026-07-01T00:00:00Z'), 'UTC'))).toBe('UTC');
  });
});
