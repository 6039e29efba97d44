/** Seeded histories of digests, watches, questions and faults, without real time. `npm run simulate` runs thousands of them. */
import { describe, expect, it } from 'vitest';
import { type BrokenSeams, type History, runHistory } from '../simulation/history.ts';
import { count } from '../support/counts.ts';

const HISTORIES = count(200, 20, 30);
/** The first seed of each part. */
const PARTS = [1, 51, 101, 151];
/** Every seed that has failed, and what it found. Changes to the simulation give a seed another history, so each bug has its own test too. */
const FAILED_SEEDS = [
  { seed: 100_333, found: 'a question answered by two replicas that froze in turn' },
  { seed: 105_359, found: 'a question answered again by the replica that had it first' },
  { seed: 200_408, found: 'a private answer in doubt followed by a public one' },
  { seed: 200_782, found: 'messages of two categories under one key' },
  { seed: 12, found: 'a digest posted again because the clock was ahead' },
  { seed: 92, found: 'a digest held up because the clock was set back' },
  { seed: 54, found: 'an attack during an outage that began when the watch was created' },
  { seed: 74, found: 'a question answered by a process that stood still while it claimed it' },
  { seed: 30_022, found: 'a question answered by two processes that had it, after a third had given it up' },
  { seed: 30_215, found: 'a question taken over after it was answered' },
  { seed: 1_003_731, found: 'a thread left open because a reminder was in doubt when its episode ended' },
  { seed: 1_004_557, found: 'a notice left beside the word, to the asker alone, that the bot had restarted' },
  { seed: 3_000_076, found: 'a process of the model that went on before the end of its longer pause' },
  { seed: 3_003_728, found: 'an attack closed early by two replicas that looked a minute apart' },
  { seed: 10_919, found: 'numbers taken for final because the clock was set back while the service answered' },
  { seed: 5_002_257, found: 'a digest whose last minute came from an answer that was no longer the latest' },
  { seed: 5_003_874, found: 'a digest that did not say that it was late, by a process that froze before it began' },
  { seed: 5_004_454, found: 'a job scheduled by a reconciliation during which the store was emptied, that stays' },
  { seed: 5_008_529, found: 'a job scheduled by a reconciliation that began before the store was emptied, that stays' },
  { seed: 70, found: 'an owner who was not told of an emptied store' },
];
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
  it.each(PARTS)('lose nothing, double nothing and get no number wrong, from seed %i on', async (from) => {
    let [faults, digests, watchMessages, questions] = [0, 0, 0, 0];
    for (let seed = from; seed < from + HISTORIES / PARTS.length; seed += 1) {
      const history = await runHistory(seed);
      expect(history.violations, inWords(history)).toEqual([]);
      faults += history.faults.values().reduce((sum, times) => sum + times, 0);
      digests += history.digests;
      watchMessages += history.watchMessages;
      questions += history.questions;
    }
    // Otherwise there was nothing to get wrong.
    expect(faults).toBeGreaterThan((5 * HISTORIES) / PARTS.length);
    expect(digests).toBeGreaterThan(HISTORIES / PARTS.length);
    expect(watchMessages).toBeGreaterThan(HISTORIES / PARTS.length / 4);
    expect(questions).toBeGreaterThan(HISTORIES / PARTS.length / 2);
  });

  it.each(FAILED_SEEDS)('no longer have $found (seed $seed)', async ({ seed }) => {
    const history = await runHistory(seed);
    expect(history.violations, inWords(history)).toEqual([]);
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

  it('find a search that never finds what was posted', async () => {
    const history = await firstFailure({ hasNoHistory: true });
    expect(history?.violations.join('\n')).toMatch(/posted twice|answered 2 times/);
  });

  it('find answers of the service that have the numbers of another window', async () => {
    const history = await firstFailure({ mislabels: true });
    expect(history?.violations.join('\n')).toContain('with other numbers');
  });
});
