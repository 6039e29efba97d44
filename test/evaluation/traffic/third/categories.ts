/** The categories of a site: how many attacks each has, how they stray, and what changes in five weeks. */
import { DAY, WEEK } from '../world.ts';
import { type Archetype, CATEGORIES, NOISE } from './archetypes.ts';
import { clamp, HISTORY, MINUTE_MS, MINUTES, sumOf } from './columns.ts';
import { HOURS } from './hours.ts';
import { type Growth, growthAt, type Place } from './place.ts';
import type { Random } from './random.ts';

export interface Category {
  readonly name: string;
  /** Attacks a minute. */
  readonly rate: number;
  /** The part of them that comes and goes with the visitors, and that of the rest which comes in bursts. */
  readonly visitorPart: number;
  readonly burstPart: number;
  readonly burstsPerDay: number;
  readonly burstSize: number;
  readonly longestBurst: number;
  readonly hours: readonly number[];
  /** By local time, in whole hours. */
  readonly isSawtooth: boolean;
  readonly hoursLate: number;
  /** How far it follows its rhythm. */
  readonly swing: number;
  /** How far it strays along with the site, and by itself. */
  readonly sharedNoise: number;
  readonly noise: readonly number[];
  /** A week. */
  readonly drift: number;
  readonly isRegular: boolean;
  readonly campaign: { readonly on: number; readonly off: number; readonly factor: number } | null;
  /** A few attacks a week. */
  readonly isRare: boolean;
  /** From a minute on so many times the attacks. */
  readonly steps: (readonly [from: number, factor: number])[];
  startsAt: number;
  /** More a minute are not counted. */
  most: number;
}

interface Share {
  readonly name: string;
  readonly share: number;
  readonly visitorPart: number;
}

export const drawShares = (random: Random, { mix }: Archetype): Share[] =>
  Object.entries(mix).map(([name, [share, visitorPart]]) => {
    return { name, share: share * random.logBetween(0.55, 1.8), visitorPart };
  });

export function drawCategories(
  random: Random,
  archetype: Archetype,
  shares: readonly Share[],
  attacks: number,
): Category[] {
  const all = sumOf(shares.map(({ share }) => share));
  const usual = shares.map((share) => drawCategory(random, archetype, share, (attacks * share.share) / all));
  const others = CATEGORIES.filter((name) => shares.every((share) => share.name !== name));
  const rare = others.flatMap((name) => (random.chance(0.3) ? [rareCategory(random, name)] : []));
  return [...usual, ...rare];
}

function drawCategory(random: Random, archetype: Archetype, { name, ...share }: Share, rate: number): Category {
  const isSawtooth = archetype.sawtooth === name;
  const visitorPart = clamp(share.visitorPart * random.between(0.75, 1.2), 0, 1);
  const burstPart = visitorPart > 0.65 ? 0 : random.between(...archetype.burstPart);
  const burstsPerDay = random.logBetween(1, 12);
  const size = (burstPart * rate * DAY) / burstsPerDay;
  return {
    name,
    rate,
    visitorPart,
    burstPart,
    burstsPerDay: size < 1.5 ? (burstPart * rate * DAY) / 3 : burstsPerDay,
    burstSize: Math.max(size, 3),
    hours: HOURS[isSawtooth ? 'sawtooth' : random.pick(archetype.botHours)],
    longestBurst: random.logBetween(6, 110),
    isSawtooth,
    hoursLate: random.between(-4, 4),
    swing: isSawtooth ? 1 : random.between(0.3, 1.1),
    sharedNoise: random.between(0, 1),
    noise: NOISE[archetype.noise].map((deviation) => deviation * random.between(0.5, 1.15)),
    drift: (archetype.drift ?? 0.05) * random.between(-1, 1),
    isRegular: archetype.regular === name,
    campaign: archetype.hasCampaigns === true && random.chance(0.6) ? drawCampaign(random) : null,
    isRare: false,
    steps: [],
    startsAt: 0,
    most: Number.POSITIVE_INFINITY,
  };
}

const drawCampaign = (random: Random): Category['campaign'] => ({
  on: random.between(90, 420),
  off: random.between(400, 1500),
  factor: random.between(1.6, 5),
});

const rareCategory = (random: Random, name: string): Category => ({
  name,
  rate: random.logBetween(0.15, 2) / WEEK,
  visitorPart: 0,
  burstPart: 0,
  burstsPerDay: 0,
  burstSize: 0,
  longestBurst: 0,
  hours: HOURS.flat,
  isSawtooth: false,
  hoursLate: 0,
  swing: 1,
  sharedNoise: 0,
  noise: [],
  drift: 0,
  isRegular: false,
  campaign: null,
  isRare: true,
  steps: [],
  startsAt: 0,
  most: Number.POSITIVE_INFINITY,
});

export interface Changes {
  /** Categories that begin, end or get another name. */
  readonly moved: ReadonlySet<string>;
  readonly visitors: readonly [from: number, factor: number] | null;
}

/** What a release, other rules or other attackers change; a category may be added. */
export function drawChanges(random: Random, categories: Category[], circumstance: string): Changes {
  const known = categories.filter(({ isRare }) => !isRare);
  const largest = known.reduce((a, b) => (a.rate > b.rate ? a : b));
  switch (circumstance) {
    case 'release':
      return { moved: new Set(), visitors: drawRelease(random, known) };
    case 'new normal': {
      const from = HISTORY - random.whole(2 * DAY, 5 * DAY);
      const factor = random.between(1.35, 2.2);
      for (const { steps } of known) steps.push([from, factor]);
      break;
    }
    case 'botnet gone':
      largest.steps.push([drawChangeTime(random), random.between(0.03, 0.3)]);
      break;
    case 'rules':
      return { moved: drawRule(random, known), visitors: null };
    case 'renamed':
      return { moved: drawRename(random, categories, known), visitors: null };
    case 'clipped':
      largest.most = Math.max(2, Math.ceil(largest.rate * random.between(1.3, 2.5)));
  }
  return { moved: new Set(), visitors: null };
}

const drawChangeTime = (random: Random): number => random.whole(3 * DAY, HISTORY - 3 * DAY);

function drawRelease(random: Random, known: readonly Category[]): Changes['visitors'] {
  const from = drawChangeTime(random);
  const factor = random.pick([random.between(0.35, 0.7), random.between(1.4, 2.8)]);
  const changed = random.chance(0.5) ? known : random.shuffled(known).slice(0, random.whole(1, 3));
  for (const { steps } of changed) steps.push([from, factor]);
  return random.chance(0.4) ? [from, random.between(0.7, 1.5)] : null;
}

/** A category begins or ends. */
function drawRule(random: Random, known: readonly Category[]): Set<string> {
  const category = random.pick(known);
  const at = drawChangeTime(random);
  if (random.chance(0.5)) category.startsAt = at;
  else category.steps.push([at, 0]);
  return new Set([category.name]);
}

/** A category, or a part of it, is counted under another name. */
function drawRename(random: Random, categories: Category[], known: readonly Category[]): Set<string> {
  const all = sumOf(known.map(({ rate }) => rate));
  const category = random.pick(known.filter(({ rate }) => rate > all * 0.04));
  const at = drawChangeTime(random);
  const part = random.chance(0.5) ? 1 : random.between(0.4, 0.8);
  const free = CATEGORIES.filter((name) => categories.every((each) => each.name !== name));
  if (free.length === 0) return new Set();
  const name = random.pick(free);
  const { rate, burstSize } = category;
  const size = Math.max(3, burstSize * part);
  categories.push({ ...category, name, rate: rate * part, burstSize: size, steps: [], startsAt: at });
  category.steps.push([at, 1 - part]);
  return new Set([category.name, name]);
}

/** What is due by minute: in 32 bits, as there are many. */
export interface DueCategory extends Category {
  readonly bots: Float32Array;
  readonly byVisitors: Float32Array;
  /** By hour, as a multiple of what it has at the start of the watched week. */
  readonly levels: Float32Array;
}

export function withDue(
  category: Category,
  { startMs, clock }: Place,
  { growth, visitors, open }: { growth: Growth; visitors: Float64Array; open: Float32Array },
): DueCategory {
  const bots = new Float32Array(MINUTES);
  const byVisitors = new Float32Array(MINUTES);
  const levels = new Float32Array(MINUTES / 60);
  const { rate, visitorPart, burstPart, swing, steps, startsAt } = category;
  const fromBots = rate * (1 - visitorPart) * (1 - burstPart);
  const mean = sumOf(category.hours) / 24;
  for (let at = 0; at < MINUTES; at++) {
    let level = at < startsAt ? 0 : (open[at] ?? 0);
    for (const [from, factor] of steps) if (at >= from) level *= factor;
    const rhythm = rhythmAt(category, category.isSawtooth ? (clock[at] ?? 0) : startMs / MINUTE_MS + at) / mean;
    const drift = growthAt(category.drift, at);
    const grown = growthAt(0.6 * growth.visitors + growth.all, at) * drift;
    bots[at] = fromBots * level * grown * Math.max(0.05, 1 + (rhythm - 1) * swing);
    byVisitors[at] = rate * visitorPart * level * drift * (visitors[at] ?? 0);
    if (at % 60 === 0) levels[at / 60] = level * grown;
  }
  return { ...category, bots, byVisitors, levels };
}

function rhythmAt({ hours, isSawtooth, hoursLate }: Category, minute: number): number {
  const time = minute / 60 - (isSawtooth ? 0 : hoursLate);
  const hour = Math.floor(time);
  const part = isSawtooth ? 0 : time - hour;
  return (hours[hour % 24] ?? 0) * (1 - part) + (hours[(hour + 1) % 24] ?? 0) * part;
}
