import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { findRange, parseRange } from '../../../src/time/index.ts';

const context = { now: Temporal.Instant.from('2025-06-18T14:25:40Z'), zone: 'Europe/Berlin' };

/** What was used, and what it means by itself. */
const cases: readonly (readonly [sentence: string, ...used: string[]])[] = [
  ['timeline last 24h on shop', 'last 24h'],
  ['last 24h', 'last 24h'],
  ['attacks on shop yesterday 2pm to 4pm in Europe/Berlin privately', 'yesterday 2pm to 4pm in Europe/Berlin'],
  ['shop, blog: requests between 9:30 and 11:00 on thursday csv', 'between 9:30 and 11:00 on thursday'],
  ['Show me the last 7 days please', 'the last 7 days'],
  ['what happened this morning?', 'this morning'],
  ['check around 14:30 on api', 'around 14:30'],
  ['attacks since monday on shop', 'since monday'],
  ['attacks for shop over the weekend', 'over the weekend'],
  ['timeline now-6h to now on shop', 'now-6h to now'],
  ['timeline earliest=-1d@d latest=@d shop', 'earliest=-1d@d latest=@d'],
  ['types  Q1  2025', 'Q1  2025'],
  ['traffic “last 24h”', 'last 24h'],
];

describe('the range in a sentence', () => {
  test.each(cases)('%s', (sentence, ...used) => {
    const found = findRange(sentence, context);
    expect(found?.spans.map(({ start, end }) => sentence.slice(start, end))).toEqual(used);
    expect(found?.range).toEqual(parseRange(used.join(' '), context));
  });

  test('a zone that stands apart from the range is used too', () => {
    const sentence = 'yesterday on shop in Asia/Tokyo';
    const found = findRange(sentence, context);
    expect(found?.spans.map(({ start, end }) => sentence.slice(start, end))).toEqual(['yesterday', 'in Asia/Tokyo']);
    expect(found?.range).toEqual(parseRange('yesterday in Asia/Tokyo', context));
  });

  test('words blanked out with spaces join what stood around them, and offsets stay true', () => {
    const typed = 'yesterday on shop 2pm to 4pm';
    const blanked = 'yesterday         2pm to 4pm';
    const found = findRange(blanked, context);
    expect(found?.spans.map(({ start, end }) => typed.slice(start, end))).toEqual([typed]);
    expect(found?.range).toEqual(parseRange('yesterday 2pm to 4pm', context));
  });

  test.each(['timeline on shop', 'help', '', '   ', 'hosts add shop 0b64ce6e', 'on , : ; - /', 'toString valueOf'])(
    'none in “%s”',
    (sentence) => {
      expect(findRange(sentence, context)).toBeNull();
    },
  );

  test.each([
    ['timeline tomorrow on shop', 'tomorrow'],
    ['timeline next week', 'next week'],
    ['attacks feb 30 on shop', 'feb 30'],
    ['attacks 25:00-26:00 on shop', '25:00'],
    ['timeline in 2 hours', 'in 2 hours'],
    ['attacks on shop 14:30', '14:30'],
    ['attacks before june', 'before june'],
  ])('an impossible one is refused: %s', (sentence, span) => {
    expect.assertions(3);
    try {
      findRange(sentence, context);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      if (!(error instanceof UsageError)) return;
      expect(error.text).toBe(sentence);
      expect(sentence.slice(error.span?.start, error.span?.end)).toBe(span);
    }
  });
});
