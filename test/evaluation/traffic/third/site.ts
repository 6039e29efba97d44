/** A site as it is drawn: all that is the same in each of its possible weeks. */
import { DAY } from '../world.ts';
import { type Archetype, CATEGORIES, NOISE } from './archetypes.ts';
import { type Changes, type DueCategory, drawCategories, drawChanges, drawShares, withDue } from './categories.ts';
import { HISTORY, MINUTES, type Span } from './columns.ts';
import { drawDays, drawPlace, drawVisitors, type Place } from './place.ts';
import type { Random } from './random.ts';
import { type Crowd, drawMaintenance, drawRegularCrowds, drawScans, drawSpecialCrowds, type Scan } from './schedule.ts';

export interface Site extends Place {
  /** A minute. */
  readonly attacks: number;
  /** A minute, and by minute as multiples of that. */
  readonly visits: number;
  readonly visitors: Float64Array;
  /** Next to 0 during maintenance, otherwise 1. */
  readonly open: Float32Array;
  readonly maintenance: readonly Span[];
  readonly noise: readonly number[];
  readonly visitorNoise: readonly number[];
  readonly categories: readonly DueCategory[];
  readonly changes: Changes;
  /** The first minute. */
  readonly bornAt: number;
  readonly scans: readonly Scan[];
  readonly crowds: readonly Crowd[];
  readonly areCrowdsLong: boolean;
  /** From 0 to 1. */
  readonly botsFollowCrowds: number;
  readonly crowdsPerWeek: number;
  readonly cache: Cache | null;
  readonly probe: { readonly category: string; readonly every: number; readonly count: number } | null;
  readonly strangersPerDay: number;
  /** Categories that it doesn't have, or hardly. */
  readonly strange: readonly string[];
}

interface Cache {
  /** Mean minutes with it and without. */
  readonly on: number;
  readonly off: number;
  /** What is left of requests, and of attacks by visitors and bots. */
  readonly requests: number;
  readonly byVisitors: number;
  readonly bots: number;
}

export function drawSite(random: Random, archetype: Archetype, wanted: string): Site {
  const place = drawPlace(random, archetype, wanted);
  const { circumstance } = place;
  const attacks = random.logBetween(...archetype.attacks);
  const visits = random.logBetween(...archetype.visitors);
  const days = drawDays(random, archetype, place);
  const { growth, visitors } = drawVisitors(random, archetype, place, days);
  const maintenance = drawMaintenance(random, archetype, place);
  const open = new Float32Array(MINUTES).fill(1);
  for (const [from, to] of maintenance) open.fill(0.02, from, to);
  const shares = drawShares(random, archetype);
  const noisy = random.between(0.8, 1.25);
  const noise = NOISE[archetype.noise].map((deviation) => deviation * noisy * 0.75);
  const visitorNoise = NOISE[archetype.visitorNoise].map((deviation) => deviation * random.between(0.7, 1.2));
  const botsFollow = random.chance(0.4) ? 0 : random.between(0.2, 0.9);
  const drawn = drawCategories(random, archetype, shares, attacks);
  const changes = drawChanges(random, drawn, circumstance);
  const categories = drawn.map((category) => withDue(category, place, { growth, visitors, open }));
  const bornAt = circumstance === 'young' ? drawBirth(random, categories, visitors) : 0;
  const usual = categories.filter(({ isRare }) => !isRare);
  const scans = drawScans(random, archetype, place, usual, attacks);
  const regular = drawRegularCrowds(random, archetype, place);
  const special = drawSpecialCrowds(random, circumstance);
  return {
    ...place,
    attacks,
    visits,
    visitors,
    open,
    maintenance,
    noise,
    visitorNoise,
    categories,
    changes,
    bornAt,
    scans,
    crowds: [...regular, ...special.crowds],
    areCrowdsLong: special.areLong,
    botsFollowCrowds: Math.max(botsFollow, special.botsFollow),
    crowdsPerWeek: archetype.crowdsPerWeek === undefined ? 0 : random.between(...archetype.crowdsPerWeek),
    cache: archetype.hasCacheModes === true ? drawCache(random) : null,
    probe: archetype.hasProbe === true ? drawProbe(random, attacks) : null,
    strangersPerDay: random.between(0.02, 0.15),
    strange: CATEGORIES.filter((name) => usual.every((category) => category.name !== name)),
  };
}

/** Bots and visitors find a new site little by little. */
function drawBirth(random: Random, categories: readonly DueCategory[], visitors: Float64Array): number {
  const bornAt = HISTORY - Math.round(random.logBetween(1.3, 26) * DAY);
  const pace = random.logBetween(0.3, 3) * DAY;
  const low = random.between(0.2, 1);
  const columns = [visitors, ...categories.flatMap(({ bots, byVisitors }) => [bots, byVisitors])];
  for (let at = bornAt; at < MINUTES; at++) {
    const found = 1 - (1 - low) * Math.exp(-(at - bornAt) / pace);
    for (const column of columns) column[at] = (column[at] ?? 0) * found;
  }
  return bornAt;
}

function drawCache(random: Random): Cache {
  const on = random.between(5, 14) * 60;
  const off = random.between(10, 40) * 60;
  const requests = random.between(0.15, 0.5);
  const byVisitors = random.between(0.4, 0.9);
  return { on, off, requests, byVisitors, bots: random.pick([1, 1, random.between(0.6, 0.95)]) };
}

function drawProbe(random: Random, attacks: number): Site['probe'] {
  const category = random.pick(['robot', 'vuln']);
  const every = random.pick([1, 5, 10]);
  return { category, every, count: Math.max(1, Math.round(attacks * random.between(0.02, 0.1))) };
}

/** Attacks of the largest scanner that is strange but normal. */
export const mostOfStranger = ({ attacks }: Site): number => Math.max(6, Math.min(80, attacks * 30));
