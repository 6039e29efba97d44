/**
 * Windows with a known truth: from each world some in which nothing happens and some that hold an event, both in all the
 * circumstances that make the question hard.
 */
import type { RecordedNumbers } from '../../src/episodes/recorded-statistics.ts';
import {
  type Crowd,
  type EventKind,
  isDetectable,
  isMix,
  MIXES,
  RISES,
  strength,
  type TrafficEvent,
  withEvents,
} from './traffic/events.ts';
import { FIRST, type TrafficGenerator } from './traffic/generators.ts';
import { createRandom, type Random } from './traffic/random.ts';
import { SITES } from './traffic/sites.ts';
import {
  attacksOf,
  type Column,
  DAY,
  type Hole,
  recorded,
  WEEK,
  type World,
  type WorldOptions,
} from './traffic/world.ts';

export const CIRCUMSTANCES = [
  'any time',
  'nightly scan',
  'weekly scan',
  'first days',
  'holes',
  'clock change',
  'marketing',
  'release',
  'trend',
  'old wave',
  'night',
  'monday morning',
] as const;

export type Circumstance = (typeof CIRCUMSTANCES)[number];

interface WindowTruth {
  /** What is there to be found; `null` where all is as usual. */
  readonly event: EventKind | null;
  /** A second wave after one of another kind. */
  readonly isSecond: boolean;
  readonly detectable: boolean;
  readonly onsetMs: number | null;
  /** `null` where both would be right. */
  readonly level: 'elevated' | 'surge' | null;
  /** Of most of what the event added. */
  readonly main: string | null;
}

export interface LabelledWindow {
  readonly id: string;
  readonly site: string;
  readonly circumstance: Circumstance;
  readonly zone: string;
  readonly nowMs: number;
  readonly fromMs: number;
  readonly numbers: RecordedNumbers;
  readonly truth: WindowTruth;
}

const MINUTE_MS = 60_000;
/** Four weeks before, and a week from which windows are taken. */
export const HISTORY = 4 * WEEK + 8 * 60;
export const MINUTES = HISTORY + WEEK;
const UNSETTLED = 3;
/** In each world; as many with an event as without. */
const PAIRS = 6;
const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC', 'Asia/Kolkata', 'Australia/Sydney'];
/** Weeks in which clocks change are asked for by name; these begin where they do not. */
const STARTS = [Date.UTC(2026, 3, 27), Date.UTC(2026, 5, 1), Date.UTC(2026, 10, 30)];
const CLOCK_CHANGES: Readonly<Record<string, readonly number[]>> = {
  'Europe/Berlin': [Date.UTC(2026, 2, 29, 1), Date.UTC(2026, 9, 25, 1)],
  'America/New_York': [Date.UTC(2026, 2, 8, 7), Date.UTC(2026, 10, 1, 6)],
};
const EVENT_KINDS: readonly EventKind[] = [...RISES, 'category wave', ...MIXES, 'attacks gone', 'visitors gone'];

/** `worlds` of them, twelve windows each; made one by one, since a world is large. */
export function* labelledWindows(
  seed: number,
  worlds: number,
  generator: TrafficGenerator = FIRST,
): Generator<LabelledWindow> {
  for (let index = 0; index < worlds; index++) {
    const random = createRandom(seed, index, 3);
    const site = generator.siteAt(random, index);
    // Every seed pairs sites and circumstances anew.
    const turn = index + Math.floor(index / SITES.length) + 5 * seed;
    const circumstance = CIRCUMSTANCES[turn % CIRCUMSTANCES.length] ?? 'any time';
    const world = drawWorld(random, seed * 10_000 + index, site, circumstance, generator);
    const attacks = attacksOf(world);
    const past = drawPast(createRandom(seed, index, 10), world, generator);
    for (let pair = 0; pair < PAIRS; pair++) {
      for (const holds of [true, false]) {
        const id = `${seed}-${index}-${pair}${holds ? 'e' : 'n'}`;
        const own = createRandom(seed, index, pair, holds ? 5 : 6);
        const window = drawWindow(own, { world, attacks, past, circumstance, generator }, holds);
        if (window !== null) yield { id, site: site.name, circumstance, ...window };
      }
    }
  }
}

export function drawWorld(
  random: Random,
  seed: number,
  site: World['site'],
  circumstance: Circumstance,
  generator: TrafficGenerator,
  options: Partial<WorldOptions> = {},
): World {
  const isChange = circumstance === 'clock change';
  const zone = isChange ? random.pick(Object.keys(CLOCK_CHANGES)) : random.pick(ZONES);
  const change = isChange ? random.pick(CLOCK_CHANGES[zone] ?? []) : 0;
  // The clocks change on the first day or two of the week from which windows are taken.
  const startMs = isChange ? change - (HISTORY - random.whole(0, 2 * DAY)) * MINUTE_MS : random.pick(STARTS);
  return generator.createWorld({
    seed,
    site,
    zone,
    startMs: Math.floor(startMs / (60 * MINUTE_MS)) * 60 * MINUTE_MS,
    minutes: MINUTES,
    sessions: random.pick([0.3, 0.6, 1]),
    scans: circumstance === 'nightly scan' ? 'nightly' : circumstance === 'weekly scan' ? 'weekly' : undefined,
    bornAt: circumstance === 'first days' ? HISTORY - random.whole(0, 3 * DAY) : undefined,
    release:
      circumstance === 'release'
        ? { at: HISTORY - random.whole(DAY, 3 * DAY), factor: random.between(1.2, 1.8) }
        : undefined,
    trend: circumstance === 'trend' ? random.between(-0.15, 0.2) : random.between(-0.03, 0.03),
    ...options,
  });
}

/** So many a week, from site to site. */
const PAST_EVENTS: readonly number[] = [0, 1, 4];
/** Minutes between the last of them and what is asked about. */
const PAST_APART = 180;

/**
 * What happened in the four weeks before, on most sites: attacks and outages of the same kinds. They are nobody's question, but
 * part of what a rule has to learn from.
 */
export function drawPast(random: Random, world: World, generator: TrafficGenerator): TrafficEvent[] {
  if (world.plain === true) return [];
  const part = Math.floor(WEEK / random.pick(PAST_EVENTS));
  const past: TrafficEvent[] = [];
  for (let start = (world.bornAt ?? 0) + DAY; start + part <= HISTORY; start += part) {
    const from = start + random.whole(0, part - 600);
    past.push(generator.drawEvent(random, world, random.pick(EVENT_KINDS), from));
  }
  return past.filter(({ to }) => to + PAST_APART < HISTORY);
}

type DrawnWindow = Omit<LabelledWindow, 'id' | 'site' | 'circumstance'>;

interface Setting {
  readonly world: World;
  readonly attacks: Column;
  readonly past: readonly TrafficEvent[];
  readonly circumstance: Circumstance;
  readonly generator: TrafficGenerator;
}

/** `null` where the circumstance has no such moment. */
function drawWindow(random: Random, setting: Setting, holds: boolean): DrawnWindow | null {
  const { world, attacks, past, circumstance, generator } = setting;
  const now = momentOf(random, world, circumstance, holds);
  if (now === null) return null;
  const length = random.pick([60, 60, 60, 60, 30, 120]);
  const from = now - length;
  const kind = random.pick(EVENT_KINDS);
  const event = holds ? eventIn(random, world, generator.drawEvent(random, world, kind, 0), from, now) : null;
  const isSecond = event !== null && RISES.includes(kind) && kind !== 'slow burn' && random.chance(0.15);
  const first = isSecond && event !== null ? [firstWave(random, setting, event)] : [];
  const old = circumstance === 'old wave' ? [oldWave(random, setting, Math.min(from, event?.from ?? from))] : [];
  const crowds = circumstance === 'marketing' ? [crowdAt(random, from, now)] : [];
  const events = [...(event === null ? [] : [event]), ...first, ...old];
  const begin = Math.max(0, now - HISTORY);
  const before = past.filter(({ to }) => to + PAST_APART < Math.min(from, event?.from ?? from));
  const columns = withEvents(world, random.whole(0, 1e9), [...events, ...before], crowds);
  return {
    zone: world.zone,
    nowMs: world.startMs + now * MINUTE_MS,
    fromMs: world.startMs + from * MINUTE_MS,
    numbers: recorded(columns, begin, now, circumstance === 'holes' ? holesFor(random, from, now) : []),
    truth: truthOf(event, isSecond, world, attacks, from, now),
  };
}

function truthOf(
  event: TrafficEvent | null,
  isSecond: boolean,
  world: World,
  attacks: Column,
  from: number,
  now: number,
): WindowTruth {
  if (event === null) {
    return { event: null, isSecond, detectable: false, onsetMs: null, level: null, main: null };
  }
  const until = now - UNSETTLED;
  return {
    event: event.kind,
    isSecond,
    detectable: isDetectable(event, world, attacks, from, until),
    onsetMs: world.startMs + event.from * MINUTE_MS,
    level: levelOf(event, world, from, until),
    main: event.main,
  };
}

/** By the strongest quarter of an hour; near the border between the two both are right. */
export function levelOf(event: TrafficEvent, world: World, from: number, until: number): WindowTruth['level'] {
  if (event.ratio < 1) return null;
  const { ratio, added } = strength(event, world, from, until);
  if (ratio >= 3.75 && added >= 80) return 'surge';
  return ratio <= 2.4 || added <= 45 ? 'elevated' : null;
}

/** The minute at which the window ends. */
function momentOf(random: Random, world: World, circumstance: Circumstance, holds: boolean): number | null {
  const any = random.whole(HISTORY + 60, MINUTES - 1);
  const isScan = circumstance === 'nightly scan' || circumstance === 'weekly scan';
  if (isScan && !holds) {
    // While it is there, or shortly after.
    const recent = world.scanned.filter(([from]) => from > HISTORY);
    if (recent.length === 0) return null;
    const [from, to] = random.pick(recent);
    return Math.min(MINUTES - 1, random.whole(from + 10, to + 25));
  }
  if (isScan) {
    const isApart = (at: number): boolean => world.scanned.every(([from, to]) => at < from - 20 || at - 300 > to);
    return isApart(any) ? any : null;
  }
  if (circumstance === 'first days') {
    const born = world.bornAt ?? 0;
    return Math.min(MINUTES - 1, Math.max(HISTORY - 4 * DAY, born + random.whole(240, 3 * DAY)));
  }
  if (circumstance === 'night') return atLocalHour(any, world, random.between(1, 5));
  if (circumstance === 'monday morning') {
    const monday = Array.from({ length: 7 }, (_, day) => atLocalHour(HISTORY + 60 + day * DAY, world, 9)).find(
      (at) => localTime(at, world).dayOfWeek === 1,
    );
    return monday === undefined ? any : Math.min(MINUTES - 1, monday + random.whole(-150, 150));
  }
  return any;
}

const localTime = (at: number, { startMs, zone }: World): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(startMs + at * MINUTE_MS).toZonedDateTimeISO(zone);

function atLocalHour(at: number, world: World, hour: number): number {
  const local = localTime(at, world);
  const moved = at + Math.round((hour - local.hour) * 60) - local.minute;
  return Math.min(MINUTES - 1, Math.max(HISTORY + 60, moved));
}

/** At least ten minutes of it are in the judged part of the window; most still go on. */
function eventIn(random: Random, world: World, drawn: TrafficEvent, from: number, now: number): TrafficEvent {
  const until = now - UNSETTLED;
  const length = drawn.to;
  const latest = until - Math.min(10, length);
  const earliest = Math.max(from - length + 10, from - 240);
  const start = random.chance(0.7)
    ? random.whole(Math.max(earliest, until - Math.min(length, 90)), latest)
    : random.whole(Math.min(earliest, latest), latest);
  return drawEventAt(random, world, drawn, start);
}

/** The same event at another minute: on a quiet site its size depends on the hour. */
function drawEventAt(random: Random, world: World, drawn: TrafficEvent, from: number): TrafficEvent {
  const usual = Math.max(world.usual[from] ?? 0, 0.02);
  const ratio =
    drawn.ratio < 1 || isMix(drawn)
      ? drawn.ratio
      : Math.max(Math.min(drawn.ratio, 15), 1 + random.between(1, 4) / usual);
  return { ...drawn, from, to: from + drawn.to - drawn.from, ratio };
}

/** It was over half an hour to two hours before, and of another kind. */
function firstWave(random: Random, { world, generator }: Setting, { from, main }: TrafficEvent): TrafficEvent {
  const pause = random.whole(30, 120);
  const drawn = generator.drawEvent(random, world, 'category wave', 0, main ?? undefined);
  const length = Math.min(45, drawn.to);
  return { ...drawn, ratio: Math.min(drawn.ratio, 5), from: from - pause - length, to: from - pause };
}

/** Over well before the window, or at the same hours of an earlier day. */
function oldWave(random: Random, { world, generator }: Setting, before: number): TrafficEvent {
  const back = random.pick([0, DAY, 7 * DAY, 14 * DAY]);
  const drawn = generator.drawEvent(random, world, random.pick(['step', 'flood', 'category wave'] as const), 0);
  const length = Math.min(90, drawn.to);
  const end = back === 0 ? before - random.whole(90, 300) : before - back + random.whole(0, 60);
  return { ...drawn, from: end - length, to: end };
}

function crowdAt(random: Random, from: number, now: number): Crowd {
  const begin = random.whole(from - 60, now - 20);
  return { from: begin, to: begin + random.whole(60, 240), factor: random.between(1.5, 4.5) };
}

function holesFor(random: Random, from: number, now: number): Hole[] {
  const hole = (at: number, longest: number): Hole => [at, at + random.whole(5, longest)];
  const holes = [hole(from - random.whole(30, 360), 120)];
  if (random.chance(0.4)) holes.push(hole(random.whole(from, now - 25), 18));
  const back = random.pick([DAY, 7 * DAY, 14 * DAY]);
  if (random.chance(0.6)) holes.push(hole(from - back - random.whole(-30, 200), 400));
  return holes;
}
