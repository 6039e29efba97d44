/** The part of the report on weeks of a watch. */
import { PLAIN_METHODS } from './methods/plain-methods.ts';
import { DROP_KINDS, NORMAL, type StreamOutcome, streamMeasures, type Told, WATCH_BARS } from './stream-outcomes.ts';
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

/** What our watch at normal found of each kind of event, and how soon. */
export function eventsTable(outcomes: readonly StreamOutcome[]): string {
  const events = outcomes.flatMap(({ events: all, watched }) =>
    all
      .filter(({ detectable }) => detectable)
      .map(({ kind }, at) => ({ kind, delay: watched[NORMAL]?.delays[at] ?? null })),
  );
  const rows: [string, typeof events][] = [
    ...[...Map.groupBy(events, ({ kind }) => kind)].sort(([a], [b]) => a.localeCompare(b)),
    ['all but slow burns', events.filter(({ kind }) => kind !== 'slow burn')],
  ];
  return table(
    ['our watch, normal', 'events', 'found', 'median delay'],
    rows.map(([kind, group]) => {
      const found = group.flatMap(({ delay }) => delay ?? []).sort((a, b) => a - b);
      const delay = found[Math.floor((found.length - 1) / 2)];
      const share = percent(found.length / Math.max(1, group.length));
      return [kind, String(group.length), share, delay === undefined ? '–' : `${number(delay, 0)} min`];
    }),
  );
}

/**
 * Messages on what has stopped: found in weeks that hold drops, false ones in those and in all others. A rise that is
 * told in a week of drops is false too, and counted apart.
 */
export function dropsTable(rises: readonly StreamOutcome[], drops: readonly StreamOutcome[]): string[] {
  const all = [...rises, ...drops];
  const weeks = all.reduce((sum, outcome) => sum + outcome.weeks, 0);
  const kinds = ['attacks_gone', 'visitors_gone'] as const;
  const rows = kinds.map((kind) => {
    const { found, delay } = streamMeasures(drops, (outcome) => outcome.drops[kind]);
    const { wrong } = streamMeasures(all, (outcome) => outcome.drops[kind]);
    const count = drops.reduce((sum, outcome) => sum + outcome.drops[kind].delays.length, 0);
    return [DROP_KINDS[kind], String(count), percent(found), `${number(delay, 0)} min`, number(wrong, 2)];
  });
  const risen = streamMeasures(drops, ({ watched }) => watched[NORMAL]).wrong;
  return [
    table(['our watch', 'drops', 'found', 'median delay', 'false messages a week'], rows),
    `False messages are counted over ${number(weeks, 0)} weeks, ${number(drops.length, 0)} of them with drops. In those, the watch reported ${number(risen)} rises a week that weren't there.`,
  ];
}

function cells(outcomes: readonly StreamOutcome[], pick: (outcome: StreamOutcome) => Told | undefined): string[] {
  const { wrong, found, delay } = streamMeasures(outcomes, pick);
  return [number(wrong), percent(found), Number.isNaN(delay) ? '–' : `${number(delay, 0)} min`];
}
