/**
 * `npm run simulate [-- --histories 1000 --from 1 | --seed 42]`: lives through seeded histories in one process, without real time. Fails
 * with the seeds of those in which something was lost, doubled or wrong; `--seed` repeats one and prints its record. `--guards` switches off
 * each guard of `guards.ts`, and `--without NAME` one of them, to see that a history finds it.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { CASES, switchOff } from './guards.ts';
import type { History } from './history.ts';

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    without: { type: 'string' },
    guards: { type: 'boolean', default: false },
  },
});

if (values.without !== undefined) switchOff(values.without);
const { runHistory } = await import('./history.ts');

/** So that somebody who waits sees that it goes on. */
const PROGRESS_EVERY = 500;

function report({ seed, violations, trace, traceHash }: History): void {
  console.log(`\nseed ${seed}, record ${traceHash}:`);
  for (const line of trace) console.log(`  ${line}`);
  for (const violation of violations) console.log(`  violated: ${violation}`);
  console.log(`Repeat it with: npm run simulate -- --seed ${seed}`);
}

async function runOne(seed: number): Promise<boolean> {
  const history = await runHistory(seed);
  report(history);
  return history.violations.length === 0;
}

async function runMany(from: number, count: number): Promise<boolean> {
  const started = performance.now();
  const faults = new Map<string, number>();
  const failed: number[] = [];
  const totals = { events: 0, digests: 0, watchMessages: 0, questions: 0 };
  for (let seed = from; seed < from + count; seed += 1) {
    const history = await runHistory(seed);
    for (const [kind, times] of history.faults) faults.set(kind, (faults.get(kind) ?? 0) + times);
    totals.events += history.events;
    totals.digests += history.digests;
    totals.watchMessages += history.watchMessages;
    totals.questions += history.questions;
    if ((seed - from + 1) % PROGRESS_EVERY === 0) console.log(`${seed - from + 1} histories, ${failed.length} failed`);
    if (history.violations.length === 0) continue;
    failed.push(seed);
    if (failed.length === 1) report(history);
    else console.log(`seed ${seed}: ${history.violations.join('; ').slice(0, 300)}`);
  }
  console.table(Object.fromEntries([...faults].sort(([a], [b]) => a.localeCompare(b))));
  const injected = [...faults.values()].reduce((sum, times) => sum + times, 0);
  const seconds = Math.round((performance.now() - started) / 1_000);
  const cpuSeconds = Math.round(process.cpuUsage().user / 1_000_000);
  console.log(
    `${count} histories from seed ${from}: ${injected} faults, ${totals.events} events, ${totals.digests} digests, ${totals.watchMessages} messages of watches, ${totals.questions} questions, ${seconds} s (${cpuSeconds} s of CPU)`,
  );
  console.log(failed.length === 0 ? 'nothing lost, doubled or wrong' : `FAILED seeds: ${failed.join(' ')}`);
  return failed.length === 0;
}

/** Without a guard, the first history that finds it. */
async function findMissing(from: number, count: number): Promise<boolean> {
  for (let seed = from; seed < from + count; seed += 1) {
    const { violations } = await runHistory(seed);
    if (violations.length === 0) continue;
    console.log(`seed ${seed}: ${violations.join('; ').slice(0, 160)}`);
    return false;
  }
  console.log('not found');
  return true;
}

/** Switches each guard, or layer of them, off in a process of its own. */
async function runGuards(): Promise<boolean> {
  let isMissed = false;
  for (const name of CASES) {
    process.stdout.write(`${name}: `);
    const [code] = await once(fork(import.meta.filename, [...process.argv.slice(2), '--without', name]), 'exit');
    isMissed ||= code !== 1;
  }
  return !isMissed;
}

async function run(): Promise<boolean> {
  const [from, histories] = [Number(values.from), Number(values.histories)];
  if (values.without !== undefined) return findMissing(from, histories);
  if (values.guards) return runGuards();
  return values.seed === undefined ? runMany(from, histories) : runOne(Number(values.seed));
}

const isFlawless = await run();
process.exitCode = isFlawless ? 0 : 1;
