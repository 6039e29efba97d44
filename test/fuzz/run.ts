/**
 * `npm run fuzz [-- --sentences <count> --answers <count> --envelopes <count> --seed <seed>]`: the long form. Each input
 * must end in one answer or one clear refusal; nothing may end the process or hold its event loop for over 20 ms.
 */
import { randomInt } from 'node:crypto';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { FuzzReport } from './report.ts';

const { values: options } = parseArgs({
  options: {
    sentences: { type: 'string', default: '1000000' },
    answers: { type: 'string', default: '100000' },
    envelopes: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
});
const seed = Number(options.seed);
// What draws at random reads it when it is loaded.
process.env.SEED = options.seed;
const { createSeededRandom } = await import('../support/seeded-random.ts');
const { fuzzSentences } = await import('./sentences.ts');
const { fuzzAnswers } = await import('./answers.ts');
const { fuzzEnvelopes } = await import('./envelopes.ts');

const escaped: unknown[] = [];
for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (error: unknown) => {
    escaped.push(error);
    console.error(event, error);
  });

console.log(`seed ${seed}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`);
const half = Math.ceil(Number(options.envelopes) / 2);
const runs: readonly (() => Promise<FuzzReport>)[] = [
  () => fuzzSentences(Number(options.sentences), createSeededRandom(seed)),
  () => fuzzAnswers(Number(options.answers), seed, createSeededRandom(seed)),
  () => fuzzEnvelopes(half, 'socket', createSeededRandom(seed)),
  () => fuzzEnvelopes(half, 'http', createSeededRandom(seed + 1)),
];
let faults = 0;
for (const run of runs) {
  const started = performance.now();
  const report = await run();
  print(report, (performance.now() - started) / 1_000);
  faults += report.faults.length;
}
console.log(`\n${faults + escaped.length} faults; ${escaped.length} errors that nobody handled`);
process.exit(faults + escaped.length === 0 ? 0 : 1);

function print({ name, inputs, outcomes, faults: found, longest }: FuzzReport, seconds: number): void {
  if (inputs === 0) return;
  const ends = [...outcomes].sort(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} ${outcome}`);
  console.log(`\n${name}: ${inputs} in ${Math.round(seconds)} s: ${ends.join(', ')}`);
  console.log(`  longest stretch ${longest.ms.toFixed(1)} ms: ${longest.input}`);
  console.log(found.length === 0 ? '  no faults' : `  ${found.length} FAULTS`);
  for (const fault of found.slice(0, 20)) console.log(`  - ${fault}`);
}
