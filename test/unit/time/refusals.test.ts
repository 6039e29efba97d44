import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { parseRange } from '../../../src/time/index.ts';
import { readerOf } from '../../../src/time/lexer/lexer.ts';
import { isTimeWord } from '../../../src/time/lexer/words.ts';
import { ALL_ROWS, UNDERSTOOD } from './read-table.ts';

const context = { now: Temporal.Instant.from('2025-06-18T14:25:40Z'), zone: 'Europe/Berlin' };

function refusalOf(phrase: string, where = context): UsageError {
  try {
    parseRange(phrase, where);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error(`“${phrase}” was answered`);
}

describe('a refusal', () => {
  const rows = ALL_ROWS.filter(({ expect: wanted }) => 'refused' in wanted);

  test.each(rows.map((row) => [row.phrase, row] as const))(
    'of “%s” says why in one or two sentences',
    (phrase, row) => {
      const { message, text, example, span, code } = refusalOf(phrase, row);
      expect(code).toBe('usage');
      expect(text).toBe(phrase);
      expect(message).toMatch(/^[A-Z].*\.$/);
      expect(message.split('. ').length).toBeLessThanOrEqual(2);
      expect(span?.end).toBeGreaterThan(span?.start ?? Number.NaN);
      expect(span?.end).toBeLessThanOrEqual(phrase.length);
      expect(() => parseRange(example ?? '', context)).not.toThrow();
    },
  );

  test.each([
    ['lost week', 'last week'],
    ['yesterday 2pm tall 4pm', 'yesterday 2pm till 4pm'],
    ['juny 5', 'june 5'],
    ['last few hours', 'last 3 hours'],
    ['within 2 weeks', 'last 2 weeks'],
    ['yesterday at 14:30', 'around yesterday at 14:30'],
    ['at 2pm', 'around 2pm'],
    ['9-5', '9:00-17:00'],
  ])('of “%s” suggests “%s”, which works', (phrase, suggestion) => {
    expect(refusalOf(phrase).suggestion).toBe(suggestion);
    expect(() => parseRange(suggestion, context)).not.toThrow();
  });

  test('nothing at all is refused without a span', () => {
    expect(refusalOf('').span).toBeUndefined();
    expect(refusalOf('   ').message).toBe("There's no time range here.");
  });

  test('reasons differ', () => {
    expect(refusalOf('tomorrow').message).toMatch(/in the future/);
    expect(refusalOf('5pm to 3pm on 2025-06-10').message).toMatch(/ends before/);
    expect(refusalOf('feb 30').message).toMatch(/doesn't exist/);
    expect(refusalOf('25:00-26:00').message).toMatch(/no such time/);
    expect(refusalOf('before june').message).toMatch(/no start/);
    expect(refusalOf('last 24 bananas').message).toMatch(/don't know what/);
  });
});

test('no word of an example counts as unknown, names of places apart', () => {
  const NAMES = ['tokyo', 'london', 'york', 'kolkata', 'european', 'summer'];
  const known = (word: string): boolean => isTimeWord(word) || NAMES.includes(word) || word === 'ce';
  for (const { phrase, expect: wanted } of UNDERSTOOD) {
    if (!('from' in wanted) || wanted.readAs !== undefined) continue;
    const unknown = readerOf(phrase).tokens.filter(({ type, text }) => type === 'word' && !known(text));
    expect([phrase, unknown]).toEqual([phrase, []]);
  }
});

describe('what is said of other words', () => {
  test.each([
    ['yesterday 2pm banana 4pm', 'banana', /don't know what/],
    ['last 24h group by country', 'group', /don't know what/],
    ['friday next week', 'next', /in the future/],
    ['soon', 'soon', /in the future/],
    ['depuis hier', 'depuis', /don't know what/],
    ['с понедельника', 'с', /English and German only/],
    ['dernières 24 heures', 'dernières', /English and German only/],
    ['вчера 9-11', 'вчера', /English and German only/],
    ['every monday', 'every', /repeating/],
    ['last hours', 'hours', /can't tell how many/],
    ['the summer of 2024', 'summer', /Name the months/],
    ['fiscal Q1', 'fiscal', /Name the months/],
  ])('%s: the caret is under %s', (phrase, at, message) => {
    const refusal = refusalOf(phrase);
    expect(phrase.slice(refusal.span?.start, refusal.span?.end)).toBe(at);
    expect(refusal.message).toMatch(message);
  });
});

describe('the reading', () => {
  test.each([
    ['last 24h', 'rolling', false],
    ['today', 'calendar', true],
    ['last month', 'calendar', false],
    ['since 9am', 'since', false],
    ['yesterday 2pm to 4pm', 'between', false],
    ['9am to 11pm', 'between', true],
    ['around 14:30', 'around', false],
    ['now-6h', 'rolling', false],
    ['now/d', 'since', false],
    ['2024-06-05 -> 2024-06-09', 'between', false],
  ] as const)('of “%s” is %s', (phrase, kind, cut) => {
    expect(parseRange(phrase, context)).toMatchObject({ kind, cut });
  });
});
