import { describe, expect, test } from 'vitest';
import { describeRange, parseRange, spanInWords } from '../../../src/time/index.ts';
import { fc } from '../../support/property.ts';
import { contexts, ZONES } from './arbitraries.ts';
import { UNDERSTOOD } from './read-table.ts';

const context = { now: Temporal.Instant.from('2025-01-18T13:42:10Z'), zone: 'Europe/Berlin' };

describe('a range said back', () => {
  test.each([
    ['last 24h', 'last 24 hours'],
    ['60m', 'last hour'],
    ['90m', 'last 90 minutes'],
    ['45s', 'last 45 seconds'],
    ['last 7 days', 'last 7 days'],
    ['today', 'today'],
    ['yesterday', 'yesterday'],
    ['this week', 'this week'],
    ['last month', 'last month'],
    ['previous quarter', 'last quarter'],
    ['jan 5', 'Jan 5'],
    ['christmas', 'Dec 25, 2024'],
    ['Q3 2024', 'Q3 2024'],
    ['march 2024', 'Mar 2024'],
    ['2023', '2023'],
    ['jan 3 to jan 9', 'Jan 3 – Jan 9'],
    ['dec 30 - jan 2', 'Dec 30, 2024 – Jan 2'],
    ['yesterday 2pm to 4pm', 'yesterday, 14:00–16:00 CET'],
    ['today 9-10', 'today, 09:00–10:00 CET'],
    ['jan 5 22:00 to jan 6 02:00', 'Jan 5, 22:00 – Jan 6, 02:00 CET'],
    ['yesterday evening', 'yesterday, 18:00–24:00 CET'],
    ['since 9am', 'since 09:00 CET'],
    ['since jan 5 10:00', 'since Jan 5, 10:00 CET'],
    ['since jan 2', 'since Jan 2'],
    ['now-6h to now-3h', 'today, 08:42:10–11:42:10 CET'],
    ['2024-07-05 14:00-16:00', 'Jul 5, 2024, 14:00–16:00 CEST'],
    ['2024-10-27T00:30Z/2024-10-27T01:30Z', '2024-10-27 02:30 CEST to 2024-10-27 02:30 CET'],
  ])('“%s” is “%s”', (phrase, words) => {
    expect(describeRange(parseRange(phrase, context), context)).toBe(words);
  });

  test.each([
    ['Asia/Kathmandu', 'yesterday, 14:00–16:00 UTC+05:45'],
    ['America/St_Johns', 'yesterday, 14:00–16:00 NST'],
    ['Asia/Tokyo', 'yesterday, 14:00–16:00 JST'],
    ['Europe/London', 'yesterday, 14:00–16:00 UTC'],
    ['-08:00', 'yesterday, 14:00–16:00 UTC-08:00'],
  ])('in %s it is “%s”', (zone, words) => {
    const there = { ...context, zone };
    expect(describeRange(parseRange('yesterday 2pm to 4pm', there), there)).toBe(words);
  });
});

describe('a description read again is the range', () => {
  const same = (range: { from: Temporal.Instant; to: Temporal.Instant }, where: typeof context) => {
    const words = describeRange(range, where);
    const { from, to } = parseRange(words, where);
    expect([words, `${from}`, `${to}`]).toEqual([words, `${range.from}`, `${range.to}`]);
  };

  test('for every row of the tables', () => {
    for (const row of UNDERSTOOD) same(parseRange(row.phrase, row), row);
  });

  const grains = fc.constantFrom(1, 1000, 60_000, 900_000, 3_600_000, 86_400_000);

  test('for any range, to the millisecond', () => {
    const back = fc.integer({ min: 1, max: 4e10 });
    fc.assert(
      fc.property(contexts, back, back, grains, fc.boolean(), (where, far, near, grain, endsNow) => {
        const nowMs = where.now.epochMilliseconds;
        const floor = (ms: number) => Temporal.Instant.fromEpochMilliseconds(Math.floor(ms / grain) * grain);
        const from = floor(nowMs - far - near);
        const to = endsNow ? where.now : floor(nowMs - near);
        if (Temporal.Instant.compare(from, to) < 0) same({ from, to }, where);
      }),
      { numRuns: 200 },
    );
  });

  test('for ranges around a change of clocks', () => {
    for (const zone of ZONES.filter((name) => name.includes('/'))) {
      const start = Temporal.ZonedDateTime.from(`2025-01-01T00:00[${zone}]`);
      const change = start.getTimeZoneTransition('next');
      if (!change || change.year > 2026) continue;
      const now = change.add({ days: 2, hours: 5 }).toInstant();
      for (let hours = -3; hours < 3; hours += 0.5) {
        for (const length of [0.5, 1, 2, 24, 30]) {
          const from = change.add({ minutes: hours * 60 });
          same({ from: from.toInstant(), to: from.add({ minutes: length * 60 }).toInstant() }, { now, zone });
        }
      }
    }
  });

  test('to the nanosecond', () => {
    const from = Temporal.Instant.from('2025-01-17T10:00:00.123456789Z');
    same({ from, to: from.add({ nanoseconds: 1 }) }, context);
  });
});

describe('when something began and ended', () => {
  test.each([
    ['13:00', '13:05', '13:00 – 13:05'],
    ['2025-01-17 23:40', '00:10', '17 Jan 23:40 – 00:10'],
    ['2025-01-17 19:55', '12:40', '17 Jan 19:55 – 18 Jan 12:40'],
    ['2025-01-16 23:40', '2025-01-17 00:10', '16 Jan 23:40 – 17 Jan 00:10'],
    ['2025-01-15 01:15', '2025-01-16 00:54', '15 Jan 01:15 – 16 Jan 00:54'],
  ])('%s to %s: the day of the end is left out in a night only', (from, to, words) => {
    const ms = (time: string): number => {
      const date = time.includes(' ') ? time.replace(' ', 'T') : `2025-01-18T${time}`;
      return Temporal.PlainDateTime.from(date).toZonedDateTime('Europe/Berlin').epochMilliseconds;
    };
    expect(spanInWords(ms(from), ms(to), context.zone, context.now)).toBe(words);
  });
});
