/** The short form of the fault test of pagers; `npm run chaos` is the long one, with fifty kills on each store. */
import { describe, expect, it } from 'vitest';
import { type PageChaosOptions, runPageChaos } from '../chaos/pages.ts';
import { count } from '../support/counts.ts';
import { redisAvailable, redisNote } from '../support/redis.ts';

async function expectFlawless(store: PageChaosOptions['store']): Promise<void> {
  const report = await runPageChaos({ store, kills: count(12, 3, 6), seed: Number(process.env.SEED) });
  expect(report).toMatchObject({ flawed: [], refused: [] });
  expect(report.distinct).toBeGreaterThanOrEqual(3 * report.episodes);
}

describe('killed at random while episodes begin and end', { concurrent: true }, () => {
  it('each pager has each state of each episode, once by its ID, on SQLite', async () => {
    await expectFlawless('sqlite');
  }, 360_000);

  it.skipIf(!redisAvailable)(
    `and on Redis, with two replicas${redisNote}`,
    async () => {
      await expectFlawless('redis');
    },
    360_000,
  );
});
