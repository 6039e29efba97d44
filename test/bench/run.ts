/**
 * `npm run bench` runs every `*.bench.ts` in this folder, one process each so that none warms or fills another's heap,
 * and ends with one table of results and targets. `-- --quick` takes fewer rounds and leaves out the benchmarks of
 * capacity over time; `-- felt start` runs only those named. Other options are passed on.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isQuick, machineLoad, type Result } from './figures.ts';

/** They take minutes, and measure what a store of any size and age costs. */
const SLOW = ['subscriptions', 'year'];

const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
  .sort();
const named = process.argv.slice(2).filter((word) => all.includes(word));
const options = process.argv.slice(2).filter((word) => !named.includes(word));
const unknown = options.filter((word, at) => !word.startsWith('--') && !options[at - 1]?.startsWith('--'));
if (unknown.length > 0) throw new Error(`no benchmark named ${unknown.join(' or ')}; there are ${all.join(', ')}`);
const usual = all.filter((name) => !isQuick || !SLOW.includes(name));

const folder = mkdtempSync(join(tmpdir(), 'wafbot-bench-'));
const file = join(folder, 'results.jsonl');
const seconds = (fromMs: number): string => `${Math.round((performance.now() - fromMs) / 1_000)} s`;

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${machineLoad()}`);
const startedMs = performance.now();
const failed: string[] = [];
for (const name of named.length === 0 ? usual : named) {
  console.log(`\n── ${name} ${'─'.repeat(60)}`);
  const benchMs = performance.now();
  const { status } = spawnSync(
    process.execPath,
    ['--expose-gc', `${import.meta.dirname}/${name}.bench.ts`, ...options],
    { stdio: 'inherit', env: { ...process.env, BENCH_RESULTS: file } },
  );
  if (status !== 0) failed.push(name);
  console.log(`${name}: ${seconds(benchMs)}`);
}

const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
rmSync(folder, { recursive: true });
const results = lines.map((line): Result => JSON.parse(line));
console.log(`\n── results ${'─'.repeat(58)}`);
console.table(
  Object.fromEntries(
    results.map(({ what, measured, target, ok }) => [what, { measured, target, result: ok ? 'ok' : 'missed' }]),
  ),
);
console.log(`${seconds(startedMs)}; ${machineLoad()}`);
if (failed.length > 0) console.log(`missed a target or failed: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
