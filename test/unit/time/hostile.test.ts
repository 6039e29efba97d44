import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { describeRange, parseRange, resolveZone } from '../../../src/time/index.ts';
import { count } from '../../support/counts.ts';
import { fc } from '../../support/property.ts';

const context = { now: Temporal.Instant.from('2025-06-18T14:25:40Z'), zone: 'Europe/Berlin' };

/** Nothing but a refusal may come out. */
function survives(text: string): void {
  try {
    parseRange(text, context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw new Error(`not a refusal: ${JSON.stringify(text)}`, { cause: error });
    expect(error.text).toBe(text);
    if (error.span) expect([error.span.start >= 0, error.span.end <= text.length]).toEqual([true, true]);
  }
  resolveZone(text);
}

const PIECES =
  `last past 24h 1 2 5 13 31 2025 99 monday may jan to - – / . , : @ + ' now now-1d/d since from between and until
 the of in on at a an half quarter week month first second q1 pm am 14:30 1/1 2025-06-05 P1D PT2H T Z utc europe/berlin
 ago before after around earliest= latest= so far toString __proto__ constructor hasOwnProperty valueOf noon midnight
 night morning couple few next tomorrow ± +/- local time my either side within -- --since please yesterdya lastweek 1750240000 0 00 24:00 25:61 last last`.split(
    /\s+/,
  );

describe('anything at all', () => {
  test('any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), survives), { numRuns: 150 });
  });

  test('any text up to 10 kB', () => {
    const chunk = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    const long = fc
      .tuple(chunk, fc.integer({ min: 200, max: 10_000 }))
      .map(([text, size]) => text.repeat(size).slice(0, size));
    fc.assert(fc.property(long, survives), { numRuns: 20 });
  });

  test('our own words in any order', () => {
    const sentence = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 });
    const joint = fc.constantFrom(' ', ' ', '', '-');
    fc.assert(
      fc.property(sentence, joint, (words, by) => survives(words.join(by))),
      { numRuns: count(600, 150, 300) },
    );
  });

  test.each([
    'toString',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'valueOf',
    'last toString',
    'in __proto__',
    'since constructor',
  ])('%s is no time', (word) => {
    survives(word);
    expect(() => parseRange(word, context)).toThrow(UsageError);
  });
});

/** What this thread alone has spent: what the machine does besides does not count. */
function spentMs(run: () => void): number {
  const { user, system } = process.threadCpuUsage();
  run();
  const spent = process.threadCpuUsage({ user, system });
  return (spent.user + spent.system) / 1000;
}

/** The least of several rounds, as compiling and collecting garbage are not meant; one round that is good is enough. */
function leastMs(run: () => void, goodMs = 0): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 25 && least > goodMs; round++) least = Math.min(least, spentMs(run));
  return least;
}

describe('no text takes long', () => {
  const normal = ['yesterday 2pm to 4pm', 'last 24h', 'between 9:30 and 11:00 on thursday', 'jan 3 - jan 5'];
  const ROUNDS = 50;
  const readAll = () => {
    for (let round = 0; round < ROUNDS; round++) for (const phrase of normal) parseRange(phrase, context);
  };
  const normalMs = leastMs(readAll) / (ROUNDS * normal.length);

  const patterns = [
    'a',
    '1',
    ' ',
    '-',
    '1 ',
    '1-',
    '1:',
    '1.',
    '1/',
    'last ',
    'last 1 ',
    'from ',
    'the ',
    'and ',
    'in ',
    'of ',
  ];
  const more = [
    'may ',
    'mon ',
    '1 may ',
    'now-1d',
    'now/d',
    '2h',
    '1h ',
    'half ',
    'first ',
    "'",
    '(',
    'p',
    'PT',
    'europe/',
    'a/',
    'week of ',
  ];
  const words = [
    ...patterns,
    ...more,
    'since 1 ',
    'between 1 and ',
    '2025-01-01 ',
    '2025-01-01T',
    '12:00 ',
    '12:00-',
    '9 to ',
    'utc ',
    '17 aug 24 ',
    'aug-8-2024 ',
    '2024 08 17 ',
    '٣',
    '😀',
    '\u0000',
  ];

  test.each(words)('“%s” again and again', (word) => {
    for (const size of [79, 190, 990, 10_000]) {
      const text = word.repeat(Math.ceil(size / word.length)).slice(0, size);
      // A zone is looked up each time too, hence the factor of two.
      const limitMs = 2 * 50 * normalMs;
      expect(
        leastMs(() => survives(text), limitMs),
        `${size} characters`,
      ).toBeLessThan(limitMs);
    }
  });

  test.each([
    ...words,
    'bis ',
    'vor 3 ',
    'halb ',
    '5.10. ',
    '14 Uhr ',
    'der Nacht von ',
    'ein halb ',
    'since the deploy ',
  ])('“%s” up to 2,000 characters takes less than 20 ms', (word) => {
    const text = word.repeat(Math.ceil(2_000 / word.length));
    for (const size of [199, 2_000]) {
      expect(
        leastMs(() => survives(text.slice(0, size)), 20),
        `${size} characters`,
      ).toBeLessThan(20);
    }
  });

  test('a range of any age is described without fuss', () => {
    const old = { from: Temporal.Instant.fromEpochMilliseconds(0), to: Temporal.Instant.fromEpochMilliseconds(1) };
    expect(parseRange(describeRange(old, context), context)).toMatchObject(old);
  });
});
