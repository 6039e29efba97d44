import { describe, expect, it } from 'vitest';
import { MAX_COLUMNS, type Sample, toTrace } from '../../../../src/charts/spec/timeline-chart.ts';
import { fc } from '../../../support/property.ts';

const INTERVAL_MS = 60_000;

/** Sorted samples with some intervals absent and some without a number. */
const anySamples = fc
  .array(fc.option(fc.option(fc.nat(1_000_000)), { freq: 8 }), { minLength: 0, maxLength: 2_000 })
  .map((values) =>
    values.flatMap((value, index): Sample[] =>
      // The outer null is an absent interval, the inner one a missing number.
      value === null && index % 2 === 0 ? [] : [{ startMs: index * INTERVAL_MS, value }],
    ),
  );

const numbers = (samples: readonly Sample[]) => samples.flatMap(({ value }) => (value === null ? [] : [value]));

describe('toTrace', () => {
  it('keeps every point and order where the pixels have room', () => {
    const samples = [4, 2, 9].map((value, index) => ({ startMs: index * INTERVAL_MS, value }));
    expect(toTrace(samples, INTERVAL_MS)).toEqual(samples);
  });

  it('keeps the largest and the smallest value, exactly and where they stood', () => {
    fc.assert(
      fc.property(anySamples, (samples) => {
        const trace = toTrace(samples, INTERVAL_MS, 20);
        const [before, after] = [numbers(samples), numbers(trace)];
        if (before.length === 0) return after.length === 0;
        expect(Math.max(...after)).toBe(Math.max(...before));
        expect(Math.min(...after)).toBe(Math.min(...before));
        for (const kept of trace) {
          if (kept.value !== null) expect(samples).toContainEqual(kept);
        }
        return true;
      }),
    );
  });

  it('is bounded, in order, and never has two breaks side by side', () => {
    fc.assert(
      fc.property(anySamples, (samples) => {
        const trace = toTrace(samples, INTERVAL_MS, 20);
        if (samples.length > 40) expect(trace.length).toBeLessThanOrEqual(61);
        trace.forEach((sample, index) => {
          const next = trace[index + 1];
          if (next === undefined) return;
          expect(next.startMs).toBeGreaterThanOrEqual(sample.startMs);
          expect(next.value === null && sample.value === null).toBe(false);
        });
      }),
    );
  });

  it('keeps the peak of every column, not only the highest of all', () => {
    const samples = Array.from({ length: 10_000 }, (_, index) => ({
      startMs: index * INTERVAL_MS,
      value: index % 500 === 250 ? 1_000 + index : index % 7,
    }));
    const kept = new Set(numbers(toTrace(samples, INTERVAL_MS)));
    for (let index = 250; index < 10_000; index += 500) expect(kept.has(1_000 + index)).toBe(true);
  });

  it('begins and ends where the data does, also when nothing changes', () => {
    const samples = Array.from({ length: 10_000 }, (_, index) => ({ startMs: index * INTERVAL_MS, value: 5 }));
    const trace = toTrace(samples, INTERVAL_MS);
    expect(trace[0]).toEqual(samples[0]);
    expect(trace[trace.length - 1]).toEqual(samples[9_999]);
  });

  it('breaks the line where an interval is absent and where it has no number', () => {
    const at = (index: number, value: number | null) => ({ startMs: index * INTERVAL_MS, value });
    expect(toTrace([at(0, 1), at(1, 2), at(4, 3), at(5, null), at(6, 4)], INTERVAL_MS)).toEqual([
      at(0, 1),
      at(1, 2),
      at(2, null),
      at(4, 3),
      at(5, null),
      at(6, 4),
    ]);
  });

  it('keeps a gap of one interval among ten thousand', () => {
    const samples = Array.from({ length: 10_000 }, (_, index) => ({ startMs: index * INTERVAL_MS, value: 5 }));
    samples.splice(4_321, 1);
    const breaks = toTrace(samples, INTERVAL_MS).filter(({ value }) => value === null);
    expect(breaks).toEqual([{ startMs: 4_321 * INTERVAL_MS, value: null }]);
    expect(toTrace(samples, INTERVAL_MS).length).toBeLessThanOrEqual(MAX_COLUMNS * 2 + 2);
  });
});
