import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../../src/commands/replies/csv.ts';

describe('CSV', () => {
  it('quotes what must be quoted, and lets no cell become a formula', () => {
    expect(toCsv([['a', 'b,c', 'd"e', 'f\ng', null, 0, -5]])).toBe('a,"b,c","d""e","f\ng",,0,-5\r\n');
    for (const sign of ['=', '+', '-', '@', '\t', '\r']) expect(toCsv([[`${sign}cmd`]])).toContain(`'${sign}cmd`);
  });
});
