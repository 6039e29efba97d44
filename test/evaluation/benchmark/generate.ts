/**
 * Prints the benchmark's questions, or with `--labels` the truth about them, as JSON lines.
 *
 *   node generate.js windows            (or weeks)
 *   node generate.js windows --tuning   those to choose a threshold on
 *   node generate.js windows --seeds 1,2 --count 5
 *                                       your own: 5 sites with twelve windows each, of each seed (or 5 weeks)
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { type BenchmarkSet, SETS, weekQuestions, windowQuestions } from './lines.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tuning: { type: 'boolean', default: false },
    labels: { type: 'boolean', default: false },
    seeds: { type: 'string' },
    count: { type: 'string', default: '10' },
  },
});

function setOf({ tuning, seeds, count }: typeof values): BenchmarkSet {
  if (seeds === undefined) return tuning ? SETS.tuning : SETS.figures;
  const each = Number(count);
  return { seeds: seeds.split(',').map(Number), worlds: each, weeks: each };
}

const [what] = positionals;
if (what === 'windows' || what === 'weeks') {
  const { stdout } = process;
  // Stop if the reader closes the pipe.
  stdout.on('error', () => process.exit(1));
  for (const { line, label } of (what === 'windows' ? windowQuestions : weekQuestions)(setOf(values))) {
    if (!stdout.write(`${JSON.stringify(values.labels ? label : line)}\n`)) await once(stdout, 'drain');
  }
} else {
  process.stderr.write('Say what to print: node generate.js windows, or weeks.\n');
  process.exitCode = 1;
}
