/** `npm run evaluate`: how good the verdict and the watch are, beside plain methods, on data whose truth is known. */
import { parseArgs } from 'node:util';
import { REPORTING_SEEDS, TUNING_SEEDS } from './seeds.ts';
import { outcomeOf, type WindowOutcome } from './window-outcomes.ts';
import { judgesTable, verdictTable, whereTable } from './window-report.ts';
import { labelledWindows } from './windows.ts';

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({ options: { tuning: flag, quick: flag, ours: flag } });

const seeds = options.tuning ? TUNING_SEEDS : REPORTING_SEEDS;
const worlds = options.quick ? 12 : 30;

const outcomes: WindowOutcome[] = [];
for (const seed of seeds) {
  for (const window of labelledWindows(seed, worlds)) outcomes.push(await outcomeOf(window, !options.ours));
}
console.log(
  `${outcomes.length} windows of ${seeds.length * worlds} worlds, from ${options.tuning ? 'tuning' : 'reporting'} seeds\n`,
);
console.log(judgesTable(outcomes), '\n');
console.log(verdictTable(outcomes), '\n');
console.log(whereTable(outcomes));
