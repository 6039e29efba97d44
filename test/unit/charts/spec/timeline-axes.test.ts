import { describe, expect, it } from 'vitest';
import { countAxis, markLabels, slotsFor } from '../../../../src/charts/spec/timeline-axes.ts';
import { fc } from '../../../support/property.ts';

describe('countAxis', () => {
  it.each([
    [0, ['0', '1', '2', '3', '4']],
    [3, ['0', '1', '2', '3', '4']],
    [2_012, ['0', '600', '1.2 k', '1.8 k', '2.4 k']],
    [85_900, ['0', '25 k', '50 k', '75 k', '100 k']],
    [1_240_000, ['0', '400 k', '800 k', '1.2 M', '1.6 M']],
  ])('%d', (largest, labels) => {
    expect(countAxis(largest).labels).toEqual(labels);
  });

  it('always has room above, wastes at most half, and every label is exact', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), (largest) => {
        const { max, labels } = countAxis(largest);
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

describe('slotsFor', () => {
  it('takes the fewest slots that hit every place', () => {
    expect(slotsFor([0, 0.25, 0.5, 1], 0.001)).toEqual({ count: 4, at: [0, 1, 2, 4] });
  });

  it('is never further off than allowed, or as near as it can be', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }), (shares) => {
        const { count, at } = slotsFor(shares, 0.0035);
        shares.forEach((share, index) => {
          expect(Math.abs((at[index] ?? Number.NaN) / count - share)).toBeLessThanOrEqual(0.0035);
        });
      }),
    );
  });
});

describe('markLabels', () => {
  const place = (marks: { atMs: number; text: string }[]) =>
    markLabels(
      marks.map((mark) => ({ ...mark, ink: '#000' })),
      0,
      1_000,
      470,
      40,
    );

  it('keeps two words in one row when they have room', () => {
    expect(
      place([
        { atMs: 100, text: 'onset 05:20' },
        { atMs: 900, text: 'over 07:05' },
      ]).rows,
    ).toBe(1);
  });

  it('gives the second a row of its own when they would touch, the first next to the plot', () => {
    const { rows, lines } = place([
      { atMs: 480, text: 'onset 05:20' },
      { atMs: 500, text: 'peak 366 attacks' },
    ]);
    expect(rows).toBe(2);
    const written = lines.flat().filter((text) => text !== '');
    expect(new Set(written)).toEqual(new Set(['onset 05:20', 'peak 366 attacks']));
    expect(lines.some((line) => line[1] === 'onset 05:20')).toBe(true);
  });

  it('moves a word at the edge inwards', () => {
    const { lines, slots } = place([{ atMs: 0, text: 'peak 366 attacks · 05:30–05:35' }]);
    const slot = lines.findIndex((line) => line[0] !== '');
    expect(slot / slots).toBeGreaterThan(0.1);
  });
});
