/** The verdicts that the docs state for ten charts are those of the rule. */
import { expect, it } from 'vitest';
import { TEN_CHARTS, verdictOn } from '../../../support/ten-charts.ts';

it.each(TEN_CHARTS)('$title: $verdict', async (chart) => {
  expect(await verdictOn(chart)).toBe(chart.verdict);
});
