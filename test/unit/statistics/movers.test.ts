import { describe, expect, it } from 'vitest';
import {
  findMovers,
  leadFirst,
  leadingFirst,
  NOTICEABLE,
  STANDS_OUT,
  surprise,
} from '../../../src/statistics/categories.ts';
import { fc } from '../../support/property.ts';

const count = fc.nat({ max: 1_000_000 });

describe('surprise', () => {
  it('has the sign of the change, and grows with it', () => {
    fc.assert(
      fc.property(count, count, fc.integer({ min: 1, max: 1000 }), (before, now, more) => {
        expect(Math.sign(surprise(now, before))).toBe(Math.sign(now - before));
        if (now >= before) expect(surprise(now + more, before)).toBeGreaterThan(surprise(now, before));
      }),
    );
  });

  it('is none where the rate is the same in windows of other lengths', () => {
    fc.assert(
      fc.property(count, fc.integer({ min: 2, max: 50 }), (before, times) => {
        expect(surprise(before * times, before, times)).toBeCloseTo(0, 6);
      }),
    );
  });

  it('is the root of the likelihood ratio where counts vary by chance alone', () => {
    // Worked out by hand: twice 14 ln 2, whose root is 4.405.
    expect(surprise(14, 0)).toBeCloseTo(4.405, 3);
    expect(surprise(0, 14)).toBeCloseTo(-4.405, 3);
  });

  it('never makes news of three events, whatever was before', () => {
    for (const before of [0, 1, 2, 3]) expect(Math.abs(surprise(3, before))).toBeLessThan(STANDS_OUT);
  });

  it('takes more than a tenth or two for a large category', () => {
    expect(surprise(12_000, 10_000)).toBeLessThan(NOTICEABLE);
    expect(surprise(20_000, 10_000)).toBeGreaterThan(STANDS_OUT);
  });
});

describe('movers', () => {
  const row = (category: string, now: number, before: number | null) => ({ category, count: now, before, share: 0 });

  it('come in the order of surprise, not of percent or of size', () => {
    const rows = [row('cc', 10_900, 10_000), row('sqli', 900, 100), row('xss', 310, 120), row('webshell', 3, 0)];
    const { moved, rest } = findMovers(rows, STANDS_OUT);
    expect(moved.map(({ category }) => category)).toEqual(['sqli', 'xss']);
    expect(rest.map(({ category }) => category)).toEqual(['cc', 'webshell']);
  });

  it('begin with what leads a rise, then what has grown most in numbers', () => {
    const rows = [row('robot', 5_100, 5_200), row('sqli', 1_500, 1_450), row('lfi', 656, 412), row('xss', 1_311, 880)];
    const led = leadFirst(findMovers(rows, NOTICEABLE), 'sqli');
    expect(led.moved.map(({ category }) => category)).toEqual(['sqli', 'xss', 'lfi']);
    expect(led.rest.map(({ category }) => category)).toEqual(['robot']);
    const movers = findMovers(rows, NOTICEABLE);
    expect([leadFirst(movers, null), leadFirst(movers, 'cc')]).toEqual([movers, movers]);
  });

  it('are none where nothing is known of before', () => {
    expect(findMovers([row('xss', 5_000, null)], STANDS_OUT).moved).toEqual([]);
  });
});

describe('what leads', () => {
  const category = (name: string, observed: number, expected: number) => ({ name, observed, expected });
  const names = (categories: readonly { name: string }[]) => categories.map(({ name }) => name);

  it('is the most attacks above the expected, not the largest factor and not the largest number', () => {
    const surge = [
      category('cc', 400, 390),
      category('lfi', 79, 4),
      category('sqli', 205, 20),
      category('xss', 121, 12),
    ];
    expect(names(leadingFirst(surge))).toEqual(['sqli', 'xss', 'lfi']);
  });

  it('is never a handful of events', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), (few) => {
        expect(leadingFirst([category('webshell', few, 0)])).toEqual([]);
      }),
    );
    expect(names(leadingFirst([category('webshell', 14, 0)]))).toEqual(['webshell']);
  });
});
