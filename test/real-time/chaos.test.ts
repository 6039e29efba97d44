/** The short form of the fault test; `npm run chaos` is the long one. */
import { describe, expect, it } from 'vitest';
import { runChaos } from '../chaos/chaos.ts';
import { redisAvailable, redisNote } from '../support/redis.ts';

const common = { kills: 6, digests: 60, everyMs: 2_000, seed: Number(process.env.SEED) };

describe('killed at random while digests fall due', () => {
  it('the embedded scheduler loses none and doubles none', async () => {
    const report = await runChaos({ ...common, scheduler: 'embedded' });
    expect(report).toMatchObject({ kills: 6, lost: 0, duplicated: 0 });
    expect(report.expected).toBeGreaterThanOrEqual(common.digests);
    expect(report.delivered).toBe(report.expected);
  }, 360_000);

  it.skipIf(!redisAvailable)(
    `the Redis scheduler loses none and doubles none${redisNote}`,
    async () => {
      const report = await runChaos({ ...common, scheduler: 'redis', redisKills: 0.2 });
      expect(report).toMatchObject({ kills: 6, lost: 0, duplicated: 0 });
      expect(report.delivered).toBe(report.expected);
    },
    360_000,
  );
});
