/**
 * `npm run bench` runs every `*.bench.ts` in this folder, one process each so that none warms or litters another's
 * heap; `npm run bench -- charts waf` runs those named, `-- --quick` takes fewer rounds. Each
 * prints its own table of ratios measured in that one run; other options are handed on.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { machineLoad } from './figures.ts';

const named = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace('.bench.ts', ''))
  .sort();
const wanted = process.argv.slice(2).filter((word) => named.includes(word));
const options = process.argv.slice(2).filter((word) => !wanted.includes(word));
const unknown = options.filter((word, at) => !word.startsWith('--') && !options[at - 1]?.startsWith('--'));
if (unknown.length > 0)
  throw new Error(`no benchmark is called ${unknown.join(' or ')}; there are ${named.join(', ')}`);

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${machineLoad()}`);
const begun = performance.now();
const failed: string[] = [];
for (const name of wanted.length === 0 ? named : wanted) {
  console.log(`\n── ${name} ${'─'.repeat(60)}`);
  const file = `${import.meta.dirname}/${name}.bench.ts`;
  const started = performance.now();
  const { status } = spawnSync(process.execPath, ['--expose-gc', file, ...options], { stdio: 'inherit' });
  if (status !== 0) failed.push(name);
  console.log(`${name}: ${Math.round((performance.now() - started) / 1_000)} s`);
}
console.log(`\n${Math.round((performance.now() - begun) / 1_000)} s; ${machineLoad()}`);
if (failed.length > 0) console.log(`an aim was missed in ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
