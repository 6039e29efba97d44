import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { type ParsedRange, parseRange, type TimeContext } from '../../../src/time/index.ts';
import { fc } from '../../support/property.ts';
import { contexts, MONTHS, phrases, WEEKDAYS } from './arbitraries.ts';
import { type Row, UNDERSTOOD } from './read-table.ts';

/** A refusal is an answer too: its reason and place. */
function reading(phrase: string, context: TimeContext): ParsedRange | string {
  try {
    return parseRange(phrase, context);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

describe('any phrase, any moment, any zone', () => {
  test('a range lies in the past, and is not empty', () => {
    fc.assert(
      fc.property(phrases, contexts, (phrase, context) => {
        const range = reading(phrase, context);
        if (typeof range === 'string') return;
        expect(Temporal.Instant.compare(range.from, range.to)).toBeLessThan(0);
        expect(Temporal.Instant.compare(range.to, context.now)).toBeLessThanOrEqual(0);
        if (range.cut) expect(range.to).toEqual(context.now);
      }),
      { numRuns: 400 },
    );
  });
});

describe('typed another way', () => {
  /** What is said back of misspelt words is said as they were typed. */
  const isMisspelt = ({ expect: wanted }: Row): boolean => 'readAs' in wanted && wanted.readAs !== undefined;
  const rows = UNDERSTOOD.filter((row) => !isMisspelt(row) && !/now-\d+[mM]|\bM\b/.test(row.phrase));
  const rowOf = fc.constantFrom(...rows);

  test('in capitals it means the same', () => {
    fc.assert(
      fc.property(rowOf, (row) => {
        expect(parseRange(row.phrase.toUpperCase(), row)).toEqual(parseRange(row.phrase, row));
      }),
      { numRuns: 300 },
    );
  });

  test('in any mixture of cases it means the same', () => {
    fc.assert(
      fc.property(rowOf, fc.infiniteStream(fc.boolean()), (row, capitals) => {
        const mixed = [...row.phrase].map((char) => (capitals.next().value ? char.toUpperCase() : char.toLowerCase()));
        expect(parseRange(mixed.join(''), row)).toEqual(parseRange(row.phrase, row));
      }),
      { numRuns: 300 },
    );
  });

  test('with other spaces it means the same', () => {
    const spaces = fc.stringMatching(/^[ \t\u00a0\u2009\u202f]{1,4}$/);
    fc.assert(
      fc.property(rowOf, spaces, spaces, (row, between, around) => {
        const typed = around + row.phrase.replaceAll(' ', between) + around;
        expect(parseRange(typed, row)).toEqual(parseRange(row.phrase, row));
      }),
      { numRuns: 300 },
    );
  });

  test('with the dashes and quotes of phones it means the same', () => {
    fc.assert(
      fc.property(rowOf, fc.constantFrom('–', '—', '‑', '−'), fc.constantFrom('’', '‘', '′'), (row, dash, quote) => {
        const typed = row.phrase.replaceAll('-', dash).replaceAll("'", quote);
        expect(parseRange(typed, row)).toEqual(parseRange(row.phrase, row));
      }),
      { numRuns: 300 },
    );
  });
});

describe('names', () => {
  test('every weekday is the latest such day, whole or until now', () => {
    fc.assert(
      fc.property(contexts, (context) => {
        for (const name of WEEKDAYS.split(' ')) {
          const range = reading(name, context);
          if (typeof range === 'string') throw new Error(`${name}: ${range}`);
          const day = range.from.toZonedDateTimeISO(context.zone);
          expect(day.equals(day.startOfDay())).toBe(true);
          expect(day.toLocaleString('en', { weekday: 'long' }).toLowerCase()).toMatch(
            new RegExp(`^${name.slice(0, 3)}`),
          );
          expect(context.now.since(range.from).total('hours')).toBeLessThanOrEqual(7 * 24 + 1);
          const next = day.add({ days: 1 }).startOfDay().toInstant();
          expect(range.to).toEqual(Temporal.Instant.compare(next, context.now) < 0 ? next : context.now);
        }
      }),
      { numRuns: 10 },
    );
  });

  test('every month is the latest such month, whole or until now', () => {
    fc.assert(
      fc.property(contexts, (context) => {
        for (const name of MONTHS.split(' ')) {
          const range = reading(name, context);
          if (typeof range === 'string') throw new Error(`${name}: ${range}`);
          const start = range.from.toZonedDateTimeISO(context.zone);
          expect(start.day).toBe(1);
          expect(start.equals(start.startOfDay())).toBe(true);
          expect(start.toLocaleString('en', { month: 'long' }).toLowerCase()).toMatch(
            new RegExp(`^${name.slice(0, 3)}`),
          );
          expect(Temporal.Instant.compare(start.add({ years: 1 }).toInstant(), context.now)).toBeGreaterThanOrEqual(0);
          const next = start.add({ months: 1 }).startOfDay().toInstant();
          expect(range.to).toEqual(Temporal.Instant.compare(next, context.now) < 0 ? next : context.now);
        }
      }),
      { numRuns: 10 },
    );
  });
});
