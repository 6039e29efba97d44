import { describe, expect, it } from 'vitest';
import type { EpisodeRecord } from '../../../../src/episodes/episode.ts';
import { observeCount, observeRecords } from '../../../../src/subscriptions/watch/observation.ts';
import { episodeRecord } from '../../../support/episodes.ts';

const MINUTE_MS = 60_000;

/** A surge from minute 0 to 40, to be seen from minute 6 on, and as a surge from minute 10. */
const RECORD: EpisodeRecord = episodeRecord({
  onsetMs: 0,
  endMs: 40 * MINUTE_MS,
  steps: [
    { atMs: 6 * MINUTE_MS, strength: 1.7, level: 'elevated' },
    { atMs: 8 * MINUTE_MS, strength: 2.1, level: 'elevated' },
    { atMs: 10 * MINUTE_MS, strength: 5, level: 'surge' },
  ],
});
const seen = (minute: number, calls = 2, records = [RECORD]) => observeRecords(records, minute * MINUTE_MS, calls);

describe('records as a watch sees them', () => {
  it.each([
    ['before anything could be seen', 5, 'calm'],
    ['as it shows, below the sensitivity', 6, 'between'],
    ['as it has become strong enough', 8, 'elevated'],
    ['as it has become a surge', 10, 'surge'],
    ['at its end', 40, 'surge'],
    ['within ten minutes after it, when it may go on', 49, 'surge'],
    ['after that', 50, 'calm'],
  ])('%s', (_, minute, level) => {
    expect(seen(minute).level).toBe(level);
  });

  it('has the onset while it goes on, and the end when it is over', () => {
    expect(seen(20)).toMatchObject({ onsetMs: 0, endedMs: null, record: RECORD });
    expect(seen(60)).toMatchObject({ onsetMs: null, endedMs: 40 * MINUTE_MS, record: RECORD });
    expect(seen(5)).toMatchObject({ onsetMs: null, endedMs: null, record: null });
  });

  it('depends on the sensitivity alone', () => {
    expect([1.7, 2, 2.4, 6].map((calls) => seen(8, calls).level)).toEqual([
      'elevated',
      'elevated',
      'between',
      'between',
    ]);
  });

  it('is about the last that could be seen, and knows those before it', () => {
    const next = episodeRecord({ onsetMs: 60 * MINUTE_MS, endMs: null });
    expect(seen(64, 2, [RECORD, next])).toMatchObject({ record: RECORD, earlier: [] });
    expect(seen(65, 2, [RECORD, next])).toMatchObject({ record: next, earlier: [RECORD] });
  });

  it('is unknown once the numbers of what went on are too old', () => {
    const ongoing = { ...RECORD, endMs: null };
    expect(seen(54, 2, [ongoing]).level).toBe('surge');
    expect(seen(55, 2, [ongoing]).level).toBe('unknown');
  });
});

describe('a count', () => {
  const count = (many: number, known = 1) => observeCount({ atMs: 0, count: many, known, perMs: 600_000 }, 100);

  it.each([
    [0, 'calm'],
    [80, 'calm'],
    [81, 'between'],
    [100, 'between'],
    [101, 'elevated'],
    [199, 'elevated'],
    [200, 'surge'],
  ])('of %i over a limit of 100 is %s', (many, level) => {
    expect(count(many).level).toBe(level);
  });

  it('may have begun with the time that it is counted over', () => {
    expect(count(120).sinceMs).toBe(-600_000);
  });

  it('with little known is only believed when it is over already', () => {
    expect(count(10, 0.5).level).toBe('unknown');
    expect(count(120, 0.5).level).toBe('elevated');
  });
});
