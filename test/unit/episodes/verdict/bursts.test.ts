import { describe, expect, it } from 'vitest';
import { BURST_RULE, burstsAsLarge, timesAsRare } from '../../../../src/episodes/verdict/bursts.ts';
import type { Site } from '../../../../src/episodes/verdict/site.ts';
import { straysOf } from '../../../../src/episodes/verdict/tail.ts';
import { categories } from './minutes.ts';

const STEP_MS = 10 * 60_000;
const HOUR = 6;
const LENGTH = 28 * 24 * HOUR;
const FROM_MS = Date.UTC(2026, 1, 2);

/** A hundred attacks expected in each step, and as many seen; unless something else is given. */
function siteOf(seen: (step: number) => number, expected: (step: number) => number = () => 100) {
  const by = (value: (step: number) => number) => Float64Array.from({ length: LENGTH }, (_, step) => value(step));
  const past = { fromMs: FROM_MS, stepMs: STEP_MS, length: LENGTH };
  return { past, strays: straysOf(by(seen), by(expected)) } as Site;
}

const at = (step: number): number => FROM_MS + step * STEP_MS;
const found = (site: Site, excess: number): number[] =>
  burstsAsLarge(site, STEP_MS, excess).map(({ fromMs }) => Math.round((fromMs - FROM_MS) / STEP_MS));

describe('bursts as large', () => {
  it('are those with most of the excess, at edges of quarter hours', () => {
    const sizes = new Map([
      [60, 300],
      [303, 175],
      [606, 170],
    ]);
    const site = siteOf((step) => 100 + (sizes.get(step) ?? 0));
    expect(burstsAsLarge(site, STEP_MS, 250)).toEqual([
      { fromMs: at(60), toMs: at(61.5) },
      { fromMs: at(303), toMs: at(304.5) },
    ]);
    expect(burstsAsLarge(site, STEP_MS, 1000)).toEqual([]);
  });

  it('are one where they come within an hour of each other, the largest of them', () => {
    const site = siteOf((step) => 100 + (step === 60 ? 200 : step === 63 ? 300 : step === 72 ? 200 : 0));
    expect(found(site, 200)).toEqual([63, 72]);
  });

  it('are those too that come every week and are expected at their hour', () => {
    const scan = (step: number): number => (step % (7 * 24 * HOUR) === 90 ? 400 : 100);
    expect(found(siteOf(scan, scan), 250)).toEqual([0, 1, 2, 3].map((week) => 90 + week * 7 * 24 * HOUR));
  });

  it('are not where it stays as high, or rises every day at that hour', () => {
    const day = (step: number): number => (step % (24 * HOUR) >= 60 ? 400 : 100);
    expect(found(siteOf(day, day), 250)).toEqual([]);
  });

  it('are not told where there are too many to count', () => {
    const every = (steps: number) => siteOf((step) => (step % steps === 30 ? 400 : 100));
    expect(found(every(120), 250)).toHaveLength(Math.ceil((LENGTH - 30) / 120));
    expect(Math.ceil((LENGTH - 30) / 60)).toBeGreaterThan(BURST_RULE.most);
    expect(found(every(60), 250)).toEqual([]);
  });
});

describe('kinds as rare', () => {
  const site = siteOf(() => 100);
  const weeks = [categories(FROM_MS, at(LENGTH), { sqli: 1000, xss: 1000, robot: 1000, lfi: 1000 })];
  const usual = { sqli: 25, xss: 25, robot: 25, lfi: 25 };
  const burst = (kind: string, more = 300) => categories(at(60), at(61), { ...usual, [kind]: 25 + more });
  const times = (...bursts: (ReturnType<typeof burst> | null)[]): number =>
    timesAsRare(site, bursts, weeks, { name: 'sqli', excess: 300 });

  it('are the kind itself, and those that came at most once more', () => {
    expect(times(burst('xss'), burst('xss'), burst('xss'))).toBe(0);
    expect(times(burst('xss'), burst('xss'), burst('robot'))).toBe(1);
    expect(times(burst('sqli'), burst('xss'), burst('xss'), burst('robot'))).toBe(4);
    expect(times(burst('sqli'), burst('xss'), burst('xss'), burst('xss'))).toBe(1);
  });

  it('are not those of many kinds, but all that cannot be counted', () => {
    const mixed = categories(at(60), at(61), { sqli: 125, xss: 125, robot: 125, lfi: 125 });
    expect(times(mixed, mixed)).toBe(0);
    expect(times(null, null, burst('xss'))).toBe(3);
  });

  it('are the kind itself with half of what there is of it now, whatever else there was', () => {
    const beside = categories(at(60), at(61), { ...usual, sqli: 25 + 150, xss: 25 + 600 });
    expect(times(beside)).toBe(1);
    expect(times(burst('sqli', 140), ...[1, 2, 3].map(() => burst('xss')))).toBe(1);
  });
});
