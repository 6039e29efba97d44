import { describe, expect, it } from 'vitest';
import { fitCharacters, fitText, textWidth } from '../../../../src/charts/spec/layout.ts';
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
