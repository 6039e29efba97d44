import { describe, expect, it } from 'vitest';
import { observeCount, observeVerdict } from '../../../../src/subscriptions/watch/observation.ts';
import { callingBar } from '../../../../src/subscriptions/watch/sensitivity.ts';
import { hourInput, judged, MINUTE_MS, NOON_MS, uneven } from '../../episodes/verdict/minutes.ts';

const wave =
  (from: number, to: number, more: number) =>
  (minute: number): number =>
    uneven(10, minute) + (minute >= from && minute < to ? more : 0);

function observed(attacks: (minute: number) => number | undefined) {
  const bar = callingBar('normal');
  return observeVerdict(judged({ ...hourInput({ attacks }), bar: bar.holds }), bar);
}

describe('a verdict as a watch sees it', () => {
  it.each([
    ['nothing', wave(0, 0, 0), 'calm'],
    ['a clear wave', wave(30, 60, 15), 'elevated'],
    ['a surge', wave(30, 60, 30), 'surge'],
    ['a surge that is over', wave(10, 35, 60), 'calm'],
    ['a silence', (minute: number) => (minute > 5 ? undefined : 10), 'unknown'],
  ])('%s', (_, attacks, level) => {
    expect(observed(attacks).level).toBe(level);
  });

  it('has the onset while it goes on, and the end when it is over', () => {
    expect(observed(wave(30, 60, 30))).toMatchObject({ onsetMs: NOON_MS - 30 * MINUTE_MS, endedMs: null });
    expect(observed(wave(10, 35, 60))).toMatchObject({ onsetMs: null, endedMs: NOON_MS - 25 * MINUTE_MS });
  });

  it('begins from one score on and goes on down to a lower one', () => {
    const verdict = judged(hourInput({ attacks: wave(30, 60, 15) }));
    const score = verdict.score ?? 0;
    const seen = (calls: number, holds: number) => observeVerdict(verdict, { calls, holds });
    expect(seen(score, score - 1)).toMatchObject({ level: 'elevated' });
    expect(seen(score + 0.1, score)).toMatchObject({ level: 'between' });
    expect(seen(score + 1, score + 0.5)).toMatchObject({ level: 'calm' });
  });

  it('calls nobody for a burst whose last five minutes are as usual, and waits until it is over', () => {
    expect(observed(wave(40, 60, 40)).level).toBe('surge');
    expect(observed(wave(36, 54, 40)).level).toBe('between');
    expect(observed(wave(30, 48, 40)).level).toBe('calm');
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
