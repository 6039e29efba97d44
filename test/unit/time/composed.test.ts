import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { type ParsedRange, parseRange, type TimeContext } from '../../../src/time/index.ts';
import { createSeededRandom, SEED_OF_RUN } from '../../support/seeded-random.ts';
import { composePhrase, disguised, misspelt } from './composed.ts';
import type { ComposedPhrase } from './composed-parts.ts';

const PHRASES = Number(process.env.COMPOSED ?? 24_000);

function answer(phrase: string, context: TimeContext): ParsedRange | null {
  try {
    return parseRange(phrase, context);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw new Error(`not a refusal: ${phrase}`, { cause: error });
  }
}

const said = (range: ComposedPhrase['expected']): string => (range ? `${range.from} .. ${range.to}` : 'refused');
const report = ({ phrase, now, zone }: ComposedPhrase, range: ComposedPhrase['expected']): string =>
  `“${phrase}” at ${now.toZonedDateTimeISO(zone)}: ${said(range)}`;

/** Not understanding is allowed now and then, misunderstanding never. */
const MOST_REFUSED = 0.002;

describe('phrases put together from their parts', () => {
  test('mean what their parts mean', () => {
    const random = createSeededRandom(SEED_OF_RUN);
    const refused: string[] = [];
    for (let count = 0; count < PHRASES; count++) {
      const composed = composePhrase(random);
      const range = answer(composed.phrase, composed);
      if (range === null && composed.expected !== null) refused.push(report(composed, composed.expected));
      else expect(report(composed, range)).toBe(report(composed, composed.expected));
    }
    expect(refused.length / PHRASES, refused.slice(0, 10).join('\n')).toBeLessThan(MOST_REFUSED);
  });

  test('mean the same in other case, with other blanks and dashes, and with marks around them', () => {
    const random = createSeededRandom(SEED_OF_RUN + 1);
    for (let count = 0; count < PHRASES / 6; count++) {
      const composed = composePhrase(random);
      const phrase = disguised(random, composed.phrase);
      // In capitals nobody can tell minutes from months.
      if (/NOW.\d+M/.test(phrase)) continue;
      const range = answer(composed.phrase, composed);
      expect(report({ ...composed, phrase }, answer(phrase, composed))).toBe(report({ ...composed, phrase }, range));
    }
  });

  test('with a slip in a word mean the same or are refused, and the answer says how it was read', () => {
    const random = createSeededRandom(SEED_OF_RUN + 4);
    let right = 0;
    let slips = 0;
    for (let count = 0; count < PHRASES / 4; count++) {
      const composed = composePhrase(random);
      const phrase = misspelt(random, composed.phrase);
      if (phrase === composed.phrase || composed.expected === null) continue;
      slips += 1;
      const range = answer(phrase, composed);
      if (range === null) continue;
      right += 1;
      expect(report({ ...composed, phrase }, range)).toBe(report({ ...composed, phrase }, composed.expected));
      expect(range.readAs).toBeDefined();
    }
    expect(right / slips).toBeGreaterThan(0.9);
  });

  const FOREIGN_WORDS = 'banana shop prod blocked deploy foo xyz errors requests except kangaroo POST lunch'.split(' ');
  const FOREIGN_NUMBERS = ['403', '5000', '77', '192.168.0.1', '#7', '50%'];

  test('with a foreign word in any gap are refused', () => {
    const random = createSeededRandom(SEED_OF_RUN + 2);
    for (let count = 0; count < PHRASES / 6; count++) {
      const composed = composePhrase(random);
      const words = composed.phrase.split(' ');
      const phrase = words.toSpliced(random.below(words.length + 1), 0, random.pick(FOREIGN_WORDS)).join(' ');
      expect(report({ ...composed, phrase }, answer(phrase, composed))).toBe(report({ ...composed, phrase }, null));
    }
  });

  test('with a number in any gap never mean what they mean without', () => {
    const random = createSeededRandom(SEED_OF_RUN + 3);
    for (let count = 0; count < PHRASES / 6; count++) {
      const composed = composePhrase(random);
      const range = composed.expected && answer(composed.phrase, composed);
      const words = composed.phrase.split(' ');
      const phrase = words.toSpliced(random.below(words.length + 1), 0, random.pick(FOREIGN_NUMBERS)).join(' ');
      if (range) expect(said(answer(phrase, composed)), report({ ...composed, phrase }, range)).not.toBe(said(range));
    }
  });
});
