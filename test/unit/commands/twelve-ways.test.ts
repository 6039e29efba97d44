/**
 * One account of what happened: all ways of asking about the same time name the same episodes, with the same times and
 * numbers, in the same order.
 */
import { expect, it } from 'vitest';
import { askAboutNights, previewNights } from '../../support/nights.ts';

const SHARE = { number: 0, of: 2 };

it('twelve ways of asking about many windows tell one story', async () => {
  const { into, windows } = await askAboutNights(SHARE);
  expect(into.wrong).toEqual([]);
  expect(into.compared).toBeGreaterThan(60 * windows);
}, 3_600_000);

it('a preview has the alerts of a watch that ran all the time', async () => {
  const { wrong } = await previewNights(SHARE);
  expect(wrong).toEqual([]);
}, 600_000);
