/** What is measured of a method, and the tables that show it. */
import { number, percent, ratio, table } from '../tables.ts';
import type { Answers, Labels } from './answers.ts';
import type { Estimate } from './intervals.ts';
import { GROUPS, type Group } from './labels.ts';
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

export interface Figures {
  readonly windows: WindowFigures;
  readonly weeks: WeekFigures;
}

/** By generator. */
export type FiguresByGenerator = Readonly<Record<string, Figures>>;

/** A method with tuning answers gets its thresholds from them; one without has decided by itself. */
export function figuresOf(
  labels: Labels,
  answers: Answers,
  tuning: { readonly labels: Labels; readonly answers: Answers; readonly targets: FalseAlarmTargets } | null,
): FiguresByGenerator {
  const thresholds = tuning === null ? OWN_DECISION : thresholdsFrom(tuning);
  const generators = [...new Set([...labels.windows, ...labels.weeks].map(({ generator }) => generator))];
  return Object.fromEntries(
    generators.map((name) => [
      name,
      {
        windows: scoreWindows(
          labels.windows.filter(({ generator }) => generator === name),
          answers.windows,
          thresholds,
        ),
        weeks: scoreWeeks(
          labels.weeks.filter(({ generator }) => generator === name),
          answers.weeks,
          thresholds,
        ),
      },
    ]),
  );
}

function thresholdsFrom(tuning: { labels: Labels; answers: Answers; targets: FalseAlarmTargets }): Thresholds {
  const { labels, answers, targets } = tuning;
  return chooseThresholds(
    { labels: labels.windows, answers: answers.windows },
    { labels: labels.weeks, answers: answers.weeks },
    targets,
  );
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

const heading = (group: Group): string => `${group}s`;

export function windowsTable(entries: readonly Entry[]): string {
  return table(
    ['windows', 'false alarms', 'precision', ...GROUPS.map(heading)],
    entries.map(({ method, figures: { windows } }) => [
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
    entries.map(({ method, figures: { weeks } }) => [
      method,
      aWeek(weeks.falseMessages),
      ...GROUPS.map((group) => inPercent(weeks.found[group])),
      inMinutes(weeks.delay),
    ]),
  );
}

/** Where one method raises false alarms. */
export function causesTable({ windows, weeks }: Figures): string {
  const causes = [...new Set([...Object.keys(windows.falseByCause), ...Object.keys(weeks.falseByCause)])].sort();
  return table(
    ['cause', 'windows', 'false alarms', 'weeks', 'false a week'],
    causes.map((cause) => {
      const [window, week] = [windows.falseByCause[cause], weeks.falseByCause[cause]];
      return [
        cause,
        String(window?.of ?? 0),
        window === undefined ? '–' : inPercent(window),
        String(week?.of ?? 0),
        week === undefined ? '–' : aWeek(week),
      ];
    }),
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
