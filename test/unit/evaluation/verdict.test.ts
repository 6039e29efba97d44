/** The aims of the verdict, held on a slice of windows that it was not tuned on; `npm run evaluate` has the whole. */
import { expect, it } from 'vitest';
import { REPORTING_SEEDS, TUNING_SEEDS } from '../../evaluation/seeds.ts';
import { isNormal, measuresOf, outcomeOf, type WindowOutcome } from '../../evaluation/window-outcomes.ts';
import { labelledWindows } from '../../evaluation/windows.ts';

/** Of no other set. */
const SLICE_SEED = 901;
const WORLDS = 10;

it('is right about most windows that it was not tuned on', async () => {
  expect([...TUNING_SEEDS, ...REPORTING_SEEDS]).not.toContain(SLICE_SEED);
  expect(REPORTING_SEEDS.filter((seed) => TUNING_SEEDS.includes(seed))).toEqual([]);
  const outcomes: WindowOutcome[] = [];
  for (const window of labelledWindows(SLICE_SEED, WORLDS)) outcomes.push(await outcomeOf(window, false));
  expect(outcomes.filter(isNormal).length).toBeGreaterThan(50);
  const { precision, recall, falseAlarms } = measuresOf(outcomes, 0);
  expect(precision).toBeGreaterThan(0.6);
  expect(recall).toBeGreaterThan(0.9);
  expect(falseAlarms).toBeLessThan(0.35);
});
