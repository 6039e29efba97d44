import { describe, expect, test } from 'vitest';
import { offsetAt, resolveZone } from '../../../src/time/index.ts';

describe('a zone as people write it', () => {
  test.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['EUROPE/BERLIN', 'Europe/Berlin'],
    ['Berlin', 'Europe/Berlin'],
    ['new york', 'America/New_York'],
    ['New_York', 'America/New_York'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['Kolkata', 'Asia/Kolkata'],
    ['UTC', 'UTC'],
    ['gmt', 'UTC'],
    ['Z', 'UTC'],
    ['CET', '+01:00'],
    ['cest', '+02:00'],
    ['PST', '-08:00'],
    ['IST', '+05:30'],
    ['ET', 'America/New_York'],
    ['+05:30', '+05:30'],
    ['−03:30', '-03:30'],
    ['+2', '+02:00'],
    ['+0545', '+05:45'],
    ['UTC+2', '+02:00'],
    ['GMT-03:00', '-03:00'],
    ['  Asia/Tokyo ', 'Asia/Tokyo'],
  ])('%s is %s', (text, zone) => {
    expect(resolveZone(text)).toBe(zone);
  });

  test.each([
    '',
    'Mars/Olympus',
    'Atlantis',
    '+25:00',
    '+14:30',
    '+01:99',
    'Europe',
    'toString',
    '__proto__',
    'a/b',
    '/',
    'x'.repeat(5000),
  ])('%s is none', (text) => {
    expect(resolveZone(text)).toBeNull();
  });

  test('every zone of the platform is known by its name in any case, and usable', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const found = resolveZone(zone.toLowerCase());
      expect(found, zone).not.toBeNull();
      expect(offsetAt(found ?? '', Temporal.Instant.from('2025-01-01T00:00:00Z'))).toBe(
        offsetAt(zone, Temporal.Instant.from('2025-01-01T00:00:00Z')),
      );
    }
  });
});

test.each([
  ['Europe/Berlin', '2025-01-15T00:00:00Z', '+01:00'],
  ['Europe/Berlin', '2025-07-15T00:00:00Z', '+02:00'],
  ['America/St_Johns', '2025-01-15T00:00:00Z', '-03:30'],
  ['Asia/Kathmandu', '2025-01-15T00:00:00Z', '+05:45'],
  ['Australia/Lord_Howe', '2025-01-15T00:00:00Z', '+11:00'],
  ['UTC', '2025-01-15T00:00:00Z', '+00:00'],
  ['-08:00', '2025-01-15T00:00:00Z', '-08:00'],
])('the offset of %s at %s is %s', (zone, instant, offset) => {
  expect(offsetAt(zone, Temporal.Instant.from(instant))).toBe(offset);
});

test('an offset of old, which had seconds, is cut to what the service takes', () => {
  expect(offsetAt('Europe/Amsterdam', Temporal.Instant.from('1880-01-01T00:00:00Z'))).toMatch(/^\+00:\d\d$/);
});
