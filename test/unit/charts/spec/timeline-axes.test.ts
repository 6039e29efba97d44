import { describe, expect, it } from 'vitest';
import { countAxis, robustLargest } from '../../../../src/charts/spec/timeline-chart.ts';
import { fc } from '../../../support/property.ts';

describe('countAxis', () => {
  it.each([
    [0, ['0', '1', '2', '3', '4']],
    [3, ['0', '1', '2', '3', '4']],
    [2_012, ['0', '600', '1.2 k', '1.8 k', '2.4 k']],
    [85_900, ['0', '25 k', '50 k', '75 k', '100 k']],
    [1_240_000, ['0', '400 k', '800 k', '1.2 M', '1.6 M']],
  ])('%d', (largest, labels) => {
    expect(countAxis(largest, 4).labels).toEqual(labels);
  });

  it('always has room above, wastes at most half, and every label is exact', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), (largest) => {
        const { max, labels } = countAxis(largest, 4);
        expect(max).toBeGreaterThan(largest);
        if (largest > 4) expect(max).toBeLessThanOrEqual(largest * 2.1);
        const values = labels.map((label) => {
          const [digits, unit = ''] = label.split(' ');
          return Number(digits) * ({ k: 1e3, M: 1e6, B: 1e9 }[unit] ?? 1);
        });
        values.forEach((value, line) => {
          expect(value).toBeCloseTo((max / 4) * line, 3);
        });
      }),
    );
  });
});

describe('robustLargest', () => {
  const flat = Array.from({ length: 100 }, (_, index) => 90 + (index % 11));

  it('is the largest value, unless a few stand far above the rest', () => {
    expect(robustLargest(flat, 0)).toBe(100);
    expect(robustLargest([...flat, 400], 0)).toBe(400);
    expect(robustLargest([...flat, 4_000], 0)).toBe(150);
    expect(robustLargest([...flat, 4_000, 5_000], 0)).toBe(150);
    expect(robustLargest([...flat, 4_000, 5_000, 6_000, 7_000], 0)).toBe(7_000);
  });

  it('keeps a peak that stands alone: among few values, and above nothing', () => {
    expect(robustLargest([1, 2, 3, 4_000], 0)).toBe(4_000);
    expect(robustLargest([...flat.map(() => 0), 4_000], 0)).toBe(4_000);
  });

  it('never cuts the usual range', () => {
    expect(robustLargest([...flat, 4_000], 3_000)).toBe(4_000);
    expect(robustLargest([...flat, 40_000], 3_000)).toBe(4_500);
    expect(robustLargest([], 30)).toBe(30);
  });
});
