import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../../src/commands/replies/csv.ts';

describe('CSV', () => {
  it('quotes what must be quoted, and lets no cell become a formula', () => {
    expect(toCsv([['a', 'b,c', 'd"e', 'f\ng', null, 0, -5]])).toBe('a,"b,c","d""e","f\ng",,0,-5\r\n');
    for (const sign of ['=', '+', '-', '@', '\t', '\r']) expect(toCsv([[`${sign}cmd`]])).toContain(`'${sign}cmd`);
  });

  it('lets no formula begin after what a spreadsheet may take for the end of a cell', () => {
    expect(toCsv([['a;=cmd()']])).toBe('"a;\'=cmd()"\r\n');
    expect(toCsv([['a; "+1']])).toBe('"a;\' ""+1"\r\n');
    for (const separator of [';', '\t', '\r', '\n', '\r\n']) {
      for (const sign of ['=', '+', '-', '@', ' =', '"=', '＝']) {
        expect(toCsv([[`a${separator}${sign}cmd`]])).toMatch(/^"?a[;\t\r\n]+'/);
      }
    }
    expect(toCsv([['SQL injection - blind; 3 of 4']])).toBe('"SQL injection - blind; 3 of 4"\r\n');
  });
});
