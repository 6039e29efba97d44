/**
 * `npm run evaluate`: how good the verdict and the watch are, beside plain methods, on data whose truth is known.
 *
 *   -- --quick           fewer windows and weeks
 *   -- --ours            without the plain methods
 *   -- --tuning          on the seeds that bars are chosen on, not on those that are reported
 *   -- --data <folder>   on public series, see public-series.ts; with --proportional, requests grow with them
 *   -- --line 501-3-2n   prints that window as a line for `npm run -s judge`; 501-3 prints that week
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readPublicSeries, streamOf } from './public-series.ts';
import { REPORTING_SEEDS, TUNING_SEEDS } from './seeds.ts';
import { type StreamOutcome, streamOutcome } from './stream-outcomes.ts';
import { streamsTable, streamsWhereTable } from './stream-report.ts';
import { labelledStreams } from './streams.ts';
import { outcomeOf, type WindowOutcome } from './window-outcomes.ts';
import { judgesTable, verdictTable, whereTable } from './window-report.ts';
import { labelledWindows } from './windows.ts';

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const { values: options } = parseArgs({
  options: {
    tuning: flag,
    quick: flag,
    ours: flag,
    windows: flag,
    streams: flag,
    proportional: flag,
    line: text,
    data: text,
  },
});

const WORLDS = options.quick ? 12 : 30;
const STREAMS = options.quick ? 3 : 10;

function printLine(id: string): void {
  const [seed = 0, index = 0] = id.split('-').map((part) => Number.parseInt(part, 10));
  const isWindow = id.split('-').length === 3;
  const sources = isWindow ? labelledWindows(seed, index + 1) : labelledStreams(seed, index + 1);
  for (const source of sources) {
    if (source.id !== id) continue;
    const { numbers, zone, fromMs } = source;
    const when = 'nowMs' in source ? { nowMs: source.nowMs, fromMs } : { nowMs: source.toMs, watchFromMs: fromMs };
    console.log(JSON.stringify({ id, zone, ...when, ...numbers }));
    return;
  }
  console.error(`There is no ${id}.`);
  process.exitCode = 1;
}

async function report(): Promise<void> {
  const seeds = options.tuning ? TUNING_SEEDS : REPORTING_SEEDS;
  const both = !options.windows && !options.streams;
  if (options.windows || both) {
    const outcomes: WindowOutcome[] = [];
    for (const seed of seeds) {
      for (const window of labelledWindows(seed, WORLDS)) outcomes.push(await outcomeOf(window, !options.ours));
    }
    console.log(`${outcomes.length} windows, ${options.tuning ? 'tuning' : 'reporting'} seeds\n`);
    console.log(judgesTable(outcomes), '\n');
    console.log(verdictTable(outcomes), '\n');
    console.log(whereTable(outcomes), '\n');
  }
  if (options.streams || both) {
    const outcomes: StreamOutcome[] = [];
    for (const seed of seeds) {
      for (const stream of labelledStreams(seed, STREAMS)) outcomes.push(await streamOutcome(stream, !options.ours));
    }
    console.log(`${outcomes.length} weeks, ${options.tuning ? 'tuning' : 'reporting'} seeds\n`);
    console.log(streamsTable(outcomes), '\n');
    console.log(streamsWhereTable(outcomes));
  }
}

async function reportPublic(folder: string): Promise<void> {
  const outcomes: StreamOutcome[] = [];
  const left: string[] = [];
  for (const series of readPublicSeries(path.resolve(folder))) {
    const stream = streamOf(series, options.proportional ? 'proportional' : 'constant');
    if (stream === null) left.push(`${series.group}/${series.name}`);
    else outcomes.push(await streamOutcome(stream, !options.ours));
  }
  const weeks = outcomes.reduce((sum, each) => sum + each.weeks, 0);
  console.log(`${outcomes.length} series, ${weeks.toFixed(0)} weeks\n`);
  console.log(streamsTable(outcomes), '\n');
  console.log(streamsWhereTable(outcomes), '\n');
  if (left.length > 0) console.log(`Left out, since too short or in intervals over five minutes: ${left.join(', ')}`);
}

if (options.data !== undefined) await reportPublic(options.data);
else if (options.line !== undefined) printLine(options.line);
else await report();
