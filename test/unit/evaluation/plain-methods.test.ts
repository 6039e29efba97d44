/** The plain methods do what they are published to do, so that being ahead of them means something. */
import { describe, expect, it } from 'vitest';
import { PLAIN_METHODS } from '../../evaluation/methods/plain-methods.ts';
import { alarmsOf, DAY, HOUR, stepsUntil, WEEK } from '../../evaluation/methods/steps.ts';
import { deviateAbove, negativeBinomialTail, poissonTail } from '../../evaluation/methods/tails.ts';
import { createRandom } from '../../evaluation/traffic/random.ts';

/** Four weeks of counts with a daily rise and fall, and an hour of `factor` times as many at the end. */
function steps(factor: number): Float64Array {
  const random = createRandom(12);
  return Float64Array.from({ length: 4 * WEEK + HOUR }, (_, at) => {
    const usual = 300 + 10 * Math.sin((2 * Math.PI * at) / DAY);
    return random.poisson(at >= 4 * WEEK ? usual * factor : usual);
  });
}

describe.each(PLAIN_METHODS.map((method) => [method.name, method] as const))('%s', (_, method) => {
  it('alarms on five times the usual, and hardly ever on the usual', () => {
    const flood = alarmsOf(method, steps(5), 4 * WEEK);
    expect(flood).toHaveLength(HOUR);
    expect(flood.some(Boolean)).toBe(true);
    const quiet = alarmsOf(method, steps(1), 4 * WEEK - DAY);
    expect(quiet.filter(Boolean).length).toBeLessThan(12);
  });

  it('says nothing of what is missing', () => {
    const holes = steps(5).fill(Number.NaN, 4 * WEEK);
    expect(
      alarmsOf(method, holes, 4 * WEEK)
        .slice(3)
        .some(Boolean),
    ).toBe(false);
  });
});

it('tails are those of the tables', () => {
  expect(10 ** -poissonTail(10, 5)).toBeCloseTo(0.0318, 4);
  expect(10 ** -poissonTail(150, 100)).toBeCloseTo(2.2e-6, 6);
  expect(10 ** -negativeBinomialTail(10, 5, 15)).toBeCloseTo(0.1225, 4);
  expect(negativeBinomialTail(10, 5, 5)).toBeCloseTo(poissonTail(10, 5), 9);
  expect(deviateAbove(0.001)).toBeCloseTo(3.0902, 3);
  expect([poissonTail(3, 5), poissonTail(3, 0)]).toEqual([0, 0]);
});

it('steps are counted back from the last complete minute', () => {
  const attacks = [1, 1, 1, 1, 1, 2, 2, null, 2, 2, 3, 3, 3, 3, 3, 9];
  const numbers = { startMs: 0, intervalMs: 60_000, requests: attacks, attacks, categories: null };
  expect([...stepsUntil(numbers, 15 * 60_000)]).toEqual([5, Number.NaN, 15]);
});
