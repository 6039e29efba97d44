import { expect, it } from 'vitest';
import { createDeduplicate } from '../../../../src/slack/transport/request-middleware.ts';
import { createManualClock } from '../../../support/clock.ts';

it('a delivery is new once in ten minutes', async () => {
  const clock = createManualClock();
  const deduplicate = createDeduplicate(clock);
  expect([await deduplicate('a'), await deduplicate('b'), await deduplicate('a')]).toEqual([true, true, false]);
  await clock.advance(10 * 60_000 - 1);
  expect(await deduplicate('a')).toBe(false);
  await clock.advance(1);
  expect(await deduplicate('a')).toBe(true);
});
