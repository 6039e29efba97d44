/** Weeks of a channel with a few events in each, as a watch would live through them. */
import type { RecordedNumbers } from '../../src/episodes/recorded-statistics.ts';
import { DROPS, isDetectable, MIXES, RISES, type TrafficEvent, withEvents } from './traffic/events.ts';
import { FIRST, type TrafficGenerator } from './traffic/generators.ts';
import { createRandom, type Random } from './traffic/random.ts';
import { attacksOf, type Column, DAY, type Hole, recorded, type World } from './traffic/world.ts';
import { CIRCUMSTANCES, drawPast, drawWorld, HISTORY, levelOf, MINUTES } from './windows.ts';

export interface StreamEvent {
  /** The third generator also has rises that come and go slowly, or again and again. */
  readonly kind: TrafficEvent['kind'] | 'ramp' | 'wave';
  readonly fromMs: number;
  readonly toMs: number;
  readonly detectable: boolean;
  /** The end of an hour in which it could be seen; `null` if there is none. */
  readonly seenMs?: number | null;
  /** The end of the first of these hours. */
  readonly firstSeenMs?: number | null;
  /** The same, where it's so large that a watch can find it that sends 0.7 false messages a week: see `RARE`. */
  readonly firstClearMs?: number | null;
  /** Its level in that hour; `null` where both would be right. */
  readonly level?: 'elevated' | 'surge' | null;
  /** The category of most of it. */
  readonly main?: string | null;
}

export interface LabelledStream {
  readonly id: string;
  readonly site: string;
  readonly circumstance: string;
  readonly zone: string;
  readonly numbers: RecordedNumbers;
  /** The week that is watched; four weeks before it are known. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: readonly StreamEvent[];
  /** Scanners of a kind that the site has never seen: normal. */
  readonly strange?: readonly (readonly [fromMs: number, toMs: number])[];
}

/** 0.7 a week is once in so many times the hours after which an event counts as one that could be seen. */
export const RARE = 6;

const MINUTE_MS = 60_000;
const EVENTS = 4;

/** Weeks with rises, mixes and drops. */
export function* labelledStreams(
  seed: number,
  count: number,
  generator: TrafficGenerator = FIRST,
): Generator<LabelledStream> {
  for (let index = 0; index < count; index++) {
    const random = createRandom(seed, index, 7);
    const site = generator.siteAt(random, index + seed);
    const circumstance = CIRCUMSTANCES[(index * 5 + seed) % CIRCUMSTANCES.length] ?? 'any time';
    const world = drawWorld(random, seed * 10_000 + 5_000 + index, site, circumstance, generator);
    const attacks = attacksOf(world);
    const rises = drawEvents(random, world, generator);
    const events = [...rises, ...drawDrops(random, world, generator, rises)];
    const crowds = circumstance === 'marketing' ? [1, 4].map((day) => crowdOn(random, day)) : [];
    const past = drawPast(createRandom(seed, index, 11), world, generator);
    const columns = withEvents(world, random.whole(0, 1e9), [...events, ...past], crowds);
    const holes = circumstance === 'holes' ? [0, 2, 3, 6].map((day) => holeOn(random, day)) : [];
    yield {
      id: `${seed}-${index}`,
      site: site.name,
      circumstance,
      zone: world.zone,
      numbers: recorded(columns, 0, MINUTES, holes),
      fromMs: world.startMs + HISTORY * MINUTE_MS,
      toMs: world.startMs + MINUTES * MINUTE_MS,
      events: events.map((event) => {
        const ends = seenAt(event, world, attacks);
        const seen = ends.length === 0 ? null : random.pick(ends);
        const msOf = (minute: number | null): number | null => minute && world.startMs + minute * MINUTE_MS;
        return {
          kind: event.kind,
          main: event.main,
          fromMs: world.startMs + event.from * MINUTE_MS,
          toMs: world.startMs + event.to * MINUTE_MS,
          detectable: ends.length > 0,
          seenMs: msOf(seen),
          firstSeenMs: msOf(ends[0] ?? null),
          firstClearMs: msOf(seenAt(event, world, attacks, RARE)[0] ?? null),
          level: seen === null ? null : levelOf(event, world, seen - 60, seen),
        };
      }),
      strange: world.strange.map(([from, to]) => [world.startMs + from * MINUTE_MS, world.startMs + to * MINUTE_MS]),
    };
  }
}

/** One in each part of the week, away from scans and from before the site was there. */
function drawEvents(random: Random, world: World, generator: TrafficGenerator): TrafficEvent[] {
  const part = Math.floor((MINUTES - HISTORY) / EVENTS);
  return Array.from({ length: EVENTS }, (_, at) => {
    const start = HISTORY + at * part + random.whole(120, part - 600);
    return generator.drawEvent(random, world, random.pick([...RISES, 'category wave' as const, ...MIXES]), start);
  }).filter(
    ({ from, to }) =>
      from > (world.bornAt ?? 0) + DAY && world.scanned.every(([first, last]) => last + 60 < from || first - 60 > to),
  );
}

/** One of each kind, hours away from each other and from scans, a day or more after the site was there. */
function drawDrops(
  random: Random,
  world: World,
  generator: TrafficGenerator,
  others: readonly TrafficEvent[],
): TrafficEvent[] {
  const taken: [from: number, to: number][] = [
    ...others.map(({ from, to }): [number, number] => [from, to]),
    ...world.scanned.map(([from, to]): [number, number] => [from, to]),
    [0, (world.bornAt ?? 0) + DAY],
  ];
  return DROPS.flatMap((kind) => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const drop = generator.drawEvent(random, world, kind, random.whole(HISTORY + 120, MINUTES - 600));
      if (taken.some(([from, to]) => from - APART < drop.to && to + APART > drop.from)) continue;
      taken.push([drop.from, drop.to]);
      return [drop];
    }
    return [];
  });
}

const APART = 180;
const MOST_TRIES = 20;

const crowdOn = (random: Random, day: number) => {
  const from = HISTORY + day * DAY + random.whole(0, 1000);
  return { from, to: from + random.whole(60, 240), factor: random.between(1.5, 4.5) };
};

const holeOn = (random: Random, day: number): Hole => {
  const from = HISTORY + day * DAY + random.whole(0, 1200);
  return [from, from + random.whole(5, 120)];
};

/** When an event could be seen, by the ends of the times in which it could, and by the first of those in which it's rare. */
export function whenSeen(
  ends: readonly number[],
  clear: number | undefined,
  pick: (ends: readonly number[]) => number,
  msAt: (minute: number) => number,
): Pick<StreamEvent, 'detectable' | 'seenMs' | 'firstSeenMs' | 'firstClearMs'> {
  const [first] = ends;
  return {
    detectable: first !== undefined,
    seenMs: first === undefined ? null : msAt(pick(ends)),
    firstSeenMs: first === undefined ? null : msAt(first),
    firstClearMs: clear === undefined ? null : msAt(clear),
  };
}

/** The ends of the hours in which it could be seen. */
function seenAt(event: TrafficEvent, world: World, attacks: Column, times = 1): number[] {
  const ends: number[] = [];
  for (let to = event.from + 10; to < event.to + 10; to += 10) {
    const end = Math.min(to, event.to);
    if (isDetectable(event, world, attacks, end - 60, end, times)) ends.push(end);
  }
  return ends;
}
