/** The part of the report on single windows. */
import { number, percent, ratio, table } from './tables.ts';
import {
  FALSE_ALARM_RATES,
  isDetectable,
  isDrop,
  isDropNamed,
  isNormal,
  isRise,
  JUDGES,
  measuresOf,
  share,
  verdictMeasures,
  type WindowOutcome,
} from './window-outcomes.ts';

export function judgesTable(outcomes: readonly WindowOutcome[]): string {
  const judges = JUDGES.slice(0, outcomes[0]?.opinions.length);
  const rows = judges.map((name, at) => {
    const { precision, recall, recallOfAll, falseAlarms, recallAt } = measuresOf(outcomes, at);
    return [
      name,
      ratio(precision),
      percent(recall),
      percent(recallOfAll),
      percent(falseAlarms, 1),
      ...recallAt.map((each) => percent(each)),
    ];
  });
  const rates = FALSE_ALARM_RATES.map((rate) => `at ${percent(rate)}`);
  return table(['', 'precision', 'recall', 'of all', 'false alarms', ...rates], rows);
}

export function verdictTable(outcomes: readonly WindowOutcome[]): string {
  const { levelRight, onset, dropsNamed, dropsWrong } = verdictMeasures(outcomes);
  return table(
    ['our verdict', ''],
    [
      ['level right, of those found', percent(levelRight)],
      ['onset off by, median', `${number(onset.median, 0)} min`],
      ['onset off by, nine in ten', `${number(onset.ninety, 0)} min`],
      ['drops named', percent(dropsNamed)],
      ['drops said where there are none', percent(dropsWrong, 1)],
    ],
  );
}

/** Where it goes wrong: false alarms by circumstance and site, recall by event. */
export function whereTable(outcomes: readonly WindowOutcome[]): string {
  const alarmed = ({ opinions }: WindowOutcome): boolean => opinions[0]?.alarmed ?? false;
  const rows = (
    name: string,
    some: readonly WindowOutcome[],
    keyOf: (outcome: WindowOutcome) => string,
    isHit = alarmed,
  ): string[][] =>
    [...Map.groupBy(some, keyOf)]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([key, group]) => [
        `${name}: ${key}`,
        String(group.length),
        percent(share(group.filter(isHit).length, group.length)),
      ]);
  const normal = outcomes.filter(isNormal);
  const rises = outcomes.filter((outcome) => isRise(outcome) && isDetectable(outcome));
  const drops = outcomes.filter((outcome) => isDrop(outcome) && isDetectable(outcome));
  return table(
    ['our verdict', 'windows', 'alarmed'],
    [
      ...rows('normal', normal, ({ circumstance }) => circumstance),
      ...rows('normal', normal, ({ site }) => site),
      ...rows('event', rises, ({ truth }) => truth.event ?? ''),
      ...rows('event at', rises, ({ site }) => site),
      ...rows(
        'second wave',
        rises.filter(({ truth }) => truth.isSecond),
        () => 'of another kind',
      ),
      ...rows('drop, named', drops, ({ truth }) => truth.event ?? '', isDropNamed),
    ],
  );
}
