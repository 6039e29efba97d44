/** Adds events to the traffic of a watched week. */
import { CATEGORIES } from './archetypes.ts';
import { add, type Column, columnOf, HISTORY, MINUTES, sumOf } from './columns.ts';
import { drawShape, type PlannedEvent } from './events.ts';
import type { Measured, Norm, Usual } from './norm.ts';
import type { Random } from './random.ts';
import { mostOfStranger, type Site } from './site.ts';

interface Columns {
  readonly categories: Map<string, Column>;
  readonly requests: Column;
}

interface Context extends Columns {
  readonly random: Random;
  readonly site: Site;
  readonly norm: Norm;
  /** A category that the site doesn't have. */
  readonly fresh: string;
}

export interface AddedEvent extends PlannedEvent {
  /** The category of more than half of what it added. */
  readonly main: string | null;
}

/** A kind that would mean nothing at a time at which hardly anything happens becomes another one. */
export function meaningful(event: PlannedEvent, norm: Norm): PlannedEvent {
  const end = firstHourEnd(event);
  const attacks = norm.usualAt('attacks', end, 60).median;
  const requests = norm.usualAt('requests', end, 60).median;
  const { kind, from, to } = event;
  if (kind === 'attacks gone' && attacks < 4) return { ...event, kind: requests > 10 ? 'visitors gone' : 'flood' };
  if (kind === 'visitors gone' && requests < 5) return { ...event, kind: 'ramp' };
  if ((kind === 'takeover' || kind === 'slow burn') && attacks < 3) {
    return { kind: 'flood', from, to: Math.min(to, from + 240) };
  }
  return event;
}

export function addEvent(event: PlannedEvent, context: Context): AddedEvent {
  const { random } = context;
  const burstiness = random.pick([0, 0.15, 0.4]);
  const known = knownAt(event, context);
  const doBotsPass = !random.chance(0.5);
  const added = addByKind(event, { ...context, burstiness, known, doBotsPass });
  const all = sumOf(added.values());
  const main = [...added].find(([, count]) => count > 0.5 * all);
  return { ...event, main: main?.[0] ?? null };
}

const firstHourEnd = ({ from, to }: PlannedEvent): number => Math.min(to, from + 60);

interface Known {
  readonly name: string;
  /** Attacks an hour. */
  readonly rate: number;
}

interface Drawn extends Context {
  /** How much it strays from minute to minute. */
  readonly burstiness: number;
  readonly known: readonly Known[];
  /** Where attacks are gone: whether it's the protection that is off, so that bots are ordinary requests. */
  readonly doBotsPass: boolean;
}

/** What was added, by category. */
type Added = ReadonlyMap<string, number>;

function addByKind(event: PlannedEvent, drawn: Drawn): Added {
  switch (event.kind) {
    case 'attacks gone':
    case 'visitors gone':
      return removeMost(event, drawn);
    case 'takeover':
    case 'new category':
      return shiftMix(event, drawn);
    default:
      return addRise(event, drawn);
  }
}

/** The usual attacks of an hour, at least one every other hour. */
const hourOf = ({ median }: Usual): number => Math.max(median, 0.5);

/** What would just be visible in an hour. */
const visible = ({ high, median }: Usual): number => Math.max(high - median, 0.3 * median, 2);

function knownAt(event: PlannedEvent, { site, norm }: Context): Known[] {
  const end = firstHourEnd(event);
  const hour = hourOf(norm.usualAt('attacks', end, 60));
  const usual = site.categories.filter(({ isRare }) => !isRare);
  const known = usual
    .filter(({ name }) => !site.changes.moved.has(name))
    .map(({ name }) => ({ name, rate: norm.meanAt({ category: name }, end) * 60 }))
    .filter(({ rate }) => rate > 0.02 * hour);
  return known.length > 0 ? known : usual.map(({ name, rate }) => ({ name, rate: rate * 60 }));
}

function addRise(event: PlannedEvent, drawn: Drawn): Added {
  const { kind, from, to } = event;
  const { random, norm, burstiness, categories, requests } = drawn;
  const length = to - from;
  const usual = norm.usualAt('attacks', firstHourEnd(event), 60);
  const shape = drawShape(random, kind, length);
  const strongestHour = visible(usual) * random.logBetween(kind === 'wave' ? 0.15 : 0.22, 32);
  const isSlow = kind === 'slow burn';
  const multiple = isSlow ? random.logBetween(1.4, 3) - 1 : 0;
  const mix = drawMix(event, drawn);
  const weights = sumOf(mix.map(([, weight]) => weight));
  const companions = mix[0]?.[0] === 'cc' ? random.between(0.5, 8) : random.pick([0, 0, random.between(0, 3)]);
  const followsRhythm = random.chance(0.6);
  const slowAt = (at: number): number => {
    const edge = Math.min(1, (at + 1) / 20, (length - at) / 20);
    return multiple * (followsRhythm ? norm.meanAt('attacks', from + at) : usual.median / 60) * edge;
  };
  const added = new Map<string, number>();
  for (let at = 0; at < length; at++) {
    const stray = burstiness > 0 ? Math.exp(burstiness * random.normal() - (burstiness * burstiness) / 2) : 1;
    const due = (isSlow ? slowAt(at) : strongestHour * (shape[at] ?? 0)) * stray;
    let count = 0;
    for (const [category, weight] of mix) {
      const hits = random.poisson((due * weight) / weights);
      put(categories, added, category, from + at, hits);
      count += hits;
    }
    add(requests, HISTORY + from + at, count + random.poisson(count * companions));
  }
  return added;
}

const GENERAL = ['sqli', 'xss', 'cmdi', 'lfi', 'cc', 'robot', 'vuln', 'webshell', 'custom'];

type Mix = readonly (readonly [category: string, weight: number])[];

/** Of one category, of all in about the usual mix, or of one with a few others. */
function drawMix({ kind }: PlannedEvent, { random, known }: Drawn): Mix {
  if (kind === 'category wave') return [[random.weighted(known, ({ rate }) => Math.sqrt(rate)).name, 1]];
  if (random.chance(kind === 'slow burn' ? 0.5 : 0.3)) {
    return known.map(({ name, rate }) => [name, rate * random.logBetween(0.5, 2)]);
  }
  const main = random.chance(0.65) ? random.weighted(known, ({ rate }) => rate).name : random.pick(GENERAL);
  const part = random.between(0.6, 1);
  const shuffled = random.shuffled(GENERAL).filter((name) => name !== main);
  const others = shuffled.slice(0, random.whole(1, 4));
  return [[main, part], ...others.map((name) => [name, (1 - part) / others.length] as const)];
}

function put(
  categories: Map<string, Column>,
  added: Map<string, number>,
  category: string,
  minute: number,
  count: number,
): void {
  if (count === 0) return;
  add(columnOf(categories, category, MINUTES), HISTORY + minute, count);
  added.set(category, (added.get(category) ?? 0) + count);
}

/** Leaves each attack of a category with a probability; how many are gone. */
function thin({ categories, random }: Drawn, category: string, minute: number, kept: number): number {
  const column = categories.get(category);
  const count = column?.[HISTORY + minute] ?? 0;
  if (column === undefined || count === 0) return 0;
  const left = random.binomial(count, kept);
  column[HISTORY + minute] = left;
  return count - left;
}

/** A known category takes the place of others; a new one does so wholly, in part or not. */
function shiftMix(event: PlannedEvent, drawn: Drawn): Added {
  const { kind, from, to } = event;
  const { random, site, norm, burstiness, categories, requests } = drawn;
  const length = to - from;
  const end = firstHourEnd(event);
  const { main, perHour, kept } = drawShift(event, drawn);
  const rise = random.whole(1, Math.max(2, Math.min(25, length / 4)));
  const usual = norm.meanAt('attacks', end);
  const rhythmAt = (minute: number): number => (usual > 0 ? norm.meanAt('attacks', minute) / usual : 1);
  const added = new Map<string, number>();
  for (let minute = from; minute < to; minute++) {
    const edge = Math.min(1, (minute - from + 1) / rise);
    let gone = 0;
    for (const { name } of site.categories) {
      if (name !== main) gone += thin(drawn, name, minute, 1 - (1 - kept) * edge);
    }
    const due =
      kind === 'takeover'
        ? 0.5 * gone + ((0.5 * perHour) / 60) * rhythmAt(minute) * edge
        : (perHour / 60) * edge * (burstiness > 0 ? Math.exp(burstiness * random.normal()) : 1);
    const count = random.poisson(due);
    put(categories, added, main, minute, count);
    add(requests, HISTORY + minute, count - gone);
  }
  return added;
}

/** Which category, how many more of it come in an hour, and which part of the others is kept. */
function drawShift(
  event: PlannedEvent,
  { random, site, norm, known, fresh }: Drawn,
): { main: string; perHour: number; kept: number } {
  const end = firstHourEnd(event);
  const hour = hourOf(norm.usualAt('attacks', end, 60));
  const isTakeover = event.kind === 'takeover';
  const smaller = known.filter(({ rate }) => rate < 0.6 * hour);
  const candidates = smaller.length > 0 ? smaller : known;
  const main = isTakeover ? random.weighted(candidates, ({ rate }) => Math.sqrt(rate)).name : fresh;
  const ofMain: Measured = { category: main };
  const own = norm.usualAt(ofMain, end, 60);
  const others = Math.max(0.5, hour - own.median);
  const keptOf = (replaced: number): number => 1 - Math.min(0.97, replaced / others);
  if (isTakeover) {
    const perHour = Math.min(0.95 * others, visible(own) * random.logBetween(0.35, 20));
    return { main, perHour, kept: keptOf(perHour) };
  }
  const most = Math.max(7, 0.6 * hour);
  const perHour = Math.max(2, Math.min(random.logBetween(0.25, 20) * mostOfStranger(site), most));
  const replacing = random.pick([0, random.between(0.3, 1), 1]);
  return { main, perHour, kept: keptOf(perHour * replacing) };
}

function removeMost({ kind, from, to }: PlannedEvent, drawn: Drawn): Added {
  const { random, categories, requests, doBotsPass } = drawn;
  const kept = random.pick([0, 0, random.between(0, 0.05)]);
  for (let minute = from; minute < to; minute++) {
    const at = HISTORY + minute;
    const gone = sumOf(CATEGORIES.map((category) => thin(drawn, category, minute, kept)));
    if (kind === 'visitors gone') {
      const left = sumOf([...categories.values()].map((column) => column[at] ?? 0));
      requests[at] = left + random.binomial((requests[at] ?? 0) - gone - left, kept);
    } else if (!doBotsPass) add(requests, at, -gone);
  }
  return new Map();
}
