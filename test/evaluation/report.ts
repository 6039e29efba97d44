/** The whole report: what was measured, in tables, with how to read them. */
import { CALIBRATION } from '../../src/episodes/verdict/calibration.ts';
import { calibrationRows } from './calibration.ts';
import type { StreamOutcome } from './stream-outcomes.ts';
import { dropsTable, eventsTable, sensitivityTable, streamsTable, streamsWhereTable } from './stream-report.ts';
import { number, table } from './tables.ts';
import { SITES } from './traffic/sites.ts';
import { farStepsPerThousand, inSteps } from './traffic/tail.ts';
import { attacksOf, createWorld, WEEK } from './traffic/world.ts';
import type { WindowOutcome } from './window-outcomes.ts';
import { judgesTable, verdictTable, whereTable } from './window-report.ts';

/** Paragraphs and tables, with an empty line between them. */
type Report = readonly string[];

export function windowsReport(outcomes: readonly WindowOutcome[], seeds: string): Report {
  return [
    `### Single windows`,
    `${outcomes.length} generated windows, half of them with an event, from ${seeds} seeds. *Recall* is of the events that ` +
      'could be seen, *of all* of every one. The last columns hold every method to the same share of false alarms: its bar is ' +
      'moved until that share of the normal windows alarms.',
    judgesTable(outcomes),
    verdictTable(outcomes),
    'Where the verdict is wrong:',
    whereTable(outcomes),
    ...(CALIBRATION.length === 0
      ? []
      : [
          'What the verdict says of its own errors, and how often such verdicts were wrong here:',
          table(['verdict', 'says', 'was wrong'], calibrationRows(outcomes, CALIBRATION)),
        ]),
  ];
}

export function streamsReport(outcomes: readonly StreamOutcome[], seeds: string): Report {
  const weeks = outcomes.reduce((sum, each) => sum + each.weeks, 0);
  return [
    '### Weeks of a watch',
    `${number(weeks, 0)} generated weeks, every other one with up to four events, from ${seeds} seeds, with a look every ` +
      'five minutes. A message is false when no event is going on or has ended in the hour before. A plain method is ' +
      'silent for two hours after each message, but finds whatever it alarms on.',
    sensitivityTable(outcomes),
    streamsTable(outcomes),
    eventsTable(outcomes),
    streamsWhereTable(outcomes),
  ];
}

export function dropsReport(rises: readonly StreamOutcome[], drops: readonly StreamOutcome[], seeds: string): Report {
  return [
    '### What has stopped',
    `The same sites from ${seeds} seeds, in weeks in which attacks stop once while visitors keep coming, and visitors are gone once.`,
    ...dropsTable(rises, drops),
  ];
}

export function publicReport(outcomes: readonly StreamOutcome[], left: readonly string[]): Report {
  const weeks = outcomes.reduce((sum, each) => sum + each.weeks, 0);
  return [
    `### Public series`,
    `${outcomes.length} series, ${number(weeks, 0)} weeks. *Found* is of labelled rises.`,
    sensitivityTable(outcomes),
    streamsTable(outcomes),
    streamsWhereTable(outcomes),
    ...(left.length === 0 ? [] : [`Left out, since too short or in intervals over five minutes: ${left.join(', ')}.`]),
  ];
}

/** How the generated traffic compares with real traffic. */
export function tailReport(): Report {
  const rows = SITES.map((site) => {
    const tails = [0.3, 0.6, 1].map((sessions) => {
      const world = createWorld({
        seed: 5,
        site,
        zone: 'UTC',
        startMs: Date.UTC(2026, 3, 27),
        minutes: 2 * WEEK,
        sessions,
      });
      return number(farStepsPerThousand(inSteps(attacksOf(world))), 0);
    });
    return [site.name, number(site.attacks, site.attacks < 1 ? 2 : 0), ...tails];
  });
  return [
    '### The traffic',
    'Steps of five minutes in 1,000 that lie over 4.75 robust deviations above the median of six hours, with few, some and ' +
      'many sessions of scanners. Real attack logs have 4 to 9, public request counts 9 to 45; the smallest sites have so ' +
      'few attacks that the measure means little.',
    table(['site', 'attacks a minute', 'few', 'some', 'many'], rows),
  ];
}

/** The text between the markers of a page, replaced. */
export function withReport(page: string, name: string, report: Report): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no place for ${name}.`);
  return `${page.slice(0, from + begin.length)}\n\n${report.join('\n\n')}\n\n${page.slice(to)}`;
}
