/** The aims of the verdict, held on windows that were not used to tune it; `npm run bench -- verdict` has the details. */
import { expect, it } from 'vitest';
import { judge } from '../../../../src/insight/verdict/index.ts';
import { evaluate, scoreOf } from '../../../evaluation/evaluate.ts';
import { labelledSet } from '../../../evaluation/labelled-set.ts';
import { publishedRule } from '../../../evaluation/published-rule.ts';
import { REPORTING_SEEDS, TUNING_SEEDS } from '../../../evaluation/seeds.ts';

it('is precise, finds waves of twice the baseline, soon, and beats the published rule on each', {
  timeout: 120_000,
}, () => {
  expect(REPORTING_SEEDS.filter((seed) => TUNING_SEEDS.includes(seed))).toEqual([]);
  const set = REPORTING_SEEDS.slice(0, 2).flatMap((seed) => labelledSet(seed, 120));
  expect(set.filter(({ wave }) => wave === null)).toHaveLength(120);
  const [ours, ...theirs] = evaluate(set, [
    (input) => ['elevated', 'surge'].includes(judge(input).level),
    (input) => publishedRule(input, 'interval'),
    (input) => publishedRule(input, 'window'),
  ]).map(scoreOf);
  if (ours === undefined) throw new Error('nothing was judged');
  expect(ours.precision).toBeGreaterThanOrEqual(0.95);
  expect(ours.recall).toBeGreaterThanOrEqual(0.95);
  expect(ours.delay).toBeLessThanOrEqual(2);
  for (const rule of theirs) {
    expect(ours.precision).toBeGreaterThan(rule.precision);
    expect(ours.recall).toBeGreaterThan(rule.recall);
    expect(ours.delay).toBeLessThan(rule.delay);
  }
});
