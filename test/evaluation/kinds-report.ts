/** Figures of weeks by kind of event. */
import { shareIn, withInterval } from './intervals.ts';
import { number, table } from './tables.ts';
import type { WeekOutcome } from './weeks.ts';

type Measure = (weeks: readonly WeekOutcome[]) => number;

export const KINDS: readonly (readonly [name: string, kinds: readonly string[]])[] = [
  ['rises', ['flood', 'ramp', 'wave', 'category wave', 'step', 'spike']],
  ['slow burns', ['slow burn']],
  ['mixes', ['new category', 'takeover']],
  ['… a new category', ['new category']],
  ['… a known one takes over', ['takeover']],
  ['attacks gone', ['attacks gone']],
  ['visitors gone', ['visitors gone']],
  [
    'all but drops',
    ['flood', 'ramp', 'wave', 'category wave', 'step', 'spike', 'slow burn', 'new category', 'takeover'],
  ],
];

type SeenEvent = WeekOutcome['events'][number];

const eventsIn = (weeks: readonly WeekOutcome[], kinds: readonly string[]): SeenEvent[] =>
  weeks.flatMap(({ events }) => events.filter(({ kind, detectable }) => detectable && kinds.includes(kind)));

const partOf = (events: readonly SeenEvent[], isHit: (event: SeenEvent) => boolean): number =>
  events.length === 0 ? Number.NaN : events.filter(isHit).length / events.length;

const medianOf = (minutes: readonly number[]): number =>
  minutes.toSorted((a, b) => a - b)[Math.floor((minutes.length - 1) / 2)] ?? Number.NaN;

const medianDelay = (events: readonly SeenEvent[]): number => medianOf(events.flatMap(({ delay }) => delay ?? []));

/** Minutes until the end of the first hour in which it could be seen. */
const seenAfter = ({ fromMs, firstSeenMs }: SeenEvent): number => ((firstSeenMs ?? fromMs) - fromMs) / 60_000;

const medianSeen = (events: readonly SeenEvent[]): number =>
  medianOf(events.filter(({ delay }) => delay !== null).map(seenAfter));

const medianDelaySinceSeen = (events: readonly SeenEvent[]): number =>
  medianOf(events.flatMap((event) => (event.delay === null ? [] : event.delay - seenAfter(event))));

const hasLevel = ({ levelRight }: SeenEvent): boolean => levelRight !== null;

export function kindsTable(weeks: readonly WeekOutcome[]): string {
  return table(
    [
      '',
      'events',
      'named in an answer',
      'level right',
      'found by a watch',
      'by one that knows the norm',
      'median delay',
      'could be seen after',
      'delay since then',
    ],
    KINDS.map(([name, kinds]) => {
      const events = eventsIn(weeks, kinds);
      return [
        name,
        String(events.length),
        shareIn(weeks, (some) => partOf(eventsIn(some, kinds), ({ named }) => named)),
        shareIn(weeks, (some) =>
          partOf(eventsIn(some, kinds).filter(hasLevel), ({ levelRight }) => levelRight === true),
        ),
        shareIn(weeks, (some) => partOf(eventsIn(some, kinds), ({ delay }) => delay !== null)),
        shareIn(weeks, (some) => partOf(eventsIn(some, kinds), ({ firstClearMs = null }) => firstClearMs !== null)),
        `${number(medianDelay(events), 0)} min`,
        `${number(medianSeen(events), 0)} min`,
        `${number(medianDelaySinceSeen(events), 0)} min`,
      ];
    }),
  );
}

const perWeek =
  (isCounted: (message: WeekOutcome['falseAt'][number]) => boolean): Measure =>
  (weeks) =>
    weeks.reduce((sum, { falseAt }) => sum + falseAt.filter(isCounted).length, 0) / weeks.length;

export function falseTable(weeks: readonly WeekOutcome[]): string {
  const row = (name: string, measure: Measure): string[] => {
    const { value, low, high } = withInterval(weeks, measure);
    return [name, `${number(value, 2)} (${number(low, 2)}–${number(high, 2)})`];
  };
  const normal: Measure = (some) =>
    some.reduce((sum, { flagged }) => sum + flagged, 0) / some.reduce((sum, { windows }) => sum + windows, 0);
  return table(
    ['false', ''],
    [
      ['normal windows called', shareIn(weeks, normal, 1)],
      row(
        'messages of a watch a week',
        perWeek(() => true),
      ),
      row(
        '… of rises',
        perWeek(({ what, strange }) => what === 'rise' && !strange),
      ),
      row(
        '… of categories',
        perWeek(({ what, strange }) => what === 'mix' && !strange),
      ),
      row(
        '… of scanners of a kind never seen',
        perWeek(({ strange }) => strange),
      ),
      row(
        '… of drops',
        perWeek(({ what, strange }) => what.endsWith('gone') && !strange),
      ),
    ],
  );
}

const CALLS: readonly (readonly [name: string, isOf: (what: string) => boolean])[] = [
  ['a rise', (what) => what === 'rise'],
  ['a category', (what) => what === 'mix'],
  ['something gone', (what) => what.endsWith('gone')],
];

/** How often a message of a watch at normal is wrong, by what it is about. */
export function wrongTable(weeks: readonly WeekOutcome[]): string {
  return table(
    ['a message about', 'sent', 'wrong'],
    CALLS.map(([name, isOf]) => {
      const sentIn = (some: readonly WeekOutcome[]): number =>
        some.reduce((sum, { sent }) => sum + sent.filter(isOf).length, 0);
      const wrongIn = (some: readonly WeekOutcome[]): number =>
        some.reduce((sum, { falseAt }) => sum + falseAt.filter(({ what }) => isOf(what)).length, 0);
      return [name, String(sentIn(weeks)), shareIn(weeks, (some) => wrongIn(some) / sentIn(some))];
    }),
  );
}

/** Messages of weeks without events, beside what chance should bring by the strength from which a watch alerts. */
export function chanceTable(weeks: readonly WeekOutcome[], strengths: Readonly<Record<string, number>>): string {
  return table(
    ['a watch at', 'messages a week', 'by its strength'],
    Object.entries(strengths).map(([name, strength]) => {
      const { value, low, high } = withInterval(
        weeks,
        (some) => some.reduce((sum, { watched }) => sum + (watched[name]?.wrong ?? 0), 0) / some.length,
      );
      return [
        `\`${name}\``,
        `${number(value, 2)} (${number(low, 2)}–${number(high, 2)})`,
        number((7 * 24) / 10 ** strength, 1),
      ];
    }),
  );
}

/** Fewer messages against more found, by what a watch is set to. */
export function watchTable(weeks: readonly WeekOutcome[], names = Object.keys(weeks[0]?.watched ?? {})): string {
  const delaysAt = (some: readonly WeekOutcome[], name: string) =>
    some.flatMap(({ watched }) => watched[name]?.delays ?? []);
  return table(
    ['a watch at', 'false messages a week', 'found', 'median delay'],
    names.map((name) => {
      const wrong = withInterval(
        weeks,
        (some) => some.reduce((sum, { watched }) => sum + (watched[name]?.wrong ?? 0), 0) / some.length,
      );
      const delays = delaysAt(weeks, name)
        .filter((delay) => delay !== null)
        .sort((a, b) => a - b);
      return [
        `\`${name}\``,
        `${number(wrong.value, 2)} (${number(wrong.low, 2)}–${number(wrong.high, 2)})`,
        shareIn(weeks, (some) => {
          const all = delaysAt(some, name);
          return all.length === 0 ? Number.NaN : all.filter((delay) => delay !== null).length / all.length;
        }),
        `${number(delays[Math.floor((delays.length - 1) / 2)] ?? Number.NaN, 0)} min`,
      ];
    }),
  );
}
