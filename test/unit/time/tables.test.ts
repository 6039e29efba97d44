import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/errors.ts';
import { parseRange } from '../../../src/time/index.ts';
import { ALL_ROWS, type Row, readTable, TABLES } from './read-table.ts';

function meaningOf({ phrase, now, zone }: Row) {
  try {
    const { from, to, zone: readIn, readAs } = parseRange(phrase, { now, zone });
    return { from: from.toString(), to: to.toString(), zone: readIn, readAs };
  } catch (error) {
    if (!(error instanceof UsageError) || !error.span) throw error;
    return { refused: phrase.slice(error.span.start, error.span.end) };
  }
}

const asText = ({ expect: wanted }: Row) =>
  'refused' in wanted ? wanted : { ...wanted, from: wanted.from.toString(), to: wanted.to.toString() };

describe.each(Object.entries(TABLES))('%s', (_kind, table) => {
  test.each(readTable(table).map((row) => [row.phrase, row.reference, row] as const))(
    '%s at %s',
    (_phrase, _at, row) => {
      expect(meaningOf(row)).toEqual(asText(row));
    },
  );
});

test('there are rows enough, and none twice', () => {
  const keys = ALL_ROWS.map(({ phrase, reference }) => `${phrase} ${reference}`);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.length).toBeGreaterThan(500);
});
