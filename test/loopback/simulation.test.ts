/** Seeded histories of digests and faults, without real time. `npm run simulate` runs thousands of them. */
import { describe, expect, it } from 'vitest';
import { type BrokenSeams, type History, runHistory } from '../simulation/history.ts';

const HISTORIES = 200;
/** Within how many histories a broken part has to show. */
const FOUND_WITHIN = 20;

/** To read in the output of a failed test. */
const inWords = ({ seed, violations, trace }: History): string =>
  [
    `seed ${seed}, repeat it with: npm run simulate -- --seed ${seed}`,
    ...trace.slice(-80),
    ...violations.map((violation) => `violated: ${violation}`),
  ].join('\n');

async function firstFailure(broken: BrokenSeams): Promise<History | undefined> {
  for (let seed = 1; seed <= FOUND_WITHIN; seed += 1) {
    const history = await runHistory(seed, broken);
    if (history.violations.length > 0) return history;
  }
  return undefined;
}

describe('simulated histories', () => {
  it('lose nothing, double nothing and get no number wrong', async () => {
    let [faults, digests] = [0, 0];
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const history = await runHistory(seed);
      expect(history.violations, inWords(history)).toEqual([]);
      faults += history.faults.values().reduce((sum, times) => sum + times, 0);
      digests += history.digests;
    }
    // Otherwise there was nothing to get wrong.
    expect(faults).toBeGreaterThan(5 * HISTORIES);
    expect(digests).toBeGreaterThan(2 * HISTORIES);
  });

  it('are the same each time for a seed, and differ between seeds', async () => {
    const [first, again, other] = [await runHistory(7), await runHistory(7), await runHistory(8)];
    expect(again.trace).toEqual(first.trace);
    expect(again.traceHash).toBe(first.traceHash);
    expect(other.traceHash).not.toBe(first.traceHash);
  });

  it('find a store that acknowledges delivery logs without writing them', async () => {
    const history = await firstFailure({ forgets: (space) => space === 'ledgers' });
    expect(history?.violations.join('\n')).toMatch(/without a mark|posted twice|lost/);
  });
});
