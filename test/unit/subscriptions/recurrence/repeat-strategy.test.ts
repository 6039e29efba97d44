import { expect, it } from 'vitest';
import { repeatStrategy } from '../../../../src/subscriptions/recurrence/due-times.ts';

const at = (text: string) => Temporal.Instant.from(text);

it.each([
  ['2027-01-01T00:02:00Z', '2027-01-01T00:05:00Z', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['2027-01-01T00:05:00Z', '2027-01-01T00:10:00Z', '2027-01-01T00:05:00Z', '2027-01-01T00:00:00Z'],
])('five minutes around %s', (now, next, latest, previous) => {
  const timing = { everyMs: 300_000 };
  expect(repeatStrategy.next(timing, at(now)).at.toString()).toBe(next);
  expect(repeatStrategy.latest(timing, at(now)).at.toString()).toBe(latest);
  expect(repeatStrategy.previous(timing, at(now)).at.toString()).toBe(previous);
});

it('uses the schedule where there is one', () => {
  const timing = { schedule: { kind: 'weekly', weekdays: [1], minutes: [540], zone: 'Europe/Berlin' } } as const;
  expect(repeatStrategy.next(timing, at('2027-01-04T08:00:00Z'))).toMatchObject({ key: '2027-01-11T09:00' });
  expect(repeatStrategy.latest(timing, at('2027-01-04T08:00:00Z'))).toMatchObject({ key: '2027-01-04T09:00' });
  expect(repeatStrategy.previous(timing, at('2027-01-04T08:00:00Z'))).toMatchObject({ key: '2026-12-28T09:00' });
});
