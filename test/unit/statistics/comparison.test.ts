/** What each kind of window is compared with. Every expected window was worked out by hand from a calendar. */
import { describe, expect, it } from 'vitest';
import { compareLikeWithLike } from '../../../src/statistics/comparison.ts';
import { parseRange, wholeMinutes } from '../../../src/time/index.ts';
import { fc } from '../../support/property.ts';

const STOCKHOLM = 'Europe/Stockholm';
const NEW_YORK = 'America/New_York';

interface Row {
  readonly now: string;
  readonly zone: string;
  readonly phrase: string;
  readonly versus?: string;
}

function compare({ now: at, zone, phrase, versus }: Row) {
  const now = Temporal.Instant.from(at);
  const read = (words: string) => wholeMinutes(parseRange(words, { now, zone }));
  const other = versus === undefined ? null : versus === 'previous' ? versus : read(versus);
  return compareLikeWithLike({ range: read(phrase), versus: other, now, zone });
}

/** `2026-03-10T00:00+01:00 2026-03-10T06:27+01:00` */
function span(text: string): readonly Temporal.Instant[] {
  return text.split(' ').map((instant) => Temporal.Instant.from(instant));
}

describe('a window is compared with', () => {
  // Tuesday is 10 March 2026; clocks go forward on 29 March in Stockholm, on 8 March in New York.
  // biome-ignore format: a table
  it.each([
    // Parts of a day: the same hours of the day before.
    ['today', '2026-03-10T06:30+01:00', STOCKHOLM, '2026-03-10T00:00+01:00 2026-03-10T06:27+01:00', '2026-03-09T00:00+01:00 2026-03-09T06:27+01:00', 'the same hours the day before'],
    ['today', '2026-03-10T00:05+01:00', STOCKHOLM, '2026-03-10T00:00+01:00 2026-03-10T00:02+01:00', '2026-03-09T00:00+01:00 2026-03-09T00:02+01:00', 'the same time the day before'],
    ['today', '2026-03-10T06:30+05:45', 'Asia/Kathmandu', '2026-03-10T00:00+05:45 2026-03-10T06:27+05:45', '2026-03-09T00:00+05:45 2026-03-09T06:27+05:45', 'the same hours the day before'],
    ['last 5 minutes', '2026-03-10T14:30Z', 'UTC', '2026-03-10T14:25Z 2026-03-10T14:27Z', '2026-03-09T14:25Z 2026-03-09T14:27Z', 'the same time the day before'],
    ['last 24h', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-10T14:30+01:00 2026-03-11T14:27+01:00', '2026-03-09T14:30+01:00 2026-03-10T14:27+01:00', 'the same hours the day before'],
    ['yesterday', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-10T00:00+01:00 2026-03-11T00:00+01:00', '2026-03-09T00:00+01:00 2026-03-10T00:00+01:00', 'the day before'],
    ['yesterday', '2026-03-11T00:01+01:00', STOCKHOLM, '2026-03-10T00:00+01:00 2026-03-10T23:58+01:00', '2026-03-09T00:00+01:00 2026-03-09T23:58+01:00', 'the same hours the day before'],
    ['yesterday 14:00-16:00', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-10T14:00+01:00 2026-03-10T16:00+01:00', '2026-03-09T14:00+01:00 2026-03-09T16:00+01:00', 'the same hours the day before'],
    // Where a working day follows a weekend, or the other way round: a week before.
    ['today', '2026-03-09T06:30+01:00', STOCKHOLM, '2026-03-09T00:00+01:00 2026-03-09T06:27+01:00', '2026-03-02T00:00+01:00 2026-03-02T06:27+01:00', 'the same hours the Monday before'],
    ['today', '2026-03-14T12:00+01:00', STOCKHOLM, '2026-03-14T00:00+01:00 2026-03-14T11:57+01:00', '2026-03-07T00:00+01:00 2026-03-07T11:57+01:00', 'the same hours the Saturday before'],
    ['today', '2026-03-15T12:00+01:00', STOCKHOLM, '2026-03-15T00:00+01:00 2026-03-15T11:57+01:00', '2026-03-14T00:00+01:00 2026-03-14T11:57+01:00', 'the same hours the day before'],
    ['yesterday', '2026-03-10T14:30+01:00', STOCKHOLM, '2026-03-09T00:00+01:00 2026-03-10T00:00+01:00', '2026-03-02T00:00+01:00 2026-03-03T00:00+01:00', 'the Monday before'],
    ['last 24h', '2026-03-10T14:30+01:00', STOCKHOLM, '2026-03-09T14:30+01:00 2026-03-10T14:27+01:00', '2026-03-02T14:30+01:00 2026-03-03T14:27+01:00', 'the same hours a week before'],
    // The day is that of the zone: still Sunday in New York, already Monday in Stockholm.
    ['last 2h', '2026-03-16T01:00Z', NEW_YORK, '2026-03-15T19:00-04:00 2026-03-15T20:57-04:00', '2026-03-14T19:00-04:00 2026-03-14T20:57-04:00', 'the same time the day before'],
    ['last 1h', '2026-03-16T01:00Z', STOCKHOLM, '2026-03-16T01:00+01:00 2026-03-16T01:57+01:00', '2026-03-09T01:00+01:00 2026-03-09T01:57+01:00', 'the same time the Monday before'],
    // Several days: the same days of the weeks before.
    ['this week', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-09T00:00+01:00 2026-03-11T14:27+01:00', '2026-03-02T00:00+01:00 2026-03-04T14:27+01:00', 'the same days a week before'],
    ['last week', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-02T00:00+01:00 2026-03-09T00:00+01:00', '2026-02-23T00:00+01:00 2026-03-02T00:00+01:00', 'the week before'],
    ['last 7 days', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-04T14:30+01:00 2026-03-11T14:27+01:00', '2026-02-25T14:30+01:00 2026-03-04T14:27+01:00', 'the same days a week before'],
    ['last 30 days', '2026-03-11T14:30Z', 'UTC', '2026-02-09T14:30Z 2026-03-11T14:27Z', '2026-01-05T14:30Z 2026-02-04T14:27Z', 'the same days 5 weeks before'],
    // Months: the month before, as far as this one has come.
    ['this month', '2026-03-11T14:30+01:00', STOCKHOLM, '2026-03-01T00:00+01:00 2026-03-11T14:27+01:00', '2026-02-01T00:00+01:00 2026-02-11T14:27+01:00', 'the same part of the month before'],
    ['last month', '2026-03-11T14:30-04:00', NEW_YORK, '2026-02-01T00:00-05:00 2026-03-01T00:00-05:00', '2026-01-01T00:00-05:00 2026-02-01T00:00-05:00', 'the month before'],
    ['Q1 2026', '2026-04-20T09:00+02:00', STOCKHOLM, '2026-01-01T00:00+01:00 2026-04-01T00:00+02:00', '2025-10-01T00:00+02:00 2026-01-01T00:00+01:00', 'the 3 months before'],
    ['this month', '2026-03-31T12:00+02:00', STOCKHOLM, '2026-03-01T00:00+01:00 2026-03-31T11:57+02:00', '2026-02-01T00:00+01:00 2026-02-28T11:57+01:00', 'the same part of the month before'],
    // At the start of a month or a week there is only a day or a few of it.
    ['this month', '2026-03-01T00:05+01:00', STOCKHOLM, '2026-03-01T00:00+01:00 2026-03-01T00:02+01:00', '2026-02-28T00:00+01:00 2026-02-28T00:02+01:00', 'the same time the day before'],
    ['this month', '2026-04-01T00:05-04:00', NEW_YORK, '2026-04-01T00:00-04:00 2026-04-01T00:02-04:00', '2026-03-31T00:00-04:00 2026-03-31T00:02-04:00', 'the same time the day before'],
    ['this month', '2026-06-01T08:00+02:00', STOCKHOLM, '2026-06-01T00:00+02:00 2026-06-01T07:57+02:00', '2026-05-25T00:00+02:00 2026-05-25T07:57+02:00', 'the same hours the Monday before'],
    ['this month', '2026-03-03T09:00+01:00', STOCKHOLM, '2026-03-01T00:00+01:00 2026-03-03T08:57+01:00', '2026-02-22T00:00+01:00 2026-02-24T08:57+01:00', 'the same days a week before'],
    // Clocks change: the same hours on the wall, although one side has an hour more.
    ['today', '2026-03-29T06:30+02:00', STOCKHOLM, '2026-03-29T00:00+01:00 2026-03-29T06:27+02:00', '2026-03-28T00:00+01:00 2026-03-28T06:27+01:00', 'the same hours the day before'],
    ['yesterday', '2026-03-30T09:00+02:00', STOCKHOLM, '2026-03-29T00:00+01:00 2026-03-30T00:00+02:00', '2026-03-28T00:00+01:00 2026-03-29T00:00+01:00', 'the day before'],
    ['yesterday', '2026-10-26T09:00+01:00', STOCKHOLM, '2026-10-25T00:00+02:00 2026-10-26T00:00+01:00', '2026-10-24T00:00+02:00 2026-10-25T00:00+02:00', 'the day before'],
    ['last 24h', '2026-03-29T14:30+02:00', STOCKHOLM, '2026-03-28T13:30+01:00 2026-03-29T14:27+02:00', '2026-03-21T13:30+01:00 2026-03-22T14:27+01:00', 'the same hours a week before'],
    ['last 24h', '2026-10-25T14:30+01:00', STOCKHOLM, '2026-10-24T15:30+02:00 2026-10-25T14:27+01:00', '2026-10-17T15:30+02:00 2026-10-18T14:27+02:00', 'the same hours a week before'],
    ['last week', '2026-03-30T09:00+02:00', STOCKHOLM, '2026-03-23T00:00+01:00 2026-03-30T00:00+02:00', '2026-03-16T00:00+01:00 2026-03-23T00:00+01:00', 'the week before'],
    ['last 3h', '2026-03-08T04:30-04:00', NEW_YORK, '2026-03-08T00:30-05:00 2026-03-08T04:27-04:00', '2026-03-07T00:30-05:00 2026-03-07T04:27-05:00', 'the same hours the day before'],
    ['today', '2026-04-05T06:30+10:30', 'Australia/Lord_Howe', '2026-04-05T00:00+11:00 2026-04-05T06:27+10:30', '2026-04-04T00:00+11:00 2026-04-04T06:27+11:00', 'the same hours the day before'],
    // Gaza's clocks skip an hour on a Saturday: what lay in it lies an hour later.
    ['today 02:10-02:50', '2026-03-29T09:00+03:00', 'Asia/Gaza', '2026-03-29T02:10+03:00 2026-03-29T02:50+03:00', '2026-03-28T03:10+03:00 2026-03-28T03:50+03:00', 'the same time the day before'],
    ['today 02:30-03:10', '2026-03-29T09:00+03:00', 'Asia/Gaza', '2026-03-29T02:30+03:00 2026-03-29T03:10+03:00', '2026-03-29T01:50+03:00 2026-03-29T02:30+03:00', 'the time just before'],
  ])('%s at %s in %s', (phrase, now, zone, counted, against, words) => {
    const found = compare({ phrase, now, zone });
    expect([found?.counted.from, found?.counted.to]).toEqual(span(counted));
    expect([found?.against.from, found?.against.to]).toEqual(span(against));
    expect(found?.words).toBe(words);
  });

  it.each([
    ['today', '2026-03-10T00:02+01:00'],
    ['today', '2026-03-10T00:03:59+01:00'],
    ['last 2 minutes', '2026-03-10T14:30+01:00'],
  ])('nothing, as long as all of it is still filling in: %s at %s', (phrase, now) => {
    expect(compare({ phrase, now, zone: STOCKHOLM })).toBeNull();
  });
});

describe('a window that somebody names to compare with', () => {
  // biome-ignore format: a table
  it.each([
    ['today', 'yesterday', '2026-03-10T06:30+01:00', '2026-03-10T00:00+01:00 2026-03-10T06:27+01:00', '2026-03-09T00:00+01:00 2026-03-09T06:27+01:00'],
    ['today', 'yesterday', '2026-03-10T00:05+01:00', '2026-03-10T00:00+01:00 2026-03-10T00:02+01:00', '2026-03-09T00:00+01:00 2026-03-09T00:02+01:00'],
    ['yesterday', 'today', '2026-03-10T06:30+01:00', '2026-03-09T00:00+01:00 2026-03-09T06:27+01:00', '2026-03-10T00:00+01:00 2026-03-10T06:27+01:00'],
    ['today', 'yesterday', '2026-03-29T06:30+02:00', '2026-03-29T00:00+01:00 2026-03-29T06:27+02:00', '2026-03-28T00:00+01:00 2026-03-28T06:27+01:00'],
    ['this week', 'last week', '2026-03-11T14:30+01:00', '2026-03-09T00:00+01:00 2026-03-11T14:27+01:00', '2026-03-02T00:00+01:00 2026-03-04T14:27+01:00'],
    ['this month', 'last month', '2026-03-31T12:00+02:00', '2026-03-01T00:00+01:00 2026-03-31T11:57+02:00', '2026-02-01T00:00+01:00 2026-03-01T00:00+01:00'],
    ['this month', 'last month', '2026-03-01T00:05+01:00', '2026-03-01T00:00+01:00 2026-03-01T00:02+01:00', '2026-02-01T00:00+01:00 2026-02-01T00:02+01:00'],
    ['last 2h', 'yesterday 12:30-14:30', '2026-03-10T14:30+01:00', '2026-03-10T12:30+01:00 2026-03-10T14:27+01:00', '2026-03-09T12:30+01:00 2026-03-09T14:27+01:00'],
    ['yesterday', 'last friday', '2026-03-10T14:30+01:00', '2026-03-09T00:00+01:00 2026-03-10T00:00+01:00', '2026-03-06T00:00+01:00 2026-03-07T00:00+01:00'],
    // Of other lengths: each as it was named.
    ['last 6h', 'yesterday', '2026-03-10T14:30+01:00', '2026-03-10T08:30+01:00 2026-03-10T14:27+01:00', '2026-03-09T00:00+01:00 2026-03-10T00:00+01:00'],
    ['today', 'this week', '2026-03-11T14:30+01:00', '2026-03-11T00:00+01:00 2026-03-11T14:27+01:00', '2026-03-09T00:00+01:00 2026-03-11T14:27+01:00'],
  ])('is cut like the other one: %s vs %s at %s', (phrase, versus, now, counted, against) => {
    const found = compare({ phrase, versus, now, zone: STOCKHOLM });
    expect([found?.counted.from, found?.counted.to]).toEqual(span(counted));
    expect([found?.against.from, found?.against.to]).toEqual(span(against));
    expect(found?.words).toBeNull();
  });

  it('is the time just before where that is wanted', () => {
    const found = compare({ phrase: 'today', versus: 'previous', now: '2026-03-10T06:30+01:00', zone: STOCKHOLM });
    expect([found?.against.from, found?.against.to]).toEqual(span('2026-03-09T17:33+01:00 2026-03-10T00:00+01:00'));
    expect(found?.words).toBe('the time just before');
  });
});

describe('whatever the window', () => {
  const zone = fc.constantFrom(
    STOCKHOLM,
    NEW_YORK,
    'UTC',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Asia/Gaza',
    'Pacific/Apia',
  );
  const minute = fc.integer({ min: 0, max: 2 * 366 * 1440 });
  const START = Temporal.Instant.from('2025-01-01T00:00Z');
  const at = (minutes: number): Temporal.Instant => START.add({ minutes });
  const ms = ({ from, to }: { from: Temporal.Instant; to: Temporal.Instant }): number =>
    to.epochMilliseconds - from.epochMilliseconds;

  it('only what is complete is counted, and against earlier time of about the same length', () => {
    fc.assert(
      fc.property(
        zone,
        minute,
        fc.integer({ min: 1, max: 40 * 1440 }),
        fc.integer({ min: 0, max: 3000 }),
        (where, from, length, ago) => {
          const range = { from: at(from), to: at(from + length) };
          const now = range.to.add({ minutes: ago }).add({ seconds: ago % 60 });
          const found = compareLikeWithLike({ range, now, zone: where });
          if (found === null) {
            expect(length + ago).toBeLessThanOrEqual(3);
            return;
          }
          const { counted, against } = found;
          expect(counted.from).toEqual(range.from);
          expect(now.epochMilliseconds - counted.to.epochMilliseconds).toBeGreaterThanOrEqual(3 * 60_000);
          expect(Temporal.Instant.compare(against.to, counted.from)).toBeLessThanOrEqual(0);
          expect(ms(against)).toBeGreaterThan(0);
          // An hour more or less by the clocks, a few days by the months.
          const isMonths = found.words?.includes('month') === true;
          expect(Math.abs(ms(against) - ms(counted))).toBeLessThanOrEqual((isMonths ? 4 * 24 + 1 : 1) * 3_600_000);
          // Asked again by its instants, as a button does, it is compared with the same.
          expect(compareLikeWithLike({ range: counted, now: now.add({ hours: 5 }), zone: where })).toEqual(found);
        },
      ),
      { examples: [[NEW_YORK, 580_799, 40_261, 3]] },
    );
  });
});
