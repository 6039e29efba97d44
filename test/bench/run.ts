/**
 * `npm run bench` runs every `*.bench.ts` in this folder, one process each so that none warms or litters another's
 * heap; `npm run bench -- charts waf` runs those named. Each prints its own table of ratios measured in that one run.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => wanted.length === 0 || wanted.includes(file.replace('.bench.ts', '')))
  .sort();

let failed = false;
for (const file of files) {
  console.log(`\n── ${file.replace('.bench.ts', '')} ${'─'.repeat(60)}`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', `${import.meta.dirname}/${file}`], {
    stdio: 'inherit',
  });
  failed ||= status !== 0;
}
process.exitCode = failed || files.length === 0 ? 1 : 0;
