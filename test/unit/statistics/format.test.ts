import { describe, expect, it } from 'vitest';
import { type DurationStyle, duration, exactDuration, formatShare } from '../../../src/statistics/format.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('duration', () => {
  it.each([
    [MINUTE, '1 minute'],
    [5 * MINUTE, '5 minutes'],
    [HOUR, '1 hour'],
    [36 * HOUR, '36 hours'],
    [2 * DAY, '2 days'],
    [90 * SECOND, '90 seconds'],
    [0, '0 seconds'],
  ])('loses nothing of a length that was chosen: %i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it.each<[number, DurationStyle, string]>([
    [HOUR, { bareOne: true }, 'hour'],
    [2 * HOUR, { bareOne: true }, '2 hours'],
    [DAY, { units: ['hour', 'minute'], bareOne: true }, '24 hours'],
    [36 * HOUR, { units: ['minute'] }, '2160 minutes'],
    [6 * HOUR, { form: 'short' }, '6 h'],
    [2 * DAY, { form: 'short' }, '2 days'],
    [HOUR, { form: 'short', bareOne: true }, 'hour'],
    [5 * MINUTE, { form: 'compound' }, '5-minute'],
  ])('%i ms with %j is %s', (ms, style, text) => {
    expect(duration(ms, style)).toBe(text);
  });

  const measured = { units: ['day', 'hour', 'minute'], rounding: 'tenths' } as const;
  it.each([
    [56 * MINUTE + 20 * SECOND, '56 minutes'],
    [119 * MINUTE, '119 minutes'],
    [120 * MINUTE, '2 hours'],
    [150 * MINUTE, '2.5 hours'],
    [47 * HOUR, '47 hours'],
    [48 * HOUR, '2 days'],
    [60 * HOUR, '2.5 days'],
  ])('takes a unit of which there are two for a length that was measured: %i ms is %s', (ms, text) => {
    expect(duration(ms, measured)).toBe(text);
  });

  it('rounds to whole units, or up where a wait must not be understated', () => {
    expect(duration(150 * MINUTE, { units: ['hour', 'minute'], rounding: 'whole', form: 'short' })).toBe('3 h');
    expect(duration(0, { units: ['minute', 'second'], rounding: 'whole', form: 'short' })).toBe('0 s');
    expect(duration(61 * SECOND, { units: ['minute'], rounding: 'up', form: 'short' })).toBe('2 min');
  });
});

describe('an exact duration', () => {
  it.each([
    [57 * MINUTE, '57 minutes'],
    [MINUTE, '1 minute'],
    [119 * MINUTE, '119 minutes'],
    [2 * HOUR, '2 hours'],
    [177 * MINUTE, '2 h 57 min'],
    [24 * HOUR, '1 day'],
    [167 * HOUR, '6 days 23 h'],
    [168 * HOUR, '7 days'],
    [167 * HOUR + 57 * MINUTE, '6 days 23 h 57 min'],
    [168 * HOUR + 5 * MINUTE, '7 days 5 min'],
  ])('%d ms is %s', (ms, text) => {
    expect(exactDuration(ms)).toBe(text);
  });
});

describe('a share', () => {
  it.each([
    [0.0004, '<0.1 %'],
    [0.052, '5.2 %'],
    [0.71, '71 %'],
    [0.9957, '99.6 %'],
    [0.9996, '>99.9 %'],
    [1, '100 %'],
  ])('%d is %s: almost all is not all', (share, text) => {
    expect(formatShare(share)).toBe(text);
  });
});
