import { describe, expect, it } from 'vitest';
import { judge } from '../../../../src/insight/verdict/index.ts';
import { observeCount, observeVerdict } from '../../../../src/subscriptions/watch/observation.ts';
import { hourInput, MINUTE_MS, NOON_MS, uneven } from '../../insight/verdict/minutes.ts';

const wave =
  (from: number, to: number, more: number) =>
  (minute: number): number =>
    uneven(10, minute) + (minute >= from && minute < to ? more : 0);

function observed(attacks: (minute: number) => number | undefined) {
  const input = hourInput({ attacks });
  const { recent, fromMs } = input;
  return observeVerdict(judge(input), { ...recent, points: recent.points.filter(({ endMs }) => endMs > fromMs) });
}

describe('a verdict as a watch sees it', () => {
  it.each([
    ['nothing', wave(0, 0, 0), 'calm', 0],
    ['a clear wave', wave(30, 60, 15), 'elevated', 1],
    ['a surge', wave(30, 60, 30), 'surge', 2],
    ['four times a surge', wave(30, 60, 130), 'surge', 4],
    ['a surge that is over', wave(10, 35, 60), 'calm', 0],
    ['a silence', (minute: number) => (minute > 5 ? undefined : 10), 'unknown', 0],
  ])('%s', (_, attacks, level, severity) => {
    expect(observed(attacks)).toMatchObject({ level, severity });
  });

  it('neither begins nor ends with what is hardly there', () => {
    expect(observed(wave(45, 60, 5)).level).toBe('between');
  });

  it('has the peak since the onset', () => {
    const { peak, onsetMs } = observed((minute) => wave(30, 60, 30)(minute) + (minute === 50 ? 100 : 0));
    expect(onsetMs).toBe(NOON_MS - 30 * MINUTE_MS);
    expect(peak).toMatchObject({ endMs: NOON_MS - 9 * MINUTE_MS, intervalMs: MINUTE_MS });
    expect(peak?.count).toBe(uneven(10, 50) + 130);
  });
});

describe('a count', () => {
  const count = (many: number, known = 1) =>
    observeCount({ atMs: 0, count: many, known, perMs: 600_000, points: [], categories: [] }, 100);

  it.each([
    [0, 'calm', 0],
    [80, 'calm', 0],
    [81, 'between', 0],
    [100, 'between', 0],
    [101, 'elevated', 1],
    [199, 'elevated', 1],
    [200, 'surge', 2],
    [450, 'surge', 3],
  ])('of %i over a limit of 100 is %s', (many, level, severity) => {
    expect(count(many)).toMatchObject({ level, severity });
  });

  it('with little known is only believed when it is over already', () => {
    expect(count(10, 0.5).level).toBe('unknown');
    expect(count(120, 0.5).level).toBe('elevated');
  });
});
