import { describe, expect, it } from 'vitest';
import { latestDue, nextDue, nextRuns, previousDue } from '../../../../src/subscriptions/recurrence/due-times.ts';
import {
  EVERY_DAY,
  type Schedule,
  type Weekday,
  WORKING_DAYS,
} from '../../../../src/subscriptions/recurrence/schedule.ts';
import { fc } from '../../../support/property.ts';

/** Hour shifts north and south, half an hour, two hours, changes at midnight, odd offsets, no changes at all. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Africa/Cairo',
  'America/Santiago',
  'America/St_Johns',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Asia/Kolkata',
];
const FROM = Temporal.Instant.from('2026-06-01T00:00:00Z');
const TO = Temporal.Instant.from('2029-06-01T00:00:00Z');

const at = (minutes: number | string): number => {
  if (typeof minutes === 'number') return minutes;
  const [hour, minute] = minutes.split(':').map(Number);
  return (hour ?? 0) * 60 + (minute ?? 0);
};
const daily = (zone: string, ...times: string[]): Schedule => ({
  kind: 'weekly',
  weekdays: EVERY_DAY,
  minutes: times.map(at),
  zone,
});
/** The instants alone. */
const nextRun = (schedule: Schedule, after: Temporal.Instant) => nextDue(schedule, after).at;
const previousRun = (schedule: Schedule, before: Temporal.Instant) => previousDue(schedule, before).at;

const every = (everyMinutes: number, zone: string): Schedule => ({ kind: 'interval', everyMinutes, zone });

function runsBetween(schedule: Schedule, from: string, to: string): string[] {
  const end = Temporal.Instant.from(to);
  const runs: string[] = [];
  for (let run = nextRun(schedule, Temporal.Instant.from(from)); Temporal.Instant.compare(run, end) < 0; ) {
    runs.push(run.toZonedDateTimeISO(schedule.zone).toString({ timeZoneName: 'never', smallestUnit: 'minute' }));
    run = nextRun(schedule, run);
  }
  return runs;
}

describe('the days on which clocks change', () => {
  it.each([
    [
      'a time in the gap',
      daily('Europe/Berlin', '02:30'),
      '2027-03-27T12:00Z',
      '2027-03-28T12:00Z',
      ['2027-03-28T03:00+02:00'],
    ],
    [
      'a time in the gap',
      daily('America/New_York', '02:30'),
      '2027-03-14T00:00Z',
      '2027-03-14T20:00Z',
      ['2027-03-14T03:00-04:00'],
    ],
    [
      'a time in the half-hour gap',
      daily('Australia/Lord_Howe', '02:15'),
      '2027-10-02T06:00Z',
      '2027-10-03T06:00Z',
      ['2027-10-03T02:30+11:00'],
    ],
    [
      'a time in the two-hour gap',
      daily('Antarctica/Troll', '02:30'),
      '2027-03-27T12:00Z',
      '2027-03-28T12:00Z',
      ['2027-03-28T03:00+02:00'],
    ],
    [
      'midnight itself skipped',
      daily('America/Santiago', '00:00'),
      '2027-09-04T12:00Z',
      '2027-09-05T12:00Z',
      ['2027-09-05T01:00-03:00'],
    ],
    [
      'two times in one gap and one on its end',
      daily('Europe/Berlin', '02:00', '02:30', '03:00'),
      '2027-03-27T12:00Z',
      '2027-03-28T12:00Z',
      ['2027-03-28T03:00+02:00'],
    ],
    [
      'a time that comes twice',
      daily('Europe/Berlin', '02:30'),
      '2027-10-30T12:00Z',
      '2027-10-31T12:00Z',
      ['2027-10-31T02:30+02:00'],
    ],
    [
      'a time in the half-hour overlap',
      daily('Australia/Lord_Howe', '01:45'),
      '2027-04-03T06:00Z',
      '2027-04-04T06:00Z',
      ['2027-04-04T01:45+11:00'],
    ],
    [
      'every 2 hours over an overlap',
      every(120, 'Europe/Berlin'),
      '2027-10-30T23:00Z',
      '2027-10-31T04:00Z',
      ['2027-10-31T02:00+02:00', '2027-10-31T04:00+01:00'],
    ],
    [
      'every 30 minutes over a gap',
      every(30, 'Europe/Berlin'),
      '2027-03-28T00:00Z',
      '2027-03-28T01:59Z',
      ['2027-03-28T01:30+01:00', '2027-03-28T03:00+02:00', '2027-03-28T03:30+02:00'],
    ],
    [
      'every 30 minutes over an overlap',
      every(30, 'Europe/Berlin'),
      '2027-10-30T23:30Z',
      '2027-10-31T02:01Z',
      [
        '2027-10-31T02:00+02:00',
        '2027-10-31T02:30+02:00',
        '2027-10-31T02:00+01:00',
        '2027-10-31T02:30+01:00',
        '2027-10-31T03:00+01:00',
      ],
    ],
    [
      'hourly over a half-hour overlap',
      every(60, 'Australia/Lord_Howe'),
      '2027-04-03T13:59Z',
      '2027-04-03T17:31Z',
      ['2027-04-04T01:00+11:00', '2027-04-04T02:00+10:30', '2027-04-04T03:00+10:30', '2027-04-04T04:00+10:30'],
    ],
  ] satisfies Array<[string, Schedule, string, string, string[]]>)('%s', (_, schedule, from, to, expected) => {
    expect(runsBetween(schedule, from, to)).toEqual(expected);
  });

  it.each([
    ['Europe/Berlin', '2027-03-28', 23],
    ['Europe/Berlin', '2027-10-31', 25],
    ['Australia/Lord_Howe', '2027-04-04', 24],
    ['Antarctica/Troll', '2027-03-28', 22],
    ['Antarctica/Troll', '2027-10-31', 26],
  ])('hourly in %s on %s is %i runs', (zone, date, count) => {
    const start = Temporal.PlainDate.from(date).toZonedDateTime(zone);
    const before = start.toInstant().subtract({ seconds: 1 }).toString();
    expect(runsBetween(every(60, zone), before, start.add({ days: 1 }).toInstant().toString())).toHaveLength(count);
  });
});

describe('the calendar', () => {
  it('makes up for short months on their last day', () => {
    const runs = nextRuns({ kind: 'monthly', day: 31, minutes: [420], zone: 'Asia/Kolkata' }, FROM, 10);
    expect(runs.map((run) => run.toZonedDateTimeISO('Asia/Kolkata').toPlainDate().toString())).toEqual([
      '2026-06-30',
      '2026-07-31',
      '2026-08-31',
      '2026-09-30',
      '2026-10-31',
      '2026-11-30',
      '2026-12-31',
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
    ]);
    const leap = nextRun(
      { kind: 'monthly', day: 30, minutes: [0], zone: 'UTC' },
      Temporal.Instant.from('2028-02-01T00:00Z'),
    );
    expect(leap.toString()).toBe('2028-02-29T00:00:00Z');
  });

  it('keeps to the given days of the local week', () => {
    const schedule: Schedule = { kind: 'weekly', weekdays: WORKING_DAYS, minutes: [30], zone: 'Pacific/Chatham' };
    const days = nextRuns(schedule, FROM, 60).map((run) => run.toZonedDateTimeISO('Pacific/Chatham').dayOfWeek);
    expect(days.slice(0, 10)).toEqual([2, 3, 4, 5, 1, 2, 3, 4, 5, 1]);
    expect(days.every((day) => day < 6)).toBe(true);
  });

  it('ends a day of steps that do not fit with a shorter one', () => {
    expect(
      runsBetween(every(300, 'UTC'), '2027-01-01T12:00Z', '2027-01-02T06:00Z').map((run) => run.slice(11, 16)),
    ).toEqual(['15:00', '20:00', '00:00', '05:00']);
  });

  it('names a due time by its wall clock, a repeated one apart', () => {
    const key = (schedule: Schedule, after: string) => nextDue(schedule, Temporal.Instant.from(after)).key;
    expect(key(daily('Europe/Berlin', '02:30'), '2027-03-28T00:30Z')).toBe('2027-03-28T02:30');
    expect(key(every(60, 'Europe/Berlin'), '2027-10-30T23:30Z')).toBe('2027-10-31T02:00');
    expect(key(every(60, 'Europe/Berlin'), '2027-10-31T00:30Z')).toBe('2027-10-31T02:00/2');
  });
});

describe('three years in ten zones', () => {
  function countPerDay(schedule: Schedule, from: Temporal.Instant, to: Temporal.Instant): number {
    const perDay = new Map<string, number>();
    for (let run = nextRun(schedule, from); Temporal.Instant.compare(run, to) < 0; run = nextRun(schedule, run)) {
      const date = run.toZonedDateTimeISO(schedule.zone).toPlainDate().toString();
      perDay.set(date, (perDay.get(date) ?? 0) + 1);
    }
    const first = Temporal.PlainDate.from([...perDay.keys()][0] ?? '');
    const last = Temporal.PlainDate.from([...perDay.keys()].at(-1) ?? '');
    expect([...perDay.values()].every((count) => count === 1)).toBe(true);
    expect(perDay.size).toBe(first.until(last).days + 1);
    return perDay.size;
  }

  it.each(ZONES)('a daily digest comes exactly once each local day in %s', (zone) => {
    expect(countPerDay(daily(zone, '02:30'), FROM, TO)).toBeGreaterThanOrEqual(1_095);
    // Other times differ from it only around a change of clocks.
    let change = FROM.toZonedDateTimeISO(zone).getTimeZoneTransition('next');
    for (
      ;
      change && Temporal.Instant.compare(change.toInstant(), TO) < 0;
      change = change.getTimeZoneTransition('next')
    ) {
      for (const time of ['00:00', '00:30', '01:45', '02:15', '09:00', '23:59']) {
        const days = [change.subtract({ days: 3 }), change.add({ days: 3 })].map((day) => day.toInstant());
        expect(countPerDay(daily(zone, time), days[0] ?? FROM, days[1] ?? TO)).toBeGreaterThanOrEqual(6);
      }
    }
  });

  const schedules: fc.Arbitrary<Schedule> = fc.oneof(
    fc.record({
      kind: fc.constant('weekly' as const),
      weekdays: fc.uniqueArray(fc.constantFrom(...EVERY_DAY), { minLength: 1 }) as fc.Arbitrary<Weekday[]>,
      minutes: fc.uniqueArray(fc.nat(1_439), { minLength: 1, maxLength: 4 }),
      zone: fc.constantFrom(...ZONES),
    }),
    fc.record({
      kind: fc.constant('interval' as const),
      everyMinutes: fc.integer({ min: 15, max: 1_439 }),
      zone: fc.constantFrom(...ZONES),
    }),
    fc.record({
      kind: fc.constant('monthly' as const),
      day: fc.integer({ min: 1, max: 31 }),
      minutes: fc.uniqueArray(fc.nat(1_439), { minLength: 1, maxLength: 3 }),
      zone: fc.constantFrom(...ZONES),
    }),
  );
  /** Half of the instants lie within hours of a change of clocks, where everything interesting happens. */
  const instants = (zone: string): fc.Arbitrary<Temporal.Instant> =>
    fc
      .tuple(fc.integer({ min: FROM.epochMilliseconds, max: TO.epochMilliseconds }), fc.boolean(), fc.nat(6 * 3_600))
      .map(([ms, near, shift]) => {
        const instant = Temporal.Instant.fromEpochMilliseconds(ms);
        const change = instant.toZonedDateTimeISO(zone).getTimeZoneTransition('next');
        return near && change ? change.toInstant().add({ seconds: shift - 3 * 3_600 }) : instant;
      });

  it('agrees with itself forwards and backwards', () => {
    fc.assert(
      fc.property(
        schedules.chain((schedule) => fc.tuple(fc.constant(schedule), instants(schedule.zone))),
        ([schedule, instant]) => {
          const next = nextDue(schedule, instant);
          const after = nextDue(schedule, next.at);
          expect(Temporal.Instant.compare(next.at, instant)).toBe(1);
          expect(Temporal.Instant.compare(after.at, next.at)).toBe(1);
          expect(after.key).not.toBe(next.key);
          expect(previousDue(schedule, after.at)).toEqual(next);
          expect(latestDue(schedule, next.at)).toEqual(next);
          // Nothing lies between: the run before the next one is not after the instant asked about.
          expect(Temporal.Instant.compare(previousRun(schedule, next.at), instant)).toBeLessThanOrEqual(0);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('shows the wall time it was asked for whenever that time exists', () => {
    fc.assert(
      fc.property(
        schedules
          .filter((schedule) => schedule.kind !== 'interval')
          .chain((schedule) => fc.tuple(fc.constant(schedule), instants(schedule.zone))),
        ([schedule, instant]) => {
          const { at: run, key } = nextDue(schedule, instant);
          const shown = run.toZonedDateTimeISO(schedule.zone).toPlainDateTime();
          const wanted = Temporal.PlainDateTime.from(key);
          const exists = wanted.toZonedDateTime(schedule.zone).toPlainDateTime().equals(wanted);
          if (exists) expect(shown.toString()).toBe(wanted.toString());
          else expect(Temporal.PlainDateTime.compare(shown, wanted)).toBe(1);
        },
      ),
      { numRuns: 400 },
    );
  });
});
