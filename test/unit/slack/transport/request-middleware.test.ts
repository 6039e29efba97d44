import { expect, it } from 'vitest';
import { createDeduplicate } from '../../../../src/slack/transport/request-middleware.ts';

it('a delivery is new once in ten minutes', async () => {
  let now = Date.parse('2026-03-10T14:30:00Z');
  const deduplicate = createDeduplicate(() => now);
  expect([await deduplicate('a'), await deduplicate('b'), await deduplicate('a')]).toEqual([true, true, false]);
  now = Date.parse('2026-03-10T14:39:59Z');
  expect(await deduplicate('a')).toBe(false);
  now = Date.parse('2026-03-10T14:40:00Z');
  expect(await deduplicate('a')).toBe(true);
});
