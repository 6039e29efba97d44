import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/errors.ts';
import { parseTimeWindow } from '../../../../src/subscriptions/recurrence/parse-time-window.ts';
import { EVERY_DAY, WEEKEND, WORKING_DAYS } from '../../../../src/subscriptions/recurrence/schedule.ts';
import {
  describeWindow,
  type HoldReason,
  holdAt,
  isPast,
  nextOccurrences,
  occurrencesIn,
  type TimeWindow,
} from '../../../../src/subscriptions/recurrence/time-window.ts';
import { fc } from '../../../support/property.ts';

const ZONE = 'Europe/Berlin';
/** A Tuesday, 16:00 in Berlin. */
const NOW = Temporal.Instant.from('2026-03-10T15:00:00Z');
const ms = (instant: string): number => Temporal.Instant.from(instant).epochMilliseconds;
const parse = (text: string, why: HoldReason = 'maintenance') => parseTimeWindow(text, { why, zone: ZONE, now: NOW });
const window = (text: string, why: HoldReason = 'maintenance'): TimeWindow => ({
  ...{ id: 'q00001', why, zone: ZONE, by: 'U1' },
  when: parse(text, why),
});
const weekly = (weekdays: readonly number[], fromMinute: number, toMinute: number) => ({
  ...{ weekdays, fromMinute, toMinute },
});
const span = (from: string, until: string) => ({ fromMs: ms(from), untilMs: ms(until) });

describe('when alerts are held back', () => {
  it.each([
    ['weekdays 22:00-06:00', weekly(WORKING_DAYS, 1_320, 360)],
    ['weekdays 22:00 – 06:00', weekly(WORKING_DAYS, 1_320, 360)],
    ['hours weekdays from 10pm to 6am', weekly(WORKING_DAYS, 1_320, 360)],
    ['every day between 22 and 6', weekly(EVERY_DAY, 1_320, 360)],
    ['on weekends 0:00-24:00', null],
    ['weekends 12:00-24:00', weekly(WEEKEND, 720, 0)],
    ['sat and sun 2-4', weekly([6, 7], 120, 240)],
    ['sunday, saturday, sunday 02:00-04:00', weekly([6, 7], 120, 240)],
    ['saturday 02:00-04:00', weekly([6], 120, 240)],
    ['once saturday 02:00-04:00', span('2026-03-14T01:00:00Z', '2026-03-14T03:00:00Z')],
    ['once on tuesdays 15:00 to 17:00', span('2026-03-10T14:00:00Z', '2026-03-10T16:00:00Z')],
    ['today 15:30-17:00', span('2026-03-10T14:30:00Z', '2026-03-10T16:00:00Z')],
    ['tonight 22:00-06:00', span('2026-03-10T21:00:00Z', '2026-03-11T05:00:00Z')],
    ['tomorrow 02:00-04:00', span('2026-03-11T01:00:00Z', '2026-03-11T03:00:00Z')],
    ['now for 2h', span('2026-03-10T15:00:00Z', '2026-03-10T17:00:00Z')],
    ['for 90 minutes', span('2026-03-10T15:00:00Z', '2026-03-10T16:30:00Z')],
    ['now for three days', span('2026-03-10T15:00:00Z', '2026-03-13T15:00:00Z')],
    ['now until 18:00', span('2026-03-10T15:00:00Z', '2026-03-10T17:00:00Z')],
    ['until 6am', span('2026-03-10T15:00:00Z', '2026-03-11T05:00:00Z')],
    ['2026-03-14 02:00-04:00', span('2026-03-14T01:00:00Z', '2026-03-14T03:00:00Z')],
    ['once sat 14 Mar from 02:00 to 04:00', span('2026-03-14T01:00:00Z', '2026-03-14T03:00:00Z')],
    ['on march 14th 2am-4am', span('2026-03-14T01:00:00Z', '2026-03-14T03:00:00Z')],
    ['14.3. 22:00-02:00', span('2026-03-14T21:00:00Z', '2026-03-15T01:00:00Z')],
    ['2026-03-14 22:00 to 2026-03-15 02:00', span('2026-03-14T21:00:00Z', '2026-03-15T01:00:00Z')],
    ['3/14', span('2026-03-13T23:00:00Z', '2026-03-14T23:00:00Z')],
    ['10 March 16:30-17:00', span('2026-03-10T15:30:00Z', '2026-03-10T16:00:00Z')],
    ['9 March 16:30-17:00', span('2027-03-09T15:30:00Z', '2027-03-09T16:00:00Z')],
    ['2026-03-09 16:30-17:00', null],
    ['sunday 14 march 02:00-04:00', null],
    ['14 march to 30 march', null],
  ])('%s', (text, expected) => {
    if (expected === null) expect(() => parse(text)).toThrow(UsageError);
    else expect(parse(text)).toEqual(expected);
  });

  it('on a date far ahead is not over', () => {
    const far = window('1 June 02:00-04:00');
    expect(isPast(far, NOW.epochMilliseconds)).toBe(false);
    expect(nextOccurrences(far, NOW.epochMilliseconds, 3)).toHaveLength(1);
    expect(isPast(far, ms('2026-06-01T02:00:00Z'))).toBe(true);
  });

  it('may say below which level, which is always a surge', () => {
    expect(parse('weekdays 22:00-06:00 below surge', 'quiet')).toEqual(parse('weekdays 22:00-06:00', 'quiet'));
    expect(() => parse('saturday 02:00-04:00 below surge')).toThrow('Maintenance holds back every alert.');
    expect(() => parse('weekdays 22:00-06:00 below elevated', 'quiet')).toThrow('below a surge');
  });

  it.each([
    ['', 'When?'],
    ['saturday', 'From when to when?'],
    ['02:00-04:00', 'I don’t understand this part.'],
    ['saturday 02:00-02:00', 'same time'],
    ['saturday 25:00-26:00', 'isn’t a time of day'],
    ['saturday 02:00-04:00 sharp', 'I don’t understand this part.'],
    ['today 02:00-04:00', 'over already'],
    ['now', 'For how long?'],
    ['now for ever', 'For how long?'],
    ['now for 8 days', 'between a minute and 7 days'],
    ['now for 0h', 'between a minute and 7 days'],
    ['until', 'Until when?'],
    ['constructor 02:00-04:00', 'I don’t understand this part.'],
  ])('refuses “%s” and marks a place in it', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    const fault = (() => {
      try {
        return parse(text);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toMatchObject({ span: { start: expect.any(Number), end: expect.any(Number) } });
  });

  it('refuses any other text with a usage error, never another', () => {
    const words = fc.constantFrom(
      ...'on every weekdays sat 22:00 - 06:00 to now for 2h once until below surge 25 ,'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 8 }), (some) => {
        try {
          parse(some.join(' '), 'quiet');
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});

describe('occurrences', () => {
  const inWords = (text: string, from: string, count = 1, zone = ZONE): string[] =>
    nextOccurrences({ ...window(text), zone }, ms(from), count).map(({ fromMs, untilMs }) =>
      [fromMs, untilMs]
        .map((each) => Temporal.Instant.fromEpochMilliseconds(each).toString().slice(5, 16))
        .join(' to '),
    );

  it('are the next three, the current one included', () => {
    expect(inWords('saturday 02:00-04:00', '2026-03-10T15:00:00Z', 3)).toEqual([
      '03-14T01:00 to 03-14T03:00',
      '03-21T01:00 to 03-21T03:00',
      // Clocks skip 02:00 to 03:00 on the day after.
      '03-28T01:00 to 03-28T03:00',
    ]);
    expect(inWords('daily 15:00-17:00', '2026-03-10T15:00:00Z', 2)).toEqual([
      '03-10T14:00 to 03-10T16:00',
      '03-11T14:00 to 03-11T16:00',
    ]);
  });

  it.each([
    ['22:00-06:00', 'are an hour shorter in spring', '2026-03-28T12:00:00Z', '03-28T21:00 to 03-29T04:00'],
    ['02:00-04:00', 'begin when the clocks were moved', '2026-03-28T12:00:00Z', '03-29T01:00 to 03-29T02:00'],
    ['01:30-02:30', 'end when the clocks were moved', '2026-03-28T12:00:00Z', '03-29T00:30 to 03-29T01:00'],
    ['02:15-02:45', 'are left out if clocks skip all of it', '2026-03-28T12:00:00Z', '03-30T00:15 to 03-30T00:45'],
    ['22:00-06:00', 'are an hour longer in autumn', '2026-10-24T12:00:00Z', '10-24T20:00 to 10-25T05:00'],
    ['02:30-03:30', 'begin at the first of two times', '2026-10-24T12:00:00Z', '10-25T00:30 to 10-25T02:30'],
    ['01:00-02:30', 'end at the first of two times', '2026-10-24T12:00:00Z', '10-24T23:00 to 10-25T00:30'],
  ])('daily %s %s', (times, _, from, expected) => {
    expect(inWords(`daily ${times}`, from)).toEqual([expected]);
  });

  it('end early if somebody ends them, and come again', () => {
    const ended = { ...window('daily 15:00-17:00'), endedMs: ms('2026-03-10T15:10:00Z') };
    expect(
      holdAt(occurrencesIn(ended, ms('2026-03-10T15:05:00Z'), ms('2026-03-10T15:06:00Z')), ms('2026-03-10T15:05:00Z')),
    ).toEqual({
      why: 'maintenance',
      ...span('2026-03-10T14:00:00Z', '2026-03-10T15:10:00Z'),
    });
    expect(nextOccurrences(ended, ms('2026-03-10T15:10:00Z'), 1)).toEqual([
      { why: 'maintenance', ...span('2026-03-11T14:00:00Z', '2026-03-11T16:00:00Z') },
    ]);
    const once = { ...window('now for 2h'), endedMs: ms('2026-03-10T15:10:00Z') };
    expect(isPast(once, ms('2026-03-10T15:10:00Z'))).toBe(true);
  });

  it('that overlap or touch are one time, as strict as the strictest at each moment', () => {
    const windows = [
      window('daily 22:00-06:00', 'quiet'),
      window('daily 02:00-04:00'),
      window('daily 06:00-07:00', 'quiet'),
    ];
    const holds = windows.flatMap((each) =>
      occurrencesIn(each, ms('2026-03-10T20:00:00Z'), ms('2026-03-11T20:00:00Z')),
    );
    const until = ms('2026-03-11T06:00:00Z');
    const at = (instant: string) => holdAt(holds, ms(instant));
    expect(at('2026-03-10T20:59:59Z')).toBeNull();
    expect(at('2026-03-10T21:00:00Z')).toMatchObject({ why: 'quiet', untilMs: until });
    expect(at('2026-03-11T01:00:00Z')).toMatchObject({ why: 'maintenance', untilMs: until });
    expect(at('2026-03-11T03:00:00Z')).toMatchObject({ why: 'quiet', untilMs: until });
    expect(at('2026-03-11T05:30:00Z')).toMatchObject({ why: 'quiet', untilMs: until });
    expect(at('2026-03-11T06:00:00Z')).toBeNull();
  });

  it('never overlap each other, and are found at each of their moments', () => {
    const day = 86_400_000;
    const windows = fc.record({
      weekdays: fc.subarray([...EVERY_DAY], { minLength: 1 }),
      fromMinute: fc.nat(1_439),
      toMinute: fc.nat(1_439),
      zone: fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'),
      fromMs: fc.integer({ min: ms('2026-01-01T00:00:00Z'), max: ms('2026-12-01T00:00:00Z') }),
    });
    fc.assert(
      fc.property(windows, ({ zone, fromMs, ...when }) => {
        fc.pre(when.fromMinute !== when.toMinute);
        const each: TimeWindow = { id: '', why: 'quiet', when, zone, by: '' };
        const found = occurrencesIn(each, fromMs, fromMs + 9 * day);
        for (const [at, hold] of found.entries()) {
          expect(hold.untilMs).toBeGreaterThan(hold.fromMs);
          expect(hold.fromMs).toBeGreaterThanOrEqual(found[at - 1]?.untilMs ?? 0);
          expect(hold.untilMs - hold.fromMs).toBeLessThanOrEqual(day + 3_600_000);
          expect(occurrencesIn(each, hold.untilMs - 1, hold.untilMs)).toEqual([hold]);
        }
      }),
    );
  });

  it('are described with days, times and zone', () => {
    expect(describeWindow(window('weekdays 22:00-06:00', 'quiet'), NOW)).toBe(
      'Quiet hours weekdays 22:00 – 06:00 (Europe/Berlin), below surge',
    );
    expect(describeWindow(window('saturday 02:00-04:00'), NOW)).toBe(
      'Maintenance Saturdays 02:00 – 04:00 (Europe/Berlin)',
    );
    expect(describeWindow(window('now for 2h'), NOW)).toBe('Maintenance once, 16:00 – 18:00');
  });
});
