/**
 * Weeks of traffic of one site, minute by minute, without any event: what is normal there. Nightly and weekly scans, a
 * start after zeros, a release, a trend and the change of the clocks are part of what is normal.
 */
import type { RecordedNumbers } from '../../../src/episodes/recorded-statistics.ts';
import { createRandom, type Random } from './random.ts';
import type { Site } from './sites.ts';

export const DAY = 1440;
export const WEEK = 7 * DAY;
const MINUTE_MS = 60_000;

export interface WorldOptions {
  readonly seed: number;
  readonly site: Site;
  readonly zone: string;
  readonly startMs: number;
  readonly minutes: number;
  /** The share of the site's sessions that come in these weeks; 1 unless said. */
  readonly sessions?: number | undefined;
  /** A scan that comes every night, or every week, at about the same time. */
  readonly scans?: 'nightly' | 'weekly' | undefined;
  /** The first minute of the site; all before is zero. */
  readonly bornAt?: number | undefined;
  /** From this minute on there are so many times the attacks, and other ones. */
  readonly release?: { readonly at: number; readonly factor: number } | undefined;
  /** Growth in a week, such as 0.1. */
  readonly trend?: number | undefined;
  /** As the benchmark has it: all categories keep their shares around the clock, and nothing happened in the weeks before. */
  readonly plain?: boolean | undefined;
}

/** Counts of one category or of the visitors, by minute. */
export type Column = Int32Array;

export interface World extends WorldOptions {
  /** The attacks to expect in each minute: hour, weekday, trend and release, but no mood, scan or session. */
  readonly usual: Float64Array;
  readonly visitors: Column;
  readonly categories: Map<string, Column>;
  /** Minutes `[from, to)` of each scan. */
  readonly scanned: readonly (readonly [from: number, to: number])[];
  /** Minutes `[from, to)` of each scanner of a kind that the site has never seen: rare, but normal. */
  readonly strange: readonly (readonly [from: number, to: number])[];
}

/** What a scanner sends, mostly one kind. */
const SCANNERS = ['robot', 'vuln', 'sqli', 'xss', 'lfi', 'illegal', 'custom', 'cc'];
/** A session is worth so many minutes of the site's attacks: median, spread (logarithmic) and limit. */
const SESSION = { worth: 5, spread: 0.9, most: 25, minutes: 6 };
const SESSION_MEAN = 6.8;

export function createWorld(options: WorldOptions): World {
  const { seed, site, minutes, bornAt = 0, release } = options;
  const random = createRandom(seed, 1);
  const hours = hoursOf(options);
  const visitors = new Int32Array(minutes);
  const usual = new Float64Array(minutes);
  const names = Object.keys(site.mix);
  const weights = weightsOf(site.mix);
  const released = weightsOf(Object.fromEntries(names.map((name) => [name, (site.mix[name] ?? 0) * random.gamma(3)])));
  const columns = names.map(() => new Int32Array(minutes));
  const moods = [
    moodOf(random, site, minutes),
    ...names.map(() => moodOf(random, { ...site, mood: site.mood / 2 }, minutes)),
  ];
  const crowd = moodOf(random, { mood: 0.05, moodHours: 3 }, minutes);
  const busy = 1 - sessionShare(options);
  const mixAt = mixByHour(options, names);
  let clump = 1;
  for (let at = bornAt; at < minutes; at++) {
    const { visits, attacks } = hours[Math.floor(at / 60)] ?? { visits: 1, attacks: 1 };
    const isReleased = release !== undefined && at >= release.at;
    const mix = mixAt(isReleased ? released : weights, visits);
    const level = site.attacks * attacks * (isReleased ? release.factor : 1);
    usual[at] = level;
    visitors[at] = random.poisson(site.visitors * visits * (crowd[at] ?? 1) * random.gamma(150));
    if (at % 5 === 0) clump = random.gamma(site.evenness * 4);
    const rate = level * busy * (moods[0]?.[at] ?? 1) * clump * random.gamma(site.evenness);
    for (let kind = 0; kind < names.length; kind++) {
      const column = columns[kind];
      if (column !== undefined) column[at] = random.poisson(rate * (mix[kind] ?? 0) * (moods[kind + 1]?.[at] ?? 1));
    }
  }
  const categories = new Map(names.map((name, kind) => [name, columns[kind] ?? new Int32Array(minutes)]));
  const world = { ...options, usual, visitors, categories, scanned: [], strange: [] };
  addSessions(world, random);
  const scanned = addScans(world, random);
  return { ...world, scanned, strange: addStrangers(world, createRandom(seed, 4)) };
}

/**
 * On every second site some categories follow the visitors and others come while these sleep. Gives their parts, by the visitors
 * of the hour as a multiple of the usual.
 */
export function mixByHour(
  { seed, plain = false }: WorldOptions,
  names: readonly string[],
): (mix: readonly number[], visits: number) => readonly number[] {
  const random = createRandom(seed, 8);
  if (plain || random.chance(0.5)) return (mix) => mix;
  const follows = names.map(() => random.pick([-0.7, 0, 0.7]));
  let last: { mix: readonly number[]; visits: number; parts: number[] } = { mix: [], visits: 0, parts: [] };
  return (mix, visits) => {
    if (mix !== last.mix || visits !== last.visits) {
      const parts = mix.map((part, kind) => part * visits ** (follows[kind] ?? 0));
      const all = parts.reduce((sum, part) => sum + part, 0);
      last = { mix, visits, parts: parts.map((part) => part / all) };
    }
    return last.parts;
  };
}

/** What sites have never seen, unless it is part of their mix. */
export const STRANGE = ['rfi', 'webshell', 'antitamper', 'geoip', 'cmdi', 'lfi', 'xxe', 'ssrf', 'leak'];
/** Scanners of a kind that the site has never seen: one a month. */
const STRANGE_PER_MINUTE = 1 / (30 * DAY);

/** They send a handful, or what the site sees in some minutes. */
export function addStrangers(world: Omit<World, 'strange'>, random: Random): [from: number, to: number][] {
  const { minutes, usual, categories, site } = world;
  const unseen = STRANGE.filter((name) => !(name in site.mix));
  const pause = (): number => -Math.log(1 - random.part()) / STRANGE_PER_MINUTE;
  const strangers: [number, number][] = [];
  for (let at = (world.bornAt ?? 0) + pause(); at < minutes; at += pause()) {
    const from = Math.floor(at);
    const main = random.pick(unseen);
    const to = Math.min(minutes, from + random.whole(2, 25));
    const worth = 4 * Math.exp(0.8 * random.normal()) * (usual[from] ?? 0);
    const perMinute = Math.max(random.whole(8, 60), worth) / (to - from);
    const column = categories.get(main) ?? new Int32Array(minutes);
    world.categories.set(main, column);
    for (let minute = from; minute < to; minute++) column[minute] = (column[minute] ?? 0) + random.poisson(perMinute);
    strangers.push([from, to]);
  }
  return strangers;
}

const sessionShare = ({ site, sessions = 1 }: WorldOptions): number => site.sessions * sessions;

export function weightsOf(mix: Readonly<Record<string, number>>): number[] {
  const values = Object.values(mix);
  const all = values.reduce((sum, value) => sum + value, 0);
  return values.map((value) => value / all);
}

/** Multiples of the average by the local hour and weekday, with the trend; the same for the whole hour of the data. */
function hoursOf({ site, zone, startMs, minutes, trend = 0 }: WorldOptions): { visits: number; attacks: number }[] {
  const shape = (strength: number, hour: number): number =>
    Math.exp(strength * Math.cos((2 * Math.PI * (hour - 14)) / 24)) / (1 + (strength * strength) / 4);
  return Array.from({ length: Math.ceil(minutes / 60) }, (_, at) => {
    const local = Temporal.Instant.fromEpochMilliseconds(startMs + at * 60 * MINUTE_MS).toZonedDateTimeISO(zone);
    const weekend = local.dayOfWeek >= 6 ? site.weekend : 1;
    const growth = Math.exp(trend * (at / (7 * 24)));
    return {
      visits: shape(site.day, local.hour) * weekend * growth,
      // Attackers keep office hours less than visitors do.
      attacks: shape(site.day / 2, local.hour) * Math.sqrt(weekend) * growth,
    };
  });
}

/** A slow wandering around 1. */
function moodOf(random: Random, { mood, moodHours }: Pick<Site, 'mood' | 'moodHours'>, minutes: number): Float64Array {
  const step = 10;
  const keep = Math.exp(-step / (moodHours * 60));
  const push = mood * Math.sqrt(1 - keep * keep);
  const values = new Float64Array(minutes);
  let now = mood * random.normal();
  for (let at = 0; at < minutes; at += step) {
    now = now * keep + push * random.normal();
    values.fill(Math.exp(now - (mood * mood) / 2), at, at + step);
  }
  return values;
}

function addSessions(world: World, random: Random): void {
  const { minutes, usual } = world;
  const known = SCANNERS.filter((name) => world.categories.has(name));
  const perMinute = sessionShare(world) / SESSION_MEAN;
  const pause = (): number => -Math.log(1 - random.part()) / perMinute;
  for (let at = (world.bornAt ?? 0) + pause(); at < minutes; at += pause()) {
    const from = Math.floor(at);
    const worth = Math.min(SESSION.most, SESSION.worth * Math.exp(SESSION.spread * random.normal()));
    const length = Math.min(30, Math.max(2, Math.round(SESSION.minutes * Math.exp(0.6 * random.normal()))));
    const size = worth * (usual[from] ?? 0);
    burst(world, random, { from, length, size, main: random.pick(known), share: 0.75 });
  }
}

interface Burst {
  readonly from: number;
  readonly length: number;
  readonly size: number;
  readonly main: string;
  /** How much of it is of the main kind; the rest is like the site. */
  readonly share: number;
}

/** Adds about `size` attacks; a scanner of few attacks still sends a handful. */
function burst(world: World, random: Random, { from, length, size, main, share }: Burst): void {
  const { mix } = world.site;
  const others = Object.keys(mix);
  const weights = weightsOf(mix);
  const perMinute = Math.max(size, 2) / length;
  for (let at = from; at < Math.min(world.minutes, from + length); at++) {
    const rate = perMinute * random.gamma(3);
    others.forEach((name, kind) => {
      const part = (1 - share) * (weights[kind] ?? 0) + (name === main ? share : 0);
      const column = world.categories.get(name);
      if (column !== undefined) column[at] = (column[at] ?? 0) + random.poisson(rate * part);
    });
  }
}

function addScans(world: World, random: Random): [from: number, to: number][] {
  const { scans, site, minutes, bornAt = 0, usual } = world;
  if (scans === undefined) return [];
  const every = scans === 'nightly' ? DAY : WEEK;
  const first = random.whole(0, every - 1);
  const length = random.whole(15, 45);
  const factor = random.between(2, scans === 'nightly' ? 6 : 9);
  const known = Object.keys(site.mix).filter((name) => SCANNERS.includes(name));
  const main = random.pick(known);
  const scanned: [number, number][] = [];
  for (let due = first; due < minutes; due += every) {
    // By the scanner's own clock, which is not very precise; now and then it does not come.
    const from = Math.max(0, Math.round(due + 6 * random.normal()));
    if (from < bornAt || random.chance(0.03)) continue;
    const size = factor * length * (usual[from] ?? 0) * random.gamma(20);
    burst(world, random, { from, length, size, main, share: 0.6 });
    scanned.push([from, from + length]);
  }
  return scanned;
}

/** Attacks of all categories, by minute. */
export function attacksOf({ categories, minutes }: Pick<World, 'categories' | 'minutes'>): Column {
  const sum = new Int32Array(minutes);
  for (const column of categories.values()) {
    for (let at = 0; at < minutes; at++) sum[at] = (sum[at] ?? 0) + (column[at] ?? 0);
  }
  return sum;
}

/** Minutes for which the service has no numbers. */
export type Hole = readonly [from: number, to: number];

/** As an operator would export it, for the minutes `[from, to)`. */
export function recorded(
  { startMs, minutes, visitors, categories }: Pick<World, 'startMs' | 'minutes' | 'visitors' | 'categories'>,
  from: number,
  to: number,
  holes: readonly Hole[] = [],
): RecordedNumbers {
  const attacks = attacksOf({ categories, minutes });
  const requests = attacks.map((count, at) => count + (visitors[at] ?? 0));
  const cut = (column: Column): (number | null)[] => {
    const part: (number | null)[] = [];
    for (let at = from; at < to; at++) part.push(column[at] ?? 0);
    for (const [first, last] of holes) part.fill(null, Math.max(0, first - from), Math.max(0, last - from));
    return part;
  };
  return {
    startMs: startMs + from * MINUTE_MS,
    intervalMs: MINUTE_MS,
    requests: cut(requests),
    attacks: cut(attacks),
    categories: Object.fromEntries([...categories].map(([name, column]) => [name, cut(column)])),
  };
}
