import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/errors.ts';
import { parseSchedule } from '../../../../src/subscriptions/recurrence/parse-schedule.ts';
import {
  describeSchedule,
  EVERY_DAY,
  normalSchedule,
  type Schedule,
  WORKING_DAYS,
} from '../../../../src/subscriptions/recurrence/schedule.ts';
import { fc } from '../../../support/property.ts';

const zone = 'Europe/Berlin';
const weekly = (weekdays: readonly number[], ...minutes: number[]) => ({ kind: 'weekly', weekdays, minutes, zone });
const interval = (everyMinutes: number) => ({ kind: 'interval', everyMinutes, zone });
const monthly = (day: number, ...minutes: number[]) => ({ kind: 'monthly', day, minutes, zone });

describe('sentences', () => {
  it.each([
    ['daily at 09:00', weekly(EVERY_DAY, 540)],
    ['Daily 9', weekly(EVERY_DAY, 540)],
    ['every day at 9.30', weekly(EVERY_DAY, 570)],
    ['daily at 9, 13:00 and 5 pm', weekly(EVERY_DAY, 540, 780, 1_020)],
    ['daily at noon', weekly(EVERY_DAY, 720)],
    ['daily at midnight and 12:15 am', weekly(EVERY_DAY, 0, 15)],
    ['weekdays 8:30', weekly(WORKING_DAYS, 510)],
    ['every weekday at 8:30 a.m.', weekly(WORKING_DAYS, 510)],
    ['weekends at 10', weekly([6, 7], 600)],
    ['mondays 9am', weekly([1], 540)],
    ['every monday at 12pm', weekly([1], 720)],
    ['mon, wed and fri at 7', weekly([1, 3, 5], 420)],
    ['fri & mon at 7', weekly([1, 5], 420)],
    ['weekly on friday 17:00', weekly([5], 1_020)],
    ['every week on tues at 17:00', weekly([2], 1_020)],
    ['every 4 hours', interval(240)],
    ['every four hours', interval(240)],
    ['every 2h', interval(120)],
    ['every 30 minutes', interval(30)],
    ['every 90min', interval(90)],
    ['hourly', interval(60)],
    ['every hour', interval(60)],
    ['monthly on the 1st at 7:00', monthly(1, 420)],
    ['monthly on day 15 at 7', monthly(15, 420)],
    ['every month on the 31st at 7', monthly(31, 420)],
    ['monthly on the last day at 18:00', monthly(31, 1_080)],
    ['monthly on the first at 7', monthly(1, 420)],
    ['daily\u00a0at\u00a009:00', weekly(EVERY_DAY, 540)],
  ])('%s', (text, expected) => {
    expect(parseSchedule(text, zone)).toEqual(expected);
  });

  it.each([
    ['daily at 9 in America/New_York', 'America/New_York'],
    ['daily in asia/kolkata at 9', 'Asia/Kolkata'],
    ['hourly in UTC', 'UTC'],
    ['daily at 15:30 UTC', 'UTC'],
    ['daily in New York at 9', 'America/New_York'],
    ['daily at 9 in +02:00', '+02:00'],
  ])('%s is in a zone of its own', (text, expected) => {
    expect(parseSchedule(text, zone).zone).toBe(expected);
  });
});

describe('refusals point at the fault', () => {
  it.each([
    ['', '', /^When/],
    ['daily', 'daily', /what time/],
    ['mondays', 'mondays', /what time/],
    ['weekly', 'weekly', /which day of the week/],
    ['weekly at 9', 'at', /don’t understand/],
    ['monthly', 'monthly', /which day of the month/],
    ['monthly at 9', 'at', /which day of the month/],
    ['monthly on the 32nd at 9', '32nd', /no such day/],
    ['daily at 25:00', '25:00', /isn’t a time of day/],
    ['daily at 9:75', '9:75', /isn’t a time of day/],
    ['daily at 13pm', '13pm', /isn’t a time of day/],
    ['daily at 9 sharp', 'sharp', /don’t understand/],
    ['dayly at 9', 'dayly', /don’t understand/],
    ['constructor at 9', 'constructor', /don’t understand/],
    ['every constructor', 'constructor', /don’t understand/],
    ['every 10 minutes', 'every 10 minutes', /15 minutes/],
    ['every 0 hours', 'every 0 hours', /15 minutes/],
    ['every minute', 'every minute', /15 minutes/],
    ['every 24 hours', 'every 24 hours', /shorter than a day/],
    ['every 2 days', 'every 2 days', /minutes or hours/],
    ['every 4 hours at 9', 'at', /can’t have a time of day/],
    ['every', 'every', /^How often/],
    ['daily at 9 in Atlantis', 'Atlantis', /don’t know that time zone/],
    ['daily at 9 in', 'in', /don’t know that time zone/],
  ])('%j', (text, part, message) => {
    try {
      parseSchedule(text, zone);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      expect(error.message).toMatch(message);
      expect(text.slice(error.span?.start, error.span?.end)).toBe(part);
      expect(() => parseSchedule(error.example ?? '', zone)).not.toThrow();
    }
  });
});

describe('due times that are too close', () => {
  it.each([
    ['daily at 9:00 and 9:14', '09:00 and 09:14'],
    ['daily at 23:50 0:00', '23:50 and 00:00'],
    ['monthly on the 1st at 7:00, 7:01', '07:00 and 07:01'],
    ['sat and sun at 23:55, 00:05', '23:55 and 00:05'],
    ['sundays and mondays at 23:59, 0:01', '23:59 and 00:01'],
  ])('%s', (text, which) => {
    expect(() => parseSchedule(text, zone)).toThrow(`Digests must be at least 15 minutes apart; ${which} are closer.`);
  });

  it.each(['daily at 9:00 and 9:15', 'mondays at 23:59, 0:01', 'monthly on the 1st at 0:00 and 23:59', 'daily at 9 9'])(
    '%s are not',
    (text) => {
      expect(() => parseSchedule(text, zone)).not.toThrow();
    },
  );
});

describe('words for a schedule', () => {
  it.each([
    ['daily at 9', 'daily at 09:00 in Europe/Berlin'],
    ['weekdays 8:30', 'weekdays at 08:30 in Europe/Berlin'],
    ['mon, wed and fri at 7, 19:00', 'Mondays, Wednesdays and Fridays at 07:00 and 19:00 in Europe/Berlin'],
    ['hourly', 'every hour in Europe/Berlin'],
    ['every 90 minutes', 'every 90 minutes in Europe/Berlin'],
    ['monthly on the 22nd at 7', 'monthly on the 22nd at 07:00 in Europe/Berlin'],
    ['monthly on the 11th at 7', 'monthly on the 11th at 07:00 in Europe/Berlin'],
    ['monthly on the 31st at 7', 'monthly on the last day at 07:00 in Europe/Berlin'],
  ])('%s', (text, expected) => {
    expect(describeSchedule(parseSchedule(text, zone))).toBe(expected);
  });

  it('are read back as the same schedule', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/Argentina/Buenos_Aires', 'UTC', 'America/St_Johns');
    // A quarter of an hour apart at least, anywhere on the clock.
    const quarters = fc.uniqueArray(fc.nat(95), { minLength: 1, maxLength: 4 });
    const minutes = fc.tuple(quarters, fc.nat(14)).map(([list, shift]) => list.map((quarter) => quarter * 15 + shift));
    const schedules: fc.Arbitrary<Schedule> = fc.oneof(
      fc.record({
        kind: fc.constant('interval' as const),
        everyMinutes: fc.integer({ min: 15, max: 1_439 }),
        zone: zones,
      }),
      fc.record({ kind: fc.constant('monthly' as const), day: fc.integer({ min: 1, max: 31 }), minutes, zone: zones }),
      fc.record({
        kind: fc.constant('weekly' as const),
        weekdays: fc.uniqueArray(fc.constantFrom(...EVERY_DAY), { minLength: 1 }),
        minutes,
        zone: zones,
      }),
    );
    fc.assert(
      fc.property(schedules, (schedule) => {
        expect(parseSchedule(describeSchedule(schedule), 'Asia/Tokyo')).toEqual(normalSchedule(schedule));
      }),
    );
  });

  it('of any kind never crash the parser', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        try {
          parseSchedule(text, zone);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});
