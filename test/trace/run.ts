/**
 * `npm run trace -- "timeline last 24h"` prints the files of the bot that this question enters, in the order entered.
 * `npm run trace -- digest` does the same for a daily digest that falls due; `--json` prints a list for programs.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type EnteredFile, traceFiles } from './trace.ts';

const COLUMNS = Math.max(100, process.stdout.columns ?? 140);

/** The first sentence of the comment that a file opens with. */
function purposeOf(file: string): string {
  const code = readFileSync(path.resolve(import.meta.dirname, '../../src', file), 'utf8');
  const comment = /^\/\*\*(.*?)\*\//s.exec(code)?.[1] ?? '';
  const text = comment
    .replace(/\n\s*\*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}

function describe(entered: readonly EnteredFile[]): string[] {
  const nameWidth = Math.max(...entered.map(({ file }) => path.basename(file).length));
  const firstWidth = Math.max(...entered.map(({ first }) => first.length));
  let folder = '';
  return entered.flatMap(({ file, first }, index) => {
    const number = `${index + 1}`.padStart(4);
    const line = `${number}  ${path.basename(file).padEnd(nameWidth)}  ${first.padEnd(firstWidth)}  ${purposeOf(file)}`;
    const heading = path.dirname(file) === folder ? [] : ['', `src/${path.dirname(file)}`.replace(/\/\.$/, '')];
    folder = path.dirname(file);
    return [...heading, line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line];
  });
}

const words = process.argv.slice(2);
const sentence = words.filter((word) => word !== '--json').join(' ');
if (sentence === '' || sentence === '--help') {
  console.log('usage: npm run trace -- "timeline last 24h" | digest [--json]');
  process.exit(sentence === '' ? 2 : 0);
}
const entered = await traceFiles(sentence);
if (words.includes('--json')) console.log(JSON.stringify({ sentence, count: entered.length, entered }, null, 2));
else console.log([...describe(entered), '', `${entered.length} files entered by "${sentence}"`].join('\n'));
process.exit(0);
