/** A slice of `npm run fuzz`: one answer or one clear refusal for each input. How long they take is not judged here. */
import { expect, it } from 'vitest';
import { fuzzAnswers } from '../../fuzz/answers.ts';
import { fuzzEnvelopes } from '../../fuzz/envelopes.ts';
import type { FuzzReport } from '../../fuzz/report.ts';
import { fuzzSentences } from '../../fuzz/sentences.ts';
import { count } from '../../support/counts.ts';
import { createSeededRandom, SEED_OF_RUN } from '../../support/seeded-random.ts';

const SENTENCES = count(400, 60, 120);
const SLOW = /^held the event loop/;
const faultsOf = ({ faults }: FuzzReport): string[] => faults.filter((fault) => !SLOW.test(fault));

it('sentences of every kind are answered or refused', async () => {
  const report = await fuzzSentences(SENTENCES, createSeededRandom(SEED_OF_RUN));
  expect(faultsOf(report)).toEqual([]);
  expect(report.outcomes.get('answered')).toBeGreaterThan(SENTENCES / 8);
});

it('almost valid responses of the service are shown or refused', async () => {
  const report = await fuzzAnswers(count(600, 120, 200), SEED_OF_RUN, createSeededRandom(SEED_OF_RUN));
  expect(faultsOf(report)).toEqual([]);
  expect(report.outcomes.get('answered')).toBeGreaterThan(1);
  expect(report.outcomes.get('upstream_bad_response')).toBeGreaterThan(1);
});

it.each(['socket', 'http'] as const)('whatever Slack sends over %s, people are answered once each', async (mode) => {
  const report = await fuzzEnvelopes(count(160, 20, 40), mode, createSeededRandom(SEED_OF_RUN), { isTimed: false });
  expect(faultsOf(report)).toEqual([]);
});
