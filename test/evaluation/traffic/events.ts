/**
 * What is not normal, added to a world: floods, waves of a category, slow burns, spikes, and drops. The truth about each
 * is known by construction: when it began and ended, how many attacks it added, and whether anybody could see it.
 */
import { createRandom, type Random } from './random.ts';
import { type Column, DAY, STRANGE, type World } from './world.ts';

export type EventKind =
  | 'flood'
  | 'category wave'
  | 'step'
  | 'slow burn'
  | 'spike'
  | 'takeover'
  | 'new category'
  | 'attacks gone'
  | 'visitors gone';

export const RISES: readonly EventKind[] = ['flood', 'category wave', 'step', 'slow burn', 'spike'];

/** A category takes over, or is new, at an unchanged total. */
export const MIXES: readonly EventKind[] = ['takeover', 'new category'];

export const DROPS: readonly EventKind[] = ['attacks gone', 'visitors gone'];

export interface TrafficEvent {
  readonly kind: EventKind;
  /** Minutes `[from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Attacks at its height as a multiple of the usual; for a drop the share that is left. */
  readonly ratio: number;
  /** Of the attacks that it adds. */
  readonly main: string | null;
  /** How it goes; as is usual for its kind unless said. */
  readonly shape?: 'flat' | 'ramp' | 'decay' | 'saw';
  /** Of a mix: the share of the other attacks that become attacks of the main category. */
  readonly share?: number;
}

export const isMix = ({ kind }: Pick<TrafficEvent, 'kind'>): boolean => MIXES.includes(kind);

const LENGTHS: Readonly<Record<EventKind, readonly [number, number]>> = {
  flood: [12, 60],
  'category wave': [15, 100],
  step: [20, 180],
  'slow burn': [150, 480],
  spike: [6, 14],
  takeover: [30, 150],
  'new category': [30, 150],
  'attacks gone': [30, 240],
  'visitors gone': [15, 180],
};

const WAVE_CATEGORIES = ['sqli', 'xss', 'cmdi', 'lfi', 'rfi', 'webshell', 'vuln', 'custom', 'illegal'];

/** An event of this kind that begins at a minute; mild or strong as it happens. */
export function drawEvent(random: Random, world: World, kind: EventKind, from: number, other?: string): TrafficEvent {
  const [shortest, longest] = LENGTHS[kind];
  const to = from + random.whole(shortest, longest);
  if (kind === 'attacks gone') return { kind, from, to, ratio: 0, main: null };
  if (kind === 'visitors gone') return { kind, from, to, ratio: random.between(0, 0.04), main: null };
  if (MIXES.includes(kind)) return { kind, from, to, ratio: 1, ...mixOf(random, world, kind) };
  const strong = random.chance(0.55);
  const low = kind === 'spike' ? 3 : 1.6;
  const drawn = strong ? Math.exp(random.between(Math.log(3), Math.log(15))) : random.between(low, 3.2);
  const ratio = kind === 'slow burn' ? random.between(1.6, 4) : Math.max(low, drawn);
  const waves = WAVE_CATEGORIES.filter((name) => name !== other);
  const main =
    kind === 'flood'
      ? world.categories.has('cc') && random.chance(0.7)
        ? 'cc'
        : 'robot'
      : kind === 'category wave'
        ? random.pick(waves)
        : kind === 'step' || kind === 'spike'
          ? random.pick([null, random.pick(waves)])
          : null;
  // Where hardly anything happens, an attack is not a multiple of that: it brings a handful a minute at least.
  const usual = Math.max(world.usual[from] ?? 0, 0.02);
  return { kind, from, to, ratio: Math.max(ratio, 1 + random.between(1.5, 5) / usual / 2), main };
}

/** Which category takes over, and how much of the rest becomes that. */
export function mixOf(random: Random, { site }: World, kind: EventKind): { main: string; share: number } {
  const known = Object.keys(site.mix);
  const main = random.pick(kind === 'takeover' ? known : STRANGE.filter((name) => !known.includes(name)));
  return { main, share: random.between(0.35, 0.9) };
}

/** The part of an event's height that it has reached at a minute. */
function heightAt({ kind, from, to, shape }: TrafficEvent, at: number): number {
  if (at < from || at >= to) return 0;
  const part = (at + 0.5 - from) / (to - from);
  if (shape === 'flat') return 1;
  if (shape === 'ramp') return Math.min(1, part * 3);
  if (shape === 'decay') return Math.exp(-2 * part);
  if (shape === 'saw') return 0.4 + 0.6 * ((4 * part) % 1);
  if (kind === 'slow burn') return Math.min(1, part / 0.6);
  if (kind === 'flood') return Math.min(1, part * 8) * Math.min(1, (1 - part) * 8 + 0.3);
  return 1;
}

/** Attacks that an event is expected to add in a minute. */
export function addedAt(event: TrafficEvent, world: World, at: number): number {
  if (event.ratio < 1) return 0;
  return heightAt(event, at) * (event.ratio - 1) * (world.usual[at] ?? 0);
}

export interface Crowd {
  /** Minutes `[from, to)`, and so many times the visitors at its height; attacks grow in proportion. */
  readonly from: number;
  readonly to: number;
  readonly factor: number;
}

/** The columns of a world with events and crowds in them; the world stays as it is. */
export function withEvents(
  world: World,
  seed: number,
  events: readonly TrafficEvent[],
  crowds: readonly Crowd[] = [],
): Pick<World, 'startMs' | 'minutes' | 'visitors' | 'categories'> {
  const random = createRandom(seed, 2);
  const visitors = world.visitors.slice();
  const categories = new Map([...world.categories].map(([name, column]) => [name, column.slice()]));
  for (const crowd of crowds) addCrowd(random, crowd, visitors, categories);
  for (const event of events) {
    if (event.ratio < 1) drop(random, event, visitors, categories);
    else if (isMix(event)) takeOver(random, event, categories, world.minutes);
    else rise(random, event, world, categories);
  }
  return { startMs: world.startMs, minutes: world.minutes, visitors, categories };
}

function addCrowd(
  random: Random,
  { from, to, factor }: Crowd,
  visitors: Column,
  categories: Map<string, Column>,
): void {
  for (let at = Math.max(0, from); at < Math.min(to, visitors.length); at++) {
    const rise = Math.min(1, (at - from + 1) / 20, (to - at) / 30);
    const more = (factor - 1) * rise;
    visitors[at] = (visitors[at] ?? 0) + random.poisson((visitors[at] ?? 0) * more);
    for (const column of categories.values()) column[at] = (column[at] ?? 0) + random.poisson((column[at] ?? 0) * more);
  }
}

function drop(random: Random, event: TrafficEvent, visitors: Column, categories: Map<string, Column>): void {
  const thin = (column: Column): void => {
    for (let at = Math.max(0, event.from); at < Math.min(event.to, column.length); at++) {
      column[at] = Math.min(column[at] ?? 0, random.poisson((column[at] ?? 0) * event.ratio));
    }
  };
  if (event.kind === 'visitors gone') thin(visitors);
  for (const column of categories.values()) thin(column);
}

/** Each attack of another category becomes one of the main category with the chance of its share. */
function takeOver(
  random: Random,
  { main, share = 0, from, to }: TrafficEvent,
  categories: Map<string, Column>,
  minutes: number,
): void {
  if (main === null) return;
  const own = categories.get(main) ?? new Int32Array(minutes);
  categories.set(main, own);
  for (let at = Math.max(0, from); at < Math.min(to, minutes); at++) {
    for (const [name, column] of categories) {
      if (name === main) continue;
      const moved = Math.min(column[at] ?? 0, random.poisson((column[at] ?? 0) * share));
      column[at] = (column[at] ?? 0) - moved;
      own[at] = (own[at] ?? 0) + moved;
    }
  }
}

function rise(random: Random, event: TrafficEvent, world: World, categories: Map<string, Column>): void {
  const { mix } = world.site;
  const all = Object.values(mix).reduce((sum, weight) => sum + weight, 0);
  const share = event.main === null ? 0 : 0.92;
  if (event.main !== null && !categories.has(event.main)) {
    categories.set(event.main, new Int32Array(world.minutes));
  }
  for (let at = Math.max(0, event.from); at < Math.min(event.to, world.minutes); at++) {
    const rate = addedAt(event, world, at) * random.gamma(10);
    for (const [name, column] of categories) {
      const part = ((1 - share) * (mix[name] ?? 0)) / all + (name === event.main ? share : 0);
      column[at] = (column[at] ?? 0) + random.poisson(rate * part);
    }
  }
}

/** When the truth says that something could be seen: it is more than the site itself produces once in 40 windows. */
const ONCE_IN = 40;
const WINDOW = 60;
const MIN_ADDED = 20;
/** Of what is usual in as much time. */
const MIN_SHARE = 0.5;
/** Attacks to expect, at least, for their absence to say anything. */
const MIN_LOST = 30;
/** Windows in which about as much is usual, at least, to go by these alone. */
const MIN_ALIKE = 150;

interface Sums {
  readonly seen: Float64Array;
  readonly usual: Float64Array;
}

const summed = new WeakMap<Column, Sums>();

function sumsOf(counts: Column, usual: Float64Array): Sums {
  const known = summed.get(counts);
  if (known !== undefined) return known;
  const sums = { seen: new Float64Array(counts.length + 1), usual: new Float64Array(counts.length + 1) };
  for (let at = 0; at < counts.length; at++) {
    sums.seen[at + 1] = (sums.seen[at] ?? 0) + (counts[at] ?? 0);
    sums.usual[at + 1] = (sums.usual[at] ?? 0) + (usual[at] ?? 0);
  }
  summed.set(counts, sums);
  return sums;
}

const within = (sums: Float64Array, from: number, to: number): number => (sums[to] ?? 0) - (sums[from] ?? 0);

/**
 * What the best `length` minutes of an hour have beyond the usual once in `onceIn` hours, by the four weeks before and by the
 * hours in which about as much was usual.
 */
function farOf(world: World, sums: Sums, until: number, length: number, due: number, onceIn: number): number {
  const best: { usual: number; excess: number }[] = [];
  const step = Math.max(1, Math.floor(length / 4));
  const first = Math.max(world.bornAt ?? 0, until - 28 * DAY);
  for (let start = first; start + WINDOW + length <= until; start += WINDOW) {
    if (world.scanned.some(([from, to]) => from < start + WINDOW + length && to > start)) continue;
    let most = { usual: 0, excess: Number.NEGATIVE_INFINITY };
    for (let from = start; from < start + WINDOW; from += step) {
      const usual = within(sums.usual, from, from + length);
      const excess = within(sums.seen, from, from + length) - usual;
      if (excess > most.excess) most = { usual, excess };
    }
    best.push(most);
  }
  const alike = best.filter(({ usual }) => usual >= due / 2 && usual <= due * 2);
  const excesses = (alike.length >= MIN_ALIKE ? alike : best).map(({ excess }) => excess).sort((a, b) => a - b);
  return excesses[Math.floor(excesses.length * (1 - 1 / onceIn))] ?? 0;
}

/**
 * Whether the part of an event in the minutes `[from, to)` can be seen by somebody who knows the site well; `times`: by somebody
 * who asks for what's so many times as rare.
 */
export function isDetectable(
  event: TrafficEvent,
  world: World,
  attacks: Column,
  from: number,
  to: number,
  times = 1,
): boolean {
  const first = Math.max(from, event.from);
  const last = Math.min(to, event.to);
  const length = last - first;
  if (length < 5) return false;
  let usual = 0;
  let added = 0;
  let visits = 0;
  for (let at = first; at < last; at++) {
    usual += world.usual[at] ?? 0;
    added += addedAt(event, world, at);
    visits += world.visitors[at] ?? 0;
  }
  if (event.kind === 'attacks gone') return length >= 20 && usual >= MIN_LOST;
  if (event.kind === 'visitors gone') return length >= 10 && visits >= 3 * MIN_LOST;
  const isMore = (more: number, due: number, sums: Sums, onceIn: number): boolean =>
    more >= MIN_ADDED && more >= MIN_SHARE * due && more > farOf(world, sums, event.from, length, due, onceIn);
  if (!isMix(event)) return isMore(added, usual, sumsOf(attacks, world.usual), times * ONCE_IN);
  const own = world.categories.get(event.main ?? '') ?? new Int32Array(world.minutes);
  const ownSums = { seen: sumsOf(own, world.usual).seen, usual: usualSums(world, own, attacks, first) };
  const due = within(ownSums.usual, first, last);
  // A site with ten categories produces once in 40 windows what each of them produces once in 400.
  return isMore((event.share ?? 0) * (usual - due), due, ownSums, times * ONCE_IN * world.categories.size);
}

/** What is usual of a category, as sums from the beginning: its part of all attacks, by the same hours of the days before. */
function usualSums(world: World, own: Column, attacks: Column, until: number): Float64Array {
  const hourOf = (at: number): number => (world.plain === true ? 0 : Math.floor(at / 60) % 24);
  const [ofOwn, ofAll] = [new Float64Array(24), new Float64Array(24)];
  for (let at = 0; at < until; at++) {
    const hour = hourOf(at);
    ofOwn[hour] = (ofOwn[hour] ?? 0) + (own[at] ?? 0);
    ofAll[hour] = (ofAll[hour] ?? 0) + (attacks[at] ?? 0);
  }
  const sums = new Float64Array(world.minutes + 1);
  for (let at = 0; at < world.minutes; at++) {
    const part = (ofOwn[hourOf(at)] ?? 0) / Math.max(1, ofAll[hourOf(at)] ?? 0);
    sums[at + 1] = (sums[at] ?? 0) + part * (world.usual[at] ?? 0);
  }
  return sums;
}

/** Attacks in the strongest quarter of an hour as a multiple of the usual, and how many more, between two minutes. */
export function strength(
  event: TrafficEvent,
  world: World,
  from: number,
  to: number,
): { ratio: number; added: number } {
  const length = 15;
  let best = { ratio: 1, added: 0 };
  const first = Math.max(from, event.from - length);
  for (let start = first; start + length <= to; start++) {
    let usual = 0;
    let added = 0;
    for (let at = start; at < start + length; at++) {
      usual += world.usual[at] ?? 0;
      added += addedAt(event, world, at);
    }
    if (added > best.added) best = { ratio: (usual + added) / Math.max(usual, 0.5), added };
  }
  return best;
}
