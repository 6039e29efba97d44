/** `npm run evaluate -- --benchmark`: everything that another method needs to be compared with ours, in one folder. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { FILES } from './answers.ts';
import { type BenchmarkSet, SETS, weekQuestions, windowQuestions } from './lines.ts';
import { recordedReport } from './record.ts';

const HERE = import.meta.dirname;
const ROOT = path.join(HERE, '../../..');

export async function writeBenchmark(
  folder: string,
  sets: Readonly<Record<keyof typeof SETS, BenchmarkSet>> = SETS,
): Promise<void> {
  mkdirSync(path.join(folder, 'labels'), { recursive: true });
  for (const program of ['generate', 'score']) {
    const bundle = await rolldown({ input: path.join(HERE, `${program}.ts`), cwd: ROOT, platform: 'node' });
    await bundle.write({ file: path.join(folder, `${program}.js`), format: 'esm' });
    await bundle.close();
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module", "private": true }\n');
  for (const file of ['README.md', 'figures.jsonl']) copyFileSync(path.join(HERE, file), path.join(folder, file));
  writeFileSync(path.join(folder, 'figures.md'), `${recordedReport().join('\n\n')}\n`);
  for (const set of ['figures', 'tuning'] as const) {
    writeLabels(path.join(folder, 'labels', FILES[set].windows), windowQuestions(sets[set]));
    writeLabels(path.join(folder, 'labels', FILES[set].weeks), weekQuestions(sets[set]));
  }
}

function writeLabels(file: string, questions: Iterable<{ readonly label: object }>): void {
  writeFileSync(file, Array.from(questions, ({ label }) => `${JSON.stringify(label)}\n`).join(''));
}
