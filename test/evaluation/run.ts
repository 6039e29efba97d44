/**
 * `npm run evaluate`: how good the verdict and the watch are on generated windows and weeks whose truth is known.
 *
 *   -- --quick           fewer windows and weeks
 *   -- --windows         windows only; --weeks: weeks only
 *   -- --tuning          on the seeds that bars are chosen on, not on those that are reported
 *   -- --third           weeks of a third generator, which is unlike the two that the rule was developed on
 *   -- --rare            weeks of what comes too seldom for the others, such as attacks of days and sites that have just begun
 *   -- --write           writes the report into docs/verdict.md, docs/verdict-details.md and docs/watches.md
 *   -- --ablate          what each part of the rule is worth in weeks, on seeds reserved for this; --windows: in hard windows;
 *                        --rare: in what comes seldom, or in --situation <name>; --part <name> for some of them;
 *                        --more: on other seeds, twice as many
 *   -- --calibrate       counts on seeds that aren't reported how often verdicts are wrong, and writes that into the sources
 *   -- --attacks <file>  weeks of real attacks, to which events are added, see real-attacks.ts; also with --ablate
 *   -- --calls           how many calls a first check takes where nothing is found
 *   -- --data <folder>   on public series beside plain methods, see public-series.ts; with --proportional, requests grow with
 *                        them; --ours leaves the methods out
 *   -- --benchmark       writes what another method needs to be compared with ours into a folder, see docs/benchmark.md;
 *                        with --measure windows, weeks or figures, answers and scores it; --out <folder>
 *   -- --line 906-3-2n   prints that window as a line for `npm run -s judge`; 906-3 prints that week
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { callingStrength, SENSITIVITIES } from '../../src/subscriptions/watch/sensitivity.ts';
import { ablation, ablationOnRare, ablationOnWindows, weeksOf } from './ablation.ts';
import { writeAnswers } from './benchmark/measure.ts';
import { recordedReport, recordFigures } from './benchmark/record.ts';
import { writeBenchmark } from './benchmark/write.ts';
import { calibrate, calibrationRows, calibrationSource } from './calibration.ts';
import { callsReport } from './calls.ts';
import { chanceTable, falseTable, kindsTable, watchTable, wrongTable } from './kinds-report.ts';
import { readPublicSeries, streamOf } from './public-series.ts';
import { rareTable, SITUATIONS } from './rare.ts';
import { readAttackLog, realWeeks } from './real-attacks.ts';
import { publicReport, withReport } from './report.ts';
import {
  ABLATION_SEEDS,
  CALIBRATION_SEEDS,
  CALLS_SEEDS,
  MORE_ABLATION_SEEDS,
  RARE_ABLATION_SEEDS,
  RARE_SEEDS,
  REPORTING_SEEDS,
  THIRD_SEEDS,
  TUNING_SEEDS,
} from './seeds.ts';
import { type StreamOutcome, streamOutcome } from './stream-outcomes.ts';
import { type LabelledStream, labelledStreams } from './streams.ts';
import { table } from './tables.ts';
import { type WeekOutcome, weekOutcome } from './weeks.ts';
import { windowsReport } from './window-report.ts';
import { labelledWindows } from './windows.ts';
import { outcomesOn } from './workers.ts';

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;
const { values: options } = parseArgs({
  options: {
    quick: flag,
    windows: flag,
    weeks: flag,
    ours: flag,
    tuning: flag,
    third: flag,
    rare: flag,
    write: flag,
    ablate: flag,
    more: flag,
    part: { ...text, multiple: true, default: [] },
    situation: { ...text, multiple: true, default: Object.keys(SITUATIONS) },
    calibrate: flag,
    attacks: text,
    calls: flag,
    data: text,
    proportional: flag,
    line: text,
    benchmark: flag,
    measure: text,
    out: { type: 'string', default: 'benchmark' },
  },
});

const ROOT = path.join(import.meta.dirname, '../..');
const PAGES = ['docs/verdict.md', 'docs/verdict-details.md', 'docs/watches.md'].map((page) => path.join(ROOT, page));
const BENCHMARK_PAGE = path.join(ROOT, 'docs/benchmark.md');
const CALIBRATION = path.join(ROOT, 'src/episodes/verdict/calibration.ts');
/** Of each seed and generator: sites with up to twelve windows each, and weeks. */
const WORLDS = options.quick ? 2 : 10;
const WEEKS = options.quick ? 2 : 10;
const ABLATED_WORLDS = options.quick ? 2 : 25;

function show(name: string, report: readonly string[]): void {
  console.log(`${report.join('\n\n')}\n`);
  for (const file of options.write ? PAGES : []) {
    const page = readFileSync(file, 'utf8');
    if (page.includes(`<!-- ${name} -->`)) writeFileSync(file, withReport(page, name, report));
  }
}

async function reportGenerated(): Promise<void> {
  const seeds = options.tuning ? TUNING_SEEDS : REPORTING_SEEDS;
  if (!options.weeks) show('windows', windowsReport(await outcomesOn('windows', seeds, WORLDS)));
  if (!options.windows) reportWeeks(await outcomesOn('weeks', seeds, WEEKS));
}

async function reportPublic(folder: string): Promise<void> {
  const outcomes: StreamOutcome[] = [];
  const left: string[] = [];
  for (const series of readPublicSeries(path.resolve(folder))) {
    const stream = streamOf(series, options.proportional ? 'proportional' : 'constant');
    if (stream === null) left.push(`${series.group}/${series.name}`);
    else outcomes.push(await streamOutcome(stream, !options.ours));
  }
  show('public', publicReport(outcomes, left));
}

const tablesOf = (weeks: readonly WeekOutcome[]): readonly string[] => [
  kindsTable(weeks),
  falseTable(weeks),
  wrongTable(weeks),
  watchTable(weeks),
];

async function reportThird(): Promise<void> {
  show('third', tablesOf(await outcomesOn('weeks', THIRD_SEEDS, 2 * WEEKS, ['third'])));
}

/** As many of each situation from each generator. */
const RARE_WEEKS = options.quick ? 1 : 5;

async function reportRare(): Promise<void> {
  show('rare', [rareTable(await outcomesOn('rare', RARE_SEEDS, RARE_WEEKS, Object.keys(SITUATIONS)))]);
}

async function reportReal(file: string): Promise<void> {
  const log = readAttackLog(file);
  const outcomesOf = async (weeks: Iterable<LabelledStream>): Promise<WeekOutcome[]> => {
    const outcomes: WeekOutcome[] = [];
    for (const week of weeks) outcomes.push(await weekOutcome(week));
    return outcomes;
  };
  show('attacks', tablesOf(await outcomesOf(realWeeks(log))));
  const strengths = Object.fromEntries(SENSITIVITIES.map((name) => [name, callingStrength(name)]));
  show('chance', [chanceTable(await outcomesOf(realWeeks(log, false)), strengths)]);
}

function reportWeeks(outcomes: readonly WeekOutcome[]): void {
  const apart = ['first', 'second'].flatMap((name) => {
    const weeks = outcomes.filter(({ generator }) => generator === name);
    return [`**The ${name} generator**, ${weeks.length} weeks:`, ...tablesOf(weeks)];
  });
  show('kinds', tablesOf(outcomes));
  show('generators', apart);
  show('watches', [watchTable(outcomes, [...SENSITIVITIES])]);
}

async function writeCalibration(): Promise<void> {
  const outcomes = await outcomesOn('windows', CALIBRATION_SEEDS, WORLDS);
  const bins = calibrate(outcomes);
  writeFileSync(CALIBRATION, calibrationSource(bins));
  console.log(table(['verdict', 'says', 'was wrong'], calibrationRows(outcomes, bins)));
}

/** So that a window can be looked at, and judged again by hand. */
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

async function ablate(): Promise<void> {
  const { part, situation, windows, rare } = options;
  if (rare) return console.log((await ablationOnRare(part, situation, RARE_ABLATION_SEEDS, RARE_WEEKS)).join('\n\n'));
  const seeds = options.more ? MORE_ABLATION_SEEDS : ABLATION_SEEDS;
  const weeks = options.attacks === undefined ? weeksOf(seeds, WEEKS) : realWeeks(readAttackLog(options.attacks));
  const report = windows ? ablationOnWindows(part, seeds, ABLATED_WORLDS) : ablation(part, weeks);
  console.log((await report).join('\n\n'));
}

async function benchmark(folder: string): Promise<void> {
  const { measure, ours } = options;
  if (measure === undefined) {
    await writeBenchmark(folder);
    console.log(`Wrote the benchmark to ${folder}. Its README.md says how to run a method.`);
  } else if (measure === 'windows' || measure === 'weeks') {
    await writeAnswers({ folder, what: measure, oursOnly: ours });
  } else {
    recordFigures(folder);
    if (options.write) {
      writeFileSync(BENCHMARK_PAGE, withReport(readFileSync(BENCHMARK_PAGE, 'utf8'), 'benchmark', recordedReport()));
    }
  }
}

if (options.benchmark) await benchmark(path.resolve(options.out));
else if (options.line !== undefined) printLine(options.line);
else if (options.ablate) await ablate();
else if (options.calibrate) await writeCalibration();
else if (options.third) await reportThird();
else if (options.rare) await reportRare();
else if (options.calls) show('calls', await callsReport(weeksOf(CALLS_SEEDS, WEEKS)));
else if (options.attacks !== undefined) await reportReal(options.attacks);
else if (options.data !== undefined) await reportPublic(options.data);
else await reportGenerated();
