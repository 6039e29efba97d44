import { describe, expect, it } from 'vitest';
import { deviation, learnTail, rateBeyond, type SiteTail, straysOf } from '../../../../src/episodes/verdict/tail.ts';

const STEP_MS = 10 * 60_000;
const DAY = 144;
const STEPS = 28 * DAY;

interface Weeks {
  readonly expected: (step: number) => number;
  /** What comes on top of an unevenness of a tenth. */
  readonly bursts?: (step: number) => number;
}

/** The tail of ten minutes, learnt from four weeks. */
function tailOf({ expected, bursts = () => 0 }: Weeks): SiteTail {
  const due = Float64Array.from({ length: STEPS }, (_, step) => expected(step));
  const counts = due.map((count, step) => Math.round(count * (1 + 0.1 * Math.sin(step * 2.4)) + bursts(step)));
  return learnTail(straysOf(counts, due), STEP_MS, STEP_MS, { weeks: [], days: [] });
}

/** Once in so many hours, where `expected` is usual. */
function hoursBetween(tail: SiteTail, count: number, expected: number): number {
  return 1 / rateBeyond(tail.near(expected), deviation(count, expected, tail.spread));
}

/** Bursts of nearly the same size, forty in four weeks, at all times of the day. */
const alike = (step: number): number => (step % 101 === 50 ? 300 + (step % 7) * 10 : 0);

describe('how rare a deviation is', () => {
  it('is as common as the bursts of a site up to their size, and rare clearly beyond all of them', () => {
    const tail = tailOf({ expected: () => 100, bursts: alike });
    expect(hoursBetween(tail, 420, 100)).toBeLessThan(60);
    expect(hoursBetween(tail, 700, 100)).toBeGreaterThan(1_000);
  });

  it('is learnt from hours in which about as much was expected', () => {
    const isNight = (step: number): boolean => step % DAY < DAY / 2;
    const expected = (step: number): number => (isNight(step) ? 20 : 200);
    const tail = tailOf({ expected, bursts: (step) => (isNight(step) ? alike(step) : 0) });
    expect(hoursBetween(tail, 320, 20)).toBeLessThan(60);
    // In proportion the bursts of the night are far larger than this.
    expect(hoursBetween(tail, 450, 200)).toBeGreaterThan(1_000);
  });

  it('is taken from all hours where too few had as much expected', () => {
    const tail = tailOf({ expected: () => 100, bursts: alike });
    expect(tail.near(5_000).peaks).toEqual(tail.peaks);
    expect(tail.near(150).hours).toBe(tail.hours);
  });

  it('falls with every deviation', () => {
    const tail = tailOf({ expected: () => 100, bursts: alike });
    const rates = Array.from({ length: 200 }, (_, at) => rateBeyond(tail, at / 10));
    expect(rates).toEqual(rates.toSorted((a, b) => b - a));
  });
});
