import { describe, expect, it } from 'vitest';
import { deviation, learnTail, runningSums, strengthOf, type Tail } from '../../../../src/episodes/verdict/site.ts';

const STEP_MS = 10 * 60_000;
const DAY = 144;
const STEPS = 28 * DAY;

interface Weeks {
  readonly expected: (step: number) => number;
  /** What comes on top of an unevenness of a tenth. */
  readonly bursts?: (step: number) => number;
}

/** The tail of ten minutes, learnt from four weeks. */
function tailOf({ expected, bursts = () => 0 }: Weeks): Tail {
  const due = Float64Array.from({ length: STEPS }, (_, step) => expected(step));
  const counts = due.map((count, step) => Math.round(count * (1 + 0.1 * Math.sin(step * 2.4)) + bursts(step)));
  return learnTail(runningSums(counts, due), STEP_MS, STEP_MS);
}

/** Once in so many hours, where `expected` is usual. */
function hoursBetween(tail: Tail, count: number, expected: number): number {
  return 10 ** strengthOf(tail, deviation(count, expected, tail.spread));
}

/** Bursts of nearly the same size, forty in four weeks, at all times of the day. */
const alike = (step: number): number => (step % 101 === 50 ? 300 + (step % 7) * 10 : 0);

describe('how rare a deviation is', () => {
  it('depends on the bursts of the site: what is common on one is rare on another', () => {
    const [bursty, even] = [tailOf({ expected: () => 100, bursts: alike }), tailOf({ expected: () => 100 })];
    expect(hoursBetween(bursty, 420, 100)).toBeLessThan(100);
    expect(hoursBetween(bursty, 1_000, 100)).toBeGreaterThan(2 * hoursBetween(bursty, 420, 100));
    expect(hoursBetween(even, 420, 100)).toBeGreaterThan(10_000);
  });

  it('is as it was for what came more than twice a week, however high other peaks were', () => {
    const peaks = [5, 6, 7, 8, 9, 10, 11, 12, 13];
    const tail: Tail = { lengthMs: STEP_MS, spread: 0.1, from: 2, rate: 0.05, slope: 0.3, hours: 4 * 7 * 24, peaks };
    expect(10 ** strengthOf(tail, 5)).toBeCloseTo((4 * 7 * 24) / 10);
    expect(10 ** strengthOf(tail, 5.5)).toBeGreaterThan(100_000);
    expect(10 ** strengthOf({ ...tail, hours: 48, peaks: [9] }, 5)).toBeGreaterThan(100_000);
    expect(10 ** strengthOf({ ...tail, hours: 48, peaks: [8, 9] }, 5)).toBeCloseTo(48 / 3);
  });

  it('grows with every deviation', () => {
    const tail = tailOf({ expected: () => 100, bursts: alike });
    const strengths = Array.from({ length: 200 }, (_, at) => strengthOf(tail, at / 10));
    expect(strengths).toEqual(strengths.toSorted((a, b) => a - b));
  });
});
