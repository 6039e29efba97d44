import { describe, expect, it } from 'vitest';
import { nearestWord, splitWords, tokenize, withoutMarksAtEnd } from '../../../src/grammar/tokens.ts';
import { isLinear } from '../../support/linear-cost.ts';
import { fc } from '../../support/property.ts';

describe('tokens', () => {
  it('are digits, letters and single marks, each in its place', () => {
    expect(tokenize('at 9:30pm – São_1').map(({ kind, text, start }) => `${kind} ${text} ${start}`)).toEqual([
      'letters at 0',
      'number 9 3',
      'mark : 4',
      'number 30 5',
      'letters pm 7',
      'mark - 10',
      'letters São_ 12',
      'number 1 16',
    ]);
  });

  it('cover every character that is no blank, in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const tokens = tokenize(text);
        let at = 0;
        for (const { start, end } of tokens) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('words', () => {
  it.each([
    ['on shop, "my blog"', ['on', 'shop', ',', '(my blog)']],
    ['on “my blog”,api', ['on', '(my blog)', ',', 'api']],
    ['a"b c', ['a', 'b', 'c']],
    ['""', ['()']],
    ['1,200', ['1', ',', '200']],
    ['last 24h  vs.\tprevious', ['last', '24h', 'vs.', 'previous']],
  ])('%s', (text, expected) => {
    const words = splitWords(text);
    expect(words.map((word) => (word.quoted ? `(${word.text})` : word.text))).toEqual(expected);
    for (const { start, end, text: word } of words) expect(text.slice(start, end)).toContain(word);
  });

  it('are guessed only when few slips away', () => {
    expect(nearestWord('Shp', ['shop', 'blog'], 2)).toBe('shop');
    expect(nearestWord('unicorn', ['shop', 'blog'], 2)).toBeUndefined();
    expect(nearestWord('shop', [], 2)).toBeUndefined();
    expect(nearestWord('SHPO', ['stop', 'Shop'], 2)).toBe('Shop');
  });
});

describe('marks at the end', () => {
  it('are left out, those before are not', () => {
    expect(['ok?!', 'a.b…', '...x', ';', 'ok'].map(withoutMarksAtEnd)).toEqual(['ok', 'a.b', '...x', '', 'ok']);
  });

  it('cost no more to find than the text is long, however many marks there are before its end', () => {
    expect(isLinear((text) => withoutMarksAtEnd(`${text}x`), '.')).toBe(true);
  });
});
