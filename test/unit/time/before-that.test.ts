import { expect, test } from 'vitest';
import { parseRange } from '../../../src/time/index.ts';
import { readTable } from './read-table.ts';

/** `window > phrase`: the phrase is relative to the window. */
const TABLE = `
@ 2025-06-18T16:25:40+02:00[Europe/Berlin]
last week > the week before              => 2025-06-02 .. 2025-06-09
this week > the week before              => 2025-06-09 .. 2025-06-16
yesterday > the day before               => 2025-06-16 .. 2025-06-17
may > the month before                   => 2025-04-01 .. 2025-05-01
yesterday > a week before                => 2025-06-10 .. 2025-06-11
yesterday > 2 weeks before               => 2025-06-03 .. 2025-06-04
last 3 days > 3 days before              => 2025-06-12 16:25:40 .. 2025-06-15 16:25:40
yesterday > same day last week           => 2025-06-10 .. 2025-06-11
last week > the day before               => 2025-06-08 .. 2025-06-09
yesterday 2pm to 4pm > the day before    => 2025-06-16 14:00 .. 2025-06-16 16:00
yesterday 2pm to 4pm > the 2h before     => 2025-06-17 12:00 .. 2025-06-17 14:00
yesterday 2pm to 4pm > the hour before   => 2025-06-17 13:00 .. 2025-06-17 14:00
yesterday 2pm to 4pm > the night before  => 2025-06-16 18:00 .. 2025-06-17 08:00
last night > the night before            => 2025-06-16 18:00 .. 2025-06-17 08:00
yesterday > the night before             => 2025-06-16 18:00 .. 2025-06-17 08:00
last 24h > the day before                => 2025-06-16 16:25:40 .. 2025-06-17 16:25:40
yesterday 2pm to 4pm > the hour after    => 2025-06-17 16:00 .. 2025-06-17 17:00
yesterday 2pm to 4pm > the next 30 minutes => 2025-06-17 16:00 .. 2025-06-17 16:30
yesterday 2pm to 4pm > the 2 hours after that => 2025-06-17 16:00 .. 2025-06-17 18:00
last week > the week after               => 2025-06-16 .. now
monday > the day after                   => 2025-06-17 .. 2025-06-18
monday > the night after                 => 2025-06-16 18:00 .. 2025-06-17 08:00
last monday > the monday before          => 2025-06-09 .. 2025-06-10
monday 2pm to 4pm > the monday before    => 2025-06-09 14:00 .. 2025-06-09 16:00
monday > the friday before               => 2025-06-13 .. 2025-06-14
yesterday 2pm to 4pm > the whole day     => 2025-06-17 .. 2025-06-18
yesterday 2pm to 4pm > the whole week    => 2025-06-16 .. now
yesterday 2pm to 4pm > same time today   => 2025-06-18 14:00 .. 2025-06-18 16:00
yesterday 2pm to 4pm > same time on monday => 2025-06-16 14:00 .. 2025-06-16 16:00
today > same time last week              => 2025-06-11 .. 2025-06-11 16:25:40
yesterday 2pm to 4pm > same hours the day before => 2025-06-16 14:00 .. 2025-06-16 16:00
`;

test.each(readTable(TABLE).map((row) => [row.phrase, row] as const))('%s', (typed, { now, zone, expect: wanted }) => {
  const [window = '', phrase = ''] = typed.split(' > ');
  const previous = parseRange(window, { now, zone });
  const { from, to } = parseRange(phrase, { now, zone, previous });
  expect('from' in wanted && [`${wanted.from}`, `${wanted.to}`]).toEqual([`${from}`, `${to}`]);
});

test.each(['the week before', 'the 2h before', 'the night before'])('%s needs a window', (phrase) => {
  const context = { now: Temporal.Instant.from('2025-06-18T14:25:40Z'), zone: 'Europe/Berlin' };
  expect(() => parseRange(phrase, context)).toThrow('Before what?');
});
