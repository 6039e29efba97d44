import { expect, it } from 'vitest';
import { BARS, takeoverStrength, usualShare } from '../../../../src/episodes/verdict/index.ts';
import type { Distribution } from '../../../../src/statistics/timeline.ts';

const counted = (webshell: number, others: number): Distribution => ({
  fromMs: 0,
  toMs: 900_000,
  counts: [
    { category: 'webshell', count: webshell },
    { category: 'xss', count: others },
  ],
  settledUntilMs: 900_000,
  asOfMs: 900_000,
  stale: false,
});

/** Of 200 attacks, it usually has a fiftieth. */
const strength = (webshell: number, others: number, othersBefore = 196): number =>
  takeoverStrength('webshell', counted(webshell, others), { expected: 4, others: othersBefore, spread: 0.02 });

it('a category takes over if the others fall, and with an alert only if they fall far', () => {
  expect(strength(25, 196)).toBe(0);
  expect(strength(25, 150)).toBe(0);
  expect(strength(25, 80)).toBeGreaterThan(BARS.normal);
  expect(strength(25, 80, 90)).toBe(0);
});

it('that is a third of all attacks takes over once it has doubled and the others nearly vanish', () => {
  const ofThird = (webshell: number, others: number): number =>
    takeoverStrength('webshell', counted(webshell, others), { expected: 67, others: 133, spread: 0.02 });
  expect(ofThird(180, 20)).toBeGreaterThan(BARS.normal);
  expect(ofThird(140, 90)).toBe(0);
  expect(ofThird(110, 20)).toBe(0);
});

it('what is usual at an hour takes two days of it, where more than one is known', () => {
  const shareWith = (...hours: readonly Distribution[]) => usualShare('webshell', [counted(20, 980)], [hours]);
  expect(shareWith()).toBe(0.02);
  expect(shareWith(counted(50, 50))).toBe(0.5);
  expect(shareWith(counted(50, 50), counted(10, 90))).toBe(0.1);
  expect(shareWith(counted(50, 50), counted(0, 0))).toBe(0.5);
  expect(shareWith(counted(50, 50), counted(1, 99), counted(40, 60))).toBe(0.4);
});
