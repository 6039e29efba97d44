import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { type ParsedRange, parseRange, type Range, type TimeContext } from '../../../src/time/index.ts';
import { count } from '../../support/counts.ts';
import { createSeededRandom, SEED_OF_RUN, type SeededRandom } from '../../support/seeded-random.ts';
import { composePhrase, disguised, misspelt } from './composed.ts';
import type { ComposedPhrase } from './composed-parts.ts';

/** Phrases per test; the variants take a quarter. */
const PHRASES = Number(process.env.COMPOSED ?? count(16_000, 1_600, 4_000));
const VARIANTS = PHRASES / 4;

function answer(phrase: string, context: TimeContext): ParsedRange | null {
  try {
    return parseRange(phrase, context);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw new Error(`not a refusal: ${phrase}`, { cause: error });
  }
}

const isSame = (a: Range | null, b: Range | null): boolean =>
  a === null || b === null ? a === b : a.from.equals(b.from) && a.to.equals(b.to);

const said = (range: Range | null): string => (range ? `${range.from} .. ${range.to}` : 'refused');

const report = (phrase: string, { now, zone }: ComposedPhrase, wanted: Range | null, got: Range | null): string =>
  `“${phrase}” at ${now.toZonedDateTimeISO(zone)}: ${said(wanted)} was meant, ${said(got)} was answered`;

/** What is said of each of many phrases; only faults are said. A seed of its own for each test. */
function faultsOf(
  count: number,
  seed: number,
  faultIn: (composed: ComposedPhrase, random: SeededRandom) => string | null,
) {
  const random = createSeededRandom(SEED_OF_RUN + seed);
  return Array.from({ length: count }, () => faultIn(composePhrase(random), random)).filter((fault) => fault !== null);
}

/** Not understanding is allowed now and then, misunderstanding never. */
const MOST_REFUSED = 0.002;
const LEAST_PUT_RIGHT = 0.9;

describe('phrases put together from their parts', () => {
  test('mean what their parts mean', () => {
    const refused: string[] = [];
    const wrong = faultsOf(PHRASES, 0, (composed) => {
      const range = answer(composed.phrase, composed);
      if (isSame(range, composed.expected)) return null;
      const fault = report(composed.phrase, composed, composed.expected, range);
      if (range === null) refused.push(fault);
      return range && fault;
    });
    expect(wrong).toEqual([]);
    expect(refused.length / PHRASES, refused.slice(0, 10).join('\n')).toBeLessThan(MOST_REFUSED);
  });

  test('mean the same in other case, with other blanks and dashes, and with marks around them', () => {
    const faults = faultsOf(VARIANTS, 1, (composed, random) => {
      const phrase = disguised(random, composed.phrase);
      // In capitals nobody can tell minutes from months.
      if (/NOW.\d+M/.test(phrase)) return null;
      const [plain, other] = [answer(composed.phrase, composed), answer(phrase, composed)];
      return isSame(plain, other) ? null : report(phrase, composed, plain, other);
    });
    expect(faults).toEqual([]);
  });

  test('with a slip in a word mean the same or are refused, and the answer says how it was read', () => {
    let right = 0;
    let slips = 0;
    const faults = faultsOf(VARIANTS, 2, (composed, random) => {
      const phrase = misspelt(random, composed.phrase);
      if (phrase === composed.phrase || composed.expected === null) return null;
      // Slips in German are refused, apart from common ones, which need no correction.
      const isGerman = composed.family.startsWith('german');
      if (!isGerman) slips += 1;
      const range = answer(phrase, composed);
      if (range === null) return null;
      if (!isGerman) right += 1;
      const isSaid = isSame(range, composed.expected) && (isGerman || range.readAs !== undefined);
      return isSaid ? null : report(phrase, composed, composed.expected, range);
    });
    expect(faults).toEqual([]);
    expect(right / slips).toBeGreaterThan(LEAST_PUT_RIGHT);
  });

  const FOREIGN_WORDS = 'banana shop prod blocked deploy foo xyz errors requests except kangaroo POST lunch'.split(' ');
  const FOREIGN_NUMBERS = ['403', '5000', '77', '192.168.0.1', '#7', '50%'];

  function withWord(random: SeededRandom, phrase: string, words: readonly string[]): string {
    const all = phrase.split(' ');
    return all.toSpliced(random.below(all.length + 1), 0, random.pick(words)).join(' ');
  }

  test('with a foreign word in any gap are refused', () => {
    const faults = faultsOf(VARIANTS, 3, (composed, random) => {
      const phrase = withWord(random, composed.phrase, FOREIGN_WORDS);
      const range = answer(phrase, composed);
      return range && report(phrase, composed, null, range);
    });
    expect(faults).toEqual([]);
  });

  test('with a number in any gap never mean what they mean without', () => {
    const faults = faultsOf(VARIANTS, 4, (composed, random) => {
      const phrase = withWord(random, composed.phrase, FOREIGN_NUMBERS);
      // After an arrow it's a time, 16:03, and what would end after now ends now.
      if (/> 403$/.test(phrase)) return null;
      const range = answer(phrase, composed);
      return range && isSame(range, composed.expected) ? report(phrase, composed, null, range) : null;
    });
    expect(faults).toEqual([]);
  });
});
