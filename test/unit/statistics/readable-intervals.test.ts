import { describe, expect, it } from 'vitest';
import { bucketFor, rebucket, summarise, type Timeline } from '../../../src/statistics/timeline.ts';
import { fc } from '../../support/property.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-10T00:00:00Z');

function minutes(values: readonly (number | null)[], settled = values.length): Timeline {
  return {
    fromMs: START,
    toMs: START + values.length * MINUTE,
    intervalMs: MINUTE,
    points: values.map((attacks, at) => ({ endMs: START + (at + 1) * MINUTE, requests: 10, attacks })),
    settledUntilMs: START + settled * MINUTE,
    asOfMs: START,
    stale: false,
  };
}

describe('longer intervals', () => {
  it.each([
    [60, 100, 1],
    [1_440, 100, 15],
    [1_440, 1_440, 1],
    [930, 96, 10],
    [10_080, 96, 120],
  ])('%i minutes in at most %i points: %i minutes each', (length, most, expected) => {
    expect(bucketFor(minutes(Array(length).fill(1)), most)).toBe(expected * MINUTE);
  });

  it('keep every count, whatever the window', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.nat(1_000), { nil: null }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 2, max: 60 }),
        (values, length) => {
          const before = minutes(values);
          const after = rebucket(before, length * MINUTE);
          expect(summarise(after)).toMatchObject({
            attacks: summarise(before).attacks,
            requests: summarise(before).requests,
          });
          expect(after.points.length).toBeLessThanOrEqual(Math.ceil(values.length / length));
        },
      ),
    );
  });

  it('leave a bucket without numbers unknown, and one that is cut off unfinished', () => {
    const { points, settledUntilMs } = rebucket(minutes([1, 2, null, null, 5]), 2 * MINUTE);
    expect(points.map(({ attacks }) => attacks)).toEqual([3, null, 5]);
    expect(settledUntilMs).toBe(START + 4 * MINUTE);
  });

  it('never take unfinished minutes for finished ones', () => {
    expect(rebucket(minutes(Array(60).fill(1), 57), 10 * MINUTE).settledUntilMs).toBe(START + 57 * MINUTE);
  });
});
