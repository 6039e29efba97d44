/** Replicas are replaced by those of a newer version, which migrates the store, while digests fall due. */
import { describe, expect, it } from 'vitest';
import { runChaos } from '../chaos/chaos.ts';
import { redisAvailable, redisNote } from '../support/redis.ts';

// Each run has its own processes, store and Slack, and mostly waits.
describe('digests that fall due while a version with a migration is rolled out', { concurrent: true }, () => {
  it.each(redisAvailable ? (['embedded', 'redis'] as const) : (['embedded'] as const))(
    `come once each, and the migration reaches all (%s)${redisNote}`,
    async (scheduler) => {
      const report = await runChaos({ scheduler, due: 'once', digests: 30, kills: 1, upgrade: {}, seed: 34 });
      expect(report).toMatchObject({ messages: 30, lost: 0, duplicated: 0, unmarked: 0, unmigrated: 0 });
      // On a busy machine, some are due before the first process runs.
      expect(report.expected).toBeGreaterThanOrEqual(15);
    },
    180_000,
  );
});
