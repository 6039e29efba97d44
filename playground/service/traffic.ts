/**
 * Believable traffic as a pure function of seed and time: a daily and a weekly rhythm, noise that wanders, background
 * attacks by category and waves. A count is defined for each minute, host and category; everything else is a sum of
 * those, so a window has the same total however it is cut.
 *
 * An hour is drawn first and then spread over its minutes, so that a month costs hours, not minutes. Hours and minutes
 * already drawn are remembered per world.
 */
import { CATEGORIES } from '../../src/insight/categories.ts';
import { keyOf, mix, poisson, spread, wander } from './chance.ts';
import type { TrafficHost } from './hosts.ts';
import { attackRate, rhythm, visitRate } from './rates.ts';
import { heightAt, mixOf, seededWaves, touchesHost, type Wave, waveKey } from './waves.ts';

export interface TrafficWorld {
  readonly seed: number;
  readonly hosts: readonly TrafficHost[];
  /** Waves on top of those that the seed sends. */
  readonly waves?: readonly Wave[];
  /** `false` leaves out the seed's own waves, so that the only truth is in `waves`. */
  readonly seededWaves?: boolean;
}

export interface Counts {
  /** Visits and attacks together. */
  readonly requests: number;
  /** Every category of the world, the known ones first. */
  readonly categories: Readonly<Record<string, number>>;
}

const HOUR = 60;
const DAY = 1440;
const REMEMBERED_BLOCKS = 10_000;

/** What has been worked out of a world: the names of its columns and the blocks drawn so far. */
interface Memory {
  /** Column 0 is requests, the others are categories in this order. */
  readonly columns: readonly string[];
  readonly sites: ReadonlyMap<string, Site>;
}

interface Site {
  readonly host: TrafficHost;
  readonly key: number;
  readonly hours: Map<number, Float64Array>;
  readonly minutes: Map<number, Float64Array>;
}

const memories = new WeakMap<TrafficWorld, Memory>();

function memoryOf(world: TrafficWorld): Memory {
  let memory = memories.get(world);
  if (memory === undefined) {
    const fields = new Set(CATEGORIES.map((category) => category.field));
    for (const host of world.hosts) for (const field of Object.keys(host.attacks)) fields.add(field);
    for (const wave of world.waves ?? []) for (const [field] of mixOf(wave)) fields.add(field);
    const sites = world.hosts.map((host): [string, Site] => {
      const key = mix(world.seed, keyOf(host.id), 0, 307);
      return [host.id, { host, key, hours: new Map(), minutes: new Map() }];
    });
    memory = { columns: ['requests', ...fields], sites: new Map(sites) };
    memories.set(world, memory);
  }
  return memory;
}

function wavesOf(world: TrafficWorld, host: TrafficHost, hour: number): readonly Wave[] {
  const from = hour * HOUR;
  const day = Math.floor(from / DAY);
  const seeded =
    world.seededWaves === false
      ? []
      : [...seededWaves(world.seed, host, day - 1), ...seededWaves(world.seed, host, day)];
  return [...seeded, ...(world.waves ?? []).filter((wave) => touchesHost(wave, host.id))].filter(
    (wave) => wave.fromMinute < from + HOUR && wave.fromMinute + wave.minutes > from,
  );
}

/** Calls `add` for everything the waves put on an hour, minute by minute. */
function drawWaves(
  world: TrafficWorld,
  { host, key }: Site,
  hour: number,
  columns: readonly string[],
  add: (slot: number, column: number, n: number) => void,
): void {
  for (const wave of wavesOf(world, host, hour)) {
    const visitors = wave.kind === 'marketing-peak';
    const pests = Object.entries(host.attacks).filter(([field]) => field === 'robot' || field === 'illegal');
    const parts =
      visitors && wave.categories === undefined
        ? pests.map(([field, base]) => [field, base / host.visitsPerMinute] as const)
        : mixOf(wave);
    const drawKey = mix(key, waveKey(wave), 0, 211);
    for (let slot = 0; slot < HOUR; slot++) {
      const minute = hour * HOUR + slot;
      const rate = wave.perMinute * heightAt(wave, minute);
      if (rate <= 0) continue;
      if (visitors) add(slot, 0, poisson(rate, mix(drawKey, minute, 0, 223)));
      for (const [field, share] of parts) {
        const column = columns.indexOf(field);
        const n = poisson(rate * share, mix(drawKey, minute, keyOf(field), 227));
        // An attack is a request too.
        add(slot, column, n);
        add(slot, 0, n);
      }
    }
  }
}

/** What an hour has before the waves: visits in column 0, background attacks in the others. */
function drawHour({ host, key }: Site, hour: number, columns: readonly string[]): Float64Array {
  const middle = hour * HOUR + HOUR / 2;
  const drawn = new Float64Array(columns.length);
  drawn[0] = poisson(visitRate(host, key, middle) * HOUR, mix(key, hour, 0, 311));
  for (let column = 1; column < columns.length; column++) {
    const base = host.attacks[columns[column] ?? ''] ?? 0;
    if (base === 0) continue;
    drawn[column] = poisson(attackRate(host, key, column, base, middle) * HOUR, mix(key, hour, column, 313));
  }
  return drawn;
}

function remember(blocks: Map<number, Float64Array>, hour: number, draw: () => Float64Array): Float64Array {
  let block = blocks.get(hour);
  if (block === undefined) {
    if (blocks.size >= REMEMBERED_BLOCKS) blocks.clear();
    block = draw();
    blocks.set(hour, block);
  }
  return block;
}

function hourOf(world: TrafficWorld, site: Site, hour: number, columns: readonly string[]): Float64Array {
  return remember(site.hours, hour, () => {
    const total = drawHour(site, hour, columns);
    for (let column = 1; column < columns.length; column++) total[0] = (total[0] ?? 0) + (total[column] ?? 0);
    drawWaves(world, site, hour, columns, (_, column, n) => {
      total[column] = (total[column] ?? 0) + n;
    });
    return total;
  });
}

/** The sixty minutes of an hour, one row of columns after another. */
function minutesOf(world: TrafficWorld, site: Site, hour: number, columns: readonly string[]): Float64Array {
  return remember(site.minutes, hour, () => {
    const width = columns.length;
    const block = new Float64Array(HOUR * width);
    const add = (slot: number, column: number, n: number) => {
      block[slot * width + column] = (block[slot * width + column] ?? 0) + n;
    };
    const visits = new Float64Array(HOUR);
    const attacks = new Float64Array(HOUR);
    for (let slot = 0; slot < HOUR; slot++) {
      const minute = hour * HOUR + slot;
      visits[slot] = rhythm(site.host, minute) * Math.exp(0.05 * wander(minute, 7, site.key, 3));
      attacks[slot] = Math.exp(0.35 * wander(minute, 5, site.key, 4));
    }
    drawHour(site, hour, columns).forEach((total, column) => {
      const weights = column === 0 ? visits : attacks;
      spread(total, weights, mix(site.key, hour, column, 409), (slot, n) => {
        add(slot, column, n);
        if (column > 0) add(slot, 0, n);
      });
    });
    drawWaves(world, site, hour, columns, add);
    return block;
  });
}

/** Requests first, then the categories, in the order of the numbers that `tallyBetween` gives. */
export function columnsOf(world: TrafficWorld): readonly string[] {
  return memoryOf(world).columns;
}

/**
 * All that happens in `[fromMinute, toMinute)`, minutes since the Unix epoch, at all hosts or those named, as bare
 * numbers in the order of `columnsOf`. Whole hours are never opened.
 */
export function tallyBetween(
  world: TrafficWorld,
  fromMinute: number,
  toMinute: number,
  hostIds: readonly string[] = [],
): Float64Array {
  const { columns, sites } = memoryOf(world);
  const width = columns.length;
  const totals = new Float64Array(width);
  for (const site of sites.values()) {
    if (hostIds.length > 0 && !hostIds.includes(site.host.id)) continue;
    for (let minute = fromMinute; minute < toMinute; ) {
      const hour = Math.floor(minute / HOUR);
      const next = Math.min(toMinute, (hour + 1) * HOUR);
      const whole = next - minute === HOUR;
      const block = whole ? hourOf(world, site, hour, columns) : minutesOf(world, site, hour, columns);
      const first = whole ? 0 : minute - hour * HOUR;
      const rows = whole ? 1 : next - minute;
      for (let row = first; row < first + rows; row++) {
        for (let column = 0; column < width; column++) {
          totals[column] = (totals[column] ?? 0) + (block[row * width + column] ?? 0);
        }
      }
      minute = next;
    }
  }
  return totals;
}

export function trafficBetween(
  world: TrafficWorld,
  fromMinute: number,
  toMinute: number,
  hostIds: readonly string[] = [],
): Counts {
  const [requests = 0, ...counts] = tallyBetween(world, fromMinute, toMinute, hostIds);
  const fields = columnsOf(world).slice(1);
  return { requests, categories: Object.fromEntries(fields.map((field, index) => [field, counts[index] ?? 0])) };
}

/** One minute, all hosts or those named. */
export function trafficAt(world: TrafficWorld, minute: number, hostIds: readonly string[] = []): Counts {
  return trafficBetween(world, minute, minute + 1, hostIds);
}
