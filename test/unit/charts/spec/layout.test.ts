import { describe, expect, it } from 'vitest';
import { fitCharacters, fitText, slotsFor, textWidth } from '../../../../src/charts/spec/layout.ts';
import { fc } from '../../../support/property.ts';

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
