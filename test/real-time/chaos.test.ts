/** The short form of the fault test; `npm run chaos` is the long one. */
import { describe, expect, it } from 'vitest';
import { type ChaosOptions, runChaos } from '../chaos/chaos.ts';
import { count } from '../support/counts.ts';
import { redisAvailable, redisNote } from '../support/redis.ts';

const seed = Number(process.env.SEED);
const often = { due: { everyMs: 2_000 }, digests: count(60, 30, 30), kills: count(4, 2, 2), seed } as const;
const FLAWLESS = { lost: 0, duplicated: 0, unmarked: 0 };

/** Every due time has a message: its own within a minute, or one that says that it is late. */
async function expectFlawless(options: ChaosOptions): Promise<void> {
  const report = await runChaos(options);
  expect(report).toMatchObject({ ...FLAWLESS, kills: options.kills });
  expect(report.expected).toBeGreaterThanOrEqual(options.digests / 2);
}

// Each run has its own processes, store and Slack, and mostly waits.
describe('killed at random while digests fall due', { concurrent: true }, () => {
  it('the embedded scheduler loses none, doubles none and passes over none', async () => {
    await expectFlawless({ ...often, scheduler: 'embedded' });
  }, 360_000);

  describe.skipIf(!redisAvailable)(`the Redis scheduler${redisNote}`, () => {
    it('loses none, doubles none and passes over none', async () => {
      await expectFlawless({ ...often, scheduler: 'redis', redisKills: 0.2 });
    }, 360_000);

    it('brings digests that are due once in the test, as a daily one is, with Redis killed and answers lost', async () => {
      // More than a page of other messages after each of ours.
      const slack = { lostAnswers: 0.4, chatter: 120 };
      await expectFlawless({ ...often, due: 'once', scheduler: 'redis', redisKills: 0.6, slack, seed });
    }, 360_000);
  });
});
