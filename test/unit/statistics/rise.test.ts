/** Which curves give reason to ask for a verdict. Missing one is worse than asking in vain, but asking takes calls. */
import { describe, expect, it } from 'vitest';
import { hasRise } from '../../../src/statistics/summary.ts';
import type { Timeline } from '../../../src/statistics/timeline.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';

const MINUTE = 60_000;
const DAY = 1_440;
const START = Date.parse('2026-03-10T00:00:00Z');

function curve(values: readonly (number | null)[], everyMinutes = 1, settled = values.length): Timeline {
  const intervalMs = everyMinutes * MINUTE;
  return {
    fromMs: START,
    toMs: START + values.length * intervalMs,
    intervalMs,
    points: values.map((attacks, at) => ({ endMs: START + (at + 1) * intervalMs, requests: 100, attacks })),
    settledUntilMs: START + settled * intervalMs,
    asOfMs: START,
    stale: false,
  };
}

const level = (minutes: number, attacks: number): number[] => Array(minutes).fill(attacks);

/** With so many attacks more a minute from one minute to another. */
const raised = (values: readonly number[], from: number, to: number, by: number): number[] =>
  values.map((attacks, at) => (at >= from && at < to ? attacks + by : attacks));

/** Counts around a mean, as chance has them. */
function around(minutes: number, mean: number, seed: number): number[] {
  const random = createSeededRandom(seed);
  return Array.from({ length: minutes }, () => {
    let count = 0;
    for (let each = 0; each < 4 * mean; each++) count += random.below(4) === 0 ? 1 : 0;
    return count;
  });
}

describe('a curve gives reason to ask', () => {
  it.each([
    ['a quarter of an hour at twice the rest', raised(level(360, 4), 200, 215, 4), level(360, 4)],
    ['an hour and a half that is 70 % higher', raised(level(DAY, 10), 600, 690, 7), level(DAY, 10)],
    ['a wave that fills the window', level(60, 9), level(60, 3)],
    ['a wave that fills the window where there were none', level(60, 9), level(60, 0)],
    ['a slow rise of the whole window', level(DAY, 6), level(DAY, 4)],
    [
      'a wave where the day before had one at another time',
      raised(level(DAY, 2), 300, 330, 20),
      raised(level(DAY, 2), 900, 930, 20),
    ],
    ['attacks where there were none', raised(level(360, 0), 100, 120, 3), level(360, 0)],
  ])('%s', (_, now, before) => {
    expect(hasRise(curve(now), curve(before))).toBe(true);
  });

  it('whatever the interval of the service', () => {
    const week = raised(level(7 * 144, 30), 500, 530, 60);
    expect(hasRise(curve(week, 10), curve(level(7 * 144, 30), 10))).toBe(true);
    const month = raised(level(30 * 24, 100), 300, 330, 200);
    expect(hasRise(curve(month, 60), curve(level(30 * 24, 100), 60))).toBe(true);
  });

  it('without anything to compare with', () => {
    expect(hasRise(curve(raised(level(360, 4), 200, 215, 4)), null)).toBe(true);
  });
});

describe('a curve gives no reason to ask', () => {
  it.each([
    ['a single minute with ten times the rest', raised(level(360, 4), 200, 201, 36), level(360, 4)],
    [
      'the same wave at the same time the day before',
      raised(level(360, 4), 200, 230, 8),
      raised(level(360, 4), 205, 235, 8),
    ],
    ['a few attacks more', raised(level(360, 0), 100, 110, 1), level(360, 0)],
    ['a whole day a little higher', level(DAY, 5), level(DAY, 4)],
    ['a fall', level(360, 2), level(360, 8)],
    ['nothing at all', [], []],
  ])('%s', (_, now, before) => {
    expect(hasRise(curve(now), curve(before))).toBe(false);
  });

  it('chance alone, in 60 days of any height', () => {
    const found = Array.from({ length: 60 }, (_, seed) => {
      const mean = [1, 4, 12][seed % 3] ?? 1;
      return hasRise(curve(around(DAY, mean, seed)), curve(around(DAY, mean, seed + 1_000)));
    });
    expect(found.filter(Boolean)).toEqual([]);
  });

  it('attacks on a host that was not there before', () => {
    const unborn = { ...curve([]), points: curve(level(60, 0)).points.map((point) => ({ ...point, requests: 0 })) };
    expect(hasRise(curve(level(60, 9)), unborn)).toBe(false);
  });

  it('numbers that are missing, which are not zeros', () => {
    const holes = level(360, 6).map((attacks, at) => (at < 200 ? null : attacks));
    expect(hasRise(curve(holes), null)).toBe(false);
  });

  it('what is still filling', () => {
    expect(hasRise(curve(raised(level(360, 4), 340, 360, 40), 1, 340), curve(level(360, 4)))).toBe(false);
  });
});
