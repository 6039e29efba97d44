/** What is measured of a method, and the tables that show it. */
import { number, percent, ratio, table } from '../tables.ts';
import type { Estimate } from './intervals.ts';
import { type Answers, GROUPS, type Group, type Labels } from './labels.ts';
import {
  chooseThresholds,
  type FalseAlarmTargets,
  OWN_DECISION,
  scoreWeeks,
  scoreWindows,
  type Thresholds,
  type WeekFigures,
  type WindowFigures,
} from './scoring.ts';

interface Figures {
  readonly windows: WindowFigures;
  readonly weeks: WeekFigures;
}

/** By generator. */
export type FiguresByGenerator = Readonly<Record<string, Figures>>;

/** Questions with their answers. */
export interface Answered {
  readonly labels: Labels;
  readonly answers: Answers;
}

/** A method that answers with scores gets thresholds, for each seed from all the others. */
export function figuresOf(measured: Answered, tuning: Answered | null, targets: FalseAlarmTargets): FiguresByGenerator {
  const { labels, answers } = measured;
  const seeds = new Set([...labels.windows, ...labels.weeks].map(({ seed }) => seed));
  const bySeed = new Map<number, Thresholds>();
  if (!decidesItself(answers)) {
    for (const seed of seeds) bySeed.set(seed, chooseThresholds(allBut(seed, measured, tuning), targets));
  }
  const thresholdsOf = ({ seed }: { readonly seed: number }): Thresholds => bySeed.get(seed) ?? OWN_DECISION;
  const generators = [...new Set([...labels.windows, ...labels.weeks].map(({ generator }) => generator))];
  return Object.fromEntries(
    generators.map((name) => {
      const isOwn = ({ generator }: { readonly generator: string }): boolean => generator === name;
      return [
        name,
        {
          windows: scoreWindows(labels.windows.filter(isOwn), answers.windows, thresholdsOf),
          weeks: scoreWeeks(labels.weeks.filter(isOwn), answers.weeks, thresholdsOf),
        },
      ];
    }),
  );
}

const decidesItself = ({ windows, weeks }: Answers): boolean =>
  windows.values().some(({ alarm, level }) => alarm !== undefined || level !== undefined) ||
  weeks.values().some(({ messages }) => messages !== undefined);

function allBut(seed: number, { labels, answers }: Answered, tuning: Answered | null): Answered {
  const isOther = (label: { readonly seed: number }): boolean => label.seed !== seed;
  return {
    labels: {
      windows: [...labels.windows.filter(isOther), ...(tuning?.labels.windows ?? [])],
      weeks: [...labels.weeks.filter(isOther), ...(tuning?.labels.weeks ?? [])],
    },
    answers: {
      windows: new Map([...answers.windows, ...(tuning?.answers.windows ?? [])]),
      weeks: new Map([...answers.weeks, ...(tuning?.answers.weeks ?? [])]),
    },
  };
}

/** `81 % (76–85)`: the value and its 95 % interval. */
function withInterval({ value, low, high, of }: Estimate, show: (each: number) => string, unit = ''): string {
  return value === null || of === 0 ? '–' : `${show(value)}${unit} (${show(low)}–${show(high)})`;
}
const inPercent = (estimate: Estimate, digits = 0): string =>
  withInterval(estimate, (each) => percent(each, digits).replace(' %', ''), ' %');
const inHundredths = (estimate: Estimate): string => withInterval(estimate, ratio);
const aWeek = (estimate: Estimate): string => withInterval(estimate, (each) => number(each, 2));
const inMinutes = (estimate: Estimate): string => withInterval(estimate, (each) => number(each, 0), ' min');

/** A method beside others. */
export interface Entry {
  readonly method: string;
  readonly figures: Figures;
}

const HEADINGS: Readonly<Record<Group, string>> = {
  rise: 'rises',
  mix: 'mixes',
  'slow burn': 'slow burns',
  drop: 'drops',
};
const heading = (group: Group): string => HEADINGS[group];

export function windowsTable(entries: readonly Entry[]): string {
  return table(
    ['windows', 'false alarms', 'precision', ...GROUPS.map(heading)],
    entries
      .filter(({ figures: { windows } }) => windows.falseAlarms.of > 0)
      .map(({ method, figures: { windows } }) => [
        method,
        inPercent(windows.falseAlarms, 1),
        inHundredths(windows.precision),
        ...GROUPS.map((group) => inPercent(windows.recall[group])),
      ]),
  );
}

export function weeksTable(entries: readonly Entry[]): string {
  return table(
    ['weeks', 'false a week', ...GROUPS.map(heading), 'median delay'],
    entries
      .filter(({ figures: { weeks } }) => weeks.falseMessages.of > 0)
      .map(({ method, figures: { weeks } }) => [
        method,
        aWeek(weeks.falseMessages),
        ...GROUPS.map((group) => inPercent(weeks.found[group])),
        inMinutes(weeks.delay),
      ]),
  );
}

/** Where one method raises false alarms: the share of normal windows, and messages a week. */
export function causesTable(byGenerator: FiguresByGenerator): string {
  const generators = Object.entries(byGenerator);
  const causes = generators.flatMap(([, { windows, weeks }]) => [
    ...Object.keys(windows.falseByCause),
    ...Object.keys(weeks.falseByCause),
  ]);
  return table(
    ['false alarms by cause', ...generators.flatMap(([name]) => [`${name}: windows`, `${name}: a week`])],
    [...new Set(causes)].sort().map((cause) => [
      cause,
      ...generators.flatMap(([, { windows, weeks }]) => {
        const [window, week] = [windows.falseByCause[cause], weeks.falseByCause[cause]];
        return [window === undefined ? '–' : inPercent(window), week === undefined ? '–' : aWeek(week)];
      }),
    ]),
  );
}

/** How many cases are behind each column. */
export function casesTable(byGenerator: FiguresByGenerator): string {
  return table(
    ['cases behind the figures', 'normal windows', ...GROUPS.map(heading), 'weeks', ...GROUPS.map(heading)],
    Object.entries(byGenerator).map(([name, { windows, weeks }]) => [
      `${name} generator`,
      String(windows.falseAlarms.of),
      ...GROUPS.map((group) => String(windows.recall[group].of)),
      String(weeks.falseMessages.of),
      ...GROUPS.map((group) => String(weeks.found[group].of)),
    ]),
  );
}
