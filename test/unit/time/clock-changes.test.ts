/** Around every change of clocks, in ten zones over three years, against the calendar of Temporal itself. */
import { describe, expect, test } from 'vitest';
import { parseRange } from '../../../src/time/index.ts';

const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Jerusalem',
];

function changesOf(zone: string): Temporal.ZonedDateTime[] {
  const changes: Temporal.ZonedDateTime[] = [];
  let at = Temporal.ZonedDateTime.from(`2023-01-01T12:00[${zone}]`);
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (!next || next.year > 2025) return changes;
    changes.push(next);
    at = next;
  }
}

describe.each(ZONES)('%s', (zone) => {
  const changes = changesOf(zone);
  const read = (phrase: string, now: Temporal.ZonedDateTime) => parseRange(phrase, { now: now.toInstant(), zone });

  test('changes twice a year', () => {
    expect(changes).toHaveLength(6);
  });

  test.each([-30, -1.5, -0.25, 0.25, 1.5, 13, 30, 24 * 9])('%d hours from each change', (hours) => {
    for (const change of changes) {
      const now = change.add({ minutes: hours * 60 });
      const today = now.startOfDay();
      const yesterday = today.subtract({ days: 1 }).startOfDay();
      const monday = today.subtract({ days: today.dayOfWeek - 1 }).startOfDay();
      const month = today.with({ day: 1 }).startOfDay();
      const spans: [string, Temporal.ZonedDateTime, Temporal.ZonedDateTime][] = [
        ['today', today, now],
        ['yesterday', yesterday, today],
        ['this week', monday, now],
        ['last week', monday.subtract({ weeks: 1 }).startOfDay(), monday],
        ['last month', month.subtract({ months: 1 }).startOfDay(), month],
        ['last 24h', now.subtract({ hours: 24 }), now],
        ['last 90m', now.subtract({ minutes: 90 }), now],
        ['last 2 days', now.subtract({ days: 2 }), now],
        ['since yesterday', yesterday, now],
        ['yesterday 00:00 to 24:00', yesterday, today],
      ];
      for (const [phrase, from, to] of spans) {
        const range = read(phrase, now);
        expect([phrase, `${range.from}`, `${range.to}`]).toEqual([phrase, `${from.toInstant()}`, `${to.toInstant()}`]);
      }
    }
  });

  test('the day of the change is as long as it was', () => {
    for (const change of changes) {
      const { from, to } = read(change.toPlainDate().toString(), change.add({ days: 3 }));
      expect(to.since(from).total('hours')).toBe(change.hoursInDay);
      expect(change.hoursInDay).not.toBe(24);
    }
  });
});
