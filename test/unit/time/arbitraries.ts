/** Moments, zones and phrases for the property tests. Phrases are built from the grammar, not taken from the tables. */

import type { TimeContext } from '../../../src/time/index.ts';
import { fc } from '../../support/property.ts';

export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Kathmandu',
  'Pacific/Apia',
  '+05:30',
];

const EARLIEST_MS = Date.UTC(2015, 0, 1);
const LATEST_MS = Date.UTC(2035, 0, 1);

const instants = fc
  .integer({ min: EARLIEST_MS, max: LATEST_MS })
  .map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));

export const contexts: fc.Arbitrary<TimeContext> = fc.record({ now: instants, zone: fc.constantFrom(...ZONES) });

const words = (text: string): fc.Arbitrary<string> => fc.constantFrom(...text.split(' '));
export const MONTHS =
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec';
export const WEEKDAYS =
  'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun';

const count = fc.integer({ min: 1, max: 90 });
const unit = words('s sec seconds m min minutes h hr hours d days w weeks months years');
const length = fc.tuple(count, unit).map(([many, of]) => `${many} ${of}`);
const clock = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([h, m]) => `${h}:${String(m).padStart(2, '0')}`),
  fc.tuple(fc.integer({ min: 1, max: 12 }), words('am pm')).map(([h, half]) => `${h}${half}`),
  words('noon midnight'),
);
const day = fc.oneof(
  words('today yesterday'),
  words(WEEKDAYS),
  fc.tuple(words(MONTHS), fc.integer({ min: 1, max: 28 })).map(([month, date]) => `${month} ${date}`),
  fc.integer({ min: 2, max: 400 }).map((days) => `${days} days ago`),
);
const period = fc.oneof(
  words(MONTHS),
  words('Q1 Q2 Q3 Q4 H1 H2'),
  fc.integer({ min: 2001, max: 2014 }).map(String),
  words('week month quarter year').map((of) => `last ${of}`),
  words('week month quarter year hour').map((of) => `this ${of}`),
);

/** May be refused (a day that has hardly begun, ends in the wrong order) but never answered wrongly. */
export const phrases: fc.Arbitrary<string> = fc.oneof(
  length.map((of) => `last ${of}`),
  length,
  length.map((of) => `since ${of} ago`),
  day,
  period,
  fc.tuple(day, clock, clock).map(([on, from, to]) => `${on} ${from} to ${to}`),
  fc.tuple(clock, clock).map(([from, to]) => `${from} - ${to}`),
  fc.tuple(clock, clock, day).map(([from, to, on]) => `between ${from} and ${to} on ${on}`),
  fc.tuple(day, day).map(([from, to]) => `from ${from} to ${to}`),
  fc.tuple(period, period).map(([from, to]) => `${from} until ${to}`),
  fc.oneof(day, period, clock).map((from) => `since ${from}`),
  fc.oneof(day, period).map((from) => `after ${from}`),
  clock.map((at) => `around ${at}`),
  fc.tuple(count, words('m h d w M y')).map(([many, of]) => `now-${many}${of}/${of === 'y' ? 'M' : 'h'} to now`),
);
