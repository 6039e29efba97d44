/** A site's traffic as long as nobody attacks it. */
import { DAY, WEEK } from '../world.ts';
import type { DueCategory } from './categories.ts';
import { add, type Column, clamp, columnOf, MINUTES, type Span, sumOf, totalOf } from './columns.ts';
import type { Random } from './random.ts';
import type { Crowd, Scan } from './schedule.ts';
import { mostOfStranger, type Site } from './site.ts';

export interface Traffic {
  readonly categories: Map<string, Column>;
  readonly attacks: Column;
  readonly requests: Column;
  /** Crowds that came by chance. */
  readonly crowds: readonly Span[];
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** By minute of the stretch, 1 where anybody looks at it; everywhere if `null`. */
  readonly lookedAt: Uint8Array | null;
  /** The last minute at which a scanner of a kind never seen may come. */
  readonly strangersUntil: number;
}

/** What all categories have in common, by minute of the stretch. */
interface Common {
  readonly noise: Float32Array;
  readonly visitors: Float32Array;
  /** How bots follow crowds. */
  readonly bots: Float32Array;
  readonly isCached: Uint8Array;
}

export function simulate(random: Random, site: Site, stretch: Stretch): Traffic {
  const { from, to, strangersUntil } = stretch;
  const length = to - from;
  const { common, crowds } = drawCommon(random, site, stretch);
  const categories = new Map<string, Column>();
  for (const category of site.categories) {
    const column = columnOf(categories, category.name, length);
    if (category.isRare) addRare(random, column, category, stretch);
    else addCategory(random, column, category, { site, stretch, common });
  }
  for (const scan of site.scans) addScan(random, categories, scan, stretch);
  if (site.probe !== null) {
    const { category, every, count } = site.probe;
    const column = columnOf(categories, category, length);
    for (let at = 0; at < length; at++) if ((from + at) % every === 0) add(column, at, random.binomial(count, 0.98));
  }
  const meanWait = DAY / site.strangersPerDay;
  for (let at = from + random.wait(meanWait); at < strangersUntil; at += random.wait(meanWait)) {
    const column = columnOf(categories, random.pick(site.strange), length);
    for (const minute of drawStranger(random, site, Math.floor(at) - from)) add(column, minute, 1);
  }
  const attacks = totalOf(categories, length);
  return { categories, attacks, requests: drawRequests(random, attacks, { site, stretch, common }), crowds };
}

/** The minutes of the attacks of a scanner. */
export function drawStranger(random: Random, site: Site, from: number): number[] {
  const count = Math.round(random.logBetween(2, mostOfStranger(site)));
  const length = random.whole(1, 30);
  return Array.from({ length: count }, () => from + Math.floor(random.part() * length));
}

function drawCommon(random: Random, site: Site, stretch: Stretch): { common: Common; crowds: Span[] } {
  const length = stretch.to - stretch.from;
  const noise = drawNoise(random, site.noise, length, stretch.lookedAt);
  const visitorNoise = drawNoise(random, site.visitorNoise, length, stretch.lookedAt);
  const { factors, seen } = drawCrowds(random, site, stretch);
  const isCached = drawCached(random, site, length);
  const follow = site.botsFollowCrowds;
  return {
    common: {
      noise,
      visitors: visitorNoise.map((deviation, at) => Math.exp(deviation) * (factors[at] ?? 1)),
      bots: factors.map((factor) => (factor === 1 || follow === 0 ? 1 : factor ** follow)),
      isCached,
    },
    crowds: seen,
  };
}

/** Minutes after which each part of the noise has mostly changed. */
const PACES = [4, 20, 120, 720, 4320];

/** Of the logarithm of a rate; the mean of the rate stays as it is. */
function drawNoise(
  random: Random,
  deviations: readonly number[],
  length: number,
  lookedAt: Uint8Array | null,
): Float32Array {
  const noise = new Float32Array(length);
  deviations.forEach((deviation, part) => {
    const pace = PACES[part] ?? 1;
    const step = Math.max(1, Math.floor(pace / 6));
    const kept = Math.exp(-step / pace);
    const fresh = Math.sqrt(1 - kept * kept) * deviation;
    let value = random.normal() * deviation;
    for (let from = 0; from < length; from += step) {
      const isSkipped = lookedAt !== null && !lookedAt[from] && !lookedAt[Math.min(from + step, length - 1)];
      if (isSkipped && step < 10) continue;
      const next = value * kept + fresh * random.normal();
      const slope = (next - value) / step;
      const count = Math.min(step, length - from);
      for (let more = 0; more < count; more++) noise[from + more] = (noise[from + more] ?? 0) + (value + slope * more);
      value = next;
    }
  });
  const variance = sumOf(deviations.map((deviation) => deviation * deviation));
  return noise.map((value) => value - variance / 2);
}

/** Events keep away from crowds that are larger. */
const CLEAR_CROWD = 1.5;

/** So many times the usual visitors. */
function drawCrowds(random: Random, site: Site, { from, to }: Stretch): { factors: Float32Array; seen: Span[] } {
  const factors = new Float32Array(to - from).fill(1);
  const seen: Span[] = [];
  for (const crowd of site.crowds) {
    const start = crowd.at + Math.round(crowd.jitter * random.between(-1, 1));
    const peak = 1 + (crowd.peak - 1) * Math.exp(crowd.spread * random.normal());
    multiply(factors, start - from, crowd, peak);
  }
  const meanWait = WEEK / (site.crowdsPerWeek || 1);
  let at = from - 600 + random.wait(meanWait);
  while (site.crowdsPerWeek > 0 && at < to) {
    const crowd = { rise: random.whole(3, 25), hold: random.whole(5, 60), fall: random.whole(40, 240), isSlow: false };
    const peak = random.logBetween(1.4, 5);
    const start = Math.round(at);
    multiply(factors, start - from, crowd, peak);
    if (peak > CLEAR_CROWD) seen.push([start, start + crowd.rise + crowd.hold + crowd.fall]);
    at += random.wait(meanWait);
  }
  return { factors, seen };
}

function multiply(
  factors: Float32Array,
  start: number,
  { rise, hold, fall, isSlow }: Pick<Crowd, 'rise' | 'hold' | 'fall' | 'isSlow'>,
  peak: number,
): void {
  const heightAfter = (minutes: number): number => {
    if (minutes < rise) return minutes / rise;
    if (minutes < rise + hold) return 1;
    const gone = (minutes - rise - hold) / fall;
    return isSlow ? Math.exp(-gone) : 1 - gone;
  };
  const end = Math.min(start + rise + hold + fall * (isSlow ? 4 : 1), factors.length);
  for (let at = Math.max(start, 0); at < end; at++) {
    factors[at] = (factors[at] ?? 1) * (1 + (peak - 1) * heightAfter(at - start));
  }
}

/** Where a cache answers, 1. */
function drawCached(random: Random, { cache }: Site, length: number): Uint8Array {
  const cached = new Uint8Array(length);
  if (cache === null) return cached;
  let isOn = random.chance(cache.on / (cache.on + cache.off));
  let left = random.wait(isOn ? cache.on : cache.off);
  for (let at = 0; at < length; at++) {
    left -= 1;
    if (left < 0) {
      isOn = !isOn;
      left = 30 + random.wait(isOn ? cache.on : cache.off);
    }
    cached[at] = isOn ? 1 : 0;
  }
  return cached;
}

/** By ones and twos. */
function addRare(random: Random, column: Column, { rate }: DueCategory, { from, to }: Stretch): void {
  for (let at = from + random.wait(1 / rate); at < to; at += random.wait(1 / rate)) {
    add(column, Math.floor(at) - from, random.whole(1, 2));
  }
}

interface Context {
  readonly site: Site;
  readonly stretch: Stretch;
  readonly common: Common;
}

function addCategory(
  random: Random,
  column: Column,
  category: DueCategory,
  { site: { cache, open }, stretch, common }: Context,
): void {
  const { from, lookedAt } = stretch;
  const noise = drawNoise(random, category.noise, column.length, lookedAt);
  const campaignFactor = startCampaign(random, category.campaign);
  for (let at = 0; at < column.length; at++) {
    const campaign = campaignFactor();
    if (lookedAt !== null && !lookedAt[at]) continue;
    const isCached = common.isCached[at] === 1;
    const stray = Math.exp((noise[at] ?? 0) + category.sharedNoise * (common.noise[at] ?? 0));
    const ofBots = (category.bots[from + at] ?? 0) * campaign * stray * (common.bots[at] ?? 1);
    const ofVisitors = (category.byVisitors[from + at] ?? 0) * (common.visitors[at] ?? 1);
    const due = isCached && cache !== null ? ofBots * cache.bots + ofVisitors * cache.byVisitors : ofBots + ofVisitors;
    add(column, at, category.isRegular ? Math.floor(due + random.part()) : random.poisson(due));
  }
  if (category.burstPart > 0 && category.burstsPerDay > 0) addBursts(random, column, category, open, stretch);
  if (category.most === Number.POSITIVE_INFINITY) return;
  column.forEach((count, at) => {
    column[at] = Math.min(count, category.most);
  });
}

/** Says minute by minute how many times the attacks of bots come. */
function startCampaign(random: Random, campaign: DueCategory['campaign']): () => number {
  if (campaign === null) return () => 1;
  const { on, off, factor } = campaign;
  let isOn = random.chance(on / (on + off));
  let left = random.wait(isOn ? on : off);
  return () => {
    left -= 1;
    if (left < 0) {
      isOn = !isOn;
      left = random.wait(isOn ? on : off);
    }
    return isOn ? factor : 1;
  };
}

/** Their tail ends, so that a site has seen its largest ordinary burst before. */
function addBursts(
  random: Random,
  column: Column,
  { burstsPerDay, burstSize, longestBurst, levels }: DueCategory,
  open: Float32Array,
  { from, to }: Stretch,
): void {
  const meanWait = DAY / burstsPerDay;
  for (let start = from - 120 + random.wait(meanWait); start < to; start += random.wait(meanWait)) {
    const level = levels[clamp(Math.floor(start / 60), 0, MINUTES / 60 - 1)] ?? 0;
    const count = random.poisson(random.pareto(burstSize / 2.6, burstSize * 4, 1.15) * level);
    const length = random.logBetween(2, longestBurst);
    const decays = random.chance(0.4);
    for (let one = 0; one < count; one++) {
      const at = Math.floor(start + (decays ? random.wait(length / 3) : random.part() * length));
      if (at >= from && at < to && (open[at] ?? 0) > 0.5) add(column, at - from, 1);
    }
  }
}

function addScan(
  random: Random,
  categories: Map<string, Column>,
  { times, jitter, length, size, mix }: Scan,
  { from, to }: Stretch,
): void {
  const weights = sumOf(mix.map(([, weight]) => weight));
  for (const time of times) {
    if (time < from - 200 || time > to) continue;
    const start = time + Math.round(jitter * random.between(-1, 1));
    const count = size * Math.exp(0.15 * random.normal());
    for (const [category, weight] of mix) {
      const column = columnOf(categories, category, to - from);
      const perMinute = (count * weight) / weights / length;
      for (let at = Math.max(start, from); at < Math.min(start + length, to); at++) {
        add(column, at - from, random.poisson(perMinute));
      }
    }
  }
}

function drawRequests(random: Random, attacks: Column, { site, stretch, common }: Context): Column {
  const { from, lookedAt } = stretch;
  const [changedAt, changedBy] = site.changes.visitors ?? [MINUTES, 1];
  return attacks.map((count, at) => {
    if (lookedAt !== null && !lookedAt[at]) return 0;
    const usual = site.visits * (site.visitors[from + at] ?? 0) * (site.open[from + at] ?? 0);
    const changed = usual * (from + at >= changedAt ? changedBy : 1) * (common.visitors[at] ?? 1);
    return count + random.poisson(changed * (common.isCached[at] === 1 ? (site.cache?.requests ?? 1) : 1));
  });
}
