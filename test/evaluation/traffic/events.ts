/**
 * What is not normal, added to a world: floods, waves of a category, slow burns, spikes, and drops. The truth about each
 * is known by construction: when it began and ended, how many attacks it added, and whether anybody could see it.
 */
import { createRandom, type Random } from './random.ts';
import { type Column, DAY, type World } from './world.ts';

export type EventKind = 'flood' | 'category wave' | 'step' | 'slow burn' | 'spike' | 'attacks gone' | 'visitors gone';

export const RISES: readonly EventKind[] = ['flood', 'category wave', 'step', 'slow burn', 'spike'];

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
}

const LENGTHS: Readonly<Record<EventKind, readonly [number, number]>> = {
  flood: [12, 60],
  'category wave': [15, 100],
  step: [20, 180],
  'slow burn': [150, 480],
  spike: [6, 14],
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

/** The part of an event's height that it has reached at a minute. */
function heightAt({ kind, from, to }: TrafficEvent, at: number): number {
  if (at < from || at >= to) return 0;
  const part = (at + 0.5 - from) / (to - from);
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

/** When the truth says that something could be seen: it stands out of what the site does without any event. */
const CLEAR_DEVIATIONS = 3;
const LEAST_ADDED = 20;
const LEAST_RATIO = 1.5;
/** Attacks to expect, at least, for their absence to say anything. */
const LEAST_LOST = 30;

/**
 * How far sums over so many minutes stray from the usual in the weeks before, relative to it: the standard deviation,
 * and what one sum in a thousand exceeds.
 */
function strayOf(world: World, attacks: Column, until: number, length: number): { deviation: number; far: number } {
  const strays: number[] = [];
  const step = Math.max(1, Math.floor(length / 2));
  for (let from = Math.max(world.bornAt ?? 0, until - 28 * DAY); from + length <= until; from += step) {
    if (world.scanned.some(([first, last]) => first < from + length && last > from)) continue;
    let sum = 0;
    let usual = 0;
    for (let at = from; at < from + length; at++) {
      sum += attacks[at] ?? 0;
      usual += world.usual[at] ?? 0;
    }
    if (usual > 0) strays.push(sum / usual - 1);
  }
  if (strays.length === 0) return { deviation: 1, far: 1 };
  const squares = strays.reduce((sum, stray) => sum + stray * stray, 0);
  strays.sort((a, b) => a - b);
  return { deviation: Math.sqrt(squares / strays.length), far: strays[Math.floor(strays.length * 0.999)] ?? 1 };
}

/** Whether the part of an event in the minutes `[from, to)` can be seen by somebody who knows the site well. */
export function isDetectable(event: TrafficEvent, world: World, attacks: Column, from: number, to: number): boolean {
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
  if (event.kind === 'attacks gone') return length >= 20 && usual >= LEAST_LOST;
  if (event.kind === 'visitors gone') return length >= 10 && visits >= 3 * LEAST_LOST;
  const { deviation, far } = strayOf(world, attacks, event.from, length);
  const spread = Math.sqrt((deviation * usual) ** 2 + usual);
  return (
    added >= LEAST_ADDED &&
    added >= (LEAST_RATIO - 1) * usual &&
    added >= CLEAR_DEVIATIONS * spread &&
    added >= far * usual
  );
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
