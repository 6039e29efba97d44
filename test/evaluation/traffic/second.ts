/**
 * A second generator, made in another way than the first, so that a rule can't fit one alone: other rhythms, levels that
 * change from day to day, mixes that are drawn anew each day, and bursts with a heavy tail that decay. Sites have 20 to
 * 100,000 attacks a day.
 */
import { type EventKind, MIXES, mixOf, type TrafficEvent } from './events.ts';
import { createRandom, type Random } from './random.ts';
import type { Site } from './sites.ts';
import { addStrangers, DAY, mixByHour, WEEK, type World, type WorldOptions, weightsOf } from './world.ts';

const SIZES = { least: 20, most: 100_000 };
const KINDS = [
  'xss',
  'sqli',
  'cc',
  'custom',
  'illegal',
  'robot',
  'vuln',
  'whiteblackip',
  'lfi',
  'cmdi',
  'rfi',
  'geoip',
];

/** A site of another size for each index; 20 of them cover all sizes. */
export function secondSite(random: Random, index: number): Site {
  const place = ((index * 7) % 20) / 19;
  const perDay = SIZES.least * (SIZES.most / SIZES.least) ** place;
  const attacks = perDay / DAY;
  const known = KINDS.filter(() => random.chance(0.6));
  // A few categories make most of it, as in a Zipf distribution.
  const mix = Object.fromEntries(known.map((name, rank) => [name, random.gamma(4) / (rank + 1) ** 1.3]));
  return {
    name: perDay < 300 ? 'small' : perDay < 5_000 ? 'medium' : perDay < 30_000 ? 'large' : 'huge',
    attacks,
    visitors: attacks * Math.exp(random.between(Math.log(5), Math.log(200))) + 2,
    day: random.between(0, 0.9),
    weekend: random.pick([1, 0.9, 0.6, 0.3]),
    mood: random.between(0.03, 0.2),
    moodHours: 24,
    evenness: random.between(2, 12),
    sessions: random.between(0.05, 0.3),
    bursty: true,
    mix: { sqli: 0.4, robot: 0.6, ...mix },
  };
}

const bump = (hour: number, at: number, width: number): number => {
  const apart = Math.min(Math.abs(hour - at), 24 - Math.abs(hour - at));
  return Math.exp(-((apart / width) ** 2) / 2);
};
const RHYTHMS: readonly ((hour: number) => number)[] = [
  (hour) => (hour >= 8 && hour < 18 ? 1 : hour >= 6 && hour < 20 ? 0.5 : 0),
  (hour) => bump(hour, 12, 2) + bump(hour, 20, 2.5),
  (hour) => bump(hour, 21, 3),
  (hour) => (hour < 6 ? 1 : 0.2),
];

/** Multiples of the average in each hour, for attacks and visitors. */
function rhythmOf({ site, zone, startMs, minutes, trend = 0 }: WorldOptions, random: Random) {
  const rhythm = random.pick(RHYTHMS);
  const mean = Array.from({ length: 24 }, (_, hour) => rhythm(hour)).reduce((sum, value) => sum + value, 0) / 24;
  const shape = (hour: number, depth: number): number => Math.max(0.05, 1 + depth * (rhythm(hour % 24) / mean - 1));
  // Attackers sit in another part of the world as often as not.
  const shift = random.pick([0, 0, 6, 13]);
  const weekdays = Array.from({ length: 8 }, () => Math.exp(0.06 * random.normal()));
  const hours = Math.ceil(minutes / 60);
  const levels = new Float64Array(Math.ceil(hours / 24) + 1);
  for (let day = 0, level = 0; day < levels.length; day++) {
    level = 0.6 * level + site.mood * random.normal();
    levels[day] = Math.exp(level - site.mood ** 2);
  }
  return Array.from({ length: hours }, (_, at) => {
    const local = Temporal.Instant.fromEpochMilliseconds(startMs + at * 3_600_000).toZonedDateTimeISO(zone);
    const day = (local.dayOfWeek >= 6 ? site.weekend : 1) * (weekdays[local.dayOfWeek] ?? 1);
    const growth = Math.exp(trend * (at / 168));
    return {
      attacks: shape(local.hour + shift, 0.6 * site.day) * Math.sqrt(day) * growth * (levels[Math.floor(at / 24)] ?? 1),
      visits: shape(local.hour, site.day) * day * growth,
    };
  });
}

/** How fast bursts thin out, by size, and how long they are. */
const BURST = { tail: 1.5, worth: 2, most: 40, minutes: 8 };
const BURST_MEAN = 5.4;
const MIN_BURST = 4;

export function createSecondWorld(options: WorldOptions): World {
  const { seed, site, minutes, bornAt = 0, release, sessions = 1 } = options;
  const random = createRandom(seed, 21);
  const hours = rhythmOf(options, random);
  const names = Object.keys(site.mix);
  const base = weightsOf(site.mix);
  const concentration = random.between(40, 300);
  const categories = new Map(names.map((name) => [name, new Int32Array(minutes)]));
  const visitors = new Int32Array(minutes);
  const usual = new Float64Array(minutes);
  const share = site.sessions * sessions;
  const mixAt = mixByHour(options, names);
  let ofDay = base;
  let quarter = 1;
  for (let at = bornAt; at < minutes; at++) {
    // The mix of a day, drawn anew around that of the site.
    if (at === bornAt || at % DAY === 0)
      ofDay = weightsOf(byName(names, base, (part) => dirichlet(random, part * concentration)));
    if (at % 15 === 0) quarter = random.gamma(site.evenness * 6);
    const hour = hours[Math.floor(at / 60)] ?? { attacks: 1, visits: 1 };
    const mix = mixAt(ofDay, hour.visits);
    const level = site.attacks * hour.attacks * (release !== undefined && at >= release.at ? release.factor : 1);
    usual[at] = level;
    visitors[at] = random.poisson(site.visitors * hour.visits * random.gamma(60));
    const rate = level * (1 - share) * quarter * random.gamma(site.evenness);
    for (let kind = 0; kind < names.length; kind++) {
      const column = categories.get(names[kind] ?? '');
      if (column !== undefined) column[at] = random.poisson(rate * (mix[kind] ?? 0));
    }
  }
  const world = { ...options, usual, visitors, categories, scanned: [], strange: [] };
  addBursts(world, random, share);
  const scanned = addVisits(world, random);
  return { ...world, scanned, strange: addStrangers(world, createRandom(seed, 24)) };
}

const byName = (names: readonly string[], values: readonly number[], of: (value: number) => number) =>
  Object.fromEntries(names.map((name, at) => [name, of(values[at] ?? 0)]));

const dirichlet = (random: Random, shape: number): number =>
  Math.max(1e-6, shape * random.gamma(Math.max(0.05, shape)));

/** Adds about `size` attacks of a category: most of them in its first minutes. */
function burst(world: World, random: Random, main: string, from: number, length: number, size: number): void {
  const column = world.categories.get(main);
  if (column === undefined) return;
  const all = Array.from({ length }, (_, minute) => Math.exp((-2.5 * minute) / length)).reduce((a, b) => a + b, 0);
  for (let at = from; at < Math.min(world.minutes, from + length); at++) {
    const rate = (size * Math.exp((-2.5 * (at - from)) / length)) / all;
    column[at] = (column[at] ?? 0) + random.poisson(rate * random.gamma(2));
  }
}

function addBursts(world: World, random: Random, share: number): void {
  const { minutes, usual, site } = world;
  const names = Object.keys(site.mix);
  // Every site has its favorites among scanners.
  const favorites = names.filter(() => random.chance(0.5));
  const perMinute = share / BURST_MEAN;
  const pause = (): number => -Math.log(1 - random.part()) / perMinute;
  for (let at = (world.bornAt ?? 0) + pause(); at < minutes; at += pause()) {
    const from = Math.floor(at);
    const worth = Math.min(BURST.most, BURST.worth * (1 - random.part()) ** (-1 / BURST.tail));
    const length = Math.min(90, Math.max(2, Math.round(BURST.minutes * Math.exp(0.8 * random.normal()))));
    const main = random.pick(favorites.length > 0 && random.chance(0.8) ? favorites : names);
    const size = worth * (usual[from] ?? 0);
    // On a small site bursts are rarer, not smaller.
    if (random.chance(size / MIN_BURST)) burst(world, random, main, from, length, Math.max(MIN_BURST, size));
  }
}

/** The scans that come every night or week: of one category, by a clock that is now and then off by half an hour. */
function addVisits(world: World, random: Random): [from: number, to: number][] {
  const { scans, minutes, bornAt = 0, usual, site } = world;
  if (scans === undefined) return [];
  const every = scans === 'nightly' ? DAY : WEEK;
  const main = random.pick(Object.keys(site.mix));
  const length = random.whole(10, 60);
  const factor = random.between(2, 8);
  const scanned: [number, number][] = [];
  for (let due = random.whole(0, every - 1); due < minutes; due += every) {
    const from = Math.max(0, Math.round(due + (random.chance(0.1) ? 12 : 3) * random.normal()));
    if (from < bornAt) continue;
    burst(world, random, main, from, length, factor * length * (usual[from] ?? 0) * random.gamma(12));
    scanned.push([from, from + length]);
  }
  return scanned;
}

const LENGTHS: Readonly<Record<EventKind, readonly [number, number]>> = {
  flood: [10, 90],
  'category wave': [10, 150],
  step: [30, 240],
  'slow burn': [180, 600],
  spike: [5, 15],
  takeover: [30, 200],
  'new category': [30, 200],
  'attacks gone': [25, 300],
  'visitors gone': [12, 240],
};

export function drawSecondEvent(
  random: Random,
  world: World,
  kind: EventKind,
  from: number,
  other?: string,
): TrafficEvent {
  const [shortest, longest] = LENGTHS[kind];
  const to = from + Math.round(Math.exp(random.between(Math.log(shortest), Math.log(longest))));
  if (kind === 'attacks gone') return { kind, from, to, ratio: random.between(0, 0.02), main: null };
  if (kind === 'visitors gone') return { kind, from, to, ratio: random.between(0, 0.05), main: null };
  if (MIXES.includes(kind)) return { kind, from, to, ratio: 1, ...mixOf(random, world, kind) };
  const drawn = Math.exp(random.between(Math.log(1.7), Math.log(12)));
  const ratio = kind === 'slow burn' ? random.between(1.5, 3.5) : drawn;
  const shape = kind === 'slow burn' ? 'ramp' : random.pick(['flat', 'ramp', 'decay', 'saw'] as const);
  const kinds = KINDS.filter((name) => name !== other);
  const main = kind === 'category wave' || random.chance(0.5) ? random.pick(kinds) : null;
  const usual = Math.max(world.usual[from] ?? 0, 0.01);
  return { kind, from, to, ratio: Math.max(ratio, 1 + random.between(0.5, 3) / usual), main, shape };
}
