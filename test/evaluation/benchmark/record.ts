/** The figures that the repository keeps: ours and those of other methods, whose code it doesn't need for that. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ABOUT, type About, OURS, readAnswered } from './answers.ts';
import {
  type Answered,
  casesTable,
  causesTable,
  type FiguresByGenerator,
  figuresOf,
  weeksTable,
  windowsTable,
} from './figures.ts';
import { SETS } from './lines.ts';
import { type FalseAlarmTargets, OWN_DECISION, scoreWeeks, scoreWindows } from './scoring.ts';

/** One line of the file. */
interface Recorded extends About {
  readonly generators: FiguresByGenerator;
}

const RECORDED = path.join(import.meta.dirname, 'figures.jsonl');

/** Scores every method that has answers in the folder; those without keep the figures they have. */
export function recordFigures(folder: string): void {
  const labels = path.join(folder, 'labels');
  const methods = readdirSync(path.join(folder, 'answers')).map((name) => {
    const own = path.join(folder, 'answers', name);
    const measured = readAnswered(labels, own, 'figures');
    if (measured === null) throw new Error(`There are no answers in ${own}.`);
    const about: About = JSON.parse(readFileSync(path.join(own, ABOUT), 'utf8'));
    return { about, measured, tuning: readAnswered(labels, own, 'tuning') };
  });
  const ours = methods.find(({ about }) => about.method === OURS);
  if (ours === undefined) throw new Error('Our own answers come first: they say how often the others may be wrong.');
  const targets = ratesOf([ours.measured, ...(ours.tuning === null ? [] : [ours.tuning])]);
  const entries = methods.map(
    ({ about, measured, tuning }): Recorded => ({ ...about, generators: figuresOf(measured, tuning, targets) }),
  );
  const kept = recorded().filter(({ method }) => !entries.some((entry) => entry.method === method));
  const lines = [...entries, ...kept].sort((a, b) => rank(a) - rank(b) || (a.method < b.method ? -1 : 1));
  writeFileSync(RECORDED, lines.map((line) => `${JSON.stringify(line, shortened)}\n`).join(''));
}

const rank = ({ method }: About): number => (method === OURS ? 0 : method.startsWith('scan') ? 1 : 2);
const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;

/** Every method may be wrong as often as ours is on all seeds, within 1 to 5 % of normal windows. */
function ratesOf(answered: readonly Answered[]): FalseAlarmTargets {
  const windows = answered.flatMap(({ labels }) => labels.windows);
  const weeks = answered.flatMap(({ labels }) => labels.weeks);
  const windowAnswers = new Map(answered.flatMap(({ answers }) => [...answers.windows]));
  const weekAnswers = new Map(answered.flatMap(({ answers }) => [...answers.weeks]));
  const falseAlarms = scoreWindows(windows, windowAnswers, () => OWN_DECISION).falseAlarms.value ?? 0;
  const falseMessages = scoreWeeks(weeks, weekAnswers, () => OWN_DECISION).falseMessages.value ?? 0;
  return { windows: Math.min(0.05, Math.max(0.01, falseAlarms)), weeks: falseMessages };
}

function recorded(): Recorded[] {
  if (!existsSync(RECORDED)) return [];
  const lines = readFileSync(RECORDED, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Paragraphs and tables, for the folder and for docs/benchmark.md. */
export function recordedReport(): string[] {
  const methods = recorded();
  const ours = methods.find(({ method }) => method === OURS);
  const names = Object.keys(ours?.generators ?? {});
  const entriesOf = (name: string) =>
    methods.flatMap(({ method, generators }) => {
      const figures = generators[name];
      return figures === undefined ? [] : [{ method, figures }];
    });
  return [
    `Measured on seeds ${SETS.figures.seeds.join(', ')}, thresholds chosen for each seed on the others and on ${SETS.tuning.seeds.join(', ')}; our rule as of ` +
      `commit ${ours?.commit ?? '–'}.`,
    ...(ours === undefined ? [] : [casesTable(ours.generators)]),
    ...names.flatMap((name) => [`### ${name} generator`, windowsTable(entriesOf(name)), weeksTable(entriesOf(name))]),
    ...(ours === undefined ? [] : ['Where ours is wrong:', causesTable(ours.generators)]),
    'How each was fitted:',
    [...Map.groupBy(methods, ({ fitted, date }) => `${fitted} (${date})`)]
      .map(([fitted, some]) => `- **${some.map(({ method }) => method).join(', ')}**: ${fitted}`)
      .join('\n'),
  ];
}
