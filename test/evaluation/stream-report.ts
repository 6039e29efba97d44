/** The part of the report on weeks of a watch. */
import { type StreamOutcome, streamMeasures } from './stream-outcomes.ts';
import { number, percent, table } from './tables.ts';
import { JUDGES } from './window-outcomes.ts';

const HEAD = ['false messages a week', 'found', 'median delay'];

export function streamsTable(outcomes: readonly StreamOutcome[]): string {
  const names = ['our watch', ...JUDGES.slice(1)].slice(0, outcomes[0]?.told.length ?? 0);
  return table(
    ['', ...HEAD],
    names.map((name, at) => [name, ...cells(outcomes, at)]),
  );
}

/** The same of our watch alone, by site and by circumstance. */
export function streamsWhereTable(outcomes: readonly StreamOutcome[]): string {
  const rows = (keyOf: (outcome: StreamOutcome) => string): string[][] =>
    [...Map.groupBy(outcomes, keyOf)]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([key, group]) => [
        key,
        number(
          group.reduce((sum, { weeks }) => sum + weeks, 0),
          0,
        ),
        ...cells(group, 0),
      ]);
  return table(
    ['our watch', 'weeks', ...HEAD],
    [...rows(({ site }) => site), ...rows(({ circumstance }) => circumstance)],
  );
}

function cells(outcomes: readonly StreamOutcome[], judge: number): string[] {
  const { wrong, found, delay } = streamMeasures(outcomes, judge);
  return [number(wrong), percent(found), `${number(delay, 0)} min`];
}
