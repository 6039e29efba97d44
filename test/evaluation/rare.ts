/**
 * What comes too seldom for the other weeks to hold enough of it: attacks and outages of days, sites that have just begun or were
 * closed, attackers who look like visitors. Each situation has weeks of its own.
 */
import { createEpisodeLog } from '../../src/episodes/episode-log.ts';
import { recordedStatistics } from '../../src/episodes/recorded-statistics.ts';
import { BARS } from '../../src/episodes/verdict/index.ts';
import { recordsBetween, replayRecords } from '../../src/subscriptions/watch/replay.ts';
import type { LabelledStream } from './streams.ts';
import { number, table } from './tables.ts';
import { type Crowd, isDetectable, mixOf, type TrafficEvent, withEvents } from './traffic/events.ts';
import { GENERATORS } from './traffic/generators.ts';
import { createRandom, type Random } from './traffic/random.ts';
import type { Site } from './traffic/sites.ts';
import { attacksOf, DAY, recorded, WEEK, type World, type WorldOptions } from './traffic/world.ts';
import { calledAs, HOUR_MS, isNamed, MINUTE_MS, SETTLE_MS } from './weeks.ts';
import { type Circumstance, drawWorld, HISTORY, MINUTES } from './windows.ts';

const HOUR = 60;

interface Happening {
  /** To be found. */
  readonly events?: readonly TrafficEvent[];
  /** Nothing to be found any more, or it's as usual. */
  readonly usual?: readonly TrafficEvent[];
  readonly crowds?: readonly Crowd[];
  /** So many times the visitors, and no more attacks for that. */
  readonly visitors?: readonly Crowd[];
  /** Single attacks of each event's category, so many minutes apart on average. */
  readonly everyMinutes?: number;
}

interface Situation {
  readonly circumstance?: Circumstance;
  readonly options?: (random: Random, site: Site) => Partial<WorldOptions>;
  readonly happens: (random: Random, world: World) => Happening;
}

const hours = (random: Random, from: number, to: number): number => random.whole(from * HOUR, to * HOUR);

function attack(random: Random, { usual }: World, from: number, length: number, least: number, most: number) {
  const ratio = Math.exp(random.between(Math.log(least), Math.log(most)));
  // Where hardly anything happens, an attack is not a multiple of that.
  const few = 1 + random.between(0.75, 2.5) / Math.max(usual[from] ?? 0, 0.02);
  const to = Math.min(MINUTES, from + length);
  return { kind: 'flood', from, to, ratio: Math.max(ratio, few), main: null, shape: 'flat' } as const;
}

const gone = (kind: 'attacks gone' | 'visitors gone', from: number, length: number, ratio = 0): TrafficEvent => ({
  ...{ kind, from, to: Math.min(MINUTES, from + length), ratio, main: null },
});

const inFirstDay = (random: Random): number => HISTORY + hours(random, 1, 24);

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  'an attack of 14 to 60 hours': {
    happens: (random, world) => {
      const long = attack(random, world, inFirstDay(random), hours(random, 14, 60), 2, 6);
      return { events: [long, attack(random, world, long.to + hours(random, 4, 20), hours(random, 0.5, 2), 2.5, 6)] };
    },
  },
  'visitors gone for 14 to 60 hours': {
    happens: (random) => ({ events: [gone('visitors gone', inFirstDay(random), hours(random, 14, 60), 0.01)] }),
  },
  'attacks gone for 14 to 60 hours': {
    happens: (random) => ({ events: [gone('attacks gone', inFirstDay(random), hours(random, 14, 60))] }),
  },
  'an attack beside ten times the visitors': {
    happens: (random, world) => {
      const events = [1, 3, 5].map((day) =>
        attack(random, world, HISTORY + day * DAY + hours(random, 0, 20), hours(random, 0.7, 2.5), 4, 12),
      );
      return { events, visitors: events.map(({ from, to }) => ({ from, to, factor: random.between(8, 25) })) };
    },
  },
  'closed for two to four days': {
    happens: (random, world) => {
      const closed = gone('visitors gone', HISTORY - hours(random, 40, 88), 0, 0.02);
      const to = HISTORY + hours(random, 1, 8);
      const later = attack(random, world, to + hours(random, 3, 20), hours(random, 0.5, 1.5), 2.5, 8);
      return { events: [{ ...closed, to }, later] };
    },
  },
  'after a holiday': {
    happens: (random, world) => {
      const end = HISTORY + hours(random, 2, 12);
      const later = attack(random, world, end + hours(random, 1, 8), hours(random, 0.5, 1.5), 2, 6);
      return { usual: [gone('visitors gone', end - DAY, DAY, 0.3)], events: [later] };
    },
  },
  'after a campaign': {
    happens: (random) => {
      const end = HISTORY + hours(random, 2, 12);
      const crowds = [{ from: end - hours(random, 24, 72), to: end, factor: random.between(2, 5) }];
      return { crowds, events: [gone('visitors gone', end + hours(random, 6, 18), hours(random, 0.5, 3), 0.01)] };
    },
  },
  'the first week': {
    options: (random) => ({ bornAt: HISTORY - hours(random, 24, 48) }),
    happens: (random, world) => ({
      events: [0, 2, 4].map((day) =>
        attack(random, world, HISTORY + day * DAY + hours(random, 1, 40), hours(random, 0.3, 1.5), 2.5, 10),
      ),
    }),
  },
  'the first day': {
    options: (random) => ({ bornAt: HISTORY - hours(random, 0, 3) }),
    happens: (random) => ({
      events: [gone('visitors gone', HISTORY + hours(random, 6, 20), hours(random, 0.5, 3), 0.01)],
    }),
  },
  'nightly scans by UTC while the clocks change': {
    circumstance: 'clock change',
    options: () => ({ scans: 'nightly' }),
    happens: () => ({}),
  },
  'maintenance every week': {
    happens: (random) => {
      const [at, length] = [random.whole(0, WEEK - 120), random.whole(20, 90)];
      const weeks = [-4, -3, -2, -1, 0].map((week) => HISTORY + week * WEEK + at + random.whole(-3, 3));
      return { usual: weeks.map((from) => gone('visitors gone', from, length)) };
    },
  },
  'a short rise of a new category that goes on': {
    happens: (random, world) => {
      const { main } = mixOf(random, world, 'new category');
      const events = [1, 4].flatMap((day): TrafficEvent[] => {
        const from = HISTORY + day * DAY + hours(random, 0, 16);
        const few = 0.7 / Math.max(world.usual[from] ?? 0, 0.02);
        const wave = (length: number, more: number): TrafficEvent => ({
          ...{ kind: 'step', from, to: from + length, ratio: 1 + more, main },
        });
        const rest = wave(hours(random, 3, 6), Math.max(random.between(0.15, 0.4), few));
        return [wave(random.whole(12, 25), random.between(4, 9)), rest];
      });
      return { events };
    },
  },
  'attacks at the hours of earlier ones': {
    happens: (random, world) => {
      const events = [1, 3, 5].map((day) =>
        attack(random, world, HISTORY + day * DAY + hours(random, 0, 20), hours(random, 0.5, 2), 2.5, 8),
      );
      // Each of them in another one of the four weeks.
      const usual = events.map((event, at) => {
        const ago = (at + 1) * WEEK + random.whole(-10, 10);
        return { ...event, from: event.from - ago, to: event.to - ago };
      });
      return { events, usual };
    },
  },
  'a handful of attacks a day': {
    options: (random, site) => ({
      site: { ...site, attacks: random.between(3, 40) / DAY, visitors: random.between(0.05, 1) },
    }),
    happens: (random, world) => ({
      events: [0, 2, 4].map((day) =>
        attack(random, world, HISTORY + day * DAY + hours(random, 1, 40), hours(random, 0.3, 3), 3, 12),
      ),
    }),
  },
  'holidays with half the traffic': {
    happens: (random) => {
      const days = [1, 4].map((day) => HISTORY + day * DAY);
      return {
        usual: days.map((from) => gone('visitors gone', from, DAY, random.between(0.3, 0.6))),
      };
    },
  },
  'a sharp rhythm, after the clocks changed': {
    options: (random, site) => {
      const changeMs = Date.UTC(2026, 2, 29, 1);
      return {
        site: { ...site, day: 1.6, attacks: random.between(2, 30), mood: 0.05, evenness: 30 },
        zone: 'Europe/Berlin',
        startMs: changeMs - (HISTORY - hours(random, 24, 26 * 24)) * MINUTE_MS,
      };
    },
    happens: (random, world) => ({
      events: [0, 2, 4].map((day) =>
        attack(random, world, HISTORY + day * DAY + hours(random, 1, 40), hours(random, 0.3, 2), 2.5, 6),
      ),
    }),
  },
  'the first nights of a site that sleeps': {
    options: (random, site) => ({ site: { ...site, day: 2.2 }, bornAt: HISTORY - hours(random, 0, 3) }),
    happens: () => ({}),
  },
  'maintenance every night, from the first on': {
    options: (random) => ({ bornAt: HISTORY - hours(random, 48, 96) }),
    happens: (random) => {
      const [at, length] = [random.whole(0, DAY), random.whole(20, 90)];
      const days = [-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6].map((day) => HISTORY + day * DAY + at + random.whole(-3, 3));
      return { usual: days.map((from) => gone('visitors gone', from, length)) };
    },
  },
  'down on its first day': {
    options: (random) => ({ bornAt: HISTORY - hours(random, 12, 24) }),
    happens: (random) => ({
      usual: [gone('visitors gone', HISTORY - hours(random, 3, 8), hours(random, 0.5, 2), 0.01)],
    }),
  },
  'a little of a new category, for a day': {
    happens: (random, world) => {
      const from = inFirstDay(random);
      const { main } = mixOf(random, world, 'new category');
      return {
        events: [{ kind: 'step', from, to: from + hours(random, 8, 23), ratio: 1, main }],
        everyMinutes: random.between(3, 40),
      };
    },
  },
  'hours of attack on a small site': {
    options: (random, site) => ({ site: { ...site, attacks: random.between(5, 100) / DAY } }),
    happens: (random, world) => ({
      events: [0, 2, 4].map((day) =>
        attack(random, world, HISTORY + day * DAY + hours(random, 1, 30), hours(random, 3, 16), 4, 20),
      ),
    }),
  },
  'a smooth site': {
    options: (random, site) => ({
      site: { ...site, attacks: random.between(10, 60), mood: 0.01, evenness: 300, sessions: 0, bursty: false },
      sessions: 0,
    }),
    happens: () => ({}),
  },
  'a takeover across noon or midnight': {
    happens: (random, world) => {
      const halfDay = DAY / 2;
      const firstEdge = halfDay - ((world.startMs / MINUTE_MS) % halfDay);
      const events = [1, 3, 5].map((day): TrafficEvent => {
        const edge = firstEdge + Math.floor((HISTORY + day * DAY) / halfDay) * halfDay + random.pick([0, halfDay]);
        const [from, to] = [edge - random.whole(30, 100), edge + random.whole(60, 180)];
        return { kind: 'takeover', from, to, ratio: 1, ...mixOf(random, world, 'takeover') };
      });
      return { events };
    },
  },
};

export interface RareWeek extends Omit<LabelledStream, 'events'> {
  readonly situation: string;
  readonly events: readonly {
    readonly kind: TrafficEvent['kind'];
    readonly fromMs: number;
    readonly toMs: number;
    /** The ends of the hours in which it could be seen. */
    readonly seenMs: readonly number[];
  }[];
}

/** So many of both generators. */
export function* rareWeeks(situation: string, seed: number, count: number): Generator<RareWeek> {
  for (const generator of GENERATORS) yield* weeksIn(situation, seed, generator, count);
}

function* weeksIn(
  situation: string,
  seed: number,
  generator: (typeof GENERATORS)[number],
  count: number,
): Generator<RareWeek> {
  const { circumstance = 'any time', options, happens } = SITUATIONS[situation] ?? {};
  if (happens === undefined) throw new Error(`There is no situation called ${situation}.`);
  for (let index = 0; index < count; index++) {
    const random = createRandom(seed, index, 51);
    const site = generator.siteAt(random, index + seed);
    const world = drawWorld(
      random,
      seed * 10_000 + 7_000 + index,
      site,
      circumstance,
      generator,
      options?.(random, site),
    );
    const { events = [], usual = [], crowds = [], visitors = [], everyMinutes } = happens(random, world);
    const columns = withEvents(world, random.whole(0, 1e9), [...events, ...usual], crowds);
    for (const { from, to, factor } of visitors) {
      for (let at = from; at < to; at++) columns.visitors[at] = Math.round((columns.visitors[at] ?? 0) * factor);
    }
    if (everyMinutes !== undefined)
      for (const event of events) addSingly(random, columns.categories, event, everyMinutes);
    const attacks = attacksOf(world);
    const msAt = (minute: number): number => world.startMs + minute * MINUTE_MS;
    yield {
      id: `${situation} ${seed}-${index}`,
      ...{ situation, site: site.name, circumstance, zone: world.zone, generator: generator.name },
      numbers: recorded(columns, 0, MINUTES),
      fromMs: msAt(HISTORY),
      toMs: msAt(MINUTES),
      events: events.map((event) => ({
        kind: event.kind,
        fromMs: msAt(event.from),
        toMs: msAt(event.to),
        seenMs: hourEnds(event)
          .filter((end) => end > HISTORY + HOUR)
          .filter((end) => isDetectable(event, world, attacks, end - HOUR, end) || isNeverSeen(event, columns, end))
          .map(msAt),
      })),
    };
  }
}

function addSingly(
  random: Random,
  categories: World['categories'],
  { main, from, to }: TrafficEvent,
  everyMinutes: number,
): void {
  const column = categories.get(main ?? '') ?? new Int32Array(MINUTES);
  if (main !== null) categories.set(main, column);
  for (let at = from; at < Math.min(to, MINUTES); at += Math.ceil(-Math.log(1 - random.part()) * everyMinutes)) {
    column[at] = (column[at] ?? 0) + 1;
  }
}

const ENOUGH_NEW = 20;

/** Whether there were so many of a category in half a day that the site had none of before. */
function isNeverSeen({ main, from }: TrafficEvent, { categories }: Pick<World, 'categories'>, end: number): boolean {
  const column = categories.get(main ?? '');
  const sum = (start: number, to: number): number =>
    column?.subarray(start, to).reduce((all, each) => all + each, 0) ?? 0;
  return sum(0, from) === 0 && sum(Math.max(from, end - DAY / 2), end) >= ENOUGH_NEW;
}

const hourEnds = ({ from, to }: TrafficEvent): number[] => {
  const ends: number[] = [];
  for (let end = from + HOUR; end < to; end += HOUR) ends.push(end);
  return [...ends, to];
};

export interface RareOutcome {
  readonly situation: string;
  /** Hours in which something could be seen, and those of them in which an answer says so. */
  readonly seen: number;
  readonly named: number;
  /** Events that a watch reported, its messages about these, and how often it said that one was over while it went on. */
  readonly found: number;
  readonly events: number;
  readonly messages: number;
  readonly overEarly: number;
  readonly falseMessages: number;
  /** Hours in which nothing happens, and those of them that are called. */
  readonly windows: number;
  readonly flagged: number;
}

export async function rareOutcome({ situation, events, fromMs, toMs, zone, numbers }: RareWeek): Promise<RareOutcome> {
  const log = createEpisodeLog({
    statistics: recordedStatistics(numbers)(toMs),
    blocks: null,
    nowMs: () => toMs,
    zone,
  });
  const { records } = await recordsBetween(log, { fromMs, toMs, hosts: [] });
  const { messages } = await replayRecords(records, BARS.normal, { fromMs, toMs });
  const told = messages.filter(({ kind }) => kind !== 'over');
  const visible = events.filter(({ seenMs }) => seenMs.length > 0);
  const isAbout = (atMs: number, lateMs: number) => (event: RareWeek['events'][number]) =>
    atMs >= event.fromMs && atMs <= event.toMs + lateMs;
  const outcome = { seen: 0, named: 0, windows: 0, flagged: 0 };
  for (const event of visible) {
    outcome.seen += event.seenMs.length;
    outcome.named += event.seenMs.filter((endMs) => isNamed(records, event, endMs + SETTLE_MS)).length;
  }
  for (let ms = fromMs + HOUR_MS; ms <= toMs; ms += HOUR_MS) {
    if (events.some((event) => event.fromMs < ms && event.toMs + 2 * HOUR_MS > ms)) continue;
    outcome.windows += 1;
    if (calledAs(records, ms) !== null || isDropNamed(records, ms)) outcome.flagged += 1;
  }
  return {
    ...outcome,
    situation,
    events: visible.length,
    found: visible.filter((event) => told.some(({ atMs }) => isAbout(atMs, 15 * MINUTE_MS)(event))).length,
    messages: told.filter(({ atMs }) => visible.some(isAbout(atMs, 15 * MINUTE_MS))).length,
    overEarly: messages.filter(
      ({ kind, atMs, onsetMs }) =>
        kind === 'over' &&
        visible.some(
          (event) => onsetMs >= event.fromMs - HOUR_MS && atMs < event.toMs - HOUR_MS && atMs > event.fromMs,
        ),
    ).length,
    falseMessages: told.filter(({ atMs }) => !events.some(isAbout(atMs, HOUR_MS))).length,
  };
}

const isDropNamed = (records: Parameters<typeof isNamed>[0], ms: number): boolean =>
  isNamed(records, { kind: 'attacks gone' }, ms) || isNamed(records, { kind: 'visitors gone' }, ms);

/** What watches and answers make of each situation. */
export function rareTable(outcomes: readonly RareOutcome[]): string {
  const rows = Object.keys(SITUATIONS).map((situation) => {
    const weeks = outcomes.filter((each) => each.situation === situation);
    const sum = (of: (outcome: RareOutcome) => number): number => weeks.reduce((all, week) => all + of(week), 0);
    const per = (count: number, all: number, digits: number, unit = ''): string =>
      all === 0 ? '–' : `${number(count / all, digits)}${unit}`;
    return [
      situation,
      String(weeks.length),
      per(
        100 * sum(({ named }) => named),
        sum(({ seen }) => seen),
        0,
        ' %',
      ),
      `${sum(({ found }) => found)} of ${sum(({ events }) => events)}`,
      per(
        sum(({ messages }) => messages),
        sum(({ found }) => found),
        2,
      ),
      per(
        sum(({ overEarly }) => overEarly),
        sum(({ found }) => found),
        2,
      ),
      per(
        sum(({ falseMessages }) => falseMessages),
        weeks.length,
        2,
      ),
      per(
        100 * sum(({ flagged }) => flagged),
        sum(({ windows }) => windows),
        1,
        ' %',
      ),
    ];
  });
  return table(
    [
      ...['', 'weeks', 'hours named', 'found by a watch', 'messages for each', '“over” while it goes on'],
      ...['false messages a week', 'calm hours called'],
    ],
    rows,
  );
}
