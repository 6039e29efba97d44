import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countAxis } from '../../../../src/charts/spec/count-axis.ts';
import { markLabels } from '../../../../src/charts/spec/mark-labels.ts';
import { sparkline } from '../../../../src/charts/spec/sparkline.ts';
import { fitCharacters, fitText, textWidth } from '../../../../src/charts/spec/text-fit.ts';
import { slotsFor } from '../../../../src/charts/spec/tick-slots.ts';
import { intervalInWords, offsetName, windowInWords, zoned } from '../../../../src/charts/spec/time-words.ts';

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

describe('text', () => {
  it('cuts at characters as people see them, never inside one', () => {
    expect(fitCharacters('shop 👩‍👩‍👧 and more', 8)).toBe('shop…');
    expect(fitCharacters('Local file inclusion', 20)).toBe('Local file inclusion');
    expect(fitCharacters('  two\n lines ', 20)).toBe('two lines');
  });

  it('fits the width it was given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const fitted = fitText(text, 16, 200);
        expect(textWidth(fitted, 16)).toBeLessThanOrEqual(200);
        expect(fitCharacters(text, 20).length).toBeLessThanOrEqual(20);
      }),
    );
  });
});

describe('sparkline', () => {
  it.each([
    [[0, 1, 2, 3, 4, 5, 6, 7], '▁▂▃▄▅▆▇█'],
    [[0, 0, 0], '▁▁▁'],
    [[1, 1_000_000], '▂█'],
    [[5, null, 5], '█ █'],
    [[], ''],
  ])('%j', (values, expected) => {
    expect(sparkline(values)).toBe(expected);
  });

  it('keeps a lone peak when it is made shorter', () => {
    const values = Array.from({ length: 1_440 }, (_, index) => (index === 777 ? 900 : 3));
    const line = sparkline(values, 12);
    expect([...line]).toHaveLength(12);
    expect([...line].indexOf('█')).toBe(6);
  });
});

describe('time in words', () => {
  const at = (text: string) => Date.parse(text);
  it.each([
    ['2026-11-14T13:00:00Z', '2026-11-15T13:00:00Z', 'Europe/Berlin', 'Sat 14 Nov 14:00 – Sun 15 Nov 14:00'],
    ['2026-11-15T01:00:00Z', '2026-11-15T07:00:00Z', 'Europe/Berlin', 'Sun 15 Nov 02:00 – 08:00'],
    ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'Europe/Berlin', 'Sun 25 Oct'],
    ['2026-11-08T23:00:00Z', '2026-11-15T23:00:00Z', 'Europe/Berlin', 'Mon 9 Nov – Sun 15 Nov'],
    ['2025-11-15T00:00:00Z', '2026-11-15T00:00:00Z', 'UTC', '15 Nov 2025 – 14 Nov 2026'],
  ])('%s to %s in %s', (from, to, zone, words) => {
    expect(windowInWords(at(from), at(to), zone)).toBe(words);
  });

  it('says an interval and an offset', () => {
    expect(intervalInWords(at('2026-11-15T04:30:00Z'), at('2026-11-15T04:35:00Z'), 'Asia/Kolkata', true)).toBe(
      'Sun 15 Nov, 10:00–10:05',
    );
    expect(intervalInWords(at('2026-11-15T00:00:00Z'), at('2026-11-16T00:00:00Z'), 'UTC', false)).toBe('Sun 15 Nov');
    expect(offsetName(zoned(at('2026-07-01T00:00:00Z'), 'America/St_Johns'))).toBe('UTC−2:30');
    expect(offsetName(zoned(at('2026-07-01T00:00:00Z'), 'UTC'))).toBe('UTC');
  });
});
