/**
 * Realistic traffic as a pure function of seed and time: daily and weekly rhythm, drifting noise, background attacks by
 * category, and waves. A count is defined for each minute, host and category; everything else is a sum of
 * those, so a window has the same total however it is cut.
 *
 * An hour is drawn first and then spread over its minutes, so that a month costs hours, not minutes. Hours and minutes
 * already drawn are cached per model, also for the next service with an equal one.
 */

import { LRUCache } from 'lru-cache';
import type { TrafficHost } from './hosts.ts';
import { createWander, keyOf, mix, poisson, spread } from './random.ts';
import { attackRate, rhythm, visitRate } from './rates.ts';
import { heightAt, mixOf, seededWaves, takesAway, touchesHost, VISITS_LEFT, type Wave, waveKey } from './waves.ts';

export interface TrafficModel {
  readonly seed: number;
  readonly hosts: readonly TrafficHost[];
  /** Waves in addition to those that follow from the seed. */
  readonly waves?: readonly Wave[];
  /** `false` leaves out the seed's waves, so that only `waves` apply. */
  readonly seededWaves?: boolean;
  /** How long it takes until all attacks of a minute are logged; 150 s by default. */
  readonly loggingMs?: number | undefined;
}

export interface Counts {
  /** Visits and attacks together. */
  readonly requests: number;
  /** Every category of the model, those of the service first. */
  readonly categories: Readonly<Record<string, number>>;
}

const HOUR = 60;
const DAY = 1440;
const WEEK = 7 * DAY;
const CACHED_BLOCKS = 10_000;
/** The fields of the attack distribution that the service always answers with. */
const CATEGORY_FIELDS = [
  'xss',
  'sqli',
  'cmdi',
  'cc',
  'custom',
  'illegal',
  'lfi',
  'robot',
  'antitamper',
  'rfi',
  'vuln',
  'whiteblackip',
  'webshell',
];

/** Derived from a model once: its columns and the blocks drawn so far. */
interface ModelCache {
  /** Column 0 is requests, the others are categories in this order. */
  readonly columns: readonly string[];
  readonly sites: ReadonlyMap<string, Site>;
  /** The sites that are drawn, and the waves on hosts that have a part of one: together they are all hosts. */
  readonly drawn: readonly Site[];
  /** Requests and attacks of all hosts, for each minute of an hour one after the other. */
  readonly sums: Map<number, Float64Array>;
}

interface Site {
  readonly host: TrafficHost;
  readonly key: number;
  readonly hours: Map<number, Float64Array>;
  readonly minutes: Map<number, Float64Array>;
  /** Requests and attacks, for each minute of an hour one after the other. */
  readonly sums: Map<number, Float64Array>;
  readonly calm: CalmTraffic;
  /** What its waves are added to: its own traffic, a part of another site's, or none. */
  readonly base: 'own' | 'none' | Site;
}

/** A host's traffic without waves. Models that differ only in their waves share it, as those of most tests do. */
interface CalmTraffic {
  readonly hours: Map<number, Float64Array>;
  readonly minutes: Map<number, Float64Array>;
  readonly sums: Map<number, Float64Array>;
  /** The rhythm at each minute of a week, as far as computed. */
  readonly week: Float64Array;
}

const caches = new WeakMap<TrafficModel, ModelCache>();
/** Tests start hundreds of services with the same few models. */
const recentModels = new LRUCache<string, ModelCache>({ max: 4 });
const calmTraffic = new LRUCache<string, CalmTraffic>({ max: 12 });

function calmTrafficOf(key: string): CalmTraffic {
  const calm = calmTraffic.get(key) ?? {
    hours: new Map(),
    minutes: new Map(),
    sums: new Map(),
    week: new Float64Array(WEEK),
  };
  calmTraffic.set(key, calm);
  return calm;
}

function cacheOf(model: TrafficModel): ModelCache {
  const known = caches.get(model);
  if (known !== undefined) return known;
  const key = JSON.stringify([model.seed, model.hosts, model.waves, model.seededWaves]);
  const cache = recentModels.get(key) ?? createCache(model);
  recentModels.set(key, cache);
  caches.set(model, cache);
  return cache;
}

function createCache(model: TrafficModel): ModelCache {
  const fields = new Set(CATEGORY_FIELDS);
  for (const host of model.hosts) for (const field of Object.keys(host.attacks)) fields.add(field);
  for (const wave of model.waves ?? []) for (const [field] of mixOf(wave)) fields.add(field);
  const columns = ['requests', ...fields];
  const drawn = new Map<string, Site>();
  const draw = (host: TrafficHost): Site => {
    const key = mix(model.seed, keyOf(host.id), 0, 307);
    const calm = calmTrafficOf(JSON.stringify([model.seed, host, columns]));
    const site = drawn.get(host.id) ?? {
      host,
      key,
      hours: new Map(),
      minutes: new Map(),
      sums: new Map(),
      calm,
      base: 'own' as const,
    };
    drawn.set(host.id, site);
    return site;
  };
  const sites = model.hosts.map((host): [string, Site] => {
    if (host.share === undefined) return [host.id, draw(host)];
    const base = draw(host.share.of);
    return [host.id, { ...base, host, key: mix(model.seed, keyOf(host.id), 0, 307), hours: new Map(), base }];
  });
  const onParts = sites.flatMap(([id, site]): Site[] =>
    typeof site.base === 'object' && model.waves?.some(({ hosts }) => hosts?.includes(id))
      ? [{ ...site, hours: new Map(), base: 'none' }]
      : [],
  );
  return { columns, sites: new Map(sites), drawn: [...drawn.values(), ...onParts], sums: new Map() };
}

function wavesOf(model: TrafficModel, host: TrafficHost, hour: number): readonly Wave[] {
  const from = hour * HOUR;
  const day = Math.floor(from / DAY);
  const seeded =
    model.seededWaves === false || host.share !== undefined
      ? []
      : [...seededWaves(model.seed, host, day - 1), ...seededWaves(model.seed, host, day)];
  // A wave on all hosts is already in the traffic of the larger site.
  const touches = (wave: Wave): boolean =>
    host.share === undefined ? touchesHost(wave, host.id) : wave.hosts?.includes(host.id) === true;
  return [...seeded, ...(model.waves ?? []).filter(touches)].filter(
    (wave) => wave.fromMinute < from + HOUR && wave.fromMinute + wave.minutes > from,
  );
}

/** Calls `add` for everything the waves add to an hour, minute by minute. */
function drawWaves(
  model: TrafficModel,
  { host, key }: Site,
  hour: number,
  columns: readonly string[],
  add: (slot: number, column: number, n: number) => void,
): void {
  for (const wave of wavesOf(model, host, hour)) {
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

/** An hour without waves: visits in column 0, background attacks in the others. */
function calmHourOf({ host, key, calm }: Site, hour: number, columns: readonly string[]): Float64Array {
  return cached(calm.hours, hour, () => {
    const middle = hour * HOUR + HOUR / 2;
    const drawn = new Float64Array(columns.length);
    drawn[0] = poisson(visitRate(host, key, middle) * HOUR, mix(key, hour, 0, 311));
    for (let column = 1; column < columns.length; column++) {
      const base = host.attacks[columns[column] ?? ''] ?? 0;
      if (base === 0) continue;
      drawn[column] = poisson(attackRate(host, key, column, base, middle) * HOUR, mix(key, hour, column, 313));
    }
    return drawn;
  });
}

function cached(blocks: Map<number, Float64Array>, hour: number, draw: () => Float64Array): Float64Array {
  let block = blocks.get(hour);
  if (block === undefined) {
    if (blocks.size >= CACHED_BLOCKS) blocks.clear();
    block = draw();
    blocks.set(hour, block);
  }
  return block;
}

function hourOf(model: TrafficModel, site: Site, hour: number, columns: readonly string[]): Float64Array {
  return cached(site.hours, hour, () => {
    if (site.base !== 'own' || wavesOf(model, site.host, hour).some(takesAway)) {
      const minutes = minutesOf(model, site, hour, columns);
      return Float64Array.from(columns, (_, column) => {
        let sum = 0;
        for (let at = column; at < minutes.length; at += columns.length) sum += minutes[at] ?? 0;
        return sum;
      });
    }
    const total = calmHourOf(site, hour, columns).slice();
    for (let column = 1; column < columns.length; column++) total[0] = (total[0] ?? 0) + (total[column] ?? 0);
    drawWaves(model, site, hour, columns, (_, column, n) => {
      total[column] = (total[column] ?? 0) + n;
    });
    return total;
  });
}

/** The rhythm at a minute of the week. */
function weekly({ host, calm: { week } }: Site, minute: number): number {
  if (week[minute] === 0) week[minute] = rhythm(host, minute);
  return week[minute] as number;
}

/** The sixty minutes of an hour, one row of columns after another. */
function minutesOf(model: TrafficModel, site: Site, hour: number, columns: readonly string[]): Float64Array {
  const draw = (): Float64Array => {
    const calm = baseMinutesOf(model, site, hour, columns);
    const waves = wavesOf(model, site.host, hour);
    if (waves.length === 0) return calm;
    const width = columns.length;
    const block = calm.slice();
    drawWaves(model, site, hour, columns, (slot, column, n) => {
      block[slot * width + column] = (block[slot * width + column] as number) + n;
    });
    for (const wave of waves.filter(takesAway)) takeAway(wave, site, hour, block, width);
    return block;
  };
  // Those of thousands of hosts would take too much memory.
  return site.base === 'own' ? cached(site.minutes, hour, draw) : draw();
}

/** The same without waves on the host itself. */
function baseMinutesOf(model: TrafficModel, site: Site, hour: number, columns: readonly string[]): Float64Array {
  if (site.base === 'own') return calmMinutesOf(site, hour, columns);
  if (site.base === 'none') return new Float64Array(HOUR * columns.length);
  return partOf(minutesOf(model, site.base, hour, columns), site.host, hour, columns.length);
}

/** A host's part of a site's minutes. The remainder goes to different hosts each minute, so that the parts add up. */
function partOf(block: Float64Array, { share }: TrafficHost, hour: number, width: number): Float64Array {
  const { at, parts } = share ?? { at: 0, parts: 1 };
  const own = new Float64Array(block.length);
  for (let row = 0; row < block.length; row += width) {
    const minute = hour * HOUR + row / width;
    const partIn = (n: number, column: number): number =>
      Math.floor(n / parts) + ((at + 61 * minute + 17 * column) % parts < n % parts ? 1 : 0);
    let visits = block[row] as number;
    for (let column = 1; column < width; column++) {
      const n = block[row + column] as number;
      if (n === 0) continue;
      visits -= n;
      own[row + column] = partIn(n, column);
      own[row] = (own[row] as number) + (own[row + column] as number);
    }
    own[row] = (own[row] as number) + partIn(visits, 0);
  }
  return own;
}

/** A site's own traffic without waves. */
function calmMinutesOf(site: Site, hour: number, columns: readonly string[]): Float64Array {
  return cached(site.calm.minutes, hour, () => {
    const width = columns.length;
    const block = new Float64Array(HOUR * width);
    const visitNoise = createWander(7, site.key, 3);
    const attackNoise = createWander(5, site.key, 4);
    for (let slot = 0; slot < HOUR; slot++) {
      const minute = hour * HOUR + slot;
      visits[slot] = weekly(site, minute % WEEK) * Math.exp(0.05 * visitNoise(minute));
      attacks[slot] = Math.exp(0.35 * attackNoise(minute));
    }
    const drawn = calmHourOf(site, hour, columns);
    for (let column = 0; column < width; column++) {
      const total = drawn[column] as number;
      if (total === 0) continue;
      spread(total, column === 0 ? visits : attacks, mix(site.key, hour, column, 409), parts);
      for (let slot = 0; slot < HOUR; slot++) {
        const n = parts[slot] as number;
        const row = slot * width;
        block[row + column] = (block[row + column] as number) + n;
        if (column > 0) block[row] = (block[row] as number) + n;
      }
    }
    return block;
  });
}

/** What remains of an hour's minutes during a wave that takes traffic away. */
function takeAway(wave: Wave, { key }: Site, hour: number, block: Float64Array, width: number): void {
  for (let slot = 0; slot < HOUR; slot++) {
    const minute = hour * HOUR + slot;
    if (heightAt(wave, minute) === 0) continue;
    const row = slot * width;
    let visits = block[row] as number;
    for (let column = 1; column < width; column++) {
      visits -= block[row + column] as number;
      block[row + column] = 0;
    }
    block[row] = wave.kind === 'attacks-gone' ? visits : poisson(visits * VISITS_LEFT, mix(key, minute, 0, 419));
  }
}

// Reused for each hour.
const visits = new Float64Array(HOUR);
const attacks = new Float64Array(HOUR);
const parts = new Float64Array(HOUR);

/** All, or those named: of thousands, most questions name a few. */
function sitesOf(model: TrafficModel, hostIds: readonly string[]): Iterable<Site> {
  const { sites } = cacheOf(model);
  return hostIds.length === 0 ? sites.values() : [...new Set(hostIds)].flatMap((id) => sites.get(id) ?? []);
}

/** IDs of the model's hosts, all or those named. */
export const hostIdsOf = (model: TrafficModel, hostIds: readonly string[]): string[] =>
  Array.from(sitesOf(model, hostIds), ({ host }) => host.id);

/** The columns of `tallyBetween`: requests first, then the categories. */
export function columnsOf(model: TrafficModel): readonly string[] {
  return cacheOf(model).columns;
}

/**
 * Totals of `[fromMinute, toMinute)`, in minutes since the Unix epoch, for all hosts or those named, in the order of
 * `columnsOf`. Whole hours are summed without drawing their minutes.
 */
export function tallyBetween(
  model: TrafficModel,
  fromMinute: number,
  toMinute: number,
  hostIds: readonly string[] = [],
): Float64Array {
  const { columns, drawn } = cacheOf(model);
  const width = columns.length;
  const totals = new Float64Array(width);
  for (const site of hostIds.length === 0 ? drawn : sitesOf(model, hostIds)) {
    for (let minute = fromMinute; minute < toMinute; ) {
      const hour = Math.floor(minute / HOUR);
      const next = Math.min(toMinute, (hour + 1) * HOUR);
      const whole = next - minute === HOUR;
      const block = whole ? hourOf(model, site, hour, columns) : minutesOf(model, site, hour, columns);
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

/** Requests and attacks of a site, for each minute of an hour one after the other. */
function siteSumsOf(model: TrafficModel, site: Site, hour: number, columns: readonly string[]): Float64Array {
  const block = minutesOf(model, site, hour, columns);
  const draw = (): Float64Array => {
    const sums = new Float64Array(2 * HOUR);
    for (let slot = 0, at = 0; slot < HOUR; slot++) {
      sums[2 * slot] = block[at++] as number;
      let attacks = 0;
      for (let column = 1; column < columns.length; column++) attacks += block[at++] as number;
      sums[2 * slot + 1] = attacks;
    }
    return sums;
  };
  if (site.base !== 'own') return draw();
  const isCalm = block === site.calm.minutes.get(hour);
  return cached(isCalm ? site.calm.sums : site.sums, hour, draw);
}

/** Requests and attacks of all hosts in one minute. */
export function sumsAt(model: TrafficModel, minute: number): readonly [requests: number, attacks: number] {
  const { columns, drawn, sums: drawnSums } = cacheOf(model);
  const hour = Math.floor(minute / HOUR);
  const sums = cached(drawnSums, hour, () => {
    const total = new Float64Array(2 * HOUR);
    for (const site of drawn) {
      const own = siteSumsOf(model, site, hour, columns);
      for (let at = 0; at < total.length; at++) total[at] = (total[at] as number) + (own[at] as number);
    }
    return total;
  });
  const at = 2 * (minute - hour * HOUR);
  return [sums[at] as number, sums[at + 1] as number];
}

/** Requests and attacks of `[fromMinute, toMinute)`, as `tallyBetween` has them by category. */
export function sumsBetween(
  model: TrafficModel,
  fromMinute: number,
  toMinute: number,
  hostIds: readonly string[],
): readonly [requests: number, attacks: number] {
  const { columns, drawn } = cacheOf(model);
  let [requests, attacks] = [0, 0];
  for (const site of hostIds.length === 0 ? drawn : sitesOf(model, hostIds)) {
    for (let minute = fromMinute; minute < toMinute; ) {
      const hour = Math.floor(minute / HOUR);
      const next = Math.min(toMinute, (hour + 1) * HOUR);
      if (next - minute === HOUR) {
        const block = hourOf(model, site, hour, columns);
        requests += block[0] as number;
        for (let column = 1; column < block.length; column++) attacks += block[column] as number;
      } else {
        const sums = siteSumsOf(model, site, hour, columns);
        for (let at = 2 * (minute - hour * HOUR); at < 2 * (next - hour * HOUR); at += 2) {
          requests += sums[at] as number;
          attacks += sums[at + 1] as number;
        }
      }
      minute = next;
    }
  }
  return [requests, attacks];
}

export function trafficBetween(
  model: TrafficModel,
  fromMinute: number,
  toMinute: number,
  hostIds: readonly string[] = [],
): Counts {
  const [requests = 0, ...counts] = tallyBetween(model, fromMinute, toMinute, hostIds);
  const fields = columnsOf(model).slice(1);
  return { requests, categories: Object.fromEntries(fields.map((field, index) => [field, counts[index] ?? 0])) };
}

/** One minute, all hosts or those named. */
export function trafficAt(model: TrafficModel, minute: number, hostIds: readonly string[] = []): Counts {
  return trafficBetween(model, minute, minute + 1, hostIds);
}
