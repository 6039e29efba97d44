/**
 * Scores a method's answers against the labels beside this file.
 *
 *   node score.js answers/
 *
 * The folder holds windows.jsonl and weeks.jsonl. If the answers are scores, tuning-windows.jsonl and tuning-weeks.jsonl help to
 * choose the thresholds.
 *
 *   --false-alarms 0.03   the share of normal windows that may alarm
 *   --false-a-week 0.7    messages that may be false in a week
 *   --json                all figures as JSON
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readAnswered } from './answers.ts';
import { casesTable, causesTable, figuresOf, weeksTable, windowsTable } from './figures.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'false-alarms': { type: 'string', default: '0.03' },
    'false-a-week': { type: 'string', default: '0.7' },
    json: { type: 'boolean', default: false },
  },
});

function score(folder: string): string {
  const truth = path.join(import.meta.dirname, 'labels');
  const measured = readAnswered(truth, folder, 'figures');
  if (measured === null) throw new Error(`There is neither windows.jsonl nor weeks.jsonl in ${folder}.`);
  const { labels, answers } = measured;
  const targets = { windows: Number(values['false-alarms']), weeks: Number(values['false-a-week']) };
  const figures = figuresOf(measured, readAnswered(truth, folder, 'tuning'), targets);
  if (values.json) return JSON.stringify(figures);
  const answered = `${answers.windows.size} of ${labels.windows.length} windows and ${answers.weeks.size} of ${labels.weeks.length} weeks answered`;
  const entries = Object.entries(figures).map(([name, each]) => ({ method: `${name} generator`, figures: each }));
  return [
    `${answered}. Values with their 95 % intervals; what isn't answered counts as no alarm.`,
    windowsTable(entries),
    weeksTable(entries),
    casesTable(figures),
    causesTable(figures),
  ].join('\n\n');
}

const [folder] = positionals;
try {
  if (folder === undefined) throw new Error('Say where the answers are: node score.js answers/');
  process.stdout.write(`${score(folder)}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
