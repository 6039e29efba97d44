/**
 * Weeks of real attacks to which events are added: what the site does by itself is real, and what there is to find is known. The
 * file is a log of single attacks, `datetime,host,…,proto,…,dpt` with a line each, such as the public log of nine honeypots
 * of 2013 (docs/verdict-details.md); protocol and port are the category. Visitors aren't in it: a plain daily rhythm stands in.
 */
import { readFileSync } from 'node:fs';
import { type LabelledStream, RARE, whenSeen } from './streams.ts';
import { createRandom, type Random } from './traffic/random.ts';

const MINUTE_MS = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const PAST_WEEKS = 4;

/** Attacks in each minute, by category. */
type Columns = Map<string, Float64Array>;

export interface AttackLog {
  /** A Monday, 00:00 UTC. */
  readonly startMs: number;
  /** Whole weeks. */
  readonly weeks: number;
  readonly hosts: ReadonlyMap<string, Columns>;
}

/** What the documented interface has, with one for the rest and one that is left for new attacks. */
const MAX_CATEGORIES = 11;
const OTHERS = 'other ports';
const NEW = 'a new category';

export function readAttackLog(file: string): AttackLog {
  const [head = '', ...lines] = readFileSync(file, 'utf8').split(/\r?\n/);
  const names = head.split(',');
  const [time, host, protocol, port] = ['datetime', 'host', 'proto', 'dpt'].map((name) => names.indexOf(name));
  if ([time, host, protocol, port].includes(-1))
    throw new Error(`${file} needs the columns datetime, host, proto and dpt.`);
  const attacks = lines.flatMap((line) => {
    const cells = line.split(',');
    const cell = (at = 0): string => cells[at] ?? '';
    const ms = Date.parse(`${cell(time).replace(' ', 'T')}Z`);
    return Number.isNaN(ms) ? [] : [{ ms, host: cell(host), category: `${cell(protocol)} ${cell(port)}`.trim() }];
  });
  const firstMs = attacks.reduce((least, { ms }) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const lastMs = attacks.reduce((most, { ms }) => Math.max(most, ms), 0);
  const startMs = mondayFrom(firstMs);
  const weeks = Math.floor((lastMs - startMs) / (WEEK * MINUTE_MS));
  const counts = Map.groupBy(attacks, ({ category }) => category);
  const largest = [...counts].toSorted(([, a], [, b]) => b.length - a.length).slice(0, MAX_CATEGORIES);
  const known = new Set(largest.map(([category]) => category));
  const hosts = new Map<string, Columns>();
  for (const { ms, host: name, category } of attacks) {
    const at = Math.floor((ms - startMs) / MINUTE_MS);
    if (at < 0 || at >= weeks * WEEK) continue;
    const columns =
      hosts.get(name) ?? new Map([...known, OTHERS].map((each) => [each, new Float64Array(weeks * WEEK)]));
    hosts.set(name, columns);
    add(columns, known.has(category) ? category : OTHERS, at, 1);
  }
  return { startMs, weeks, hosts };
}

function mondayFrom(ms: number): number {
  const day = Math.ceil(ms / (DAY * MINUTE_MS));
  // The first day of 1970 was a Thursday.
  return (day + ((11 - (day % 7)) % 7)) * DAY * MINUTE_MS;
}

function add(columns: Columns, category: string, at: number, count: number): void {
  const column = columns.get(category);
  if (column !== undefined) column[at] = (column[at] ?? 0) + count;
}

/** Each host by itself and all together, week by week, with events or as it was. */
export function* realWeeks({ startMs, weeks, hosts }: AttackLog, withEvents = true): Generator<LabelledStream> {
  const together: Columns = new Map();
  for (const columns of hosts.values()) {
    for (const [name, column] of columns) {
      const sum = together.get(name) ?? new Float64Array(column.length);
      together.set(
        name,
        sum.map((count, at) => count + (column[at] ?? 0)),
      );
    }
  }
  const sites = [...hosts, ['all', together] as const];
  for (const [index, [site, columns]] of sites.entries()) {
    for (let week = PAST_WEEKS; week < weeks; week++)
      yield weekOf({ startMs, week, site, columns }, withEvents, createRandom(index, week));
  }
}

interface RealWeek {
  readonly startMs: number;
  readonly week: number;
  readonly site: string;
  readonly columns: Columns;
}

function weekOf({ startMs, week, site, columns: real }: RealWeek, withEvents: boolean, random: Random): LabelledStream {
  const from = (week - PAST_WEEKS) * WEEK;
  const columns: Columns = new Map([...real].map(([name, column]) => [name, column.slice(from, (week + 1) * WEEK)]));
  columns.set(NEW, new Float64Array((PAST_WEEKS + 1) * WEEK));
  const msAt = (minute: number): number => startMs + (from + minute) * MINUTE_MS;
  const events = (withEvents ? planned(random) : []).map((event) => {
    const without = new Map([...columns].map(([name, column]) => [name, column.slice()]));
    const main = change(random, columns, event);
    const ends = endsSeen(event, main, columns, without);
    const [clear] = endsSeen(event, main, columns, without, RARE);
    return {
      kind: event.kind,
      main,
      fromMs: msAt(event.from),
      toMs: msAt(event.to),
      ...whenSeen(ends, clear, (all) => random.pick(all), msAt),
      level: null,
    };
  });
  const attacks = totalOf(columns);
  const requests = attacks.map((count, at) => count + random.poisson(40 - 30 * Math.cos((2 * Math.PI * at) / DAY)));
  return {
    id: `${site}-${week}`,
    site,
    circumstance: 'real attacks',
    zone: 'UTC',
    numbers: {
      startMs: msAt(0),
      intervalMs: MINUTE_MS,
      requests: [...requests],
      attacks: [...attacks],
      categories: Object.fromEntries([...columns].map(([name, column]) => [name, [...column]])),
    },
    fromMs: msAt(PAST_WEEKS * WEEK),
    toMs: msAt((PAST_WEEKS + 1) * WEEK),
    events,
  };
}

function totalOf(columns: Columns): Float64Array {
  const sum = new Float64Array((PAST_WEEKS + 1) * WEEK);
  for (const column of columns.values()) for (const [at, count] of column.entries()) sum[at] = (sum[at] ?? 0) + count;
  return sum;
}

type Kind = 'flood' | 'category wave' | 'ramp' | 'spike' | 'slow burn' | 'new category' | 'takeover' | 'attacks gone';

interface PlannedEvent {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
  /** How many times the usual attacks; of a takeover, the share that changes its category. */
  readonly strength: number;
}

const RISES: readonly Kind[] = ['flood', 'category wave', 'ramp', 'spike', 'slow burn', 'new category', 'takeover'];
const EVENTS = 5;

/** One in each part of the week; the last is a drop. */
function planned(random: Random): PlannedEvent[] {
  const part = WEEK / EVENTS;
  return Array.from({ length: EVENTS }, (_, at) => {
    const kind = at === EVENTS - 1 ? 'attacks gone' : random.pick(RISES);
    const [shortest, longest] = kind === 'spike' ? [10, 20] : kind === 'slow burn' ? [240, 600] : [20, 180];
    const length = Math.round(shortest * (longest / shortest) ** random.part());
    const from = PAST_WEEKS * WEEK + Math.round(at * part) + random.whole(120, part - 180 - length);
    return { kind, from, to: from + length, strength: strengthOf(kind, random) };
  });
}

function strengthOf(kind: Kind, random: Random): number {
  const between = (low: number, high: number): number => low * (high / low) ** random.part();
  if (kind === 'takeover') return random.between(0.4, 0.95);
  if (kind === 'spike') return between(4, 15);
  if (kind === 'new category') return between(0.1, 1.5);
  return kind === 'slow burn' ? between(1.4, 3) : between(1.6, 8);
}

/** Returns the category that it's mostly of. */
function change(random: Random, columns: Columns, { kind, from, to, strength }: PlannedEvent): string | null {
  const all = totalOf(columns);
  const usual = sumBetween(all, from - WEEK / 2, from) / (WEEK / 2);
  const sharesOf = [...columns].map(([name, column]) => [name, sumBetween(column, 0, from)] as const);
  const drawn = (): string => {
    let left = random.part() * sharesOf.reduce((sum, [, count]) => sum + count, 0);
    for (const [name, count] of sharesOf) {
      if (left < count) return name;
      left -= count;
    }
    return OTHERS;
  };
  const isMixed = kind === 'attacks gone' || (kind !== 'category wave' && kind !== 'takeover' && random.chance(0.4));
  const known = [...columns.keys()].filter((name) => name !== NEW && name !== OTHERS);
  const main = kind === 'new category' ? NEW : isMixed ? null : random.pick(known);
  for (let at = from; at < to; at++) {
    const shape = kind === 'ramp' ? 2 * Math.min(1, (at - from) / (to - from), (to - at) / (to - from)) : 1;
    if (kind === 'takeover' || kind === 'attacks gone') {
      for (const [name, column] of columns) {
        const moved = Array.from({ length: column[at] ?? 0 }).filter(() =>
          random.chance(kind === 'takeover' ? strength : 1),
        );
        column[at] = (column[at] ?? 0) - moved.length;
        if (kind === 'takeover') add(columns, main ?? name, at, moved.length);
      }
      continue;
    }
    const more = kind === 'new category' ? strength : strength - 1;
    const count = random.poisson(shape * more * usual);
    for (let each = 0; each < count; each++) add(columns, main === null || random.chance(0.1) ? drawn() : main, at, 1);
  }
  return main;
}

/** Fewer events matter to nobody. */
const MIN_ADDED = 10;
const MIN_LOST = 22;
/** Looked at in hours that end every ten minutes, in two weeks before it and, of the week, after it. */
const AROUND = 2 * WEEK;
const STEP = 10;
/** More than the site does by itself once in so many hours. */
const ONCE_IN = 40;

/** The ends of the hours, from the first ten minutes on, in which it could be seen. */
function endsSeen(
  { kind, from, to }: PlannedEvent,
  main: string | null,
  columns: Columns,
  without: Columns,
  times = 1,
): number[] {
  const isMix = kind === 'takeover' || kind === 'new category';
  const measured = (some: Columns): Float64Array => (isMix ? (some.get(main ?? '') ?? totalOf(some)) : totalOf(some));
  const [series, before] = [measured(columns), measured(without)];
  const hours: number[] = [];
  for (let end = from - AROUND; end < Math.min(from + AROUND, before.length); end += STEP) {
    hours.push(sumBetween(before, end - HOUR, end));
  }
  hours.sort((a, b) => a - b);
  const at = (part: number): number => hours[Math.floor(part * (hours.length - 1))] ?? Number.NaN;
  const rarity = 1 / (times * ONCE_IN);
  const [low, median, high] = [at(rarity), at(0.5), at(1 - rarity)];
  const ends: number[] = [];
  for (let end = from + STEP; end < to + STEP; end += STEP) {
    const until = Math.min(end, to);
    const count = sumBetween(series, until - HOUR, until);
    const added = count - sumBetween(before, until - HOUR, until);
    const isRise = count > high && added >= MIN_ADDED && 2 * added >= count - median;
    const isDrop = count < low && median - count >= MIN_LOST && 2 * -added >= median - count;
    if (kind === 'attacks gone' ? isDrop : isRise) ends.push(until);
  }
  return ends;
}

function sumBetween(column: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let at = Math.max(0, from); at < Math.min(column.length, to); at++) sum += column[at] ?? 0;
  return sum;
}
