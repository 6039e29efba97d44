/** The part of the report on weeks of a watch. */
import { PLAIN_METHODS } from './methods/plain-methods.ts';
import { NORMAL, type StreamOutcome, streamMeasures, type Told, WATCH_BARS } from './stream-outcomes.ts';
import { number, percent, table } from './tables.ts';

const HEAD = ['false messages a week', 'found', 'median delay'];

/** Our watch at its three settings and at bars around them: fewer messages against more found. */
export function sensitivityTable(outcomes: readonly StreamOutcome[]): string {
  return table(
    ['our watch', 'calls from score', ...HEAD],
    WATCH_BARS.map(([name, calls], at) => [name, number(calls), ...cells(outcomes, ({ watched }) => watched[at])]),
  );
}

export function streamsTable(outcomes: readonly StreamOutcome[]): string {
  const methods = outcomes.some((outcome) => outcome.methods.length > 0) ? PLAIN_METHODS : [];
  return table(
    ['', ...HEAD],
    [
      ['our watch, normal', ...cells(outcomes, ({ watched }) => watched[NORMAL])],
      ...methods.map(({ name }, at) => [name, ...cells(outcomes, (outcome) => outcome.methods[at])]),
    ],
  );
}

/** Our watch at normal, by site and by circumstance. */
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
        ...cells(group, ({ watched }) => watched[NORMAL]),
      ]);
  return table(
    ['our watch, normal', 'weeks', ...HEAD],
    [...rows(({ site }) => site), ...rows(({ circumstance }) => circumstance)],
  );
}

function cells(outcomes: readonly StreamOutcome[], pick: (outcome: StreamOutcome) => Told | undefined): string[] {
  const { wrong, found, delay } = streamMeasures(outcomes, pick);
  return [number(wrong), percent(found), Number.isNaN(delay) ? '–' : `${number(delay, 0)} min`];
}
